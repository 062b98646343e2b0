//! `reprise audit`: are results as they were sealed, and do they come out again?

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;

use miette::Diagnostic;

use base::digest::Digest;
use base::layout::JOURNAL;
use base::parallel::available_cores;
use base::printable::printable_name;
use harness::Error;
use harness::again::{Again, Amount, Execution};
use harness::audit::{self, Audited, Checked, Means, Request};
use harness::options::contain;
use harness::scorecard;
use reprise::KNOWN;
use run::executor::Working;
use run::journal;
use run::only::Only;
use run::programs::Author;
use seal::{self, Difference, Folder, Manifest};

use super::data::Bars;
use super::quantities::Expected;
use super::session::Limits;
use super::{DataOptions, Exit, Failure, Global, progress, render};

/// How many believed datasets and skipped paths of a folder are listed; the others are counted.
const LISTED: usize = 10;

/// Compare sealed results with their manifests, byte by byte
#[derive(Debug, clap::Args)]
pub struct Args {
    /// A results folder, or a tree of them
    #[arg(value_name = "DIR", default_value = "results")]
    pub dir: PathBuf,
    /// Execute N paths of each experiment again, drawn at random, or all of them; make everything else anew
    /// from the sealed inputs, and compare it byte for byte
    #[arg(long, value_name = "N|all")]
    pub rerun: Option<Rerun>,
    /// Draw the paths of --rerun N by this seed: take one that who sealed the results can't have known
    #[arg(long, value_name = "SEED", default_value_t = 0)]
    pub draw: u64,
    /// Execute only paths of these trials, KEY=VALUE,...: keys dataset, method, part, repeat, fold, choice
    #[arg(long, value_name = "FILTER", requires = "rerun")]
    pub only: Option<Only>,
    /// Verify the datasets in the cache, and that they are those that the results were made from
    #[arg(long)]
    pub data: bool,
    /// Also compare the results' digest with one obtained elsewhere
    #[arg(long, value_name = "DIGEST")]
    pub expect: Option<Digest>,
    /// Experiment file that the sealed one must equal, instead of the built-in one of its id; may be repeated
    #[arg(long, value_name = "FILE")]
    pub spec: Vec<PathBuf>,
    /// Execute the sealed code of command methods, contained, and let sealed dataset entries open urls and files that no
    /// registry here names
    #[arg(long)]
    pub trust: bool,
    /// With --trust: let the code read a file or folder that the experiment file names beside it; may be repeated
    #[arg(long, value_name = "PATH", requires = "trust")]
    pub readable: Vec<PathBuf>,
    /// With --trust: execute the code also where this machine lacks bounds that keep a stranger's program in
    #[arg(long, requires = "trust")]
    pub weak: bool,
    /// Worker threads for --rerun [default: all cores]
    #[arg(long, short, value_name = "N")]
    pub jobs: Option<std::num::NonZeroUsize>,
    #[command(flatten)]
    pub from: DataOptions,
    #[command(flatten)]
    pub limits: Limits,
}

impl Args {
    fn means(&self) -> Means {
        let means = Means::new(&KNOWN, self.from.config(), self.limits.max_trials);
        Means { specs: self.spec.clone(), trust: self.trust, ..means }
    }
}

/// How many paths to execute again.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Rerun {
    /// So many.
    AtMost(usize),
    /// All.
    All,
}

impl std::str::FromStr for Rerun {
    type Err = Expected;

    fn from_str(text: &str) -> Result<Self, Expected> {
        let amount = match text {
            "all" => Some(Self::All),
            _ => text.parse().ok().filter(|n| *n > 0).map(Self::AtMost),
        };
        amount.ok_or(Expected("a number of paths, or `all`"))
    }
}

/// The folder can't be audited.
#[derive(Debug, thiserror::Error, miette::Diagnostic)]
enum AuditError {
    /// It can't be listed.
    #[error("failed to list {}: {cause}", dir.display())]
    #[diagnostic(help("name a folder of results: reprise audit DIR"))]
    Unreadable {
        /// The folder.
        dir: PathBuf,
        /// What the system said.
        cause: std::io::Error,
    },
    /// There is nothing in it.
    #[error("no results below {}", .0.display())]
    #[diagnostic(help("name a folder of results: reprise audit DIR"))]
    Nothing(PathBuf),
    /// A file to compare with is of none of the experiments.
    #[error("--spec {}: no audited results are of its experiment", .0.display())]
    #[diagnostic(help("name the file whose `id` is that of the results"))]
    Unused(PathBuf),
}

