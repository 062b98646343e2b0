//! From a file to an experiment, or to everything that is wrong with it.

use std::path::Path;

use document::{DocumentError, DocumentErrors, Faults, Table, suggestion};

use super::design::SourceFile;
use super::experiment::Experiment;
use super::known::Known;
use super::leak_check::LeakKeys;
use super::overlay::Overlay;
use super::resolve::{Profile, resolve};
use super::source;
use super::{file, leak, limits, overlay, profile};

/// Reads the experiment file at `path`, under a profile if one is named. Reads the files beside it that it names; looks
/// for no data. Keys that an overlay sets count as if the file said so itself. The profile `leak` is that of every file, and `NAME@leak` that of every profile: its leak check.
///
/// # Errors
/// Everything that is wrong with the file, with any of its profiles, with what is set from outside, and with the
/// published values that it names.
pub fn load(
    path: &Path,
    profile: Option<&str>,
    overlay: Option<&Overlay>,
    known: &Known<'_>,
) -> Result<Experiment, DocumentErrors> {
    let text = source::read(path)?;
    let set = overlay.map(|overlay| overlay.read(text.len())).transpose()?;
    let mut faults = overlay::faults(path.display(), &text, overlay);
    let mut root = document::parse(&text, &mut faults);
    if !faults.is_empty() {
        faults.append_placed(of_what_was_parsed(root, path, &text, known));
        return Err(faults.into_errors(path.display()));
    }
    if !limits::within(&root, &mut faults) {
        return Err(faults.into_errors(path.display()));
    }
    if let Some(set) = &set {
        overlay::apply(&mut root, set, &mut faults);
    }
    let source = SourceFile { path: path.to_owned(), text, overlay: overlay.cloned() };
    let (profile, leaks) = leak::of_profile(profile);
    let read = under(profile, &root, set.as_ref(), &source, known, &mut faults);
    let experiment = read.and_then(|(experiment, keys, root)| match leaks && faults.is_empty() {
        true => leak::derived(experiment, keys, &root, &mut faults),
        false => Some(experiment),
    });
    match experiment {
        Some(experiment) if faults.is_empty() => Ok(experiment),
        _ => Err(faults.into_errors(path.display())),
    }
}

/// What is wrong with the sections of a file that has syntax errors: those with such errors are not in the tree, so that
/// something is missing says nothing.
fn of_what_was_parsed(mut root: Table, path: &Path, text: &str, known: &Known<'_>) -> Faults {
    let mut faults = Faults::new(path.display(), text);
    if limits::within(&root, &mut faults) {
        file::check_file(&mut root, known, &mut faults);
    }
    faults
}

/// The experiment under a profile, how it is checked for leaks, and the file that says so; none if there are errors.
/// Everything in the file is checked, its other profiles too.
fn under(
    profile: Option<&str>,
    root: &Table,
    set: Option<&Table>,
    source: &SourceFile,
    known: &Known<'_>,
    faults: &mut Faults,
) -> Option<(Experiment, LeakKeys, Table)> {
    let mut whole = root.clone();
    file::check_file(&mut whole, known, faults);
    let mut found = resolve(&whole, None, source, known, faults)
        .map(|(experiment, keys)| (experiment, keys, whole.clone()));
    let profiles = profile::profiles(root, faults);
    for (name, overrides) in &profiles {
        let mut narrowed = profile::apply(root, overrides, faults);
        // What is set from outside counts under a profile too.
        if let Some(set) = set {
            overlay::apply(&mut narrowed, set, faults);
        }
        file::check_file(&mut narrowed, known, faults);
        let narrow =
            resolve(&narrowed, Some(Profile { name, whole: &whole }), source, known, faults);
        if profile == Some(name) {
            found = narrow.map(|(experiment, keys)| (experiment, keys, narrowed));
        }
    }
    if let Some(name) = profile
        && profiles.iter().all(|(known, _)| *known != name)
    {
        let names: Vec<&str> = profiles.iter().map(|(name, _)| *name).collect();
        let message = format!("the file has no profile `{name}`");
        faults.add(DocumentError::whole_file(message)).maybe_help(suggestion(name, &names));
    }
    found
}
