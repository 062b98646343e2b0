//! Where a number comes from: from a cell or a claim down to its trials, their seeds, the data, the code, and the
//! commands that make only it again.

mod explanation;

use std::fmt::Write as _;
use std::path::Path;

use base::bounded::MOST_WRITTEN;
use base::layout::{ENVIRONMENT, MANIFEST};
use base::own;
use base::words::Worded as _;
use data::DataConfig;
use data::library::FetchProgress;
use document::suggestion;
use page::Commands;
use report::table::{Agreement, Table};
use report::tested::line;
use report::{Effect, Findings};
use run::only::Only;
use run::{Record, Status};
use seal::Manifest;
use spec::SdOver;

use super::audit::{self, Means};
use super::error::{Nothing, Tampered, Unknown};
use super::inputs::Inputs;
use super::sealed::Sealed;
use super::{Error, environment, origin};

pub use explanation::{
    About, CellOf, ChoiceOf, ClaimOf, Code, CommandOf, DataOf, Explanation, MethodOf, TrialOf,
};

/// What is asked about.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Ask {
    /// The whole experiment.
    Experiment,
    /// A cell: the table, or else the first that has it, its row and its column.
    Cell(Option<String>, String, String),
    /// A claim.
    Claim(String),
}

/// Explains a number of the sealed results `root/id`.
///
/// # Errors
/// If there are none, they are not as they were sealed, or what is asked about is not in them.
pub fn explain(
    root: &Path,
    id: &str,
    ask: &Ask,
    means: &Means,
    progress: &dyn FetchProgress,
) -> Result<Explanation, Error> {
    let dir = root.join(id);
    let nothing = || Error::from(Nothing(dir.clone()));
    if !dir.join(MANIFEST).exists() {
        return Err(nothing());
    }
    let manifest = Manifest::read(&dir).map_err(|error| tampered(&dir, error.to_string()))?;
    let manifest = manifest.ok_or_else(nothing)?;
    // Entries of a stranger may name any source: no socket is opened for them.
    let data = DataConfig { offline: true, ..means.data.clone() };
    let means = Means { data, trust: true, ..means.clone() };
    let opened = audit::open(&dir, &manifest, &means, &mut Inputs::default())?;
    let session = opened.map_err(|why| tampered(&dir, why))?;
    let sealed = Sealed::read(&session)?.ok_or_else(nothing)?;
    let records = sealed.records(&session, progress)?;
    let (titles, cited) = (|id: &str| session.title(id), session.cited());
    let findings = Findings::new(&session.experiment, &records, &titles, &cited)?;
    let root = root.display().to_string();
    let commands = origin::commands(&session.experiment, &sealed.manifest, &root);
    let recorded = own::read_bounded(&dir.join(ENVIRONMENT), MOST_WRITTEN).unwrap_or_default();
    let machine = environment::recorded(&recorded);
    let on_record =
        |key: &str| machine.get(key).cloned().unwrap_or_else(|| "not on record".to_owned());
    let code = Code {
        version: sealed.manifest.reprise.clone(),
        commit: on_record("commit"),
        sources: on_record("sources"),
        digest: sealed.manifest.digest.to_string(),
        spec: sealed.manifest.spec.to_string(),
    };
    Asked { findings: &findings, commands: &commands, code }.about(ask)
}

/// Results that can't be explained as they are.
fn tampered(dir: &Path, why: String) -> Error {
    Tampered { dir: dir.to_owned(), differences: vec![why] }.into()
}

/// What explanations are made of.
struct Asked<'f> {
    findings: &'f Findings<'f>,
    commands: &'f Commands,
    code: Code,
}

