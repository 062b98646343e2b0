//! `reprise init`: a first experiment that runs.

use std::fs;
use std::path::{Path, PathBuf};

use clap::ValueEnum;

use base::durable;
use base::file_error::FileError;
use base::shell::quoted;

use ::data::registry::{Entry, FILE_NAME, FileEntry, Registry};
use ::data::vocabulary::{Rows, Target};

use super::{DataOptions, Exit, Failure, Global, data};

/// Write a first experiment that runs, to be changed into your own
#[derive(Debug, clap::Args)]
pub struct Args {
    /// The folder; it is made if it is not there
    #[arg(value_name = "DIR", default_value = ".")]
    dir: PathBuf,
    /// What is learned [default: classification]
    #[arg(long, value_enum, conflicts_with = "method")]
    task: Option<Task>,
    /// With methods of your own, in a language or of a library, beside native classifiers
    #[arg(long, value_enum)]
    method: Option<Language>,
    /// Of your own table: what `reprise data add` takes, and then does
    #[arg(long = "data", value_name = "FILE|FOLDER|URL", conflicts_with_all = ["task", "method"])]
    source: Option<String>,
    #[command(flatten)]
    entry: data::EntryArgs,
    #[command(flatten)]
    options: DataOptions,
}

/// What is learned. A new task needs its folder of files here, and a variant.
#[derive(Debug, Clone, Copy, ValueEnum)]
enum Task {
    /// The classes of flowers in a CSV file.
    Classification,
    /// A distribution of rows of 0 and 1.
    Density,
    /// The rents of flats, which are numbers.
    Regression,
}

/// A language of methods.
#[derive(Debug, Clone, Copy, ValueEnum)]
enum Language {
    /// A function in Python, with NumPy, that learns and predicts.
    Python,
    /// A program in Rust without dependencies, which `rustc` builds.
    Rust,
    /// Estimators of scikit-learn, by their names.
    Sklearn,
}

/// The files of a first experiment, by their paths.
type Files = &'static [(&'static str, &'static str)];

impl Args {
    fn files(&self) -> Files {
        match (self.method, self.task.unwrap_or(Task::Classification)) {
            (Some(Language::Python), _) => &[
                ("experiment.toml", include_str!("init/python/experiment.toml")),
                ("method.py", include_str!("init/python/method.py")),
                ("reprise_method.py", include_str!("../../clients/python/reprise_method.py")),
                ("requirements.txt", include_str!("init/python/requirements.txt")),
            ],
            (Some(Language::Rust), _) => &[
                ("experiment.toml", include_str!("init/rust/experiment.toml")),
                ("method.rs", include_str!("../../clients/rust/method.rs")),
            ],
            (Some(Language::Sklearn), _) => {
                &[("experiment.toml", include_str!("init/sklearn/experiment.toml"))]
            }
            (None, Task::Classification) => &[
                ("experiment.toml", include_str!("../../experiments/first.toml")),
                ("datasets.toml", include_str!("../../experiments/datasets.toml")),
                ("flowers.csv", include_str!("../../experiments/flowers.csv")),
                ("published/first.csv", include_str!("../../experiments/published/first.csv")),
            ],
            (None, Task::Density) => &[
                ("experiment.toml", include_str!("init/density/experiment.toml")),
                ("datasets.toml", include_str!("init/density/datasets.toml")),
                ("baskets.csv", include_str!("init/density/baskets.csv")),
                ("published/first.csv", include_str!("init/density/published/first.csv")),
            ],
            (None, Task::Regression) => &[
                ("experiment.toml", include_str!("init/regression/experiment.toml")),
                ("datasets.toml", include_str!("init/regression/datasets.toml")),
                ("rents.csv", include_str!("init/regression/rents.csv")),
                ("published/first.csv", include_str!("init/regression/published/first.csv")),
            ],
        }
    }
}

/// Something is there already.
#[derive(Debug, thiserror::Error, miette::Diagnostic)]
#[error("{} is already there", .0.display())]
#[diagnostic(help("nothing was written; name another folder"))]
struct There(PathBuf);

/// Writes the files, none over what is there.
///
/// # Errors
/// If one of them is there, or can't be written.
pub fn run(args: &Args, global: &Global) -> Result<Exit, Failure> {
    let beside = args.dir.join(FILE_NAME);
    let own;
    let mut then = "";
    let files = match (args.task, args.method) {
        (None, None) if args.source.is_some() || beside.is_file() => {
            let (text, labelled) = own_data(args, &beside, global)?;
            then = if labelled { "\n  reprise leak experiment.toml" } else { "" };
            own = text;
            vec![("experiment.toml", own.as_str())]
        }
        _ => args.files().to_vec(),
    };
    write(&args.dir, &files)?;
    let cd = match args.dir.as_path() {
        here if here == Path::new(".") => String::new(),
        dir => format!("  cd {}\n", quoted(&dir.to_string_lossy())),
    };
    let names: Vec<&str> = files.iter().map(|(name, _)| *name).collect();
    global.say(&format!(
        "wrote {} in {}\nnext:\n{cd}  reprise plan experiment.toml\n  reprise run experiment.toml{then}\n",
        names.join(", "),
        args.dir.display()
    ));
    Ok(Exit::Fine)
}

