//! Slurm: chunks are tasks of an array, and a job behind them reports and seals.

use std::ffi::OsString;
use std::io::Write as _;
use std::num::NonZeroUsize;
use std::process::{Command, Stdio};
use std::time::Duration;

use run::endings::NOTICE;
use serde::{Deserialize, Serialize};

use super::engine::{Batch, Engine, NotSubmitted, TooShort, quoted};

/// What Slurm allows where it does not say: one more than the largest index of an array.
const MAX_ARRAY_SIZE: usize = 1001;

/// What jobs ask for, as `sbatch` has it.
#[derive(Debug, Default, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Slurm {
    /// Partition.
    pub partition: Option<Word>,
    /// Account.
    pub account: Option<Word>,
    /// Limit of time of a task.
    pub time: Option<Word>,
    /// Memory of a task.
    pub memory: Option<Word>,
    /// Cores of a task; 1 if none is said.
    pub cpus: Option<NonZeroUsize>,
    /// How many tasks run at once.
    pub throttle: Option<NonZeroUsize>,
    /// Further arguments of `sbatch`.
    pub arguments: Vec<String>,
    /// One more than the largest index of an array, where it is less than Slurm says.
    pub max_array_size: Option<NonZeroUsize>,
    /// How many jobs a user may have, where that is less than Slurm says. Each task counts.
    pub max_submit_jobs: Option<NonZeroUsize>,
}

/// A word or a number.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "toml::Value")]
pub struct Word(pub String);

impl TryFrom<toml::Value> for Word {
    type Error = &'static str;

    fn try_from(value: toml::Value) -> Result<Self, &'static str> {
        match value {
            toml::Value::String(text) => Ok(Self(text)),
            toml::Value::Integer(number) => Ok(Self(number.to_string())),
            toml::Value::Float(_)
            | toml::Value::Boolean(_)
            | toml::Value::Datetime(_)
            | toml::Value::Array(_)
            | toml::Value::Table(_) => Err("expected a string or a whole number"),
        }
    }
}

impl Slurm {
    /// The limits of the installation and of the site: the size of an array, and how many jobs a user may have.
    fn limits(&self) -> Result<(usize, usize), NotSubmitted> {
        let text = run(Command::new("scontrol").args(["show", "config"]), "")?;
        let says = |key: &str| {
            let line = text.lines().find(|line| line.split_whitespace().next() == Some(key));
            line?.split_once('=')?.1.trim().parse::<usize>().ok()
        };
        let least = |said: Option<usize>, site: Option<NonZeroUsize>, unsaid| {
            site.map_or(usize::MAX, usize::from).min(said.unwrap_or(unsaid))
        };
        let array = least(says("MaxArraySize"), self.max_array_size, MAX_ARRAY_SIZE);
        let jobs = least(says("MaxJobCount"), self.max_submit_jobs, usize::MAX);
        Ok((array.max(1), jobs))
    }

    /// `sbatch` with what every job asks for.
    fn sbatch(&self, name: &str) -> Command {
        let mut sbatch = Command::new("sbatch");
        sbatch.args(["--parsable", "--open-mode=append"]);
        sbatch.arg(format!("--job-name={name}"));
        sbatch.arg(format!("--signal=B:TERM@{}", NOTICE.as_secs()));
        sbatch.arg(format!("--cpus-per-task={}", self.cores()));
        for (option, word) in [
            ("partition", &self.partition),
            ("account", &self.account),
            ("time", &self.time),
            ("mem", &self.memory),
        ] {
            if let Some(Word(word)) = word {
                sbatch.arg(format!("--{option}={word}"));
            }
        }
        sbatch.args(&self.arguments);
        sbatch
    }
}

impl Engine for Slurm {
    fn most(&self) -> Result<usize, NotSubmitted> {
        // One job more seals.
        Ok(self.limits()?.1.saturating_sub(1))
    }

    fn cores(&self) -> usize {
        self.cpus.map_or(1, usize::from)
    }

    fn time(&self, start: Duration) -> Result<Option<Duration>, TooShort> {
        let Some((Word(word), limit)) =
            self.time.as_ref().and_then(|word| Some((word, limit(&word.0)?)))
        else {
            return Ok(None);
        };
        let left = limit.checked_sub(NOTICE).filter(|left| *left > start);
        let too_short = || TooShort { time: word.clone(), notice: NOTICE, start };
        left.map(Some).ok_or_else(too_short)
    }

