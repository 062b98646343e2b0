//! Outputs that were made again beside the sealed ones, byte by byte.

use std::collections::{BTreeMap, BTreeSet};

use base::bounded::MOST_WRITTEN;
use base::digest::Digest;
use base::layout::{ENVIRONMENT, MANIFEST};
use base::own;
use run::outcome::Outcomes;
use run::plan::WithChoices;
use run::select;
use seal::{Class, Manifest};

use super::{Again, Sealed};
use crate::outputs::{Outputs, Records, Renderings};
use crate::{Error, compare};

/// Makes the outputs of these outcomes, and compares them with those that are sealed.
pub(super) fn outputs(
    sealed: &Sealed<'_>,
    outcomes: &Outcomes,
    found: &mut Again,
) -> Result<(), Error> {
    let Sealed { session, manifest, plan, needs, .. } = sealed;
    let records = select::records(&session.experiment, plan, outcomes, needs);
    let records = Records::of_plan(session, plan, records);
    let (choices, renderings) = (WithChoices::from(manifest.choices), Renderings::sealed(manifest));
    let Outputs { files, manifest: again, .. } =
        Outputs::new(session, &records, choices, renderings, None)?;
    found.differences.extend(headers(manifest, &again));
    compare_files(sealed, &files, found);
    found.believed.push(format!("{MANIFEST}: that reprise {} sealed it", manifest.reprise));
    if files.keys().any(|path| Class::of(path) == Class::Timing) {
        found.believed.push(
            "timing/: the machine, the seconds, and the verdicts over them; tables are made anew from \
             the seconds"
                .to_owned(),
        );
    }
    Ok(())
}

/// How the sealed manifest differs from the one of the plan and the data, files and digest aside.
fn headers(sealed: &Manifest, again: &Manifest) -> Vec<String> {
    let mut found = Vec::new();
    let mut compare = |what: &str, again: String, sealed: String| {
        if again != sealed {
            found.push(format!("manifest.toml: {what} is {again}, sealed as {sealed}"));
        }
    };
    compare("experiment", again.experiment.clone(), sealed.experiment.clone());
    compare("profile", format!("`{}`", again.profile), format!("`{}`", sealed.profile));
    compare("complete", again.complete.to_string(), sealed.complete.to_string());
    compare("choices", again.choices.to_string(), sealed.choices.to_string());
    let native = |manifest: &Manifest| match manifest.native_digest {
        Some(digest) => digest.to_string(),
        None => "not there".to_owned(),
    };
    compare("native_digest", native(again), native(sealed));
    fn value<T: ToString>(map: &BTreeMap<String, T>, name: &str) -> String {
        map.get(name).map_or_else(|| "not there".to_owned(), T::to_string)
    }
    let names: BTreeSet<&String> = again.datasets.keys().chain(sealed.datasets.keys()).collect();
    for name in names {
        let what = format!("the digest of dataset {name}");
        compare(&what, value(&again.datasets, name), value(&sealed.datasets, name));
    }
    let kinds: BTreeSet<&String> = again.methods.keys().chain(sealed.methods.keys()).collect();
    for kind in kinds {
        let what = format!("the revision of method {kind}");
        compare(&what, value(&again.methods, kind), value(&sealed.methods, kind));
    }
    found
}

/// Compares every file but the record of the machine.
fn compare_files(sealed: &Sealed<'_>, again: &BTreeMap<String, Vec<u8>>, found: &mut Again) {
    let Sealed { session, manifest, .. } = sealed;
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
        match own::read_bounded(&session.dir.join(&file.path), most) {
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
