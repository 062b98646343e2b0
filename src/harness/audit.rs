//! Auditing one sealed folder beyond its bytes: its inputs, its data, and whether its results come out again.

use std::path::Path;

use base::derived::Derived;
use base::digest::Digest;
use data::DataError;
use data::library::Verdict;
use page::comparison::Flip;
use run::endings::Endings;
use run::executor::{self, Options, Sink};
use run::journal::Journal;
use run::plan::WithChoices;
use seal::Manifest;

use super::again::{Execution, again};
pub use super::checked::{Checked, Means};
use super::compare::{flips, texts};
use super::inputs;
use super::planned::Planned;
use super::{Error, Session};

/// What is asked beyond the bytes.
pub struct Request<'a> {
    /// With what.
    pub means: &'a Means,
    /// Whether the datasets in the cache are verified.
    pub verify_data: bool,
    /// Whether paths are executed.
    pub execution: Option<Execution<'a>>,
}

/// What came of it.
#[derive(Debug)]
pub enum Audited {
    /// This program can't check these results.
    NotChecked(String),
    /// There is no data to check them with.
    NoData(DataError),
    /// The user asked to stop.
    Interrupted,
    /// They were checked.
    Checked(Box<Checked>),
}

/// Checks the results of a folder whose bytes are as they were sealed. That they make no sense, as an experiment
/// file that is wrong, is a difference; that there is no data for them leaves them unchecked.
///
/// # Errors
/// If a file to compare with can't be read, or a process can't be started.
pub fn audit(dir: &Path, manifest: &Manifest, request: &Request<'_>) -> Result<Audited, Error> {
    let mut checked = Checked::default();
    let nonsense = match check(dir, manifest, request, &mut checked) {
        Err(Error::Spec(errors)) => {
            let errors: Vec<String> = errors.errors.iter().map(ToString::to_string).collect();
            format!("spec.toml: {}", errors.join("; "))
        }
        Err(Error::Unsuited(misfit)) => misfit.why(),
        Err(Error::Records(error)) => error.to_string(),
        Err(Error::NotChecked(why)) => return Ok(Audited::NotChecked(why)),
        Err(Error::Program(error @ program::Error::Weak(_))) => {
            return Ok(Audited::NotChecked(format!("{error}; --weak executes it all the same")));
        }
        Err(error @ (Error::TooMany(_) | Error::Figure(_) | Error::Store(_))) => {
            return Ok(Audited::NotChecked(error.to_string()));
        }
        Ok(false) => return Ok(Audited::Interrupted),
        Err(Error::Data(error)) => return Ok(Audited::NoData(error)),
        Err(error) => return Err(error),
        Ok(true) => return Ok(Audited::Checked(Box::new(checked))),
    };
    checked.differences.push(nonsense);
    Ok(Audited::Checked(Box::new(checked)))
}

/// Fills `checked`; whether nobody interrupted.
fn check(
    dir: &Path,
    manifest: &Manifest,
    request: &Request<'_>,
    checked: &mut Checked,
) -> Result<bool, Error> {
    let session = Session::sealed(dir, manifest, request.means, checked)?;
    inputs::compare_spec(&session.experiment, &manifest.reprise, &request.means.specs, checked)?;
    let spec = session.experiment.spec_digest();
    if spec != manifest.spec {
        let what = format!("manifest.toml: spec is {spec}, sealed as {}", manifest.spec);
        checked.differences.push(what);
        return Ok(true);
    }
    if request.verify_data {
        let before = checked.differences.len();
        // Before anything loads them: a damaged file of the cache would be fetched again.
        for file in session.library.verify(&session.dataset_ids())? {
            if let Verdict::Corrupt(mismatch) = file.verdict {
                let (dataset, role) = (&file.file.dataset, file.file.role.word());
                checked.differences.push(format!("data {dataset} {role}: {mismatch}"));
            }
        }
        for method in &session.experiment.methods {
            let Some(program) = &method.program else { continue };
            let changed = program::changed(session.library.cache(), program)?;
            let says = |file| format!("environment of {}: {file}", method.id);
            checked.differences.extend(changed.into_iter().map(says));
        }
        if checked.differences.len() > before {
            return Ok(true);
        }
    }
    if let Some(execution) = &request.execution {
        return again(&session, manifest, execution, checked);
    }
    if request.verify_data {
        // What universes have of datasets is under their digest alone, and looked at where they run.
        let session = Session { universes: Vec::new(), ..session };
        let digests = session.datasets()?.digests()?;
        let moved = flips([texts(&manifest.datasets), texts(&digests)]);
        checked.differences.extend(moved.into_iter().map(|Flip { what, sides: [sealed, now] }| {
            format!("dataset {what}: its digest is {now}, sealed as {sealed}")
        }));
    }
    Ok(true)
}

/// Executes one path of sealed results and journals it: what an audit has done in a process of its own where
/// the path took its process down.
///
/// # Errors
/// As [`audit`]; or if the journal can't be written.
pub fn execute_path(
    dir: &Path,
    manifest: &Manifest,
    means: &Means,
    id: Digest,
    journal: &Path,
) -> Result<(), Error> {
    let session = Session::sealed(dir, manifest, means, &mut Checked::default())?;
    let choices = WithChoices::from(manifest.choices);
    let planned = Planned::new(&session, choices, None)?;
    let path = planned.plan.paths.iter().find(|path| path.id == id);
    let none = || Error::NotChecked(format!("{} has no path {id}", dir.display()));
    let path = path.ok_or_else(none)?;
    let options = Options::new(1, Derived::apart(), None);
    let options = Options { endings: Endings::watch(journal, "again")?, ..options };
    let journal = Journal::open(journal, "again")?;
    let execute = |sink: &Sink<'_>| planned.execute(&[path], &options, sink, &());
    let all = executor::journaled(&journal, &planned.plan, execute)?;
    if all { Ok(()) } else { Err(Error::NotChecked("interrupted".to_owned())) }
}
