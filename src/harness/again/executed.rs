//! Executing paths of sealed results again.

use std::collections::BTreeMap;

use base::derived::Derived;
use base::digest::Digest;
use base::file_error::FileError;
use base::scratch::Scratch;
use run::Outcome;
use run::endings;
use run::executor::{self, Options};
use run::journal;
use run::plan::Path;

use super::Sealed;
use super::chosen::Chosen;
use crate::Error;
use crate::checked::Checked;

/// Outcomes of trials that were executed again, by their keys.
pub(super) type Made = BTreeMap<Digest, Outcome>;

/// The outcomes of these paths; none if the user interrupted.
pub(super) fn outcomes(
    sealed: &Sealed<'_>,
    chosen: &Chosen<'_>,
    found: &mut Checked,
) -> Result<Option<Made>, Error> {
    let Sealed { planned, execution, .. } = sealed;
    let (session, plan) = (planned.session, &planned.plan);
    // What the sealed run kept on this machine would confirm itself. What builds an environment is a stranger's too, and
    // sees the sealed code: nobody else may use it.
    let in_scratch = FileError::on("create a folder in", std::env::temp_dir());
    let apart = execution.trust.then(Scratch::new).transpose().map_err(in_scratch)?;
    let programs = apart.as_ref().map(|apart| {
        session.programs(apart.path(), execution.author, &|text| log::warn!("{text}"))
    });
    let programs = programs.transpose()?.flatten();
    let limited = Options::new(execution.jobs, Derived::apart(), programs);
    let patient = Options { patient: true, ..limited.clone() };
    let execute = |options: &Options, paths: &[&Path]| {
        let made = planned.outcomes(paths, options, &*(execution.observer)(plan, paths))?;
        let keyed = |(at, outcome): (usize, Outcome)| (plan.trials[at].key, outcome);
        Ok::<Option<Made>, Error>(made.map(|made| made.into_iter().map(keyed).collect()))
    };
    let (programs, native): (Vec<&Path>, Vec<&Path>) =
        chosen.free.iter().partition(|path| path.program.is_some());
    let Some(mut made) = execute(&patient, &native)? else { return Ok(None) };
    // Against the order of the run and each in a new process: what one left to the next is not there.
    for path in programs.iter().rev() {
        let Some(outcomes) = execute(&patient, &[path])? else { return Ok(None) };
        made.extend(outcomes);
    }
    found.executed += chosen.free.len();
    let Some(under_limit) = execute(&limited, &chosen.limited)? else {
        return Ok(None);
    };
    for path in &chosen.limited {
        made.extend(same_timeouts(sealed, path, &under_limit, found));
    }
    for path in &chosen.crashed {
        match in_a_process_of_its_own(sealed, path)? {
            Ok(outcomes) => {
                made.extend(outcomes);
                found.executed += 1;
            }
            Err(why) => {
                let place = sealed.place_of(path);
                found.skipped.push(format!("{place}: sealed as crashed, and {why}"));
            }
        }
    }
    Ok(Some(made))
}

/// The outcomes of a path under its time limit, if the same trials ran out of time as are sealed so.
fn same_timeouts(
    sealed: &Sealed<'_>,
    path: &Path,
    under_limit: &Made,
    found: &mut Checked,
) -> Made {
    let timeout =
        |outcome: Option<&Outcome>| outcome.is_some_and(|outcome| outcome.status().may_pass());
    let same = |key| {
        let before = sealed.outcomes.get(&key).map(|outcome| &**outcome);
        timeout(under_limit.get(&key)) == timeout(before)
    };
    if sealed.keys_of(path).all(same) {
        found.executed += 1;
        let outcome = |key| Some((key, under_limit.get(&key)?.clone()));
        return sealed.keys_of(path).filter_map(outcome).collect();
    }
    let why = "sealed as out of time; on this machine other trials of its path are";
    found.skipped.push(format!("{}: {why}", sealed.place_of(path)));
    Made::new()
}

/// Why a process that executed a path again gave no outcomes.
#[derive(Debug, thiserror::Error)]
enum Unmade {
    #[error("a signal from outside ended the process that executed it again")]
    Outside,
    #[error("the process that executed it again journaled nothing")]
    Silent,
    #[error("the process that executed it again ended with {code}: {said}")]
    Ended { code: i32, said: String },
}

/// The outcomes of a path that took its process down, executed in another one: twice, if it takes that one down
/// too.
fn in_a_process_of_its_own(
    sealed: &Sealed<'_>,
    path: &Path,
) -> Result<Result<Made, Unmade>, Error> {
    let failed = |cause| Error::Child { what: sealed.place_of(path), cause };
    for _ in 0..2 {
        let folder = tempfile::tempdir().map_err(failed)?;
        let output = (sealed.execution.child)(path.id, folder.path()).output().map_err(failed)?;
        let crashes = endings::crashes(folder.path())?;
        match output.status.code() {
            None if crashes.of(path.id) > 0 => {}
            None => return Ok(Err(Unmade::Outside)),
            Some(0) => {
                let finished = journal::read(folder.path(), sealed.planned.session.metrics())?;
                let outcome = |key| Some((key, Outcome::clone(finished.outcomes.get(&key)?)));
                let made = sealed.keys_of(path).map(outcome).collect::<Option<_>>();
                return Ok(made.ok_or(Unmade::Silent));
            }
            Some(code) => {
                let said = String::from_utf8_lossy(&output.stderr).into_owned();
                let said = said.split_whitespace().collect::<Vec<_>>().join(" ");
                return Ok(Err(Unmade::Ended { code, said }));
            }
        }
    }
    Ok(Ok(sealed.keys_of(path).map(|key| (key, executor::crashed())).collect()))
}
