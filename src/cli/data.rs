//! `reprise data`: what datasets exist, where their files are, and whether they are sound.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use clap::Subcommand;
use indicatif::{HumanBytes, MultiProgress, ProgressBar, ProgressStyle};
use report::sheet::{Listing, Sheet};

use super::executor::absolute;
use super::render::listing_width;
use super::{DataOptions, Exit, Failure, Format, Global, render};
use base::parallel::lock;
use base::text::wrapped;
use data::add::{Added, Wanted};
use data::croissant::{self, Written};
use data::library::{FetchProgress, FileStatus, Verdict, Verified, Whence};
use data::registry::{Entry, FILE_NAME, Origin};
use data::vocabulary::{Parts, Rows};
use data::{DataConfig, DataError, Library};

/// Arguments of `reprise data`.
#[derive(Debug, clap::Args)]
pub struct Args {
    #[command(subcommand)]
    action: Action,
}

#[derive(Debug, Subcommand)]
enum Action {
    /// List the datasets with their shapes, sizes, and where their files are
    List(Selection),
    /// Download what is missing, and check everything
    Fetch(Selection),
    /// Check the files that are on this machine against their digests
    Verify(Selection),
    /// Print where the files lie
    Path(Selection),
    /// Look at a dataset and write its entry into datasets.toml
    ///
    /// It takes tables (CSV, TSV, ARFF), LIBSVM files, NumPy arrays (npy, npz), Croissant descriptions, and datasets and
    /// tasks of OpenML.
    Add(AddArgs),
    /// Describe a dataset as Croissant 1.0, JSON-LD
    Croissant(CroissantArgs),
}

#[derive(Debug, clap::Args)]
struct AddArgs {
    /// File, folder with files, http(s) url, openml:ID for a dataset of OpenML, or openml:task/ID with its folds
    #[arg(value_name = "FILE|FOLDER|URL|openml:ID")]
    source: String,
    #[command(flatten)]
    entry: EntryArgs,
    /// Write the entry of this id anew, as for a file that was edited
    ///
    /// It keeps its title, citation and licence, and the columns of target, group and time that are not named.
    #[arg(long)]
    replace: bool,
    #[command(flatten)]
    data: DataOptions,
}

/// What is said of a dataset that is looked at: its source is an argument of the command.
#[derive(Debug, clap::Args)]
pub struct EntryArgs {
    /// Column of the class or number to predict; without a header columns are called 1, 2, …; of arrays their name
    /// or file [default: the one that is called as classes are, else the last]
    #[arg(long, value_name = "COLUMN", requires = "source")]
    target: Option<String>,
    /// Whether the first line of a table has the names of its columns [default: judged by each column]
    #[arg(long, value_name = "yes|no", value_parser = yes_or_no, requires = "source")]
    header: Option<bool>,
    /// Column that says whose a row is, for grouped splits
    #[arg(long, value_name = "COLUMN", requires = "source")]
    group: Option<String>,
    /// Column that says when a row was made, for splits in time
    #[arg(long, value_name = "COLUMN", requires = "source")]
    time: Option<String>,
    /// Id of the dataset [default: from the name of the file]
    #[arg(long, value_name = "ID", requires = "source")]
    id: Option<String>,
}

impl EntryArgs {
    /// What is wanted of a source, in a registry.
    pub fn wanted<'a>(&'a self, source: &'a str, registry: &'a Path) -> Wanted<'a> {
        Wanted {
            target: self.target.as_deref(),
            header: self.header,
            group: self.group.as_deref(),
            time: self.time.as_deref(),
            id: self.id.as_deref(),
            ..Wanted::of(source, registry)
        }
    }
}

#[derive(Debug, clap::Args)]
struct CroissantArgs {
    /// Id of the dataset
    #[arg(value_name = "NAME")]
    name: String,
    /// File to write, which must not exist yet; local files lie below its folder [default: the terminal]
    #[arg(long, value_name = "FILE")]
    to: Option<PathBuf>,
    #[command(flatten)]
    data: DataOptions,
}

#[derive(Debug, clap::Args)]
struct Selection {
    /// Dataset ids [default: all]
    #[arg(value_name = "NAME")]
    names: Vec<String>,
    #[command(flatten)]
    data: DataOptions,
    /// How the listing is printed
    #[arg(long, value_enum, default_value_t)]
    format: Format,
}

