//! Executing sealed results again. Everything that is a function of the experiment file, its data and the
//! program is made anew from the sealed inputs and the plan, never from the sealed rows, and compared byte
//! for byte: rows, selection, statuses, tables, tests, claims, figures and the manifest. What sealed rows say
//! is believed only where a path is not executed again, and such paths are counted and named.

mod chosen;
mod compared;
mod executed;
mod judged;

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::process::Command;

use base::digest::Digest;
use run::executor::Observer;
use run::only::Only;
use run::outcome::Outcomes;
use run::plan::{Path, Plan, WithChoices};
use run::programs::Author;
use run::{Status, trials_csv};
use seal::Manifest;

use super::checked::Checked;
use super::planned::Planned;
use super::{Error, Session};

/// How many paths are executed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Amount {
    /// So many, drawn at random by this seed and the results' digest: who forges results knows the digest, but
    /// not the seed.
    AtMost(usize, u64),
    /// All.
    All,
}

/// Makes who is told of the paths of a plan that are executed.
pub type Observing<'a> = dyn for<'p> Fn(&'p Plan, &[&Path]) -> Box<dyn Observer + 'p> + 'a;

/// How results are made again.
pub struct Execution<'a> {
    /// How many paths.
    pub amount: Amount,
    /// Of which trials; of all if none.
    pub only: Option<Only>,
    /// Worker threads.
    pub jobs: usize,
    /// Whether the code of sealed programs is executed.
    pub trust: bool,
    /// What programs may read beside their sealed code.
    pub readable: &'a [PathBuf],
    /// For whose the programs are taken: a stranger's are not executed within fewer bounds than keep them in.
    pub author: Author,
    /// The command that executes one path of the sealed results in a process of its own, by its id, and journals
    /// it in a folder: for paths that took their process down.
    pub child: &'a dyn Fn(Digest, &std::path::Path) -> Command,
    /// Told of the paths that are executed.
    pub observer: &'a Observing<'a>,
}

/// Makes the results of a sealed folder again; whether nobody interrupted.
///
/// # Errors
/// If the data is unavailable, or the sealed experiment makes no sense for it.
pub fn again(
    session: &Session,
    manifest: &Manifest,
    execution: &Execution<'_>,
    found: &mut Checked,
) -> Result<bool, Error> {
    let (choices, only) = (WithChoices::from(manifest.choices), execution.only.as_ref());
    let planned = Planned::new(session, choices, only)?;
    let mut rows = trials_csv::read(&session.dir, session.metrics())?;
    rows.extend(trials_csv::universes(&session.dir, session.metrics())?);
    let keys = rows.iter().map(|row| row.trial.key).collect();
    let selected = rows.iter().filter(|row| row.selected).map(|row| row.trial.key).collect();
    let outcomes = trials_csv::by_key(&rows);
    found.paths = planned.plan.paths.len();
    let sealed = Sealed { planned, manifest, execution, keys, selected, outcomes };
    let chosen = chosen::paths(&sealed, found);
    let Some(made) = executed::outcomes(&sealed, &chosen, found)? else { return Ok(false) };
    let outcomes = judged::outcomes(&sealed, made, found);
    compared::outputs(&sealed, &outcomes, found)?;
    Ok(true)
}

/// What is sealed, and the plan that it has to come of.
struct Sealed<'a> {
    planned: Planned<'a>,
    manifest: &'a Manifest,
    /// How it is made again.
    execution: &'a Execution<'a>,
    /// The keys of its rows.
    keys: BTreeSet<Digest>,
    /// Those of rows that are selected.
    selected: BTreeSet<Digest>,
    /// What its rows say.
    outcomes: Outcomes,
}

impl Sealed<'_> {
    /// The keys of the trials of a path.
    fn keys_of(&self, path: &Path) -> impl Iterator<Item = Digest> {
        self.planned.plan.trials_of(path).map(|trial| trial.key)
    }

    /// What people call a path: the place of its first trial.
    fn place_of(&self, path: &Path) -> String {
        self.planned.plan.first_of(path).place()
    }

    /// Whether a trial of a path is sealed as ended like this.
    fn ended(&self, path: &Path, so: impl Fn(Status) -> bool) -> bool {
        let ended = |key| self.outcomes.get(&key).is_some_and(|outcome| so(outcome.status()));
        self.keys_of(path).any(ended)
    }
}
