//! Which universes of choices a session runs.

use std::path::Path;

use base::bounded::MOST_WRITTEN;
use base::layout::UNIVERSES_LIST;
use base::own;
use report::universes;
use run::plan::TooMany;
use spec::{Experiment, Universe, Universes};

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