impl DataOptions {
    /// The settings of the data library.
    pub fn config(&self) -> DataConfig {
        DataConfig {
            // Programs are started from other folders, and environments lie in it.
            cache: self.cache.as_deref().map(|cache| absolute(cache).into()),
            mirror: self.mirror.clone(),
            offline: self.offline,
            registry: self.registry.clone(),
            files: self.data_dir.clone(),
            progress: Some(Arc::<Bars>::default()),
            ..DataConfig::default()
        }
    }
}

impl From<DataError> for Failure {
    fn from(error: DataError) -> Self {
        let exit = match &error {
            DataError::Registry(_) | DataError::Unreadable { .. } | DataError::Asked(_) => {
                Exit::Usage
            }
            _ => Exit::Data,
        };
        Self { exit, report: error.into() }
    }
}

/// Runs `reprise data`.
///
/// # Errors
/// Usage errors for unknown datasets and broken registries; data errors for files that are
/// unavailable or corrupt.
pub fn run(args: &Args, global: &Global) -> Result<Exit, Failure> {
    type Of = fn(&Library, &[&str], Format) -> Result<Exit, Failure>;
    let (selection, of): (&Selection, Of) = match &args.action {
        Action::List(selection) => (selection, list),
        Action::Fetch(selection) => (selection, fetch),
        Action::Verify(selection) => (selection, verify),
        Action::Path(selection) => (selection, path),
        Action::Add(args) => return add(args, global),
        Action::Croissant(args) => return croissant(args),
    };
    let library = Library::open(&selection.data.config(), Some(Path::new(".")))?;
    let ids: Vec<&str> = match selection.names.is_empty() {
        true => library.ids().collect(),
        false => selection.names.iter().map(String::as_str).collect(),
    };
    of(&library, &ids, selection.format)
}

/// Adds a dataset to the registry that is named, else to the one of this folder.
fn add(args: &AddArgs, global: &Global) -> Result<Exit, Failure> {
    let registry = args.data.registry.as_deref().unwrap_or(Path::new(FILE_NAME));
    let wanted = args.entry.wanted(&args.source, registry);
    let (_, text) = added(&args.data, &Wanted { replace: args.replace, ..wanted })?;
    if global.quiet { Ok(Exit::Fine) } else { render::listing(&text) }
}

/// So many columns of a table are listed.
const SHOWN: usize = 100;

/// Adds a dataset to a registry: its id, and what was seen and chosen.
///
/// # Errors
/// As [`data::add::add`].
pub fn added(options: &DataOptions, wanted: &Wanted<'_>) -> Result<(String, String), Failure> {
    let config = DataConfig { registry: None, ..options.config() };
    let library = Library::open(&config, Some(Path::new(".")))?;
    let Added { id, draft, dropped } = data::add::add(wanted, &library)?;
    let sheet = Sheet::of("", &draft.columns)
        .shown("column", |column: &[String; 4]| &*column[0])
        .shown("taken as", |column| &*column[1])
        .number("", "missing", |column| &*column[2])
        .shown("holds", |column| &*column[3]);
    let mut text = sheet.sheet().first(SHOWN, None).terminal(listing_width());
    text.push('\n');
    text += &wrapped(&draft.target.to_string(), 0, listing_width());
    if dropped > 0 {
        text += &format!("{dropped} rows are left out\n");
    }
    draft.notes.iter().for_each(|note| text += &wrapped(note, 0, listing_width()));
    text += &format!("\n{}\n`{id}` is in {}\n", draft.entry, wanted.registry.display());
    Ok((id, text))
}

/// Reads a value of `--header`.
///
/// # Errors
/// What to say instead.
fn yes_or_no(text: &str) -> Result<bool, &'static str> {
    match text {
        "yes" => Ok(true),
        "no" => Ok(false),
        _ => Err("say yes or no"),
    }
}

