//! One file per promise to the user. All in one binary, so that they are linked once.

mod bad_input;
mod boundary;
mod chow_liu_reference;
mod classification;
mod classification_data;
mod classifiers_reference;
mod damaged;
mod edits;
mod experiments;
mod fetch;
mod fetch_trees;
mod gibbs_reference;
mod guarantees;
mod isolation;
mod limits;
mod revisions;
mod stored;
mod support;
mod tep_reference;
mod theorem44;
mod tree_and_svm_reference;
mod uci;
