//! The validated experiment: everything that an experiment file says, resolved and checked.

use base::digest::{Digest, FieldHasher};
use contract::{DatasetId, MethodId, Metric, Value};
use document::{Flag, Id, Span, Text, Whole, reads, section};

use super::catalogue::Catalogue;
use super::claim::ClaimSpec;
use super::design::{Choice, MethodSpec, Part, PublishedFile, SourceFile};
use super::difference::Difference;
use super::figure::FigureSpec;
use super::leak_check::LeakCheck;
use super::number::Rounding;
use super::papers;
use super::papers::Paper;
use super::patterns::ExperimentId;
use super::scope::Named;
use super::table::TableSpec;
use super::test::TestSpec;
use super::universes::Universes;

/// A validated experiment.
#[derive(Debug, Clone)]
pub struct Experiment {
    /// Id, such as `evm/table5`; results go to the folder of this name. Under a profile it ends in
    /// `@<profile>`.
    pub id: String,
    /// One-line title.
    pub title: String,
    /// The paper that it re-runs.
    pub paper: Option<Paper>,
    /// The seed from which all others are derived.
    pub seed: u64,
    /// Whether trials run one at a time, because the experiment measures time.
    pub exclusive: bool,
    /// The tasks; exactly one, with an empty id, where the file has no `[[part]]`.
    pub parts: Vec<Part>,
    /// Those of its datasets that name whose their examples are.
    pub grouped: Vec<DatasetId>,
    /// Methods in file order.
    pub methods: Vec<MethodSpec>,
    /// What the paper leaves open.
    pub choices: Vec<Choice>,
    /// Which of their options run together.
    pub universes: Option<Universes>,
    /// Significance tests.
    pub tests: Vec<TestSpec>,
    /// Tables.
    pub tables: Vec<TableSpec>,
    /// Figures.
    pub figures: Vec<FigureSpec>,
    /// Claims.
    pub claims: Vec<ClaimSpec>,
    /// Why cells differ from the paper's.
    pub differences: Vec<Difference>,
    /// What is checked for leaks, if it is the leak check of another experiment.
    pub leak: Option<LeakCheck>,
    /// Published values, one entry for each file that a table names.
    pub published: Vec<PublishedFile>,
    /// What could be named in it.
    pub known: &'static Catalogue,
    /// The file that it was read from.
    pub source: SourceFile,
}

impl Experiment {
    /// The values that choices give to a dataset's parameters.
    pub fn settings(&self, dataset: &DatasetId) -> Vec<(String, Value)> {
        let choices = self.choices.iter().filter(|choice| choice.sets(dataset));
        choices.map(|choice| (choice.parameter.clone(), choice.chosen.clone())).collect()
    }

    /// The test of this id.
    pub fn test(&self, id: &str) -> Option<&TestSpec> {
        self.tests.iter().find(|test| test.id == id)
    }

    /// How the paper prints a metric: as the first table with published values that shows it,
    /// else as the first that shows it; with two digits if none does.
    pub fn rounding(&self, metric: &Metric) -> Rounding {
        let shows = || self.tables.iter().filter(|table| table.metrics().contains(&metric));
        let table = shows().find(|table| table.published.is_some()).or_else(|| shows().next());
        let (digits, scale) = table.map_or((2, 1.0), |table| (table.digits, table.scale));
        Rounding { digits, scale, printed: table.is_some_and(|table| table.published.is_some()) }
    }

    /// The method of this id.
    pub fn method(&self, id: &MethodId) -> Option<&MethodSpec> {
        self.methods.iter().find(|method| method.id == *id)
    }

    /// The profile that it was loaded under.
    pub fn profile(&self) -> Option<&str> {
        self.id.split_once('@').map(|(_, name)| name)
    }

    /// Digest of what the experiment was read from: the text of its file, the name of its profile,
    /// the published values that it names, and the code of its programs.
    pub fn spec_digest(&self) -> Digest {
        let hasher = FieldHasher::new("spec")
            .field(&self.source.text)
            .field(self.profile().unwrap_or_default())
            .number(self.published.len() as u64);
        let hasher = match &self.source.overlay {
            Some(overlay) => hasher.field("overlay").field(overlay.text()),
            None => hasher,
        };
        let programs = self.methods.iter().filter_map(|method| method.program.as_ref());
        let hasher = (self.published.iter())
            .fold(hasher, |hasher, file| hasher.field(&file.path).field(&file.text));
        programs.fold(hasher, |hasher, program| hasher.field(program.digest().0)).finish()
    }
}

reads! {
    in Named;
    /// A paper of `papers.toml`.
    pub(crate) OnePaper: Paper = Id::form(), |node, scope| paper(node.text()?, &node.span, scope);
}

fn paper(key: &str, span: &Span, scope: &mut Named<'_>) -> Option<Paper> {
    let papers = match papers::papers(scope.folder()) {
        Ok(papers) => papers,
        Err(faults) => {
            scope.faults.append(faults);
            return None;
        }
    };
    let keys: Vec<&str> = papers.iter().map(|paper| paper.key.as_str()).collect();
    if !keys.contains(&key) {
        scope.faults.unknown("paper", key, span, &keys);
    }
    papers.into_iter().find(|paper| paper.key == key)
}

section! {
    in Named;
    pub(crate) struct Header: "experiment" => "What the experiment is." {
        id: ExperimentId => "its id, such as `evm/table5`; results go to the folder of this name";
        title: Text => "one line that says what is compared";
        paper: Option<OnePaper>, else "no paper" => "a key of `papers.toml`";
        seed: Whole<0, { i64::MAX }> => "the seed from which all others are derived";
        exclusive: Flag = false => "run one trial at a time, because the experiment measures time";
    }
}
