//! `reprise report`: tables, figures and claims from stored trials; never trains.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;

use crate::run::needs::Needs;
use crate::run::plan::WithChoices;
use crate::run::plan::variant_of;
use crate::run::store::{Folder, FolderError};
use crate::run::trials_csv::{Described, Row};
use crate::run::{Record, Setup, Trial, select, trials_csv};
use crate::seal::{self, Manifest};
use crate::spec::{Axis, Experiment};

use super::interrupt::Working;
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
    super::interrupt::on_signals();
    for session in args.experiments.sessions() {
        let session = session?;
        if !session.dir.exists() {
            return Err(Exit::Results.because()(Nothing(session.dir)));
        }
        let mut folder =
            Folder::open(&session.dir).map_err(Exit::Results.because::<FolderError>())?;
        let sealed = seal::check(&session.dir);
        let (records, choices) = match &sealed.manifest {
            Some(manifest) if sealed.differences.is_empty() => {
                let rows = trials_csv::read(&session.dir).map_err(Exit::CheckFailed.because())?;
                let records = from_sealed(&session, manifest, &rows)?;
                folder.adopt(trials_csv::by_key(&rows)).map_err(Exit::Results.because())?;
                (records, manifest.choices)
            }
            _ if folder.outcomes().is_empty() => {
                return Err(match sealed.differences.as_slice() {
                    [seal::Difference::NotSealed] => Exit::Results.because()(Nothing(session.dir)),
                    differences => super::run::tampered(&session, differences),
                });
            }
            _ => {
                let plan = session.plan(&session.datasets()?, WithChoices::Yes)?;
                let needs = Needs::of(&session.experiment, plan.trials.iter());
                let records =
                    select::records(&session.experiment, &plan, folder.outcomes(), &needs);
                super::run::finished_choices(records, false)
            }
        };
        let _working = Working::begin();
        seal::write::unseal(&session.dir).map_err(Exit::Results.because())?;
        let (report, manifest) = super::run::publish(&session, &records, choices, None, args.png)?;
        if manifest.complete {
            folder.forget().map_err(Exit::Results.because())?;
        }
        global.say(&report.terminal);
    }
    Ok(Exit::Fine)
}

/// The records of a sealed folder: by its own rows if the experiment file is the sealed one, else
/// by a new plan.
pub fn from_sealed(
    session: &Session,
    manifest: &Manifest,
    rows: &[Row],
) -> Result<Vec<Record>, Failure> {
    if manifest.spec == session.experiment.spec_digest() {
        let mut setups = BTreeMap::new();
        let records = rows.iter().map(|row| record(&session.experiment, row, &mut setups));
        let records = records.collect::<Option<Vec<_>>>();
        if let Some(mut records) = records {
            let needs = Needs::of(&session.experiment, records.iter().map(|record| &record.trial));
            records.iter_mut().for_each(|record| needs.project(record));
            return Ok(records);
        }
    }
    let choices = WithChoices::from(manifest.choices);
    let plan = session.plan(&session.datasets()?, choices)?;
    let needs = Needs::of(&session.experiment, plan.trials.iter());
    let outcomes = trials_csv::by_key(rows);
    let mut records = select::records(&session.experiment, &plan, &outcomes, &needs);
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
