//! Experiments and records, built by hand.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;

use reprise::KNOWN;
use reprise::base::digest::Digest;
use reprise::contract::parameter::{Parameters, Value};
use reprise::contract::{DatasetId, Measure, MethodId, Metric};
use reprise::data::split::SplitPlan;
use reprise::document::Spanned;
use reprise::math::sample::Sample;
use reprise::report::figure::{Dot, Gridded};
use reprise::report::significance::{ByPairs, Friedman, Pairing, Unit, Wilcoxon, WilcoxonPValue};
use reprise::report::{Cited, Findings, Report};
use reprise::run::record::Configuration;
use reprise::run::{Cause, Outcome, Record, Setup, Trial};
use reprise::spec::papers::Paper;
use reprise::spec::*;
use reprise::stats::{Correction, Zeros};

pub fn named(name: &str) -> &'static Metric {
    KNOWN.catalogue.metrics.get(name).unwrap()
}

pub fn ids<I: for<'t> From<&'t str>>(ids: &[&str]) -> Vec<I> {
    ids.iter().map(|id| I::from(id)).collect()
}

/// Methods whose id begins with `*` are only published.
pub fn experiment(datasets: &[&str], methods: &[&str]) -> Experiment {
    let methods: Vec<MethodSpec> = methods
        .iter()
        .map(|id| MethodSpec {
            program: None,
            id: id.trim_start_matches('*').into(),
            label: id.trim_start_matches('*').to_owned(),
            // Which method it is does not matter: the report never trains.
            entry: if id.starts_with('*') {
                None
            } else {
                KNOWN.catalogue.methods_of("chow-liu").next()
            },
            parameters: Parameters::default(),
            sweep: vec![],
            grid: vec![],
            select: None,
            grid_sample: None,
            repeats: usize::MAX,
            may_fail: false,
        })
        .collect();
    Experiment {
        known: &KNOWN.catalogue,
        id: "evm/example".into(),
        title: "An example".into(),
        paper: Paper::built_in("evm"),
        seed: 7,
        exclusive: false,
        parts: vec![part("", datasets, &methods)],
        methods,
        grouped: vec![],
        choices: vec![],
        universes: None,
        tests: vec![],
        tables: vec![],
        figures: vec![],
        claims: vec![],
        differences: vec![],
        leak: None,
        published: vec![],
        source: SourceFile {
            path: PathBuf::from("example.toml"),
            text: String::new(),
            overlay: None,
        },
    }
}

pub fn part(id: &str, datasets: &[&str], methods: &[MethodSpec]) -> Part {
    Part {
        id: id.into(),
        label: id.into(),
        task: &reprise::task::density::DENSITY,
        settings: Parameters::defaults(&[]),
        datasets: ids(datasets),
        split: SplitPlan::Published,
        inner: None,
        repeats: 1,
        metrics: KNOWN.catalogue.metrics.iter().collect(),
        methods: methods.iter().map(|method| method.id.clone()).collect(),
        keeps_predictions: false,
        labels: LabelsMet::Given,
        timeout: None,
    }
}

pub fn all_datasets(experiment: &Experiment) -> Vec<DatasetId> {
    let mut all: Vec<DatasetId> = vec![];
    for dataset in experiment.parts.iter().flat_map(|part| &part.datasets) {
        if !all.contains(dataset) {
            all.push(dataset.clone());
        }
    }
    all
}

pub fn all_methods(experiment: &Experiment) -> Vec<MethodId> {
    experiment.methods.iter().map(|method| method.id.clone()).collect()
}

/// Datasets by methods, the largest of a row best.
pub fn table(experiment: &Experiment, metric: &str) -> TableSpec {
    TableSpec {
        id: "t".into(),
        title: "Log-likelihood".into(),
        rows: vec![AxisRef::Dataset.into()],
        columns: vec![AxisRef::Method.into()],
        metric: Some(named(metric).into()),
        metrics: None,
        methods: all_methods(experiment),
        datasets: all_datasets(experiment),
        parts: experiment.parts.iter().map(|part| part.id.clone()).collect(),
        digits: 2,
        scale: 1.0,
        published: None,
        best: Best::Max,
        best_along: Along::Row,
        bold: None,
        worse_than: None,
        sd: SdOver::None,
    }
}

