//! Experiment files in folders of their own, and a registry of two methods to check them against.

use std::path::PathBuf;
use std::sync::LazyLock;

use reprise::contract::parameter::{Choice, Count, Real, parameters, settings};
use reprise::contract::words::Words;
use reprise::contract::{Fit, FitError, MethodEntry, metrics};
use reprise::document::DocumentErrors;
use reprise::method::metrics::PARAMETERS;
use reprise::report;
use reprise::spec::{Catalogue, Experiment, Kinds, Known, KnownDataset, Lists};
use reprise::task::TASKS;

/// Datasets that the files may name.
const DATASETS: &[&str] = &["nltcs", "msnbc", "kdd", "plants", "pumsb_star"];

settings! {
    SMOOTHING smoothing: Real::not_negative(0.1), "pseudo-count of every value";
    pub COMPONENTS components: Count::within(1..=1_000_000, 20), "number of components";
    pub RESTARTS restarts: Count::within(1..=1_000_000, 10), "number of restarts";
    pub TOLERANCE tolerance: Real::positive(1e-3), "stopping rule";
    PARTITION partition: Choice<()>::new(&Words(&[
        ("sorted-first", (), "against the first member"),
        ("components", (), "connected components"),
    ]), "sorted-first"), "how tests become blocks";
    WIDTH width: Count::within(1..=9, 3), "of `components`: most tests of one".under(&PARTITION, "components");
}

metrics! { BLOCKS: Model = "blocks", "Blocks", "number of blocks"; }

/// A mixture with the parameters of `mevm`, and one that is not always read.
pub static MIXTURE: MethodEntry = MethodEntry {
    kind: "mevm",
    summary: "a mixture that is never fitted",
    source: "this test",
    parameters: parameters![COMPONENTS, SMOOTHING, RESTARTS, TOLERANCE, PARTITION, WIDTH],
    reports: &[&BLOCKS, &PARAMETERS],
    fits: &[Fit::Density(|_, _, _, _| Err(FitError::Failed("never fitted".to_owned())))],
    ..MethodEntry::PLAIN
};

/// A method with one parameter, named as the Chow-Liu tree.
pub static TREE: MethodEntry = MethodEntry {
    kind: "chow-liu",
    summary: "a tree that is never fitted",
    source: "this test",
    parameters: parameters![SMOOTHING],
    fits: &[Fit::Density(|_, _, _, _| Err(FitError::Failed("never fitted".to_owned())))],
    ..MethodEntry::PLAIN
};

/// These two methods, and all tasks and kinds.
pub static LISTS: LazyLock<Lists> = LazyLock::new(|| lists(vec![&MIXTURE, &TREE], report::KINDS));

/// These methods and kinds, and all tasks.
pub fn lists(methods: Vec<&'static MethodEntry>, kinds: Kinds) -> Lists {
    Lists { catalogue: Catalogue::new(methods, TASKS.to_vec()), kinds }
}

/// A folder with one experiment file.
pub struct Folder(tempfile::TempDir);

impl Folder {
    /// A new folder with this text as `experiment.toml`.
    pub fn new(text: &str) -> Self {
        let folder = Self(tempfile::tempdir().unwrap());
        folder.write("experiment.toml", text);
        folder
    }

    /// The experiment file.
    pub fn path(&self) -> PathBuf {
        self.0.path().join("experiment.toml")
    }

    /// Writes a file beside it.
    pub fn write(&self, name: &str, text: &str) {
        let path = self.0.path().join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }

    /// What the user reads, with the folder's own name left out.
    pub fn render(&self, errors: &DocumentErrors) -> String {
        let folder = format!("{}/", self.0.path().display());
        reprise::document::render::text(errors, false).replace(&folder, "")
    }
}

/// The datasets above, of which no more is known than their names.
pub fn datasets() -> Vec<KnownDataset> {
    let known = |id: &&str| KnownDataset {
        id: (*id).into(),
        parameters: Vec::new(),
        foreseen: None,
        grouped: false,
    };
    DATASETS.iter().map(known).collect()
}

/// Loads a file against the datasets and methods above.
pub fn load(path: &std::path::Path, profile: Option<&str>) -> Result<Experiment, DocumentErrors> {
    let known = Known { lists: &LISTS, datasets: &datasets(), code: None };
    reprise::spec::load(path, profile, None, &known)
}