impl Asked<'_> {
    fn about(self, ask: &Ask) -> Result<Explanation, Error> {
        match ask {
            Ask::Experiment => Ok(self.experiment()),
            Ask::Cell(table, row, column) => self.cell(table.as_deref(), row, column),
            Ask::Claim(id) => self.claim(id),
        }
    }

    fn experiment(self) -> Explanation {
        let findings = self.findings;
        let ids = |headers: &[report::Header<'_>]| headers.iter().map(|h| h.id.clone()).collect();
        let tables = findings.tables.iter();
        let tables = tables.map(|t| (t.spec.id.clone(), ids(&t.rows), ids(&t.columns))).collect();
        let claims = findings.claims.iter();
        let claims = claims.map(|c| (c.spec.id.clone(), c.ours.verdict.word())).collect();
        let mut explanation = self.over(About::Experiment { tables, claims }, &[], None);
        explanation.commands = vec![
            CommandOf { does: "runs everything", line: self.commands.run() },
            CommandOf {
                does: "executes three paths again and makes everything else anew",
                line: self.commands.audit(),
            },
        ];
        explanation
    }

    fn cell(&self, table: Option<&str>, row: &str, column: &str) -> Result<Explanation, Error> {
        let findings = self.findings;
        let named = |one: &&Table<'_>| table.is_none_or(|id| one.spec.id == id);
        let tables: Vec<&Table<'_>> = findings.tables.iter().filter(named).collect();
        if let Some(id) = table.filter(|_| tables.is_empty()) {
            let ids = findings.tables.iter().map(|one| one.spec.id.as_str());
            return Err(self.unknown("table", id, &ids.collect::<Vec<_>>()));
        }
        let rows = || tables.iter().flat_map(|one| &one.rows).map(|one| one.id.as_str());
        let columns = || tables.iter().flat_map(|one| &one.columns).map(|one| one.id.as_str());
        if !rows().any(|id| id == row) {
            return Err(self.unknown("row", row, &rows().collect::<Vec<_>>()));
        }
        if !columns().any(|id| id == column) {
            return Err(self.unknown("column", column, &columns().collect::<Vec<_>>()));
        }
        let found = tables.iter().find_map(|one| {
            let at = |headers: &[report::Header<'_>], id: &str| {
                headers.iter().position(|header| header.id == id)
            };
            Some((*one, at(&one.rows, row)?, at(&one.columns, column)?))
        });
        let Some((table, row_at, column_at)) = found else {
            return Err(self.unknown("cell", &format!("{row},{column}"), &[]));
        };
        let cell = &table.cells[row_at][column_at];
        let about = About::Cell(CellOf {
            table: table.spec.id.clone(),
            row: row.to_owned(),
            column: column.to_owned(),
            metric: cell.metric.name,
            meaning: cell.metric.meaning,
            status: cell.ours.status.word(),
            value: cell.ours.value,
            sd: cell.ours.sd,
            rule: rule(table),
            published: cell.published.map(|(value, _)| value),
            difference: cell.difference(),
            noise: cell.noise.map(|noise| noise.interval),
            agreement: cell.agreement.map(|agreement| Agreement::WORDS.word(agreement)),
            cause: cell.cause.map(|cause| table.causes.text(cause)),
        });
        let behind = findings.behind(table, row_at, column_at);
        let trials = behind.map_or_else(Vec::new, |behind| behind.trials);
        Ok(self.over(about, &trials, Some(cell.metric)))
    }

    fn claim(&self, id: &str) -> Result<Explanation, Error> {
        let findings = self.findings;
        let Some(claim) = findings.claims.iter().find(|claim| claim.spec.id == id) else {
            let ids = findings.claims.iter().map(|claim| claim.spec.id.as_str());
            return Err(self.unknown("claim", id, &ids.collect::<Vec<_>>()));
        };
        let test = claim.spec.check.test();
        let rows = findings.comparisons.0.iter().filter(|row| Some(row.id.as_str()) == test);
        let about = About::Claim(ClaimOf {
            id: id.to_owned(),
            text: claim.spec.text.clone(),
            source: claim.spec.source.clone(),
            verdict: claim.ours.verdict.word(),
            evidence: claim.ours.sentence(),
            published_verdict: claim.published.verdict.word(),
            published_evidence: claim.published.sentence(),
            tests: rows.map(line).collect(),
        });
        let test = test.and_then(|id| findings.experiment.test(id));
        let metric = claim.spec.check.metric().or(test.map(|test| test.metric));
        Ok(self.over(about, &findings.behind_claim(claim), metric))
    }

    fn unknown(&self, what: &'static str, name: &str, known: &[&str]) -> Error {
        let experiment = self.findings.experiment.id.clone();
        let help = suggestion(name, known);
        Unknown { experiment, what, name: name.to_owned(), help }.into()
    }

    fn over(
        &self,
        about: About,
        records: &[&Record],
        metric: Option<&'static contract::Metric>,
    ) -> Explanation {
        let findings = self.findings;
        let experiment = findings.experiment;
        let trials = records.iter().map(|record| trial(experiment, record, metric)).collect();
        let (mut methods, mut data) = (Vec::<MethodOf>::new(), Vec::<DataOf>::new());
        for record in records {
            let setup = &record.trial.setup;
            if !methods.iter().any(|method| method.id == setup.method) {
                methods.push(method(findings, records, record));
            }
            let digest = setup.data.to_string();
            if !data.iter().any(|one| one.id == setup.dataset && one.digest == digest) {
                let (id, split) = (setup.dataset.clone(), setup.split.clone());
                data.push(DataOf { id, digest, split });
            }
        }
        let same_place = |effect: &&Effect<'_>| {
            Some(effect.metric.name) == metric.map(|metric| metric.name)
                && records.iter().any(|record| {
                    let setup = &record.trial.setup;
                    setup.dataset == effect.dataset
                        && setup.method == effect.method
                        && setup.part == effect.part
                        && point(&setup.sweep) == effect.sweep
                })
        };
        let choices = match &about {
            About::Cell(_) => findings.effects.iter().filter(same_place).map(changed).collect(),
            About::Experiment { .. } | About::Claim(_) => Vec::new(),
        };
        let only = Only::around(records.iter().map(|record| &record.trial));
        let commands = only.iter().flat_map(|only| {
            [
                CommandOf { does: "runs only its trials", line: self.commands.run_only(only) },
                CommandOf {
                    does: "executes only its trials again, and compares all bytes",
                    line: self.commands.audit_only(only),
                },
            ]
        });
        Explanation {
            experiment: experiment.id.clone(),
            title: experiment.title.clone(),
            about,
            trials,
            methods,
            data,
            choices,
            code: self.code.clone(),
            commands: commands.collect(),
        }
    }
}