pub fn test(experiment: &Experiment, id: &str, kind: impl Test + 'static) -> TestSpec {
    let design = TestDesign {
        id: id.into(),
        word: "wilcoxon-signed-rank",
        called: "Wilcoxon signed-rank",
        metric: named("test_ll"),
        reference: None,
        methods: all_methods(experiment),
        datasets: all_datasets(experiment),
        part: None,
        pair_by: kind.asks().pair_by,
        dependent: kind.asks().dependent,
        outcomes: kind.asks().outcomes,
    };
    TestSpec { design, kind: Arc::new(kind) }
}

/// Pairs without a correction.
pub fn by(pair_by: PairBy) -> Pairing {
    let unit = unit(pair_by, Dependent::Refused);
    Pairing { unit, correcting: corrected(Correction::None), level: 0.95 }
}

pub fn unit(pair_by: PairBy, dependence: Dependent) -> Unit {
    Unit { pair_by, dependence }
}

/// A correction within the test.
pub fn corrected(correction: Correction) -> Correcting {
    Correcting { correction, family: None, family_of: FamilyOf::Test }
}

/// Friedman's test over data sets.
pub const FRIEDMAN: Friedman = Friedman {
    pairing: Pairing {
        unit: Unit { pair_by: PairBy::Dataset, dependence: Dependent::Refused },
        correcting: Correcting {
            correction: Correction::Holm,
            family: None,
            family_of: FamilyOf::Test,
        },
        level: 0.95,
    },
    pairs: ByPairs::Ranks,
};

/// Wilcoxon's test over data sets.
pub fn wilcoxon(p_value: WilcoxonPValue) -> Wilcoxon {
    let (pairing, continuity) = (by(PairBy::Dataset), false.into());
    Wilcoxon { pairing, p_value, zeros: Zeros::Drop, continuity }
}

/// A test at a level.
pub fn bold(test: &str, alpha: f64) -> Bold {
    Bold { test: spanned(test), alpha: alpha.into(), procedure: Procedure::Ours }
}

/// What a table sets in bold.
pub fn in_bold(test: &str, alpha: f64, procedure: Procedure) -> Bold {
    Bold { procedure, ..bold(test, alpha) }
}

pub fn spanned<T: for<'t> From<&'t str>>(text: &str) -> Spanned<T> {
    T::from(text).into()
}

pub fn counted(datasets: Vec<DatasetId>, how_many: HowMany) -> Counted {
    Counted { datasets: these(datasets), how_many: how_often(how_many) }
}

/// These datasets count.
pub fn these(datasets: Vec<DatasetId>) -> CountedDatasets {
    CountedDatasets { datasets, except: None }
}

/// It must hold so often.
pub fn how_often(how_many: HowMany) -> HowOften {
    HowOften { at_least: Some(how_many.into()), at_most: None, exactly: None }
}

pub fn range(least: Option<f64>, most: Option<f64>) -> Range {
    Range { least: least.map(Spanned::from), most }
}

pub fn claim(id: &str, check: impl Check + 'static) -> ClaimSpec {
    ClaimSpec {
        id: id.into(),
        text: "It is so".into(),
        source: "section 5.2".to_owned().into(),
        part: None,
        printed: None,
        check: Arc::new(check),
    }
}

/// All data sets by a plot's axes.
pub fn figure(experiment: &Experiment, plot: impl Plot + 'static) -> FigureSpec {
    let design = FigureDesign {
        id: "f".into(),
        title: "A figure".into(),
        y: Some(named("test_ll")),
        methods: all_methods(experiment),
        datasets: all_datasets(experiment),
        parts: ids(&[""]),
    };
    FigureSpec { design, plot: Arc::new(plot) }
}

