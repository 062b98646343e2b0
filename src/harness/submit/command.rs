//! Any engine, by a command of the user's for each chunk.

use std::ffi::OsString;
use std::process::Command;

use super::engine::{Batch, Engine, NotSubmitted, quoted};

/// A shell command in which `{worker}` stands for the worker's command, `{index}` and `{count}` for its chunk.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Template(String);

/// A command without a place for the worker's.
#[derive(Debug, thiserror::Error)]
#[error(
    "expected a command with {{worker}} in it, such as 'ssh node{{index}} {{worker}}', not {0:?}"
)]
pub struct NoWorker(String);

impl std::str::FromStr for Template {
    type Err = NoWorker;

    fn from_str(text: &str) -> Result<Self, NoWorker> {
        match text.contains("{worker}") {
            true => Ok(Self(text.to_owned())),
            false => Err(NoWorker(text.to_owned())),
        }
    }
}

impl Engine for Template {
    fn most(&self) -> Result<usize, NotSubmitted> {
        Ok(usize::MAX)
    }

    fn cores(&self) -> usize {
        1
    }

    fn submit(&self, batch: &Batch) -> Result<String, NotSubmitted> {
        for index in &batch.chunks {
            let mut worker = batch.commands.worker.clone();
            worker.extend([OsString::from("--index"), format!("{index}/{}", batch.of).into()]);
            let command = self
                .0
                .replace("{index}", &index.to_string())
                .replace("{count}", &batch.of.to_string())
                .replace("{worker}", &quoted(&worker));
            let failed = |why| NotSubmitted { command: command.clone(), why };
            let output = Command::new("sh").arg("-c").arg(&command).output();
            let output = output.map_err(|error| failed(error.to_string()))?;
            if !output.status.success() {
                let said = String::from_utf8_lossy(&output.stderr);
                return Err(failed(format!("{}; {}", output.status, said.trim())));
            }
        }
        Ok("run the same command again when they have ended: it submits what is missing, or seals"
            .to_owned())
    }
}

#[cfg(test)]
mod tests {
    use super::super::engine::Commands;
    use super::*;

    #[test]
    fn a_command_that_fails_is_named_with_what_it_said() {
        let submit = |template: &str| {
            let commands = Commands { worker: vec!["work".into()], seal: Vec::new() };
            let (name, logs) = Default::default();
            let batch = Batch { name, commands, chunks: vec![2], of: 3, logs, seals: true };
            template.parse::<Template>().unwrap().submit(&batch)
        };
        assert!(submit("true {worker}").is_ok());
        let refused = submit("echo no node{index} of {count} >&2; false {worker}").unwrap_err();
        assert_eq!(refused.why, "exit status: 1; no node2 of 3");
        assert!(refused.command.ends_with("false work --index 2/3"), "{}", refused.command);
    }
}
