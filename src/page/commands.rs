//! The commands that make results again, and audit them.

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
    /// Whether the options of choices are among the trials.
    pub choices: bool,
}

/// Where commands put what they make.
const AGAIN: &str = "again";

impl Commands {
    /// Runs everything.
    pub fn run(&self) -> String {
        let choices = if self.choices { " --choices" } else { "" };
        format!("reprise run {}{}{choices} --results {AGAIN}", quoted(&self.file), self.profile())
    }

    /// Runs some trials.
    pub fn run_only(&self, only: &Only) -> String {
        let only = quoted(&only.to_string());
        format!(
            "reprise run {}{} --only {only} --results {AGAIN}",
            quoted(&self.file),
            self.profile()
        )
    }

    /// Compares every byte, executes three paths again and makes the rest anew.
    pub fn audit(&self) -> String {
        format!("reprise audit {} --rerun 3", quoted(&self.folder))
    }

    /// Executes some trials again, and makes the rest anew.
    pub fn audit_only(&self, only: &Only) -> String {
        format!(
            "reprise audit {} --rerun all --only {}",
            quoted(&self.folder),
            quoted(&only.to_string())
        )
    }

    /// Compares the results with a digest from elsewhere.
    pub fn expect(&self, digest: impl std::fmt::Display) -> String {
        format!("reprise audit {} --expect {digest}", quoted(&self.folder))
    }

    /// The options that say which experiment it is.
    fn profile(&self) -> String {
        let profile = self.profile.iter().map(|profile| format!(" --profile {}", quoted(profile)));
        let set = self.set.iter().map(|setting| format!(" --set {}", quoted(setting)));
        profile.chain(set).collect()
    }
}
