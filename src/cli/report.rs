//! `reprise report`: tables, figures and claims from stored trials; never trains.

use std::collections::BTreeMap;
use std::path::PathBuf;

use crate::math::digest::Digest;
use crate::run::plan::WithChoices;
use crate::run::store::{Folder, FolderError};
use crate::run::trials_csv::Row;
use crate::run::{Outcome, Record, Trial, select, trials_csv};
use crate::seal::{self, Manifest};
use crate::spec::{Axis, Experiment};

use super::session::{Experiments, Session};
use super::{Exit, Failure, Global};

/// Write tables, figures and claims from the stored trials; never trains
#[derive(Debug, clap::Args)]
pub struct Args {
    #[command(flatten)]
    pub experiments: Experiments,
    /// Write figures as PNG too
    #[arg(long)]
    pub png: bool,
}

/// There is nothing to report on.
#[derive(Debug, thiserror::Error, miette::Diagnostic)]
#[error("no stored trials in {}", .0.display())]
#[diagnostic(help("run the experiment first: reprise run"))]
struct Nothing(PathBuf);

/// Reports on every experiment.
///
/// # Errors
/// If there is nothing stored, the stored results are not as sealed, or outputs can't be written.
pub fn run(args: &Args, global: &Global) -> Result<Exit, Failure> {
    for session in args.experiments.sessions() {
        let session = session?;
        if !session.dir.exists() {
            return Err(Exit::Results.because()(Nothing(session.dir)));
        }
        let folder = Folder::open(&session.dir).map_err(Exit::Results.because::<FolderError>())?;
        let sealed = seal::check(&session.dir);
        let (records, choices) = match &sealed.manifest {
            Some(manifest) if sealed.differences.is_empty() => {
                let rows = trials_csv::read(&session.dir).map_err(Exit::CheckFailed.because())?;
                (from_sealed(&session, manifest, rows)?, manifest.choices)
            }
            _ if folder.outcomes().is_empty() => {
                return Err(Exit::Results.because()(Nothing(session.dir)));
            }
            _ => {
                let plan = session.plan(&session.datasets()?, WithChoices::Yes)?;
                let records = select::records(&session.experiment, &plan, folder.outcomes());
                let ran = |r: &Record| r.trial.choice.is_empty() || r.outcome.is_some();
                let records: Vec<Record> = records.into_iter().filter(ran).collect();
                let choices = records.iter().any(|record| !record.trial.choice.is_empty());
                (records, choices)
            }
        };
        let report = super::run::publish(&session, &records, choices, None, args.png)?;
        global.say(&report.terminal);
    }
    Ok(Exit::Fine)
}

/// The records of a sealed folder: by its own rows if the experiment file is the sealed one, else
/// by a new plan.
fn from_sealed(
    session: &Session,
    manifest: &Manifest,
    rows: BTreeMap<Digest, Row>,
) -> Result<Vec<Record>, Failure> {
    if manifest.spec == session.experiment.spec_digest() {
        let records = rows
            .iter()
            .map(|(key, row)| record(&session.experiment, *key, row))
            .collect::<Option<Vec<_>>>();
        if let Some(records) = records {
            return Ok(records);
        }
    }
    let choices = WithChoices::from(manifest.choices);
    let plan = session.plan(&session.datasets()?, choices)?;
    let outcomes: BTreeMap<Digest, Outcome> =
        rows.into_iter().filter_map(|(key, row)| Some((key, row.outcome?))).collect();
    Ok(select::records(&session.experiment, &plan, &outcomes))
}

/// A record as its row in `trials.csv` describes it; none if the row does not fit the experiment.
fn record(experiment: &Experiment, key: Digest, row: &Row) -> Option<Record> {
    let column = |name: &str| row.columns.get(name).map(String::as_str);
    let method =
        experiment.methods.iter().find(|method| Some(method.id.as_str()) == column("method"))?;
    let entry = method.entry?;
    let mut parameters = method.parameters.clone();
    for parameter in entry.parameters {
        parameters.set(parameter.name, parameter.parse(column(parameter.name)?)?);
    }
    let point = |axes: &[Axis]| {
        let value = |axis: &Axis| Some((axis.name.clone(), parameters.get(&axis.name)?.clone()));
        axes.iter().map(value).collect::<Option<Vec<_>>>()
    };
    Some(Record {
        trial: Trial {
            key,
            dataset: column("dataset")?.to_owned(),
            part: column("part")?.to_owned(),
            problem: column("problem")?.to_owned(),
            method: method.id.clone(),
            split: column("split")?.to_owned(),
            repeat: column("repeat")?.parse().ok()?,
            fold: column("fold")?.parse().ok()?,
            seed: column("seed")?.parse().ok()?,
            choice: column("choice")?.to_owned(),
            kind: entry.kind,
            revision: column("revision")?.parse().ok()?,
            data: column("data")?.parse().ok()?,
            sweep: point(&method.sweep)?,
            grid: point(&method.grid)?,
            parameters,
        },
        selected: column("selected")? == "true",
        outcome: row.outcome.clone(),
    })
}