/// How a table makes values of trials.
fn rule(table: &Table<'_>) -> String {
    let spec = table.spec;
    let mut rule =
        "the mean over problems, then folds, then repeats of the selected trials".to_owned();
    if spec.scale != 1.0 {
        let _ = write!(rule, ", times {}", base::text::real(spec.scale));
    }
    let over = match spec.sd {
        SdOver::None => return rule,
        SdOver::Repeat => "the standard deviation over repeats",
        SdOver::Fold => "the standard deviation over folds",
        SdOver::Problem => "the standard deviation over problems",
        SdOver::Sample => "the standard deviation over the sample that the metric returns",
        SdOver::StandardError => "the standard error of the mean over trials",
    };
    rule + "; ± is " + over
}

fn point(point: &[(String, contract::Value)]) -> String {
    point.iter().map(|(name, value)| format!("{name}={value}")).collect::<Vec<_>>().join(" ")
}

fn trial(
    experiment: &spec::Experiment,
    record: &Record,
    metric: Option<&'static contract::Metric>,
) -> TrialOf {
    let Record { trial, outcome, selected } = record;
    let value = |metric: &contract::Metric| {
        let outcome = outcome.as_ref()?;
        match metric.is_time() {
            true => outcome.times.get(metric.name).copied(),
            false => outcome.metrics.get(metric.name).map(|measure| measure.value()),
        }
    };
    let select = experiment.method(&trial.method).and_then(|method| method.select);
    let points: Vec<_> = trial.sweep.iter().chain(&trial.grid).cloned().collect();
    TrialOf {
        key: trial.key.to_string(),
        place: trial.place(),
        seed: trial.seed.to_string(),
        point: point(&points),
        selected: *selected,
        status: outcome.as_ref().map_or(Status::Missing, |outcome| outcome.status).word(),
        value: metric.and_then(value),
        selecting: select.filter(|_| !trial.grid.is_empty()).and_then(value),
        seconds: page::spent(record),
        message: outcome.as_ref().map_or_else(String::new, |outcome| outcome.message.clone()),
    }
}

fn method(findings: &Findings<'_>, records: &[&Record], record: &Record) -> MethodOf {
    let setup = &record.trial.setup;
    let spec = findings.experiment.method(&setup.method);
    let same = |name: &str| {
        let of = |record: &&&Record| record.trial.method == setup.method;
        let value = setup.parameters.value(name);
        records.iter().filter(of).all(|other| other.trial.parameters.value(name) == value)
    };
    let parameters = setup.parameters.iter().filter(|(name, _)| same(name));
    MethodOf {
        id: setup.method.clone(),
        kind: setup.kind.to_owned(),
        revision: setup.revision,
        parameters: parameters.map(|(name, value)| (name.to_owned(), value.to_string())).collect(),
        select: spec.filter(|spec| !spec.grid.is_empty()).and_then(|spec| Some(spec.select?.name)),
    }
}

fn changed(effect: &Effect<'_>) -> ChoiceOf {
    ChoiceOf {
        choice: effect.choice.clone(),
        option: effect.option.clone(),
        chosen: effect.chosen,
        value: effect.cell.value,
    }
}
