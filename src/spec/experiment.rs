//! The validated experiment: everything that an experiment file says, resolved and checked.

use std::path::PathBuf;

use base::digest::{Digest, FieldHasher};
use contract::Value;
use document::{Flag, Id, Span, Text, Whole, reads, section};

use super::papers::Paper;
use super::patterns::ExperimentId;
use super::{Choice, ClaimSpec, FigureSpec, MethodSpec, Part, Scope, TableSpec, TestSpec, papers};

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
    /// Methods in file order.
    pub methods: Vec<MethodSpec>,
    /// What the paper leaves open.
    pub choices: Vec<Choice>,
    /// Significance tests.
    pub tests: Vec<TestSpec>,
    /// Tables.
    pub tables: Vec<TableSpec>,
    /// Figures.
    pub figures: Vec<FigureSpec>,
    /// Claims.
    pub claims: Vec<ClaimSpec>,
    /// Published values, one entry for each file that a table names.
    pub published: Vec<PublishedFile>,
    /// The file that it was read from.
    pub source: SourceFile,
}

/// The text that an experiment was read from.
#[derive(Debug, Clone)]
pub struct SourceFile {
    /// Where it lies.
    pub path: PathBuf,
    /// Its bytes.
    pub text: String,
}

impl Experiment {
    /// The values that choices give to a dataset's parameters.
    pub fn settings(&self, dataset: &str) -> Vec<(String, Value)> {
        let choices = self.choices.iter().filter(|choice| choice.sets(dataset));
        choices.map(|choice| (choice.parameter.clone(), choice.chosen.clone())).collect()
    }

    /// The test of this id.
    pub fn test(&self, id: &str) -> Option<&TestSpec> {
        self.tests.iter().find(|test| test.id == id)
    }

    /// The method of this id.
    pub fn method(&self, id: &str) -> Option<&MethodSpec> {
        self.methods.iter().find(|method| method.id == id)
    }

    /// The profile that it was loaded under.
    pub fn profile(&self) -> Option<&str> {
        self.id.split_once('@').map(|(_, name)| name)
    }

    /// Digest of what the experiment was read from: the text of its file, the name of its profile,
    /// and the published values that it names.
    pub fn spec_digest(&self) -> Digest {
        let hasher = FieldHasher::new("spec")
            .field(&self.source.text)
            .field(self.profile().unwrap_or_default())
            .number(self.published.len() as u64);
        self.published
            .iter()
            .fold(hasher, |hasher, file| hasher.field(&file.path).field(&file.text))
            .finish()
    }
}

reads! {
    in Scope;
    /// A paper of `papers.toml`.
    pub(crate) OnePaper: Paper = Id::form(), |node, scope| paper(node.text()?, &node.span, scope);
}

fn paper(key: &str, span: &Span, scope: &mut Scope<'_>) -> Option<Paper> {
    let papers = match papers::papers(scope.folder()) {
        Ok(papers) => papers,
        Err(reason) => {
            scope.faults.at(span, "the papers can't be looked up", reason);
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
    in Scope;
    /// What `[experiment]` says.
    pub(crate) struct Header {
        id: ExperimentId => "its id, such as `evm/table5`; results go to the folder of this name";
        title: Text => "one line that says what is compared";
        paper: Option<OnePaper>, else "no paper" => "a key of `papers.toml`";
        seed: Whole<0, { i64::MAX }> => "the seed from which all others are derived";
        exclusive: Flag = false => "run one trial at a time, because the experiment measures time";
    }
}

/// What the rows, columns, series or x positions of a table or figure run over.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum AxisRef {
    /// Datasets.
    Dataset,
    /// Methods.
    Method,
    /// Parts.
    Part,
    /// Metrics.
    Metric,
    /// A swept parameter.
    Sweep(String),
    /// A grid parameter: unselected points are shown too (figures only).
    Grid(String),
}

impl AxisRef {
    /// The axis that a text names.
    pub(crate) fn of_text(text: &str) -> Option<Self> {
        let (word, name) = text.split_once(':').unwrap_or((text, ""));
        Some(match word {
            "dataset" => Self::Dataset,
            "method" => Self::Method,
            "part" => Self::Part,
            "metric" => Self::Metric,
            "sweep" => Self::Sweep(name.to_owned()),
            "grid" => Self::Grid(name.to_owned()),
            _ => return None,
        })
    }
}

/// Published values from one file.
#[derive(Debug, Clone)]
pub struct PublishedFile {
    /// Its path as the experiment file names it.
    pub path: String,
    /// Its bytes, copied into the results.
    pub text: String,
    /// Its rows.
    pub values: Vec<PublishedValue>,
}

/// One published number. `row` and `column` are ids as in the table that names the file.
#[derive(Debug, Clone, PartialEq)]
pub struct PublishedValue {
    /// Row id.
    pub row: String,
    /// Column id.
    pub column: String,
    /// Metric name.
    pub metric: String,
    /// The number.
    pub value: f64,
    /// Its standard deviation, if printed.
    pub sd: Option<f64>,
}
