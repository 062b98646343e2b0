//! `reprise` re-runs the experiments of machine-learning papers from declarative TOML files and
//! proves what it got: data fetched and checksummed, every method and baseline run on seeded
//! splits, significance tested, tables and plots laid out as in the papers beside the published
//! numbers, a verdict on each claim, and results sealed so that anyone can audit them.
//!
//! The road has one direction:
//!
//! ```text
//! spec ─▶ plan ─▶ run ─▶ store ─▶ report ─▶ seal
//! ```
//!
//! [`spec`] turns a file into an [`spec::Experiment`]; [`run`] plans and executes its trials and
//! keeps their records; [`report`] only reads records; [`seal`] writes and audits manifests. Below
//! them, [`data`] finds and parses datasets, [`method`] holds the papers' methods and baselines,
//! [`task`] says what a trial measures, [`stats`] has the significance tests, [`document`] reads the
//! files that people write and says what is wrong with them, [`durable`] writes what survives a power
//! cut, [`bounded`] reads the files of others and [`printable`] lets their texts harm no terminal, [`own`] opens
//! what is our own and nothing else, [`layout`] names what stands in a results folder, and [`math`] has the
//! deterministic numerics. [`harness`] stands above: an experiment with its data, its outputs, and whether sealed
//! results come out again.

pub mod base;
pub mod cli;
pub mod contract;
pub mod data;
pub mod document;
pub mod harness;
pub mod math;
pub mod method;
pub mod report;
pub mod run;
pub mod seal;
pub mod spec;
pub mod stats;
pub mod task;
