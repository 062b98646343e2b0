//! Outputs that were made again beside the sealed ones, byte by byte.

use std::collections::{BTreeMap, BTreeSet};

use base::bounded::MOST_WRITTEN;
use base::digest::Digest;
use base::layout::{ENVIRONMENT, MANIFEST, PAGE};
use base::own;
use page::comparison::Flip;
use run::outcome::Outcomes;
use run::plan::WithChoices;
use seal::{Class, Manifest};

use super::Sealed;
use crate::Error;
use crate::checked::Checked;
use crate::compare::{self, flips, texts};
use crate::outputs::{Outputs, Records, Renderings};

/// Makes the outputs of these outcomes, and compares them with those that are sealed.
pub(super) fn outputs(
    sealed: &Sealed<'_>,
    outcomes: &Outcomes,
    found: &mut Checked,
) -> Result<(), Error> {
    let Sealed { planned, manifest, .. } = sealed;
    let session = planned.session;
    let records = Records::of_plan(planned, planned.records(outcomes));
    let (choices, renderings) = (WithChoices::from(manifest.choices), Renderings::sealed(manifest));
    let Outputs { files, manifest: again, .. } =
        Outputs::new(session, &records, choices, renderings, None)?;
    let moved = flips([header(manifest), header(&again)]).into_iter();
    found.differences.extend(moved.map(|Flip { what, sides: [sealed, again] }| {
        format!("manifest.toml: {what} is {again}, sealed as {sealed}")
    }));
    compare_files(sealed, &files, found);
    found.believed.push(format!(
        "{MANIFEST}: that reprise {} sealed it, and of which commit it was",
        manifest.reprise
    ));
    if files.keys().any(|path| Class::of(path) == Class::Timing) {
        found.believed.push(
            "timing/: the machine, the seconds, and the verdicts over them; tables are made anew from \
             the seconds"
                .to_owned(),
        );
    }
    Ok(())
}

/// What a manifest says of itself, by names for people.
fn header(manifest: &Manifest) -> BTreeMap<String, String> {
    let Manifest { experiment, profile, complete, choices, .. } = manifest;
    let words = [
        ("experiment", experiment.clone()),
        ("profile", format!("`{profile}`")),
        ("complete", complete.to_string()),
        ("choices", choices.to_string()),
    ];
    let words = words.map(|(what, text)| (what.to_owned(), text)).into_iter();
    let native = manifest.native_digest.map(|it| ("native_digest".to_owned(), it.to_string()));
    let named = |what: &'static str, texts: BTreeMap<String, String>| {
        texts.into_iter().map(move |(name, text)| (format!("the {what} {name}"), text))
    };
    let datasets = named("digest of dataset", texts(&manifest.datasets));
    let methods = named("revision of method", texts(&manifest.methods));
    words.chain(native).chain(datasets).chain(methods).collect()
}

/// Compares every file but the record of the machine.
fn compare_files(sealed: &Sealed<'_>, again: &BTreeMap<String, Vec<u8>>, found: &mut Checked) {
    let Sealed { planned, manifest, .. } = sealed;
    for file in manifest.files.iter().filter(|file| file.path != ENVIRONMENT) {
        let Some(again) = again.get(&file.path) else {
            found.differences.push(format!("{}: sealed, but no output of spec.toml", file.path));
            continue;
        };
        if Digest::of(again) == file.sha256 {
            continue;
        }
        // A file that is much larger is not looked into.
        let most = 2 * again.len() as u64 + MOST_WRITTEN;
        match own::read_bounded(&planned.session.dir.join(&file.path), most) {
            // Patch versions may change what pages look like, and no more.
            Ok(_) if file.path == PAGE && manifest.reprise != env!("CARGO_PKG_VERSION") => {
                found.unchecked.push(format!(
                    "{PAGE}: reprise {} made it, and this version makes another; read the one that `reprise report` makes",
                    manifest.reprise
                ));
            }
            Ok(sealed) => {
                found.differences.extend(compare::differences(&file.path, &sealed, again));
            }
            Err(error) => found.differences.push(format!("{}: can't be read: {error}", file.path)),
        }
    }
    let sealed: BTreeSet<&str> = manifest.files.iter().map(|file| file.path.as_str()).collect();
    let absent = again.keys().filter(|path| !sealed.contains(path.as_str()));
    found
        .differences
        .extend(absent.map(|path| format!("{path}: an output of spec.toml, not sealed")));
}