/// Describes a dataset.
fn croissant(args: &CroissantArgs) -> Result<Exit, Failure> {
    if let Some(to) = args.to.as_ref().filter(|to| to.exists()) {
        return Err(Exit::Usage.because()(Taken { path: to.clone() }));
    }
    let library = Library::open(&args.data.config(), Some(Path::new(".")))?;
    let folder = args.to.as_deref().and_then(Path::parent).unwrap_or(Path::new(""));
    let Written { json, without_records } = croissant::written(&library, &args.name, folder)?;
    let text = render::json(&json);
    let Some(to) = &args.to else { return render::listing(&text) };
    let failed = |source| DataError::Io { action: "write", path: to.clone(), source };
    base::durable::replace(to, text.as_bytes()).map_err(failed)?;
    let without = without_records
        .map_or(String::new(), |why| format!("its records are not described: {why}\n"));
    render::listing(&format!("{without}`{}` is described in {}\n", args.name, to.display()))
}

/// A description is not written over a file.
#[derive(Debug, thiserror::Error, miette::Diagnostic)]
#[error("{} is already there", path.display())]
#[diagnostic(help("nothing was written: name another file with --to, or remove it"))]
struct Taken {
    path: PathBuf,
}

fn list(library: &Library, ids: &[&str], format: Format) -> Result<Exit, Failure> {
    let mut known: Vec<(&str, &Entry, Vec<FileStatus>)> = Vec::new();
    for &id in ids {
        let files = library.plan_fetch(&[id])?;
        known.extend(library.entry(id).map(|entry| (id, entry, files)));
    }
    type Row<'r> = &'r (&'r str, &'r Entry, Vec<FileStatus>);
    // None if the size of a file is not known before it is here.
    let bytes = |files: &[FileStatus]| files.iter().map(|file| file.bytes).sum::<Option<u64>>();
    let rows = |entry: &Entry| match entry.shape.rows {
        Rows::Split(Parts { train, valid, test }) => Some([train, valid, test]),
        Rows::Shared(rows) => Some([rows, 0, rows]),
        Rows::Whole(_) => None,
    };
    let sheet = Sheet::of("", &known)
        .text("id", "id", |(id, ..): Row| *id)
        .text("title", "title", |(_, entry, _)| &*entry.title)
        .value("kind", |(_, entry, _)| entry.kind.word())
        .number("variables", "vars", |(_, entry, _)| entry.shape.variables)
        .value("rows", |(_, entry, _)| entry.shape.rows.total())
        .value("train", |(_, entry, _)| rows(entry).map(|[train, ..]| train))
        .number("", "train", |(_, entry, _)| {
            rows(entry).map_or(entry.shape.rows.total(), |[train, ..]| train)
        })
        .number("valid", "valid", |(_, entry, _)| rows(entry).map(|[_, valid, _]| valid))
        .number("test", "test", |(_, entry, _)| rows(entry).map(|[.., test]| test))
        .value("classes", |(_, entry, _)| entry.shape.classes())
        .value("folds", |(_, entry, _)| entry.shape.folds)
        .value("bytes", |(.., files)| bytes(files))
        .number("", "size", |(.., files)| match bytes(files) {
            _ if files.is_empty() => None,
            Some(bytes) => Some(HumanBytes(bytes).to_string()),
            None => Some("unknown".to_owned()),
        })
        .text("files", "files", |(_, entry, files)| whence(entry, files))
        .value("citation", |(_, entry, _)| &*entry.citation)
        .value("licence", |(_, entry, _)| &*entry.licence)
        .empty("-");
    render::listing(&render::sheet(&sheet.sheet(), format))
}

/// Where the files of a dataset are, in one word: the furthest of them decides.
fn whence(entry: &Entry, files: &[FileStatus]) -> &'static str {
    const NEAR_TO_FAR: [Whence; 5] =
        [Whence::Cache, Whence::Local, Whence::Mirror, Whence::Network, Whence::Missing];
    let distance = |file: &FileStatus| NEAR_TO_FAR.iter().position(|&whence| whence == file.whence);
    match (files.iter().max_by_key(|file| distance(file)), &entry.origin) {
        (Some(file), _) => file.whence.word(),
        (None, Origin::Generated(_) | Origin::Derived(_)) => "generated",
        (None, Origin::Files(_)) => "none",
    }
}

fn fetch(library: &Library, ids: &[&str], format: Format) -> Result<Exit, Failure> {
    library.fetch(ids)?;
    // Those of the user's own are else hashed when they are read.
    library.pinned(ids)?;
    print_files(&library.plan_fetch(ids)?, format)
}

