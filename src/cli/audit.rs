//! `reprise audit`: are results as they were sealed, and do they come out again?

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;

use miette::Diagnostic;

use base::digest::Digest;
use base::file_error::FileError;
use base::layout::JOURNAL;
use base::parallel::available_cores;
use base::printable::printable_name;
use harness::Error;
use harness::again::{Amount, Execution};
use harness::audit::{self, Audited, Checked, Means, Request};
use harness::scorecard;
use reprise::KNOWN;
use run::executor::Working;
use run::only::Only;
use run::programs::Author;
use run::store;
use seal::{self, Difference, Folder, Manifest};

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
    #[arg(long, value_name = "N|all", value_parser = rerun)]
    pub rerun: Option<Amount>,
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
    /// With --trust: let the code use a file, folder or device that the experiment file names beside it; may be repeated
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
fn rerun(text: &str) -> Result<Amount, Expected> {
    let amount = match text {
        "all" => Some(Amount::All),
        _ => text.parse().ok().filter(|n| *n > 0).map(|n| Amount::AtMost(n, 0)),
    };
    amount.ok_or(Expected("a number of paths, or `all`"))
}

/// The folder can't be audited.
#[derive(Debug, thiserror::Error, miette::Diagnostic)]
enum AuditError {
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
    let unreadable =
        FileError::with("list", &args.dir, "name a folder of results: reprise audit DIR");
    let folders = seal::audit(&args.dir).map_err(unreadable);
    let folders = folders.map_err(Exit::CheckFailed.because())?;
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
    let differences: usize = verdicts.iter().map(|verdict| verdict.checked.differences.len()).sum();
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
    render::listing(&render::lines(&text, render::width()))?;
    let compared =
        |spec: &&PathBuf| verdicts.iter().any(|one| one.checked.spec.as_ref() == Some(*spec));
    if unchecked == 0
        && let Some(unused) = args.spec.iter().find(|spec| !compared(spec))
    {
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
    // What `ExecuteArgs` read.
    let child = |id: Digest, journal: &Path| {
        let mut command = Command::new(&program);
        command.arg("execute-path").arg(&folder.path).arg(id.to_string());
        command.arg("--journal").arg(journal).args(args.trust.then_some("--trust"));
        command.args(args.from.arguments()).args(args.limits.arguments());
        command
    };
    let observer = progress::of(&manifest.experiment, global.quiet);
    let execution = args.rerun.map(|rerun| Execution {
        amount: match rerun {
            Amount::AtMost(n, _) => Amount::AtMost(n, args.draw),
            Amount::All => Amount::All,
        },
        only: args.only.clone(),
        jobs: args.jobs.map_or_else(available_cores, usize::from),
        trust: means.trust,
        readable: &args.readable,
        author: if args.weak { Author::User } else { Author::Stranger },
        child: &child,
        observer: &observer,
    });
    let request = Request { means, verify_data: args.data, execution };
    let _working = Working::begin();
    Ok(audit::audit(&folder.path, manifest, &request)?)
}

/// What is said of one folder.
struct Verdict {
    folder: Folder,
    checked: Checked,
    /// Whether there is no data to check it with.
    no_data: bool,
    /// Whether its digest was to be one that is known.
    expected: bool,
}

impl Verdict {
    fn of(folder: Folder, audited: Option<Audited>, expected: Option<Digest>) -> Self {
        let no_data = matches!(audited, Some(Audited::NoData(_)));
        let not_checked = |why| Checked { unchecked: vec![why], ..Checked::default() };
        let mut checked = match audited {
            Some(Audited::NotChecked(why)) => not_checked(why),
            Some(Audited::NoData(error)) => not_checked(with_help(&error)),
            Some(Audited::Checked(checked)) => *checked,
            Some(Audited::Interrupted) | None => Checked::default(),
        };
        checked.differences.extend(folder.differences.iter().map(Difference::to_string));
        if let (Some(expected), Some(manifest)) = (expected, &folder.manifest)
            && expected != manifest.digest
        {
            let what = format!("its digest is {}, expected {expected}", manifest.digest);
            checked.differences.push(what);
        }
        Self { folder, checked, no_data, expected: expected.is_some() }
    }

    /// Whether something that was to be checked was not.
    fn unchecked(&self) -> bool {
        !self.checked.skipped.is_empty() || !self.checked.unchecked.is_empty()
    }

    fn text(&self) -> String {
        let Self { folder, checked, .. } = self;
        let manifest = folder.manifest.as_ref();
        let complete = manifest.is_none_or(|manifest| manifest.complete);
        let state = match checked.differences.len() {
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
        list(&checked.differences, "", usize::MAX);
        if self.expected && checked.paths == 0 {
            let outside = "the version that sealed, the page, pictures, timing/, external/, native_digest and \
                           universes/: this digest is not over them";
            list(&[outside.to_owned()], "believed: ", 1);
        }
        let inside = std::fs::read_dir(folder.path.join(JOURNAL)).into_iter().flatten().flatten();
        if { inside }.any(|entry| entry.file_name() != store::LOCK) {
            let outside = "outside the seal; a later run into this folder goes on from it";
            list(&[format!("{JOURNAL}: {outside}")], "", 1);
        }
        list(executed(checked).as_slice(), "", 1);
        list(&checked.skipped, "not executed: ", LISTED);
        list(&checked.unchecked, "not checked: ", LISTED);
        list(&checked.kept, "", LISTED);
        let equal = checked.equal.len();
        let equal = (equal > 0).then(|| format!("{equal} inputs are as they should be"));
        list(equal.as_slice(), "", 1);
        list(&checked.believed, "believed: ", usize::MAX);
        list(&checked.believed_datasets, "believed: ", LISTED);
        text
    }
}

/// An error of several lines, and what to do, as lines of a listing.
fn with_help(error: &dyn Diagnostic) -> String {
    let help = error.help().map_or_else(String::new, |help| format!("\n{help}"));
    format!("{error}{help}")
}

fn executed(checked: &Checked) -> Option<String> {
    let Checked { executed, paths, skipped, .. } = checked;
    let rest = match paths - executed {
        0 => "",
        n if n == skipped.len() => "",
        _ => ", the rest believed",
    };
    let done =
        format!("{executed} of {paths} paths executed again{rest}; everything else made anew");
    (*paths > 0).then_some(done)
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
    audit::execute_path(&args.dir, &manifest, &means, args.path, &args.journal)?;
    Ok(Exit::Fine)
}
