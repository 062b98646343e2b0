//! How the experiments below a folder of results stand: sealed, running, half done, failed. Read quickly: bytes are not
//! compared with manifests, which is the affair of an audit.

use std::io;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use base::bounded::MOST_WRITTEN;
use base::digest::Digest;
use base::layout::{FOLDERS, JOURNAL, MANIFEST, SPEC, TRIALS};
use base::own;
use base::words;
use contract::Metrics;
use run::store::{self, Noted};
use run::trials_csv::{self, Totals};
use run::{claim, journal};
use seal::Manifest;
use spec::Header;

words! {
    /// How an experiment stands.
    pub enum State {
        Sealed = "sealed", "all its trials are sealed";
        Incomplete = "incomplete", "sealed without some of its trials";
        Running = "running", "a process is at work on it";
        Queued = "queued", "an engine has it, and no worker has begun";
        HalfDone = "half done", "trials are journaled, and nobody is at work: the same command goes on";
        Broken = "broken", "its manifest can't be read, or is missing beside trials";
    }
}

/// How one experiment stands.
#[derive(Debug)]
pub struct Standing {
    /// Its folder below that of the results, which is its id.
    pub id: String,
    /// Where it lies.
    pub dir: PathBuf,
    /// How it stands.
    pub state: State,
    /// Its title, if its experiment file is there.
    pub title: String,
    /// Its manifest, if it is sealed.
    pub manifest: Option<Manifest>,
    /// On how many trials workers are at work.
    pub running: usize,
    /// When something was last written.
    pub written: Option<SystemTime>,
}

/// What is known of the trials of an experiment.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Trials {
    /// What those with an outcome amount to.
    pub totals: Totals,
    /// How many there are to be; none where that is not known.
    pub planned: Option<usize>,
}

/// The experiments below a folder, by id. Links are not followed.
///
/// # Errors
/// If the folder can't be read.
pub fn below(root: &Path) -> io::Result<Vec<Standing>> {
    let mut found = Vec::new();
    visit(root, root, &mut found)?;
    found.sort_by(|one, other| one.id.cmp(&other.id));
    Ok(found)
}

fn visit(root: &Path, folder: &Path, found: &mut Vec<Standing>) -> io::Result<()> {
    let mut folders = Vec::new();
    for entry in std::fs::read_dir(folder)? {
        let entry = entry?;
        if entry.file_type()?.is_dir() {
            folders.push(entry.file_name());
        }
    }
    let standing = (folder != root).then(|| standing(root, folder)).flatten();
    let is_results = standing.is_some();
    found.extend(standing);
    for name in folders {
        let own = name == JOURNAL || is_results && FOLDERS.iter().any(|own| name == *own);
        if !own {
            // One that can't be read hides no other.
            if let Err(error) = visit(root, &folder.join(&name), found) {
                log::warn!("{}: {error}", folder.join(&name).display());
            }
        }
    }
    Ok(())
}

/// How the experiment of a folder stands; none if it is no folder of results.
fn standing(root: &Path, dir: &Path) -> Option<Standing> {
    let there = |name: &str| own::open(&dir.join(name), std::fs::OpenOptions::new().read(true));
    let journaled = journal::files(&dir.join(JOURNAL)).unwrap_or_default();
    let manifest = Manifest::read(dir);
    let running = claim::running(&dir.join(JOURNAL)).unwrap_or(0);
    let state = match &manifest {
        _ if store::is_at_work(dir) || running > 0 => State::Running,
        Ok(Some(manifest)) if manifest.complete => State::Sealed,
        Ok(Some(_)) => State::Incomplete,
        Ok(None) if !journaled.is_empty() => State::HalfDone,
        Ok(None) if there(TRIALS).is_err() => match store::is_handed_over(dir) {
            true => State::Queued,
            false => return None,
        },
        Ok(None) | Err(_) => State::Broken,
    };
    let spec = own::read_bounded(&dir.join(SPEC), MOST_WRITTEN).unwrap_or_default();
    let files = journaled.into_iter().chain([dir.join(MANIFEST), dir.join(TRIALS)]);
    let written = files.filter_map(|file| file.symlink_metadata().ok()?.modified().ok()).max();
    Some(Standing {
        id: dir.strip_prefix(root).unwrap_or(dir).to_string_lossy().into_owned(),
        dir: dir.to_owned(),
        state,
        title: Header::of(&spec).title,
        manifest: manifest.ok().flatten(),
        running,
        written,
    })
}

impl Standing {
    /// Its trials: those that are sealed, else those that are journaled so far; none if they can't be read.
    pub fn trials(&self, metrics: &Metrics) -> Option<Trials> {
        if self.manifest.is_some() && self.state != State::Running {
            let totals = trials_csv::totals(&self.dir, metrics).ok()?;
            return Some(Trials { planned: None, totals });
        }
        let planned = Noted::read(&self.dir);
        let finished = journal::read(&self.dir.join(JOURNAL), metrics).ok()?.outcomes;
        let own = |key: &Digest| planned.as_ref().is_none_or(|planned| planned.has(key));
        let mut totals = Totals::default();
        for (_, outcome) in finished.iter().filter(|(key, _)| own(key)) {
            totals.add(outcome.status(), outcome.seconds());
        }
        Some(Trials { planned: planned.map(|planned| planned.count()), totals })
    }
}