fn path(library: &Library, ids: &[&str], format: Format) -> Result<Exit, Failure> {
    let files = library.plan_fetch(ids)?;
    print_files(&files, format)?;
    let here = files.iter().all(|file| file.path.is_some());
    Ok(if here { Exit::Fine } else { Exit::Data })
}

fn print_files(files: &[FileStatus], format: Format) -> Result<Exit, Failure> {
    let line = |file: &FileStatus| {
        let place = match &file.path {
            Some(path) => path.display().to_string(),
            None => format!("not here: {}", file.url),
        };
        format!("{}\t{}\t{place}\n", file.dataset, file.role.word())
    };
    render::listing(&match format {
        Format::Json => {
            render::sheet(&described(Sheet::of("", files), |file| file).sheet(), format)
        }
        Format::Text => files.iter().map(line).collect(),
    })
}

/// What programs read of files.
fn described<'f, R: Copy>(rows: Listing<R>, file: impl Fn(R) -> &'f FileStatus) -> Listing<R> {
    rows.value("dataset", |row| &*file(row).dataset)
        .value("role", |row| file(row).role.word())
        .value("url", |row| &*file(row).url)
        .value("bytes", |row| file(row).bytes)
        .value("whence", |row| file(row).whence.word())
        .value("path", |row| file(row).path.as_ref().map(|path| path.display().to_string()))
}

fn verify(library: &Library, ids: &[&str], format: Format) -> Result<Exit, Failure> {
    let report = library.verify(ids)?;
    let word = |verified: &Verified| match verified.verdict {
        Verdict::Sound => "ok",
        Verdict::Absent => "absent",
        Verdict::Corrupt(_) => "corrupt",
    };
    let mismatch = |verified: &Verified| match &verified.verdict {
        Verdict::Corrupt(mismatch) => Some(mismatch.clone()),
        Verdict::Sound | Verdict::Absent => None,
    };
    let sheet = described(Sheet::of("", &report), |verified: &Verified| &verified.file)
        .text("verdict", "verdict", word)
        .shown("dataset", |Verified { file, .. }| &*file.dataset)
        .shown("file", |Verified { file, .. }| file.role.word())
        .shown("place", |Verified { file, verdict }| match (verdict, &file.path) {
            (Verdict::Corrupt(mismatch), _) => mismatch.to_string(),
            (Verdict::Sound, Some(path)) => path.display().to_string(),
            (Verdict::Sound | Verdict::Absent, _) => file.url.clone(),
        })
        .value("expected", |one| mismatch(one).map(|one| one.expected.digest.to_string()))
        .value("found", |one| mismatch(one)?.found.as_ref().ok().map(ToString::to_string));
    render::listing(&render::sheet(&sheet.sheet(), format))?;
    let corrupt = report.iter().any(|file| matches!(file.verdict, Verdict::Corrupt(_)));
    Ok(if corrupt { Exit::Data } else { Exit::Fine })
}

/// A progress bar for each download; nothing where standard error is no terminal.
#[derive(Debug, Default)]
struct Bars {
    bars: MultiProgress,
    running: Mutex<BTreeMap<String, ProgressBar>>,
}

impl FetchProgress for Bars {
    fn begin(&self, file: &FileStatus) {
        let (bar, template) = match file.bytes {
            Some(bytes) => (
                ProgressBar::new(bytes),
                "{msg:28} {wide_bar} {bytes:>10} / {total_bytes:10} {bytes_per_sec}",
            ),
            None => (ProgressBar::no_length(), "{msg:28} {spinner} {bytes:>10} {bytes_per_sec}"),
        };
        if let Ok(style) = ProgressStyle::with_template(template) {
            bar.set_style(style);
        }
        bar.set_message(format!("{} {}", file.dataset, file.role.word()));
        lock(&self.running).insert(file.url.clone(), self.bars.add(bar));
    }

    fn received(&self, file: &FileStatus, bytes: u64) {
        if let Some(bar) = lock(&self.running).get(&file.url) {
            bar.set_position(bytes);
        }
    }

    fn end(&self, file: &FileStatus) {
        if let Some(bar) = lock(&self.running).remove(&file.url) {
            bar.finish_and_clear();
        }
    }
}
