//! `reprise report`: tables, figures and claims from stored trials; never trains.

use std::path::PathBuf;

use crate::harness::Session;
use crate::harness::outputs::Outputs;
use crate::run::needs::Needs;
use crate::run::plan::WithChoices;
use crate::run::plan::variant_of;
use crate::run::store::Folder;
use crate::run::trials_csv::Row;
use crate::run::{Record, Status, Trial, select, trials_csv};
use crate::seal;
use crate::spec::{Axis, Experiment};

use super::data::Bars;
use super::interrupt::Working;
use super::run::{Sealed, open, refuse_loss};
use super::session::Experiments;
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
    super::interrupt::on_signals();
    for session in args.experiments.sessions() {
        let session = session?;
        if !session.dir.exists() {
            return Err(Exit::Results.because()(Nothing(session.dir)));
        }
        let mut folder = open(&session)?;
        let (records, choices) = match Sealed::read(&session) {
            Ok(Some(sealed)) => {
                let records = from_sealed(&session, &sealed)?;
                folder.adopt(sealed.outcomes).map_err(Exit::Results.because())?;
                (records, sealed.manifest.choices)
            }
            // What is journaled counts whatever became of the seal.
            broken if folder.outcomes().is_empty() => {
                broken?;
                return Err(Exit::Results.because()(Nothing(session.dir)));
            }
            _ => journaled(&session, &folder)?,
        };
        let _working = Working::begin();
        let outputs = Outputs::new(&session, &records, choices, args.png)?;
        folder.still_ours().map_err(Exit::Results.because())?;
        seal::write::unseal(&session.dir).map_err(Exit::Results.because())?;
        let (report, manifest) = outputs.publish(&session, None, &folder)?;
        if manifest.complete {
            folder.forget().map_err(Exit::Results.because())?;
        }
        global.say(&report.terminal);
    }
    Ok(Exit::Fine)
}

/// The records of what is journaled, with the options of choices if any of them has run; and whether they are
/// among the records.
fn journaled(session: &Session, folder: &Folder) -> Result<(Vec<Record>, bool), Failure> {
    let datasets = session.datasets(&Bars::default())?;
    let mut plan = session.plan(&datasets, WithChoices::Yes)?;
    let ran = |trial: &Trial| !trial.choice.is_empty() && folder.outcomes().contains_key(&trial.key);
    let choices = plan.trials.iter().any(ran);
    if !choices {
        plan = session.plan(&datasets, WithChoices::No)?;
    }
    let needs = Needs::of(&session.experiment, plan.trials.iter());
    Ok((select::records(&session.experiment, &plan, folder.outcomes(), &needs), choices))
}

/// The records of a sealed folder: by its own rows if the experiment file is the sealed one, else
/// by a new plan.
fn from_sealed(session: &Session, sealed: &Sealed) -> Result<Vec<Record>, Failure> {
    let Sealed { manifest, outcomes } = sealed;
    if manifest.spec == session.experiment.spec_digest() {
        let rows = trials_csv::read(&session.dir).map_err(Exit::CheckFailed.because())?;
        let records =
            rows.iter().map(|row| record(&session.experiment, row)).collect::<Option<Vec<_>>>();
        if let Some(mut records) = records {
            let needs = Needs::of(&session.experiment, records.iter().map(|record| &record.trial));
            records.iter_mut().for_each(|record| needs.project(record));
            return Ok(records);
        }
    }
    let datasets = session.datasets(&Bars::default())?;
    let plan = session.plan(&datasets, WithChoices::from(manifest.choices))?;
    refuse_loss(session, sealed, &plan)?;
    let needs = Needs::of(&session.experiment, plan.trials.iter());
    let mut records = select::records(&session.experiment, &plan, outcomes, &needs);
    // What is sealed may not be enough for another experiment file: it has to run again.
    for record in records.iter_mut().filter(|record| !needs.met_by(record)) {
        record.outcome.take_if(|outcome| outcome.status == Status::Ok);
    }
    Ok(records)
}

/// A record as its row in `trials.csv` describes it; none if the row does not fit the experiment.
fn record(experiment: &Experiment, row: &Row) -> Option<Record> {
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
    let (dataset, choice) = (column("dataset")?, column("choice")?);
    Some(Record {
        trial: Trial {
            key: row.key,
            dataset: dataset.to_owned(),
            variant: variant_of(experiment, dataset, choice),
            part: column("part")?.to_owned(),
            problem: column("problem")?.to_owned(),
            method: method.id.clone(),
            split: column("split")?.to_owned(),
            repeat: column("repeat")?.parse().ok()?,
            fold: column("fold")?.parse().ok()?,
            seed: column("seed")?.parse().ok()?,
            choice: choice.to_owned(),
            kind: entry.kind,
            revision: column("revision")?.parse().ok()?,
            data: column("data")?.parse().ok()?,
            setting: column("setting").unwrap_or_default().to_owned(),
            sweep: point(&method.sweep)?,
            grid: point(&method.grid)?,
            parameters,
        },
        selected: column("selected")? == "true",
        outcome: row.outcome.clone(),
    })
}