/// Data sets by methods.
pub fn dots() -> Dot {
    Dot { x: AxisRef::Dataset.into(), values: by_method() }
}

/// Methods as series.
pub fn by_method() -> Gridded {
    Gridded {
        series: AxisRef::Method.into(),
        x_label: None,
        y_label: None,
        y_log: false,
        clip: None,
        relative_to: None,
        published: None,
    }
}

pub fn published(values: &[(&str, &str, f64)]) -> PublishedFile {
    let values = values
        .iter()
        .map(|(row, column, value)| PublishedValue {
            row: (*row).into(),
            column: (*column).into(),
            metric: named("test_ll"),
            value: *value,
            sd: None,
            unit: 0.01,
        })
        .collect();
    PublishedFile { path: "published/t.csv".into(), text: String::new(), values }
}

pub fn record(dataset: &str, method: &str, metric: &str, value: f64) -> Record {
    let mut outcome = Outcome::default();
    outcome.metrics.insert(named(metric), Measure::Scalar(value));
    Record {
        trial: Trial {
            key: Digest::of(format!("{dataset} {method}").as_bytes()),
            seed: Digest::of(b"seed"),
            repeat: 0,
            fold: 0,
            setup: Arc::new(Setup {
                configuration: Configuration {
                    dataset: dataset.into(),
                    method: method.into(),
                    ..Configuration::default()
                },
                variant: dataset.into(),
                kind: "chow-liu".into(),
                revision: 1,
                data: Digest::of(dataset.as_bytes()),
                split: "published".into(),
                ..Setup::default()
            }),
        },
        outcome: Some(Arc::new(outcome)),
        selected: true,
    }
}

/// The outcome of a record that has one, to be changed.
pub fn outcome(record: &mut Record) -> &mut Outcome {
    Arc::make_mut(record.outcome.as_mut().unwrap())
}

/// Changes to a record, chained.
pub trait Edit: Sized {
    fn edit(self, change: impl FnOnce(&mut Record)) -> Self;

    fn at(self, repeat: usize, fold: usize, problem: &str) -> Self {
        self.edit(|record| {
            let trial = &mut record.trial;
            trial.problem = problem.into();
            (trial.repeat, trial.fold) = (repeat, fold);
            trial.key = Digest::of(format!("{trial:?}").as_bytes());
        })
    }

    fn sweep(self, name: &str, value: i64) -> Self {
        self.edit(|record| record.trial.sweep.push((name.into(), Value::Integer(value))))
    }

    fn choice(self, assignment: &str) -> Self {
        self.edit(|record| record.trial.choice = assignment.parse().unwrap())
    }

    fn sample(self, metric: &str, values: &[f64]) -> Self {
        let sample = Measure::Sample(values.iter().copied().collect::<Sample>());
        self.edit(|record| {
            outcome(record).metrics.insert(named(metric), sample);
        })
    }

    /// Of so many training and test examples.
    fn sized(self, train: usize, test: usize) -> Self {
        self.edit(|record| {
            for (metric, count) in [("train_examples", train), ("test_examples", test)] {
                outcome(record).metrics.insert(named(metric), Measure::Scalar(count as f64));
            }
        })
    }

    fn ended(self, cause: Cause) -> Self {
        self.edit(|record| {
            let message = format!("it {}", cause.status().word());
            *outcome(record) = Outcome::ended(cause, &message);
        })
    }

    fn not_run(self) -> Self {
        self.edit(|record| record.outcome = None)
    }
}

impl Edit for Record {
    fn edit(mut self, change: impl FnOnce(&mut Record)) -> Self {
        change(&mut self);
        self
    }
}

