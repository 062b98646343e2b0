//! Which universes of choices a session runs.

use std::path::Path;

use base::bounded::MOST_WRITTEN;
use base::layout::{UNIVERSES, UNIVERSES_LIST};
use base::own;
use report::universes;
use run::Status;
use run::plan::TooMany;
use seal::{FileEntry, Manifest};
use spec::{Experiment, Universe, Universes};

use super::error::NoUniverses;
use super::sealed::Sealed;
use super::{Error, Session};

/// Which universes run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Which {
    /// Those that cover, and those that are drawn.
    Some,
    /// All.
    All,
}

/// Which universes a results folder has.
pub(super) fn sealed(dir: &Path) -> Option<Which> {
    let list = own::read_bounded(&dir.join(UNIVERSES_LIST), MOST_WRITTEN).ok()?;
    Some(if universes::lists_all(&list) { Which::All } else { Which::Some })
}

/// These universes of an experiment, of which there may be so many.
pub(super) fn of(
    experiment: &Experiment,
    which: Option<Which>,
    most: u64,
) -> Result<Vec<Universe>, TooMany> {
    let (Some(which), Some(universes)) = (which, &experiment.universes) else {
        return Ok(Vec::new());
    };
    if which == Which::Some {
        return Ok(universes.rows(&experiment.choices, experiment.seed));
    }
    let count = Universes::count(&experiment.choices);
    TooMany::check(count, most, || format!("a trial in each universe of {}", experiment.id))?;
    Ok(universes.all(&experiment.choices))
}

impl Session {
    /// The same with these universes, in place of those that its folder has.
    ///
    /// # Errors
    /// If the experiment has none, or there are too many.
    pub fn with_universes(self, which: Which) -> Result<Self, Error> {
        if self.experiment.universes.is_none() {
            return Err(NoUniverses(self.experiment.id).into());
        }
        let universes = of(&self.experiment, Some(which), self.max_trials)?;
        Ok(Self { universes, ..self })
    }

    /// The same without universes.
    #[must_use]
    pub fn without_universes(self) -> Self {
        Self { universes: Vec::new(), ..self }
    }
}

impl Sealed {
    /// Whether it has the universes of a session, each trial with an outcome that counts, and no others.
    pub(super) fn has_universes(&self, session: &Session) -> bool {
        let Manifest { files, .. } = &self.manifest;
        if session.universes.is_empty() {
            return !files.iter().any(|file| file.path.starts_with(UNIVERSES));
        }
        let list = universes::list(&session.experiment, &session.universes);
        let ended = self.universes.iter().all(|record| {
            record.outcome.as_ref().is_some_and(|outcome| outcome.status() != Status::Timeout)
        });
        ended && files.contains(&FileEntry::of(UNIVERSES_LIST, &list))
    }
}
