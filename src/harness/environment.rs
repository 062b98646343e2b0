//! The machine and the program that made a result: recorded under `timing/`, not deterministic.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde::Serialize;

use base::parallel::available_cores;
use base::words::Worded;
use program::Bound;
use run::journal::Finished;
use run::plan::Plan;
use run::programs::Programs;
use run::store::Folder;

/// Where and with what results were made.
#[derive(Debug, Clone, Serialize)]
pub struct Environment {
    /// Processor model.
    pub cpu: String,
    /// Number of cores that the process may use.
    pub cores: usize,
    /// Operating system and architecture.
    pub os: String,
    /// Compiler of the binary.
    pub rustc: &'static str,
    /// Version of reprise.
    pub reprise: &'static str,
    /// SHA-256 over the sources and the lock file that the binary was built from.
    pub sources: &'static str,
    /// Commit of the checkout that the binary was built in, if it is still there with the sources of the binary; else the one
    /// that had them when it was built.
    pub commit: String,
    /// Whether that checkout has uncommitted changes; `unknown` without one.
    pub dirty: String,
    /// Worker threads of the run.
    pub jobs: usize,
    /// The workers whose trials are among these, if there are any.
    #[serde(flatten, skip_serializing_if = "Option::is_none")]
    pub workers: Option<Workers>,
    /// What the programs among the methods were bound by; none where there are no programs.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub containment: Option<Vec<&'static str>>,
    /// The bounds that the machine lacked.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub containment_lacks: Option<Vec<&'static str>>,
    /// What was installed for each program that has an environment, by the id of its method.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub packages: BTreeMap<String, Vec<String>>,
    /// The devices that programs were let use, by the id of their methods.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub devices: BTreeMap<String, Vec<PathBuf>>,
}

/// Workers that executed trials beside the process that sealed them.
#[derive(Debug, Clone, Serialize)]
pub struct Workers {
    /// On how many hosts they were.
    pub hosts: usize,
    /// How many trials were executed on two hosts, and came out the same.
    pub cross_checked: String,
}

impl Workers {
    /// Those of the journals that the trials of a plan are from; none if there are none.
    pub fn of(folder: &Folder, plan: &Plan) -> Option<Self> {
        let Finished { origins, contradictions, .. } = &folder.known;
        let hosts = origins.hosts().len();
        let mut keys = plan.keys();
        // Of methods that promise less than their bits.
        contradictions.iter().for_each(|it| {
            keys.remove(&it.key);
        });
        let twice = origins.on_two_hosts(keys.iter());
        let cross_checked = format!("{twice} trials executed on two hosts, equal");
        (hosts > 0).then_some(Self { hosts, cross_checked })
    }
}

impl Environment {
    /// The present environment.
    pub fn now(jobs: usize, programs: Option<&Programs>, workers: Option<Workers>) -> Self {
        let cpu = std::fs::read_to_string("/proc/cpuinfo").ok().and_then(|text| {
            let line = text.lines().find(|line| line.starts_with("model name"))?;
            Some(line.split_once(':')?.1.trim().to_owned())
        });
        let unknown = || UNKNOWN.to_owned();
        let built = (!COMMIT.is_empty()).then(|| COMMIT.to_owned());
        // A checkout that has moved on says nothing about this binary.
        let same = !CHECKOUT.is_empty()
            && super::sources::digest(Path::new(CHECKOUT)) == env!("REPRISE_SOURCES");
        let git = |arguments: &[&str]| same.then(|| git(arguments)).flatten();
        let bounds = |has: bool| {
            let containment = programs?.containment();
            let all = Bound::WORDS.iter();
            Some(all.filter(|(_, it)| containment.has(*it) == has).map(|(word, _)| word).collect())
        };
        Self {
            cpu: cpu.unwrap_or_else(unknown),
            cores: available_cores(),
            os: format!("{} {}", std::env::consts::OS, std::env::consts::ARCH),
            rustc: env!("REPRISE_RUSTC"),
            reprise: env!("CARGO_PKG_VERSION"),
            sources: env!("REPRISE_SOURCES"),
            commit: git(&["rev-parse", "HEAD"]).or(built).unwrap_or_else(unknown),
            dirty: git(&["status", "--porcelain"])
                .map_or_else(unknown, |changes| (!changes.is_empty()).to_string()),
            jobs,
            workers,
            containment: bounds(true),
            containment_lacks: bounds(false),
            packages: programs.map(Programs::packages).unwrap_or_default(),
            devices: programs.map(Programs::devices).unwrap_or_default(),
        }
    }
}

/// What the file of an environment says, by its keys; nothing where it is none.
pub fn recorded(text: &[u8]) -> BTreeMap<String, String> {
    let table = str::from_utf8(text).ok().and_then(|text| text.parse::<toml::Table>().ok());
    let entry = |(key, value): (String, toml::Value)| match value {
        toml::Value::String(text) => Some((key, text)),
        toml::Value::Integer(number) => Some((key, number.to_string())),
        _ => None,
    };
    table.unwrap_or_default().into_iter().filter_map(entry).collect()
}

/// What is recorded where nothing is known.
pub(super) const UNKNOWN: &str = "unknown";
/// The commit that a release names, or that had the sources when this was built; empty if neither is known.
const COMMIT: &str = env!("REPRISE_COMMIT");

/// The top of the checkout that the binary was built in; empty in a release.
const CHECKOUT: &str = env!("REPRISE_CHECKOUT");

fn git(arguments: &[&str]) -> Option<String> {
    let output = Command::new("git").args(["-C", CHECKOUT]).args(arguments).output().ok()?;
    let text = String::from_utf8(output.stdout).ok()?;
    output.status.success().then(|| text.trim().to_owned())
}