    fn submit(&self, batch: &Batch) -> Result<String, NotSubmitted> {
        let (array, _) = self.limits()?;
        let name = format!("reprise-{}", batch.name.replace('/', "-"));
        let mut jobs: Vec<String> = Vec::new();
        let mut chunks = batch.chunks.as_slice();
        while let Some(first) = chunks.first() {
            // The chunks of an array are those from here on whose indices it can have.
            let offset = (first - 1) / array * array;
            let end = chunks.partition_point(|chunk| chunk - 1 < offset + array);
            let (own, rest) = chunks.split_at(end);
            chunks = rest;
            let indices: Vec<usize> = own.iter().map(|chunk| chunk - 1 - offset).collect();
            let throttle = self.throttle.map_or_else(String::new, |most| format!("%{most}"));
            let mut sbatch = self.sbatch(&name);
            sbatch.arg(format!("--array={}{throttle}", ranges(&indices)));
            sbatch.arg(format!("--output={}/%A_%a.log", batch.logs.display()));
            let mut worker = batch.commands.worker.clone();
            worker.extend([OsString::from("--jobs"), self.cores().to_string().into()]);
            if let Ok(Some(time)) = self.time(Duration::ZERO) {
                worker.extend(["--limit".into(), time.as_secs().to_string().into()]);
            }
            let script = format!(
                "#!/bin/sh\nexec {} --index $((SLURM_ARRAY_TASK_ID + {}))/{}\n",
                quoted(&worker),
                offset + 1,
                batch.of
            );
            jobs.push(job(&run(&mut sbatch, &script)?));
        }
        let arrays = if jobs.len() == 1 { "array" } else { "arrays" };
        let (arrays, logs) = (format!("{arrays} {}", jobs.join(", ")), batch.logs.display());
        if !batch.seals {
            return Ok(format!("{arrays}; logs are in {logs}"));
        }
        let mut sbatch = self.sbatch(&name);
        sbatch.arg(format!("--dependency=afterany:{}", jobs.join(":")));
        sbatch.arg(format!("--output={}/seal-%j.log", batch.logs.display()));
        let mut seal = batch.commands.seal.clone();
        seal.extend([OsString::from("--jobs"), self.cores().to_string().into()]);
        let seals = run(&mut sbatch, &format!("#!/bin/sh\nexec {}\n", quoted(&seal)))?;
        let seals = job(&seals);
        Ok(format!("{arrays}, and job {seals} that reports and seals; logs are in {logs}"))
    }
}

/// A limit of time as `sbatch` has it: minutes, `minutes:seconds`, `hours:minutes:seconds`, and with days `days-hours`, each
/// with more behind it. None of other texts, and of 0, which is none.
fn limit(text: &str) -> Option<Duration> {
    let (days, rest) = text.split_once('-').map_or((None, text), |(days, rest)| (Some(days), rest));
    let parts: Result<Vec<u64>, _> = rest.split(':').map(str::parse).collect();
    let [hours, minutes, seconds] = match (days, parts.ok()?.as_slice()) {
        (None, &[minutes]) => [0, minutes, 0],
        (None, &[minutes, seconds]) => [0, minutes, seconds],
        (Some(_), &[hours]) => [hours, 0, 0],
        (Some(_), &[hours, minutes]) => [hours, minutes, 0],
        (_, &[hours, minutes, seconds]) => [hours, minutes, seconds],
        _ => return None,
    };
    let days: u64 = days.map_or(Some(0), |days| days.parse().ok())?;
    let hours = days.checked_mul(24)?.checked_add(hours)?;
    let seconds =
        hours.checked_mul(60)?.checked_add(minutes)?.checked_mul(60)?.checked_add(seconds)?;
    (seconds > 0).then(|| Duration::from_secs(seconds))
}

/// The number of a job: `sbatch --parsable` prints it, and the cluster behind it.
fn job(printed: &str) -> String {
    printed.trim().split(';').next().unwrap_or_default().to_owned()
}

/// Increasing indices as `sbatch` has them, such as `0-3,7`.
fn ranges(indices: &[usize]) -> String {
    let ranges = indices.chunk_by(|one, next| one + 1 == *next);
    let range = |range: &[usize]| match *range {
        [one] => one.to_string(),
        [first, .., last] => format!("{first}-{last}"),
        [] => String::new(),
    };
    ranges.map(range).collect::<Vec<_>>().join(",")
}

/// What a command prints that is handed this text.
fn run(command: &mut Command, text: &str) -> Result<String, NotSubmitted> {
    let shown = format!("{command:?}").replace('"', "");
    let failed = |why: String| NotSubmitted { command: shown.clone(), why };
    let io = |error: std::io::Error| failed(error.to_string());
    let piped = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = piped.spawn().map_err(io)?;
    if let Some(mut input) = child.stdin.take() {
        // Whoever does not read it says why.
        let _ = input.write_all(text.as_bytes());
    }
    let output = child.wait_with_output().map_err(io)?;
    if !output.status.success() {
        return Err(failed(String::from_utf8_lossy(&output.stderr).trim().to_owned()));
    }
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn indices_are_written_as_ranges() {
        assert_eq!(ranges(&[0, 1, 2, 3, 7, 9, 10]), "0-3,7,9-10");
        assert_eq!(ranges(&[5]), "5");
        assert_eq!(job("123;cluster\n"), "123");
    }

    #[test]
    fn what_a_command_says_counts_if_it_ends_well() {
        let run = |script| run(Command::new("sh").args(["-c", script]), "a text");
        assert_eq!(run("cat").unwrap(), "a text");
        assert_eq!(run("echo an account lacks >&2; exit 1").unwrap_err().why, "an account lacks");
    }

    /// The forms of `man sbatch`.
    #[test]
    fn limits_of_time_are_those_of_sbatch() {
        let seconds = |text| limit(text).map(|limit| limit.as_secs());
        for (text, expected) in [
            ("30", 1800),
            ("1:30", 90),
            ("2:00:01", 7201),
            ("1-2", 93_600),
            ("1-2:03", 93_780),
            ("1-2:03:04", 93_784),
        ] {
            assert_eq!(seconds(text), Some(expected), "{text}");
        }
        for text in ["", "0", "infinite", "1:2:3:4", "-1", "99999999999999999999", "1-"] {
            assert_eq!(seconds(text), None, "{text}");
        }
    }
}
