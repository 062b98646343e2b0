//! One file per promise to the user. All in one binary, so that they are linked once. Those that name a paper, its methods or its
//! results are there only with the feature `papers`.

mod added;
#[cfg(feature = "papers")]
mod bad_input;
#[cfg(feature = "papers")]
mod boundary;
mod browser;
mod chow_liu_reference;
#[cfg(feature = "papers")]
mod class_metrics;
mod classification;
mod classification_data;
mod classifiers_reference;
#[cfg(feature = "papers")]
mod columns;
mod command_page;
mod comparison;
#[cfg(feature = "papers")]
mod damaged;
mod differences;
#[cfg(feature = "papers")]
mod edits;
#[cfg(feature = "papers")]
mod estimators;
mod executors;
#[cfg(feature = "papers")]
mod experiments;
mod explained;
mod features;
mod fetch;
mod fetch_trees;
mod first;
#[cfg(feature = "papers")]
mod foreign_bytes;
mod foreseen;
#[cfg(feature = "papers")]
mod forgeries;
#[cfg(feature = "papers")]
mod formulas;
#[cfg(feature = "papers")]
mod gibbs_reference;
#[cfg(feature = "papers")]
mod guarantees;
mod hostile_data;
mod hostile_text;
#[cfg(feature = "papers")]
mod housekeeping;
mod inner;
mod isolation;
mod leak;
mod limits;
mod links;
mod marked;
#[cfg(feature = "papers")]
mod memory;
mod numeric_reference;
mod order;
#[cfg(feature = "papers")]
mod outside;
mod overlay;
mod page;
#[cfg(feature = "papers")]
mod parsers;
mod programs;
mod redrawn;
mod regression;
mod regression_reference;
#[cfg(feature = "papers")]
mod revisions;
mod rooms;
mod round_trips;
#[cfg(feature = "papers")]
mod scorecard;
#[cfg(feature = "papers")]
mod stored;
mod support;
mod tables;
#[cfg(feature = "papers")]
mod tep_reference;
#[cfg(feature = "papers")]
mod theorem44;
mod top;
mod tree_and_svm_reference;
#[cfg(feature = "papers")]
mod tutorial;
#[cfg(feature = "papers")]
mod uci;
mod unsafe_code;
mod untrusted;
#[cfg(not(feature = "papers"))]
mod without_papers;
mod words;
mod work_stealing;
mod workers;
