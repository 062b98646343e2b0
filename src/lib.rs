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
//! keeps their records; [`report`] only reads records; [`seal`] writes and audits manifests; [`page`] makes what a person opens; [`harness`]
//! stands above them: an experiment with its data, its outputs, and whether sealed results come out again.
//!
//! Below them, [`contract`] is what data, tasks and methods agree on, and they know nothing else of each other:
//! [`data`] finds and parses datasets, [`method`] holds the baselines, [`task`] says what a
//! trial measures, and [`program`] runs any program as a method. [`stats`] has the significance tests, [`document`] reads
//! the files that people write and says what is wrong with them, [`math`] has the deterministic numerics, and [`base`] is
//! what all of it stands on.
//!
//! Each room is a crate of one workspace, so the compiler sees to it that none names a room above it.
//!
//! An experiment from Rust:
//!
//! ```
//! use reprise::data::DataConfig;
//! use reprise::KNOWN;
//! use reprise::harness::Session;
//! use reprise::harness::run::{Ended, Listener, Options, run, unobserved};
//! use reprise::run::plan::MAX_TRIALS;
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let folder = tempfile::tempdir()?;
//! let (file, results) = (folder.path().join("first.toml"), folder.path().join("results"));
//! std::fs::write(&file, r#"
//!     schema = 1
//!     experiment = { id = "first", title = "Does structure pay?", seed = 1 }
//!     task = { kind = "density", datasets = ["generated-tree"], split = "published" }
//!     method = [{ id = "tree", kind = "chow-liu" }, { id = "independent", kind = "independent" }]
//!     table = [{ id = "t", rows = "dataset", columns = "method", metric = "test_ll", digits = 2 }]
//! "#)?;
//! let session = Session::open(&KNOWN, &file, None, None, &results, &DataConfig::default(), MAX_TRIALS)?;
//! let listener = Listener { paths: &unobserved, warn: &|text| eprintln!("{text}") };
//! let Ended::Sealed(sealed) = run(&session, &Options::default(), &listener)? else {
//!     unreachable!("the folder is new, all trials are run, and nobody interrupts");
//! };
//! println!("{}\ndigest {}", sealed.report.terminal, sealed.manifest.digest);
//! assert!(sealed.manifest.complete && results.join("first/tables/t.md").exists());
//! # Ok(())
//! # }
//! ```

use std::sync::LazyLock;

/// The methods of the papers, where they are compiled in.
#[cfg(feature = "papers")]
static PAPERS: &[&contract::MethodEntry] = papers::METHODS;
#[cfg(not(feature = "papers"))]
static PAPERS: &[&contract::MethodEntry] = &[];

/// What is said of a method that is not known, where the papers are not compiled in.
const WITHOUT: &str = "this `reprise` was built without the feature `papers`, which has the methods of the papers: build it with \
                       its default features";

/// What `reprise` knows: the lists that it hands to its sessions.
pub static KNOWN: LazyLock<spec::Lists> = LazyLock::new(|| {
    let methods = [PAPERS, method::METHODS].concat();
    let without = (!cfg!(feature = "papers")).then_some(WITHOUT);
    let catalogue = spec::Catalogue::new(methods, task::TASKS.to_vec());
    spec::Lists { catalogue: spec::Catalogue { without, ..catalogue }, kinds: report::KINDS }
});

#[cfg(feature = "papers")]
pub use papers;
pub use {
    base, contract, data, document, harness, math, method, page, program, report, run, seal, spec,
    stats, task,
};
