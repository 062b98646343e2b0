//! The names of what stands in a results folder.

/// The manifest.
pub const MANIFEST: &str = "manifest.toml";
/// The experiment file.
pub const SPEC: &str = "spec.toml";
/// The registry entries of its datasets.
pub const DATASETS: &str = "datasets.toml";
/// The entry of the paper.
pub const PAPERS: &str = "papers.toml";
/// One row a trial.
pub const TRIALS: &str = "trials.csv";
/// Points and boundaries of figures.
pub const PICTURES: &str = "pictures.csv";
/// Significance tests.
pub const TESTS: &str = "tests.csv";
/// Claims with their verdicts.
pub const CLAIMS: &str = "claims.csv";
/// What the options of choices change.
pub const CHOICES: &str = "choices.csv";
/// The page that people open first.
pub const REPORT: &str = "report.md";
/// The page that people open in a browser: made of the other files, outside of the digest.
pub const PAGE: &str = "report.html";
/// The scorecard over all results below a folder, which stands in that folder.
pub const INDEX: &str = "index.html";
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
/// The folder of values for each test example.
pub const EXAMPLES: &str = "examples";

/// The outputs at the top that are reprise's own.
pub const OUTPUTS: [&str; 10] =
    [SPEC, DATASETS, PAPERS, TRIALS, PICTURES, TESTS, CLAIMS, CHOICES, REPORT, PAGE];

/// The folders in which every file is reprise's own. They hold no results of another experiment, whose id goes on
/// where this one's ends: a run refuses to begin there.
pub const FOLDERS: [&str; 6] = ["tables", "figures", EXAMPLES, "published", CODE, "timing"];