/// The experiment on a dataset that is added to the registry of the folder, or else on all of one task that it has; and
/// whether they have labels or numbers to learn.
fn own_data(args: &Args, beside: &Path, global: &Global) -> Result<(String, bool), Failure> {
    there(&args.dir.join("experiment.toml"))?;
    let registry = args.options.registry.as_deref().unwrap_or(beside);
    let mut only = None;
    if let Some(source) = &args.source {
        let failed = FileError::with("make", &args.dir, "name a folder that can be made");
        let made = !args.dir.exists();
        durable::create_folders(&args.dir).map_err(failed).map_err(Exit::Results.because())?;
        let added = data::added(&args.options, &args.entry.wanted(source, registry));
        let (id, text) = added.inspect_err(|_| {
            if made {
                let _ = fs::remove_dir(&args.dir);
            }
        })?;
        global.say(&text);
        only = Some(id);
    }
    let registry = Registry::load(registry)?;
    let among = |entry: &&Entry| only.as_ref().is_none_or(|id| *id == entry.id);
    let entries: Vec<&Entry> = registry.entries().iter().filter(among).collect();
    let first = *entries.first().ok_or_else(|| Exit::Usage.because()(Nothing(beside.into())))?;
    let template = |entry: &Entry| match entry.shape.target {
        Target::Classes(_) => include_str!("init/own/classification.toml"),
        Target::Number => include_str!("init/own/regression.toml"),
        Target::None => include_str!("init/own/density.toml"),
    };
    let alike =
        |other: &&&Entry| template(other) == template(first) && split(other) == split(first);
    let ids: Vec<&str> = entries.iter().filter(alike).map(|entry| entry.id.as_str()).collect();
    let (split, sd) = split(first);
    let text = |text: &str| toml::Value::from(text).to_string();
    let hole = |name: &str| match name {
        "id" => text(&experiment_id(&first.id)),
        "title" => text(&first.title),
        "datasets" => toml::Value::from(ids.clone()).to_string(),
        "split" => split.to_owned(),
        _ => sd.to_owned(),
    };
    let pieces = template(first).split('@').enumerate();
    let filled = pieces.map(|(at, piece)| if at % 2 == 1 { hole(piece) } else { piece.to_owned() });
    Ok((filled.collect(), first.shape.target != Target::None))
}

/// The id of a dataset as one of an experiment, which is a path of folders.
fn experiment_id(dataset: &str) -> String {
    let id = dataset.to_ascii_lowercase().replace('.', "-");
    match id.trim_start_matches('_') {
        "" => "mine".to_owned(),
        id => id.to_owned(),
    }
}

/// How a dataset is divided as far as its entry says, and what the standard deviation is over.
fn split(entry: &Entry) -> (&'static str, &'static str) {
    let layout = entry.files().first().and_then(FileEntry::layout);
    let marked = layout.map(|layout| (layout.time.is_some(), layout.group.is_some()));
    match (entry.shape.rows, entry.shape.folds, marked, entry.shape.target) {
        (Rows::Split(_) | Rows::Shared(_), ..) => ("\"published\"", "none"),
        (_, Some(_), ..) => ("\"folds\"", "fold"),
        (.., Some((true, true)), _) => (
            "{ time = { folds = 5 } } # rows of one group stand on both sides; cv = { folds = 5, grouped = true } keeps them together",
            "fold",
        ),
        (.., Some((true, false)), _) => ("{ time = { folds = 5 } }", "fold"),
        (.., Some((_, true)), _) => {
            ("{ cv = { folds = 5, repeats = 5, grouped = true } }", "standard-error")
        }
        (.., Target::Classes(_)) => {
            ("{ cv = { folds = 5, repeats = 5, stratified = true } }", "standard-error")
        }
        _ => ("{ cv = { folds = 5, repeats = 5 } }", "standard-error"),
    }
}

/// A registry without datasets.
#[derive(Debug, thiserror::Error, miette::Diagnostic)]
#[error("{} has no dataset", .0.display())]
#[diagnostic(help(
    "describe yours: reprise data add FILE; or both at once: reprise init --data FILE"
))]
struct Nothing(PathBuf);

/// That a file is not there yet.
fn there(path: &Path) -> Result<(), Failure> {
    match path.symlink_metadata() {
        Ok(_) => Err(Exit::Usage.because()(There(path.to_owned()))),
        Err(_) => Ok(()),
    }
}

/// Writes files by their paths below a folder, none over what is there.
///
/// # Errors
/// If one of them is there, or can't be written.
pub fn write(dir: &Path, files: &[(&str, &str)]) -> Result<(), Failure> {
    let paths = || files.iter().map(|(name, text)| (dir.join(name), text));
    paths().try_for_each(|(path, _)| there(&path))?;
    let help = "name a folder that can be written";
    let write = |path: &Path, text: &str| {
        durable::create_folders(path.parent().unwrap_or(dir))?;
        durable::replace(path, text.as_bytes())
    };
    for (path, text) in paths() {
        let written = write(&path, text).map_err(FileError::with("write", &path, help));
        written.map_err(Exit::Results.because())?;
    }
    Ok(())
}
