//! Which universes of choices a session runs.

use std::path::Path;

use base::layout::UNIVERSES_LIST;
use base::own;
use contract::{DatasetId, MethodId};
use report::universes;
use run::plan::TooMany;
use spec::{Experiment, Universe, Universes};

use super::Error;

/// Which universes run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Which {
    /// Those that cover, and those that are drawn.
    Some,
    /// All.
    All,
}

/// The most bytes of the list of universes that a results folder has: 1 GiB.
const MOST_LISTED: u64 = 1 << 30;

/// Which universes a results folder has.
///
/// # Errors
/// If their list can't be read: results that have universes would be taken for some without.
pub(super) fn sealed(dir: &Path) -> Result<Option<Which>, Error> {
    let path = dir.join(UNIVERSES_LIST);
    let list =
        own::read_there(&path, MOST_LISTED).map_err(|cause| Error::Unreadable { path, cause })?;
    let which = |list: Vec<u8>| match universes::lists_all(&list) {
        true => Which::All,
        false => Which::Some,
    };
    Ok(list.map(which))
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
    let counts = [("paths", paths(experiment, universes)), ("universes", count)];
    let Some((unit, count)) = counts.into_iter().find(|(_, count)| *count > most) else {
        return Ok(universes.all(&experiment.choices));
    };
    let what = format!("`--universes all` of {}", experiment.id);
    Err(TooMany { what, unit, count, limit: most })
}

/// How many paths all universes have: each method on each dataset of a part, by its own options and repeats.
fn paths(experiment: &Experiment, universes: &Universes) -> u64 {
    let of = |dataset: &DatasetId, method: &MethodId| {
        let exact = experiment.method(method).filter(|spec| spec.is_exact());
        let repeats = exact.map_or(0, |spec| spec.repeats.min(universes.repeats));
        let own = experiment.choices.iter().filter(|choice| choice.bears_on(method, dataset));
        Universes::count(own).saturating_mul(repeats as u64)
    };
    let places = experiment.parts.iter().flat_map(|part| {
        let methods = move |dataset| part.methods.iter().map(move |method| of(dataset, method));
        part.datasets.iter().flat_map(methods)
    });
    places.fold(0, u64::saturating_add)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Results whose list can't be read are not some without universes, which a report would give up.
    #[test]
    fn a_long_list_is_read_and_what_is_none_is_an_error() {
        let folder = tempfile::tempdir().unwrap();
        let list = folder.path().join(UNIVERSES_LIST);
        assert_eq!(sealed(folder.path()).unwrap(), None);
        std::fs::create_dir_all(list.parent().unwrap()).unwrap();
        let row = "1,covering,1,partition=components\n";
        let text = format!("universe,origin,distance,options\n{}", row.repeat(40_000));
        assert!(text.len() > 1 << 20);
        std::fs::write(&list, text).unwrap();
        assert_eq!(sealed(folder.path()).unwrap(), Some(Which::Some));
        std::fs::remove_file(&list).unwrap();
        std::fs::create_dir(&list).unwrap();
        assert!(sealed(folder.path()).is_err());
    }
}
