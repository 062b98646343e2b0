//! The names of what stands in a results folder.

/// The manifest.
pub const MANIFEST: &str = "manifest.toml";
/// The experiment file.
pub const SPEC: &str = "spec.toml";
/// The registry entries of its datasets.
pub const DATASETS: &str = "datasets.toml";
/// The entry of the paper.
pub const PAPERS: &str = "papers.toml";
/// The journal while a run is under way: git-ignored, outside the seal.
pub const JOURNAL: &str = ".journal";
/// Everything under this folder may differ between two runs.
pub const TIMING: &str = "timing/";

/// The folders in which every file is reprise's own. They hold no results of another experiment, whose id goes on
/// where this one's ends: a run refuses to begin there.
pub const FOLDERS: [&str; 5] = ["tables", "figures", "examples", "published", "timing"];
