//! `reprise report`: tables, figures and claims from stored trials; never trains.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;

use crate::harness::Session;
use crate::harness::outputs::Outputs;
use crate::run::needs::Needs;
use crate::run::plan::WithChoices;
use crate::run::plan::variant_of;
use crate::run::store::Folder;
use crate::run::trials_csv::{Described, Row};
use crate::run::{Record, Setup, Trial, select};
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
                folder.adopt(sealed.outcomes()).map_err(Exit::Results.because())?;
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
        let (report, _) = outputs.publish(&session, None, &mut folder)?;
        global.say(&report.terminal);
    }
    Ok(Exit::Fine)
}

/// The records of what is journaled, with the options of choices if any of them has run; and whether they are
/// among the records.
fn journaled(session: &Session, folder: &Folder) -> Result<(Vec<Record>, bool), Failure> {
    let datasets = session.datasets(&Bars::default())?;
    let mut plan = session.plan(&datasets, WithChoices::Yes)?;
    let ran =
        |trial: &Trial| !trial.choice.is_empty() && folder.outcomes().contains_key(&trial.key);
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
    let manifest = &sealed.manifest;
    if manifest.spec == session.experiment.spec_digest() {
        let mut setups = BTreeMap::new();
        let records = sealed.rows.iter().map(|row| record(&session.experiment, row, &mut setups));
        let records = records.collect::<Option<Vec<_>>>();
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
    let mut records = select::records(&session.experiment, &plan, &sealed.outcomes(), &needs);
    // What is sealed may not be enough for another experiment file: it has to run again.
    for record in records.iter_mut().filter(|record| !needs.met_by(record)) {
        record.outcome.take_if(|outcome| outcome.measured());
    }
    Ok(records)
}

/// A record as its row in `trials.csv` describes it; none if the row does not fit the experiment.
fn record(experiment: &Experiment, row: &Row, setups: &mut Setups) -> Option<Record> {
    let setup = match setups.get(&Arc::as_ptr(&row.setup)) {
        Some(setup) => setup.clone(),
        None => {
            let setup = Arc::new(setup(experiment, &row.setup)?);
            setups.insert(Arc::as_ptr(&row.setup), setup.clone());
            setup
        }
    };
    let Row { key, seed, repeat, fold, selected, .. } = *row;
    let trial = Trial { key, seed: seed?, repeat, fold, setup };
    Some(Record { trial, selected, outcome: row.outcome.clone() })
}

/// The setups of rows by those that the rows describe.
type Setups = BTreeMap<*const Described, Arc<Setup>>;

fn setup(experiment: &Experiment, described: &Described) -> Option<Setup> {
    let method = experiment.methods.iter().find(|method| method.id == described.method)?;
    let entry = method.entry?;
    let mut parameters = method.parameters.clone();
    for parameter in entry.parameters {
        let text = described.parameter(parameter.name)?;
        parameters.set(parameter.name, parameter.parse(text)?);
    }
    let point = |axes: &[Axis]| {
        let value = |axis: &Axis| Some((axis.name.clone(), parameters.get(&axis.name)?.clone()));
        axes.iter().map(value).collect::<Option<Vec<_>>>()
    };
    Some(Setup {
        dataset: described.dataset.clone(),
        variant: variant_of(experiment, &described.dataset, &described.choice),
        part: described.part.clone(),
        problem: described.problem.clone(),
        method: method.id.clone(),
        split: described.split.clone(),
        choice: described.choice.clone(),
        kind: entry.kind,
        revision: described.revision.parse().ok()?,
        data: described.data.parse().ok()?,
        setting: described.setting.clone(),
        sweep: point(&method.sweep)?,
        grid: point(&method.grid)?,
        parameters,
    })
}