/// Audits; lists every difference.
///
/// # Errors
/// If there is nothing to audit, or the data for a re-run is unavailable.
pub fn run(args: &Args, global: &Global) -> Result<Exit, Failure> {
    let unreadable = |cause| AuditError::Unreadable { dir: args.dir.clone(), cause };
    let folders =
        seal::audit(&args.dir).map_err(unreadable).map_err(Exit::CheckFailed.because())?;
    if folders.is_empty() {
        return Err(Exit::CheckFailed.because()(AuditError::Nothing(args.dir.clone())));
    }
    super::interrupt::on_signals();
    let index = scorecard::difference(&args.dir, &folders);
    let means = args.means();
    let mut verdicts = Vec::with_capacity(folders.len());
    for folder in folders {
        let sound = folder.manifest.as_ref().filter(|_| folder.differences.is_empty());
        let audited = match sound {
            Some(manifest) if args.data || args.rerun.is_some() || !args.spec.is_empty() => {
                Some(beyond_the_bytes(&folder, manifest, args, &means, global)?)
            }
            _ => None,
        };
        if matches!(audited, Some(Audited::Interrupted)) {
            return Ok(Exit::Interrupted);
        }
        verdicts.push(Verdict::of(folder, audited, args.expect));
    }
    let mut text: String = verdicts.iter().map(Verdict::text).collect();
    let differences: usize = verdicts.iter().map(|verdict| verdict.differences.len()).sum();
    let differences = differences + usize::from(index.is_some());
    if let Some(index) = index {
        let _ = writeln!(text, "{index}");
    }
    let unchecked = verdicts.iter().filter(|verdict| verdict.unchecked()).count();
    let _ = write!(text, "{} results folders, {differences} differences", verdicts.len());
    text += &match unchecked {
        0 => "\n".to_owned(),
        n => format!(", {n} not checked\n"),
    };
    if args.rerun.is_none() {
        text += "compared: the bytes of files with their manifests; no value was computed (--rerun does)\n";
    }
    render::listing(&text)?;
    let compared = |spec: &&PathBuf| verdicts.iter().any(|verdict| verdict.compared_with(spec));
    if let Some(unused) = args.spec.iter().find(|spec| !compared(spec)) {
        return Err(Exit::Usage.because()(AuditError::Unused(unused.clone())));
    }
    // Results that have other differences, or could not be checked for another reason, come first.
    let without_data = verdicts.iter().filter(|verdict| verdict.no_data).count();
    Ok(match (differences, unchecked) {
        (0, 0) => Exit::Fine,
        (0, n) if n == without_data => Exit::Data,
        _ => Exit::CheckFailed,
    })
}

/// The checks that need the experiment, and those that need its data.
fn beyond_the_bytes(
    folder: &Folder,
    manifest: &Manifest,
    args: &Args,
    means: &Means,
    global: &Global,
) -> Result<Audited, Failure> {
    let program = std::env::current_exe()
        .map_err(|cause| Error::Child { what: "this program".to_owned(), cause })?;
    let child = |id: Digest, journal: &Path| {
        execute_command(Command::new(&program), args, &folder.path, id, journal)
    };
    let observer = progress::of(&manifest.experiment, global.quiet);
    let execution = args.rerun.map(|rerun| Execution {
        amount: match rerun {
            Rerun::AtMost(n) => Amount::AtMost(n, args.draw),
            Rerun::All => Amount::All,
        },
        only: args.only.clone(),
        jobs: args.jobs.map_or_else(available_cores, usize::from),
        programs: means.trust.then(contain),
        readable: &args.readable,
        author: if args.weak { Author::User } else { Author::Stranger },
        child: &child,
        observer: &observer,
    });
    let request = Request { means, verify_data: args.data, execution, progress: &Bars::default() };
    let _working = Working::begin();
    Ok(audit::audit(&folder.path, manifest, &request)?)
}

/// What is said of one folder.
struct Verdict {
    folder: Folder,
    differences: Vec<String>,
    /// Why this program can't check it.
    not_checked: Option<String>,
    /// Whether that is because there is no data.
    no_data: bool,
    /// Whether its digest was to be one that is known.
    expected: bool,
    checked: Option<Checked>,
}

impl Verdict {
    fn of(folder: Folder, audited: Option<Audited>, expected: Option<Digest>) -> Self {
        let mut differences: Vec<String> =
            folder.differences.iter().map(Difference::to_string).collect();
        if let (Some(expected), Some(manifest)) = (expected, &folder.manifest)
            && expected != manifest.digest
        {
            differences.push(format!("its digest is {}, expected {expected}", manifest.digest));
        }
        let no_data = matches!(audited, Some(Audited::NoData(_)));
        let (not_checked, checked) = match audited {
            Some(Audited::NotChecked(why)) => (Some(why), None),
            Some(Audited::NoData(error)) => (Some(with_help(&error)), None),
            Some(Audited::Checked(checked)) => (None, Some(*checked)),
            Some(Audited::Interrupted) | None => (None, None),
        };
        differences.extend(checked.iter().flat_map(Checked::all_differences).cloned());
        Self { folder, differences, not_checked, no_data, expected: expected.is_some(), checked }
    }

    fn compared_with(&self, spec: &Path) -> bool {
        self.checked.as_ref().is_some_and(|checked| checked.inputs.spec.as_deref() == Some(spec))
    }

