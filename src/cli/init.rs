//! `reprise init`: a first experiment that runs.

use std::path::{Path, PathBuf};

use clap::ValueEnum;

use base::durable;
use base::file_error::FileError;
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
    let paths = || files.iter().map(|(name, text)| (dir.join(name), text));
    if let Some((there, _)) = paths().find(|(path, _)| path.symlink_metadata().is_ok()) {
        return Err(Exit::Usage.because()(There(there)));
    }
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
