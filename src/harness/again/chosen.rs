//! Which paths of sealed results are executed again.

use std::path::{Path as FilePath, PathBuf};

use base::digest::FieldHasher;
use math::random::Random;
use program::Program;
use run::Status;
use run::plan::Path;

use super::{Amount, Sealed};
use crate::checked::Checked;

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
pub(super) fn paths<'p>(sealed: &'p Sealed<'_>, found: &mut Checked) -> Chosen<'p> {
    let Sealed { planned, manifest, execution, keys, outcomes, .. } = sealed;
    let missing = |path: &&Path| {
        sealed.keys_of(path).any(|key| keys.contains(&key) && !outcomes.contains_key(&key))
    };
    let (missing, paths): (Vec<&Path>, Vec<&Path>) =
        planned.plan.paths.iter().filter(|path| planned.wants(path)).partition(missing);
    // The code of a program is a stranger's.
    let (foreign, mut paths): (Vec<&Path>, Vec<&Path>) =
        paths.into_iter().partition(|path| path.program.is_some() && !execution.trust);
    let skipped = |path: &&Path, why: &str| format!("{}: {why}", sealed.place_of(path));
    let why = "the sealed code is a stranger's program; --trust executes it, contained";
    found.skipped.extend(foreign.iter().map(|path| skipped(path, why)));
    paths.retain(|path| {
        let outside =
            path.program.as_deref().and_then(|program| outside(program, execution.readable));
        found.skipped.extend(outside.map(|outside| {
            let why = "its program reads {}, which is not sealed; --readable {} lets it";
            skipped(path, &why.replace("{}", &outside.display().to_string()))
        }));
        outside.is_none()
    });
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
        paths.into_iter().partition(|path| sealed.ended(path, |status| status == Status::Crashed));
    let limited = |path: &&Path| {
        let part = &planned.session.experiment.parts[path.part];
        part.timeout.is_some() && sealed.ended(path, Status::may_pass)
    };
    let (limited, free) = paths.into_iter().partition(limited);
    Chosen { free, limited, crashed }
}

/// What a program reads or uses that lies neither in its own folder nor in one of these.
fn outside<'p>(program: &'p Program, readable: &[PathBuf]) -> Option<&'p PathBuf> {
    let real = |path: &FilePath| path.canonicalize().unwrap_or_else(|_| path.to_owned());
    let open: Vec<PathBuf> =
        readable.iter().map(PathBuf::as_path).chain([&*program.folder]).map(real).collect();
    // What is not there now may be when the program starts.
    let is_open = |path: &PathBuf| match path.canonicalize() {
        Ok(real) => open.iter().any(|open| real.starts_with(open)),
        Err(_) => readable.contains(path),
    };
    program.readable.iter().chain(&program.devices).find(|path| !is_open(path))
}
