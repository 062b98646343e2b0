//! The names of what stands in a results folder.

use std::ffi::OsStr;

/// The manifest.
pub const MANIFEST: &str = "manifest.toml";
/// The experiment file.
pub const SPEC: &str = "spec.toml";
/// What `--set` changed of it, if it did.
pub const OVERLAY: &str = "overlay.toml";
/// The registry entries of its datasets.
pub const DATASETS: &str = "datasets.toml";
/// The entry of the paper.
pub const PAPERS: &str = "papers.toml";
/// One row a trial.
pub const TRIALS: &str = "trials.csv";
/// The first columns of [`TRIALS`], before parameters and metrics.
pub const TRIAL_IDENTITY: [&str; 12] = [
    "key", "dataset", "part", "problem", "method", "split", "repeat", "fold", "seed", "choice",
    "selected", "status",
];
/// The columns behind parameters and metrics.
pub const TRIAL_PROVENANCE: [&str; 4] = ["kind", "revision", "data", "message"];
/// Behind them, where a trial has one.
pub const TRIAL_SETTING: &str = "setting";
/// Behind them, where a method is a program, or the status does not say all of how a trial ended.
pub const TRIAL_OUTCOME: &str = "outcome";
/// Why metrics of trials have no value.
pub const LACKS: &str = "lacks.csv";
/// Points and boundaries of figures.
pub const PICTURES: &str = "pictures.csv";
/// Significance tests.
pub const TESTS: &str = "tests.csv";
/// Claims with their verdicts.
pub const CLAIMS: &str = "claims.csv";
/// The verdicts of a leak check.
pub const LEAKS: &str = "leaks.csv";
/// What the options of choices change.
pub const CHOICES: &str = "choices.csv";
/// The page that people open first.
pub const REPORT: &str = "report.md";
/// The page that people open in a browser: made of the other files, outside of the digest.
pub const PAGE: &str = "report.html";
/// The scorecard over all results below a folder, which stands in that folder.
pub const INDEX: &str = "index.html";
/// What may be concluded of a paper stands beside the scorecard: names of such files begin with this.
pub const OF_PAPER: &str = "conclusions-";

/// Whether a file is of this name that stands beside the scorecard, or is it.
pub fn of_scorecard(name: &OsStr) -> bool {
    let name = name.to_string_lossy();
    name == INDEX || name.starts_with(OF_PAPER) && name.ends_with(".html")
}

/// The journal while a run is under way: git-ignored, outside the seal.
pub const JOURNAL: &str = ".journal";
/// Everything under this folder may differ between two runs.
pub const TIMING: &str = "timing/";

/// Seconds of the trials.
pub const TIMINGS: &str = "timing/timings.csv";
/// The machine and the program.
pub const ENVIRONMENT: &str = "timing/environment.toml";
/// The folder of the code of programs that are methods, at the paths that it has beside the experiment file.
pub const CODE: &str = "code";
/// The kind of methods that are programs, as the manifest names it.
pub const PROGRAM: &str = "command";
/// Everything under this folder depends on programs that promise less than their bits. It is outside the digest.
pub const EXTERNAL: &str = "external/";
/// Everything under this folder is of options of choices together, and under a digest of its own. Absent where none ran.
pub const UNIVERSES: &str = "universes/";
/// The universes themselves.
pub const UNIVERSES_LIST: &str = "universes/universes.csv";
/// What claims come to in all universes, beside [`UNIVERSES_LIST`].
pub const CONCLUSIONS: &str = "conclusions.csv";
/// The folder of what models predict for each test example. Absent where no experiment asks for it.
pub const PREDICTIONS: &str = "predictions";
/// The trials that it holds, and their classes.
pub const PREDICTED: &str = "predictions/trials.csv";
/// The folder of values for each test example.
pub const EXAMPLES: &str = "examples";

/// The outputs at the top that are reprise's own.
pub const OUTPUTS: [&str; 13] = [
    SPEC, OVERLAY, DATASETS, PAPERS, TRIALS, LACKS, PICTURES, TESTS, CLAIMS, LEAKS, CHOICES,
    REPORT, PAGE,
];

/// The folders in which every file is reprise's own. They hold no results of another experiment, whose id goes on
/// where this one's ends: a run refuses to begin there.
pub const FOLDERS: [&str; 9] = [
    "tables",
    "figures",
    EXAMPLES,
    PREDICTIONS,
    "published",
    CODE,
    "timing",
    "external",
    "universes",
];
