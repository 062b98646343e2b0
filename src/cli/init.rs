//! `reprise init`: a first experiment that runs.

use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use clap::ValueEnum;

use base::durable;
use base::shell::quoted;

use super::{Exit, Failure, Global};

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
                ("method.rs", include_str!("init/rust/method.rs")),
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

/// The files can't be written.
#[derive(Debug, thiserror::Error, miette::Diagnostic)]
enum InitError {
    /// Something is there already.
    #[error("{} is already there", .0.display())]
    #[diagnostic(help("nothing was written; name another folder"))]
    There(PathBuf),
    /// The system said no.
    #[error("failed to write {}: {cause}", path.display())]
    Io { path: PathBuf, cause: std::io::Error },
}

/// Writes the files, none over what is there.
///
/// # Errors
/// If one of them is there, or can't be written.
pub fn run(args: &Args, global: &Global) -> Result<Exit, Failure> {
    let files = args.files();
    write(&args.dir, files)?;
    let cd = match args.dir.as_path() {
        here if here == Path::new(".") => String::new(),
        dir => format!("  cd {}\n", quoted(&dir.to_string_lossy())),
    };
    let names: Vec<&str> = files.iter().map(|(name, _)| *name).collect();
    global.say(&format!(
        "wrote {} in {}\nnext:\n{cd}  reprise plan experiment.toml\n  reprise run experiment.toml\n",
        names.join(", "),
        args.dir.display()
    ));
    Ok(Exit::Fine)
}

/// Writes files by their paths below a folder, none over what is there.
///
/// # Errors
/// If one of them is there, or can't be written.
pub fn write(dir: &Path, files: &[(&str, &str)]) -> Result<(), Failure> {
    try_to_write(dir, files).map_err(|error| match error {
        InitError::There(_) => Exit::Usage.because()(error),
        InitError::Io { .. } => Exit::Results.because()(error),
    })
}

fn try_to_write(dir: &Path, files: &[(&str, &str)]) -> Result<(), InitError> {
    for path in files.iter().map(|(name, _)| dir.join(name)) {
        match path.symlink_metadata() {
            Err(cause) if cause.kind() == ErrorKind::NotFound => {}
            Err(cause) => return Err(InitError::Io { path, cause }),
            Ok(_) => return Err(InitError::There(path)),
        }
    }
    let failed = |path: &Path| {
        let path = path.to_owned();
        move |cause| InitError::Io { path, cause }
    };
    durable::create_folders(dir).map_err(failed(dir))?;
    for (name, text) in files {
        let path = dir.join(name);
        let folder = path.parent().unwrap_or(dir);
        durable::create_folders(folder).map_err(failed(folder))?;
        durable::replace(&path, text.as_bytes()).map_err(failed(&path))?;
    }
    Ok(())
}
