//! Which paths of sealed results are executed again.

use base::digest::{Digest, FieldHasher};
use math::random::Random;
use run::Status;
use run::plan::Path;

use super::{Again, Amount, Execution, Sealed};
use crate::Error;

/// Paths that are executed again, by how.
pub(super) struct Chosen<'p> {
    /// Without a time limit.
    pub free: Vec<&'p Path>,
    /// Under the time limit that a trial of theirs is sealed as out of.
    pub limited: Vec<&'p Path>,
    /// Each in a process of its own, since it took its process down.
    pub crashed: Vec<&'p Path>,
}

/// The paths that are asked for, as far as they can be executed and are drawn.
pub(super) fn paths<'p>(
    sealed: &'p Sealed<'_>,
    execution: &Execution<'_>,
    found: &mut Again,
) -> Result<Chosen<'p>, Error> {
    let Sealed { session, manifest, plan, keys, outcomes, .. } = sealed;
    let wanted = execution.only.as_ref().map(|only| only.keys(&plan.trials)).transpose()?;
    let asked = |path: &&Path| {
        let among = |key: Digest| wanted.as_ref().is_none_or(|wanted| wanted.contains(&key));
        sealed.keys_of(path).any(among)
    };
    let missing = |path: &&Path| {
        sealed.keys_of(path).any(|key| keys.contains(&key) && !outcomes.contains_key(&key))
    };
    let (missing, paths): (Vec<&Path>, Vec<&Path>) =
        plan.paths.iter().filter(asked).partition(missing);
    // The code of a program is a stranger's.
    let (foreign, mut paths): (Vec<&Path>, Vec<&Path>) =
        paths.into_iter().partition(|path| path.program.is_some() && execution.programs.is_none());
    let skipped = |path: &&Path, why: &str| format!("{}: {why}", sealed.place_of(path));
    let why = "the sealed code is a stranger's program; --trust executes it, contained";
    found.skipped.extend(foreign.iter().map(|path| skipped(path, why)));
    match execution.amount {
        Amount::All => {
            found.skipped.extend(missing.iter().map(|path| skipped(path, "sealed as missing")));
        }
        Amount::AtMost(n, draw) => {
            let seed = FieldHasher::new("rerun").field(manifest.digest.0).number(draw);
            Random::new(seed.finish()).shuffle(&mut paths);
            paths.truncate(n);
        }
    }
    let (crashed, paths): (Vec<&Path>, Vec<&Path>) =
        paths.into_iter().partition(|path| sealed.ended(path, Status::Crashed));
    let limited = |path: &&Path| {
        let part = &session.experiment.parts[path.part];
        part.timeout.is_some() && sealed.ended(path, Status::Timeout)
    };
    let (limited, free) = paths.into_iter().partition(limited);
    Ok(Chosen { free, limited, crashed })
}
