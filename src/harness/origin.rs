//! Which commands make results again.

use std::path::{Path, PathBuf};

use base::layout::{DATASETS, SPEC};
use data::registry::{Place, Registry, leads_out};
use document::DocumentErrors;
use page::{Commands, Local};
use seal::Manifest;
use spec::{Origin, Overlay};

use super::Session;

/// The commands for results that lie below `root`. They name the sealed experiment file, which whoever has the results
/// has. Where its data sets have local files, these are looked for in the folder that `root` lies in; those of an entry
/// with a path that leads out of there, where it leads.
///
/// # Errors
/// None in a released program: a test parses the built-in registry.
pub fn commands(
    session: &Session,
    manifest: &Manifest,
    root: &Path,
) -> Result<Commands, DocumentErrors> {
    let experiment = &session.experiment;
    let folder = root.join(&experiment.id).display().to_string();
    let text = session.library.entries_text(&session.dataset_ids());
    let (used, built_in) =
        (Registry::parse(&text, DATASETS, Path::new(""))?, Registry::built_in()?);
    let (mut local, mut urls) = (None, false);
    for entry in used.entries().iter().filter(|entry| built_in.get(&entry.id).is_none()) {
        for source in entry.files().iter().flat_map(|file| &file.sources) {
            match &source.place {
                Place::Local { path, .. } if leads_out(path) => {
                    let folder = beside(root).join(path.parent().unwrap_or(path));
                    let file = path.file_name().unwrap_or_default().into();
                    local = Some(Local { folder, file });
                }
                Place::Local { path, .. } => {
                    local.get_or_insert_with(|| Local { folder: beside(root), file: path.clone() });
                }
                Place::Remote(_) => urls = true,
            }
        }
    }
    let universes = session.universes.last().map(|last| match last.origin {
        Origin::Listed => "--universes all",
        Origin::Chosen | Origin::Covering | Origin::Random => "--universes",
    });
    let set = experiment.source.overlay.iter().flat_map(Overlay::settings).collect();
    Ok(Commands {
        file: format!("{folder}/{SPEC}"),
        folder,
        profile: experiment.profile().map(str::to_owned),
        set,
        beside: manifest.choices.then_some("--choices").into_iter().chain(universes).collect(),
        local,
        urls,
        programs: experiment.methods.iter().any(|method| method.program.is_some()),
    })
}

/// The folder that another one lies in.
fn beside(root: &Path) -> PathBuf {
    match root.parent() {
        _ if root.ends_with(".") || root.ends_with("..") => root.join(".."),
        Some(parent) if parent != Path::new("") => parent.to_owned(),
        _ => PathBuf::from("."),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_lies_in_another_however_it_is_named() {
        for (root, expected) in [
            ("results", "."),
            ("./results", "."),
            ("deep/results", "deep"),
            ("deep/results/.", "deep"),
            (".", "./.."),
            ("..", "../.."),
            ("deep/..", "deep/../.."),
            ("/results", "/"),
        ] {
            assert_eq!(beside(Path::new(root)), Path::new(expected), "{root}");
        }
    }
}
