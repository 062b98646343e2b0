//! What a program stands on: built once for a lock and the commands that build it.

use std::fs::{File, TryLockError};
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use base::digest::{Digest, FieldHasher};
use base::durable;
use base::own;
use base::printable::printable;
use base::scratch::Scratch;

use crate::code::CodeFile;
use crate::contain::rights;
use crate::error::{Error, io};
use crate::estimator;
use crate::executable;
use crate::packages;
use crate::program::Program;

/// How the folder of its environment is written in commands.
const PLACEHOLDER: &str = "{env}";

/// The file that says that an environment is whole.
pub const READY: &str = ".reprise-ready";

/// How many lines of a failed command are shown.
const LAST_LINES: usize = 20;

/// The environments of programs, in a folder of the cache.
#[derive(Debug, Clone)]
pub struct Environments {
    folder: PathBuf,
    /// What the folder goes with, if it is of this run alone.
    _own: Option<Arc<Scratch>>,
    /// Set when the user asks to stop.
    interrupt: &'static AtomicBool,
}

/// A program whose environment is built, and which can be executed. Cheap to clone.
#[derive(Debug, Clone, PartialEq)]
pub struct Prepared {
    /// The program.
    pub program: Arc<Program>,
    /// The folder of its environment, if it has one.
    pub environment: Option<PathBuf>,
    /// Where its executable lies. Absolute; it may be a link.
    pub(crate) executable: PathBuf,
}

impl Prepared {
    /// What was installed into its environment, as names with versions, sorted: the interpreter of a virtual environment of
    /// Python, and the distributions in it; the packages of a library of R.
    pub fn packages(&self) -> Vec<String> {
        self.environment.as_deref().map_or_else(Vec::new, packages::installed)
    }

    /// Its arguments.
    pub(crate) fn arguments(&self) -> impl Iterator<Item = String> {
        let environment = self.environment.as_deref();
        self.program.command.iter().skip(1).map(move |word| filled(word, environment))
    }
}

impl Environments {
    /// The environments under a cache folder; apart where others may write it. Nothing is created before the first. Building
    /// ends when the user asks to stop, which sets `interrupt`.
    ///
    /// # Errors
    /// If a folder apart can't be created.
    pub fn new(cache: &Path, interrupt: &'static AtomicBool) -> Result<Self, Error> {
        let folder = folder_in(cache);
        if own::is_private(&folder, cache) {
            return Ok(Self { folder, _own: None, interrupt });
        }
        log::warn!("others may write {}: environments are built anew", folder.display());
        let apart = Scratch::new().map_err(io("create a folder in", std::env::temp_dir()))?;
        Ok(Self { folder: apart.path().join("environments"), _own: Some(apart.into()), interrupt })
    }

    /// Builds the environment of a program, if it is not there, and finds the executable. The commands run in the
    /// experiment's folder as if the user had typed them, with network. While one process builds, others wait.
    ///
    /// # Errors
    /// If a file of the code is not what the program was read from, a command fails, there is no such executable, or
    /// the user asks to stop.
    pub fn prepare(&self, program: impl Into<Arc<Program>>) -> Result<Prepared, Error> {
        let program = program.into();
        unchanged(&program)?;
        let environment = match &program.prepare[..] {
            [] => None,
            _ => Some(self.built(&program)?),
        };
        let word = program.command.first().map_or("", String::as_str);
        let word = filled(word, environment.as_deref());
        let executable = executable::find(&word, &program, environment.as_deref())?;
        Ok(Prepared { program, environment, executable })
    }

    /// The environment of a program. It is built where it stays, since environments hold absolute paths; the file
    /// `.reprise-ready` is written last, with a list of all others. What lacks it, or others may write, is removed and built
    /// anew.
    fn built(&self, program: &Program) -> Result<PathBuf, Error> {
        let folder = self.folder.join(key(program).to_string());
        let whole = || is_whole(&folder, &self.folder);
        if whole() {
            return Ok(folder);
        }
        own::create_folders(&self.folder).map_err(io("create", &self.folder))?;
        let _lock = lock(&folder.with_extension("lock"), self.interrupt)?;
        if whole() {
            return Ok(folder);
        }
        if folder.exists() {
            std::fs::remove_dir_all(&folder).map_err(io("remove", &folder))?;
        }
        log::info!("building the environment of `{}`", program.id);
        for file in &program.brought {
            let path = folder.join(&file.path);
            let bytes = file.contents(&program.folder).ok_or_else(|| changed_since(file))?;
            durable::create_folders(path.parent().unwrap_or(&folder))
                .map_err(io("create", &path))?;
            durable::replace(&path, &bytes).map_err(io("write", path))?;
        }
        for words in &program.prepare {
            let words: Vec<String> = words.iter().map(|word| filled(word, Some(&folder))).collect();
            run(program, &words, self.interrupt)?;
        }
        durable::create_folders(&folder).map_err(io("create", &folder))?;
        let ready = folder.join(READY);
        let list = content::listed(&folder, true)?;
        durable::replace(&ready, list.join("\n").as_bytes()).map_err(io("write", ready))?;
        Ok(folder)
    }
}

/// The folder of environments in a cache.
fn folder_in(cache: &Path) -> PathBuf {
    cache.join("environments")
}

/// The names of estimators that environments in a cache have, sorted; none where none is built.
pub fn estimators(cache: &Path) -> Vec<String> {
    let environments = std::fs::read_dir(folder_in(cache));
    let mut names: Vec<String> = environments
        .into_iter()
        .flatten()
        .filter_map(|entry| std::fs::read(entry.ok()?.path().join(estimator::NAMES)).ok())
        .filter_map(|bytes| serde_json::from_slice::<serde_json::Map<_, _>>(&bytes).ok())
        .flat_map(|modules| modules.into_iter().map(|(name, _)| name))
        .collect();
    names.sort();
    names.dedup();
    names
}

