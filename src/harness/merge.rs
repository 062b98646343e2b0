//! Results that have no folder in common, brought together: what was journaled or sealed in several trees is laid
//! beside what is journaled in another one. A run there then reports and seals.

use std::fs::{File, OpenOptions};
use std::io::{self, Read as _, Take};
use std::path::{Path, PathBuf};

use base::bounded::{TooLong, there};
use base::digest::Digest;
use base::file_error::FileError;
use base::layout::JOURNAL;
use base::{durable, own};
use contract::Metrics;
use run::journal::{self, Contradiction, Journal};
use run::segment::{Host, SEALED};
use run::store;
use run::trials_csv;
use seal::{self, write};

use super::Error;
use super::standing::{self, Standing};

/// What one experiment has after a merge.
#[derive(Debug)]
pub struct Merged {
    /// Its id.
    pub id: String,
    /// Its results folder.
    pub dir: PathBuf,
    /// How many trials have an outcome there.
    pub trials: usize,
    /// How many files were added.
    pub added: usize,
    /// Trials of which two executions say something else.
    pub contradictions: Vec<Contradiction>,
}

/// Lays what is below these trees beside what is below `into`. Merging again adds nothing.
///
/// # Errors
/// If a tree can't be read, is not as it was sealed, or nothing can be written.
pub fn merge(trees: &[PathBuf], into: &Path, metrics: &Metrics) -> Result<Vec<Merged>, Error> {
    let mut merged: Vec<Merged> = Vec::new();
    for tree in trees {
        let none = |cause| Error::NoResults { dir: tree.clone(), cause };
        let standings = standing::below(tree).map_err(|cause| none(Some(cause)))?;
        if standings.is_empty() {
            return Err(none(None));
        }
        for standing in standings {
            let dir = into.join(&standing.id);
            write::check_own(&dir, &standing.id)?;
            let journals = store::prepare(&dir)?;
            // What holds no trial is not copied, whatever its size.
            let found = journal::read(&standing.dir.join(JOURNAL), metrics)?;
            let segments = match found.outcomes.is_empty() {
                true => 0,
                false => add_segments(&standing, &journals)?,
            };
            let added = segments + add_sealed(&standing, &journals, metrics)?;
            match merged.iter_mut().find(|known| known.id == standing.id) {
                Some(known) => known.added += added,
                None => merged.push(Merged {
                    id: standing.id,
                    dir,
                    trials: 0,
                    added,
                    contradictions: Vec::new(),
                }),
            }
        }
    }
    for one in &mut merged {
        let finished = journal::read(&one.dir.join(JOURNAL), metrics)?;
        one.trials = finished.outcomes.len();
        one.contradictions = finished.contradictions;
    }
    Ok(merged)
}

/// The most bytes of a journal that is copied: 4 GiB.
const MOST: u64 = 1 << 32;

/// Copies the journals of an experiment. A worker's keeps its name, which no other has; all others are called by their
/// content too.
fn add_segments(standing: &Standing, journals: &Path) -> Result<usize, Error> {
    let mut added = 0;
    for path in journal::files(&standing.dir.join(JOURNAL))? {
        let bytes = length(&path)?;
        let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        let target = |name: &str| journals.join(format!("{name}.{}", journal::ENDING));
        let by_content = || -> Result<PathBuf, FileError> {
            Ok(target(&format!("{name}-{}", begin(&path, bytes)?.short())))
        };
        let target = if Host::of_segment(&name).is_some() { target(&name) } else { by_content()? };
        let there = length(&target)?;
        // It grows at its end only.
        let both = bytes.min(there);
        let same = both == 0 || begin(&path, both)? == begin(&target, both)?;
        if same && bytes <= there {
            continue;
        }
        let target = if same { target } else { by_content()? };
        let copied = first(&path, bytes).and_then(|all| durable::replace_by(&target, all));
        copied.map_err(FileError::on("write", &target))?;
        added += 1;
    }
    Ok(added)
}

/// How many bytes a journal has; nothing where it is not there.
fn length(path: &Path) -> Result<u64, FileError> {
    let found = first(path, 0).and_then(|file| match file.into_inner().metadata()?.len() {
        bytes if bytes > MOST => Err(TooLong { most: MOST }.into()),
        bytes => Ok(bytes),
    });
    Ok(there(found).map_err(FileError::on("read", path))?.unwrap_or(0))
}

/// The SHA-256 of the first bytes of a journal.
fn begin(path: &Path, bytes: u64) -> Result<Digest, FileError> {
    let digest = first(path, bytes).and_then(Digest::of_stream);
    digest.map(|(digest, _)| digest).map_err(FileError::on("read", path))
}

fn first(path: &Path, bytes: u64) -> io::Result<Take<File>> {
    Ok(own::open(path, OpenOptions::new().read(true))?.take(bytes))
}

/// Writes the trials of a sealed experiment as a journal.
fn add_sealed(standing: &Standing, journals: &Path, metrics: &Metrics) -> Result<usize, Error> {
    let Some(manifest) = &standing.manifest else { return Ok(0) };
    let folder = seal::check(&standing.dir);
    if !folder.differences.is_empty() {
        return Err(Error::tampered(&folder));
    }
    let name = format!("{SEALED}-{}", manifest.digest.short());
    let path = journals.join(format!("{name}.{}", journal::ENDING));
    if path.symlink_metadata().is_ok() {
        return Ok(0);
    }
    let mut rows = trials_csv::read(&standing.dir, metrics)?;
    rows.extend(trials_csv::universes(&standing.dir, metrics)?);
    let journal = Journal::create(journals, &name)?;
    for (key, outcome) in trials_csv::by_key(&rows) {
        journal.append(key, &[(key, &outcome)])?;
    }
    journal.sync()?;
    Ok(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_journal_of_very_many_bytes_is_refused() {
        let file = tempfile::NamedTempFile::new().unwrap();
        file.as_file().set_len(MOST).unwrap();
        assert_eq!(length(file.path()).unwrap(), MOST);
        file.as_file().set_len(MOST + 1).unwrap();
        let error = length(file.path()).unwrap_err().to_string();
        assert!(error.contains("it has more than 4294967296 bytes"), "{error}");
        assert_eq!(length(&file.path().with_extension("absent")).unwrap(), 0);
    }
}