    fn again(&self) -> Option<&Again> {
        self.checked.as_ref()?.again.as_ref()
    }

    /// Whether something that was to be checked was not.
    fn unchecked(&self) -> bool {
        let open = |again: &Again| !again.skipped.is_empty() || !again.unchecked.is_empty();
        self.not_checked.is_some() || self.again().is_some_and(open)
    }

    fn text(&self) -> String {
        let Self { folder, differences, not_checked, .. } = self;
        let manifest = folder.manifest.as_ref();
        let complete = manifest.is_none_or(|manifest| manifest.complete);
        let state = match differences.len() {
            0 if self.unchecked() => "not checked",
            0 if complete => "ok",
            0 => "ok, but sealed as incomplete",
            _ => "DIFFERS",
        };
        let seal = manifest.map_or_else(String::new, |manifest| {
            format!(" {} {}", manifest.experiment, manifest.digest)
        });
        let name = printable_name(&folder.path.display().to_string());
        let mut text = format!("{name}: {state}{seal}\n");
        let mut list = |lines: &[String], before: &str, most: usize| {
            for line in lines.iter().take(most) {
                let _ = writeln!(text, "  {before}{}", line.replace('\n', "\n    "));
            }
            if lines.len() > most {
                let _ = writeln!(text, "  {before}and {} more", lines.len() - most);
            }
        };
        list(differences, "", usize::MAX);
        list(not_checked.as_slice(), "not checked: ", 1);
        if self.expected && self.again().is_none() {
            list(
                &["the version that sealed, the page, pictures, timing/, external/ and universes/: \
                   this digest is not over them"
                    .to_owned()],
                "believed: ",
                1,
            );
        }
        if journal::files(&folder.path.join(JOURNAL)).is_ok_and(|files| !files.is_empty()) {
            list(
                &[format!(
                    "{JOURNAL}: outside the seal; a later run into this folder goes on from it"
                )],
                "",
                1,
            );
        }
        if let Some(checked) = &self.checked {
            if let Some(again) = &checked.again {
                list(&[executed(again)], "", 1);
                list(&again.skipped, "not executed: ", LISTED);
                list(&again.unchecked, "not checked: ", LISTED);
                list(&again.kept, "", LISTED);
                list(&again.believed, "believed: ", usize::MAX);
            }
            let equal = checked.inputs.equal.len();
            list(
                &[format!("{equal} inputs are as they should be")][..usize::from(equal > 0)],
                "",
                1,
            );
            list(&checked.inputs.believed, "believed: ", usize::MAX);
            list(&checked.inputs.believed_datasets, "believed: ", LISTED);
        }
        text
    }
}

/// An error of several lines, and what to do, as lines of a listing.
fn with_help(error: &dyn Diagnostic) -> String {
    let help = error.help().map_or_else(String::new, |help| format!("\n{help}"));
    format!("{error}{help}")
}

fn executed(again: &Again) -> String {
    let Again { executed, paths, skipped, .. } = again;
    let rest = match paths - executed {
        0 => "",
        n if n == skipped.len() => "",
        _ => ", the rest believed",
    };
    format!("{executed} of {paths} paths executed again{rest}; everything else made anew")
}

/// Execute one path of sealed results: what `audit --rerun` does in a process of its own
#[derive(Debug, clap::Args)]
pub struct ExecuteArgs {
    /// The results folder
    dir: PathBuf,
    /// Id of the path
    path: Digest,
    /// Folder in which it is journaled
    #[arg(long)]
    journal: PathBuf,
    #[arg(long)]
    trust: bool,
    #[command(flatten)]
    from: DataOptions,
    #[command(flatten)]
    limits: Limits,
}

/// The command for it.
fn execute_command(
    mut command: Command,
    args: &Args,
    dir: &Path,
    path: Digest,
    journal: &Path,
) -> Command {
    command.arg("execute-path").arg(dir).arg(path.to_string()).arg("--journal").arg(journal);
    command.args(args.from.arguments()).args(args.limits.arguments());
    if args.trust {
        command.arg("--trust");
    }
    command
}

/// Executes a path and journals it.
///
/// # Errors
/// If it can't be found, or its data can't be had.
pub fn execute(args: &ExecuteArgs) -> Result<Exit, Failure> {
    let manifest = match seal::check(&args.dir) {
        Folder { manifest: Some(manifest), differences, .. } if differences.is_empty() => manifest,
        _ => return Err(Exit::CheckFailed.because()(AuditError::Nothing(args.dir.clone()))),
    };
    let means = Means::new(&KNOWN, args.from.config(), args.limits.max_trials);
    let means = Means { trust: args.trust, ..means };
    let bars = Bars::default();
    audit::execute_path(&args.dir, &manifest, &means, args.path, &args.journal, &bars)?
        .map_err(|why| Failure { exit: Exit::CheckFailed, report: miette::miette!("{why}") })?;
    Ok(Exit::Fine)
}