/// What of the environment of a program that lies in a cache is not as it was built, in sentences; nothing where it lies
/// in none.
///
/// # Errors
/// If it can't be read.
pub fn changed(cache: &Path, program: &Program) -> Result<Vec<String>, Error> {
    match !program.prepare.is_empty() && is_built(cache, program) {
        true => content::changed(&folder_of(cache, program)),
        false => Ok(Vec::new()),
    }
}

/// Whether the environment of a program lies in a cache, or it needs none.
pub fn is_built(cache: &Path, program: &Program) -> bool {
    program.prepare.is_empty() || is_whole(&folder_of(cache, program), cache)
}

/// Whether an environment was built to its end, and nobody else may write it or what it lies in, up to this folder.
fn is_whole(folder: &Path, within: &Path) -> bool {
    let list = folder.join(READY).symlink_metadata();
    list.is_ok_and(|list| list.len() > 0) && own::is_private(folder, within)
}

fn folder_of(cache: &Path, program: &Program) -> PathBuf {
    folder_in(cache).join(key(program).to_string())
}

/// What an environment depends on.
fn key(program: &Program) -> Digest {
    let mut hasher = FieldHasher::new("environment").number(program.prepare.len() as u64);
    for command in &program.prepare {
        hasher = hasher.number(command.len() as u64);
        hasher = command.iter().fold(hasher, |hasher, word| hasher.field(word));
    }
    let files = program.lock.iter().chain(&program.brought);
    files.fold(hasher, |hasher, file| hasher.field(&file.path).field(file.digest.0)).finish()
}

/// Makes sure that code and lock are still what the program was read from.
///
/// # Errors
/// If one is not.
pub(crate) fn unchanged(program: &Program) -> Result<(), Error> {
    for file in program.code.iter().chain(&program.lock) {
        if CodeFile::read(&program.folder, &file.path)? != *file {
            return Err(changed_since(file));
        }
    }
    Ok(())
}

fn changed_since(file: &CodeFile) -> Error {
    let reason = "it changed after it was read; run again".to_owned();
    Error::Code { path: file.path.clone(), reason }
}

fn filled(word: &str, environment: Option<&Path>) -> String {
    match environment {
        Some(folder) => word.replace(PLACEHOLDER, &folder.to_string_lossy()),
        None => word.to_owned(),
    }
}

fn lock(path: &Path, interrupt: &AtomicBool) -> Result<File, Error> {
    let file = own::lock_file(path).map_err(io("write", path))?;
    loop {
        match file.try_lock() {
            Ok(()) => return Ok(file),
            Err(TryLockError::Error(error)) => return Err(io("lock", path)(error)),
            Err(TryLockError::WouldBlock) => pause(interrupt)?,
        }
    }
}

fn pause(interrupt: &AtomicBool) -> Result<(), Error> {
    if interrupt.load(Ordering::Relaxed) {
        return Err(Error::Interrupted);
    }
    std::thread::sleep(Duration::from_millis(20));
    Ok(())
}

/// Runs a command that builds.
fn run(program: &Program, words: &[String], interrupt: &AtomicBool) -> Result<(), Error> {
    let failed = |ended: String, output: Vec<String>| Error::Prepare {
        method: program.id.clone(),
        command: words.join(" "),
        ended,
        output,
        folder: program.folder.clone(),
    };
    let [name, arguments @ ..] = words else {
        return Err(failed("names no program".to_owned(), Vec::new()));
    };
    let output = tempfile::tempfile().map_err(io("create", std::env::temp_dir()))?;
    let clone = || output.try_clone().map(Stdio::from).map_err(io("use", std::env::temp_dir()));
    let mut command = Command::new(name);
    command.args(arguments).current_dir(&program.folder);
    command.stdin(Stdio::null()).stdout(clone()?).stderr(clone()?);
    // SAFETY: between `fork` and `exec` it only makes system calls.
    unsafe {
        command.pre_exec(|| {
            rights::inherit_nothing();
            Ok(())
        })
    };
    let mut child = command
        .spawn()
        .map_err(|error| failed(format!("can't be started: {error}"), Vec::new()))?;
    let status = loop {
        match child.try_wait().map_err(io("wait for", name.as_str()))? {
            Some(status) => break status,
            None => {
                if let Err(error) = pause(interrupt) {
                    let _ = child.kill();
                    let _ = child.wait();
                    return Err(error);
                }
            }
        }
    };
    if status.success() {
        return Ok(());
    }
    Err(failed(format!("ended with {status}"), last_lines(output)))
}

/// The last lines of a file, of its last 64 KiB.
fn last_lines(mut file: File) -> Vec<String> {
    use std::io::{Read as _, Seek as _, SeekFrom};
    let length = file.metadata().map_or(0, |kind| kind.len());
    let mut bytes = Vec::new();
    let read = file
        .seek(SeekFrom::Start(length.saturating_sub(64 << 10)))
        .and_then(|_| file.read_to_end(&mut bytes));
    if let Err(error) = read {
        return vec![format!("(they can't be read: {error})")];
    }
    let text = String::from_utf8_lossy(&bytes).into_owned();
    let lines: Vec<String> = text.lines().map(|line| printable(line).into_owned()).collect();
    lines[lines.len().saturating_sub(LAST_LINES)..].to_vec()
}

mod content;

#[cfg(test)]
mod tests;
