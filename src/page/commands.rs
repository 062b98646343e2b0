//! The commands that make results again, and audit them.

use std::path::PathBuf;

use base::shell::quoted;
use run::only::Only;

/// Whose commands.
#[derive(Debug, Clone)]
pub struct Commands {
    /// The experiment file, as it is given to `reprise run`.
    pub file: String,
    /// The results folder.
    pub folder: String,
    /// The profile, if it is under one.
    pub profile: Option<String>,
    /// What `--set` changes of the file.
    pub set: Vec<String>,
    /// The options of `run` for what is sealed beside its own trials: those of choices and of universes.
    pub beside: Vec<&'static str>,
    /// The local files of its data sets, if they have some.
    pub local: Option<Local>,
    /// Whether there are urls of the author's own.
    pub urls: bool,
    /// Whether there are programs among the methods.
    pub programs: bool,
}

/// Local files.
#[derive(Debug, Clone)]
pub struct Local {
    /// The folder that has them.
    pub folder: PathBuf,
    /// The first of them, below it.
    pub file: PathBuf,
}

/// Where commands put what they make.
const AGAIN: &str = "again";

impl Commands {
    /// Runs everything.
    pub fn run(&self) -> String {
        let beside: String = self.beside.iter().map(|option| format!(" {option}")).collect();
        format!("{}{beside} --results {AGAIN}", self.run_it())
    }

    /// Runs some trials.
    pub fn run_only(&self, only: &Only) -> String {
        format!("{} --only {} --results {AGAIN}", self.run_it(), quoted(&only.to_string()))
    }

    /// Compares every byte, executes three paths again and makes the rest anew.
    pub fn audit(&self) -> String {
        format!("reprise audit {} --rerun 3{}", quoted(&self.folder), self.trusting())
    }

    /// Executes some trials again, and makes the rest anew.
    pub fn audit_only(&self, only: &Only) -> String {
        let (folder, only) = (quoted(&self.folder), quoted(&only.to_string()));
        format!("reprise audit {folder} --rerun all --only {only}{}", self.trusting())
    }

    /// Compares the results with a digest from elsewhere.
    pub fn expect(&self, digest: impl std::fmt::Display) -> String {
        format!("reprise audit {} --expect {digest}", quoted(&self.folder))
    }

    /// A run of the experiment, with the options that say which it is.
    fn run_it(&self) -> String {
        let option =
            |name: &'static str| move |value: &String| format!(" {name} {}", quoted(value));
        let options = self.profile.iter().map(option("--profile"));
        let options: String = options.chain(self.set.iter().map(option("--set"))).collect();
        let trust = if self.programs { " --trust" } else { "" };
        format!("reprise run {}{options}{}{trust}", quoted(&self.file), self.data())
    }

    fn data(&self) -> String {
        let dir = self.local.as_ref().map(|local| local.folder.display().to_string());
        dir.map_or_else(String::new, |dir| format!(" --data-dir {}", quoted(&dir)))
    }

    fn trusting(&self) -> String {
        self.data() + if self.urls || self.programs { " --trust" } else { "" }
    }
}