/// What is made of findings. Titles in capitals.
pub fn found<T>(
    experiment: &Experiment,
    records: &[Record],
    make: impl FnOnce(&Findings<'_>) -> T,
) -> T {
    let data = Cited {
        title: "NLTCS".to_owned(),
        citation: "Lowd and Davis | 2010".to_owned(),
        licence: "none stated".to_owned(),
    };
    make(&Findings::new(experiment, records, &|id| id.to_uppercase(), &[data]).unwrap())
}

pub fn report(experiment: &Experiment, records: &[Record]) -> Report {
    found(experiment, records, |findings| findings.report())
}

pub fn text(report: &Report, path: &str) -> String {
    let bytes = report
        .files
        .get(path)
        .unwrap_or_else(|| panic!("no {path} among {:?}", report.files.keys().collect::<Vec<_>>()));
    String::from_utf8(bytes.clone()).unwrap()
}

/// The rows of a file by column name.
pub fn rows(report: &Report, path: &str) -> Vec<BTreeMap<String, String>> {
    let text = text(report, path);
    let mut reader = csv::Reader::from_reader(text.as_bytes());
    reader.deserialize().map(|row| row.unwrap()).collect()
}

/// The one row where these columns have these values.
pub fn row(report: &Report, path: &str, wanted: &[(&str, &str)]) -> BTreeMap<String, String> {
    let rows = rows(report, path);
    let mut found: Vec<_> = rows
        .iter()
        .filter(|row| wanted.iter().all(|(name, value)| row[*name] == *value))
        .cloned()
        .collect();
    assert_eq!(found.len(), 1, "{wanted:?} in {rows:#?}");
    found.remove(0)
}

/// A cell of the table `t`.
pub fn cell(report: &Report, row_id: &str, column: &str) -> BTreeMap<String, String> {
    row(report, "tables/t.csv", &[("row", row_id), ("column", column)])
}

/// The twelve data sets of table 5 of the EVM paper with its columns MEVM, NB, LTM, CL.
pub const TABLE5: [(&str, [f64; 4]); 12] = [
    ("nltcs", [-6.04, -6.04, -6.46, -6.76]),
    ("msnbc", [-6.23, -6.71, -6.52, -6.54]),
    ("kdd", [-2.13, -2.15, -2.18, -2.29]),
    ("plants", [-14.86, -15.10, -16.39, -16.52]),
    ("baudio", [-40.63, -40.69, -41.89, -44.37]),
    ("jester", [-53.22, -53.19, -55.17, -58.23]),
    ("bnetflix", [-57.84, -57.87, -58.53, -60.25]),
    ("msweb", [-9.96, -9.96, -10.21, -10.19]),
    ("book", [-34.63, -34.80, -34.23, -34.70]),
    ("cwebkb", [-157.21, -158.01, -156.84, -163.48]),
    ("cr52", [-86.98, -87.32, -91.25, -94.37]),
    ("c20ng", [-152.69, -152.78, -156.77, -164.13]),
];

/// Table 5 with LTM published only, and records that give the published values plus `shift`.
pub fn table5(shift: f64) -> (Experiment, Vec<Record>) {
    let methods = ["MEVM", "NB", "LTM", "CL"];
    let datasets = TABLE5.map(|(dataset, _)| dataset);
    let mut experiment = experiment(&datasets, &["MEVM", "NB", "*LTM", "CL"]);
    let cells: Vec<(&str, &str, f64)> = TABLE5
        .iter()
        .flat_map(|(dataset, values)| {
            methods.iter().zip(values).map(move |(method, value)| (*dataset, *method, *value))
        })
        .collect();
    experiment.published = vec![published(&cells)];
    let mut table = table(&experiment, "test_ll");
    table.published = Some("published/t.csv".into());
    experiment.tables = vec![table];
    let records = cells
        .iter()
        .filter(|(_, method, _)| *method != "LTM")
        .map(|(dataset, method, value)| record(dataset, method, "test_ll", value + shift))
        .collect();
    (experiment, records)
}
