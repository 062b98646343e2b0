//! Experiment files: TOML in, a validated [`Experiment`] out, with errors that point at the line.
//!
//! [`load`] parses the file into a tree whose keys and values know their places, checks its shape
//! against the descriptors of all keys, then reads what the keys refer to. Every error of the
//! file, of its profiles and of the published values beside it is reported at once, before any
//! data is looked for. Each section is declared once, by [`section!`](document::section), in the file of its name; the
//! same declarations give the JSON Schema ([`json_schema`]) and the reference in `docs/reference` ([`sections`]).
//!
//! Kinds of tests, figures and claims are declared where they are computed, drawn and judged, and reach the loader as
//! [`Kinds`]; what they may ask for is [`Evidence`].

mod catalogue;
mod choice;
mod claim;
mod command;
mod design;
mod difference;
mod evidence;
pub mod experiment;
mod figure;
mod file;
mod foreseen;
mod idle;
mod kind;
mod known;
mod leak;
mod limits;
mod method;
pub mod number;
mod overlay;
pub mod papers;
mod patterns;
mod place;
mod profile;
mod published;
mod refer;
mod schema;
mod scope;
mod table;
mod task;
mod tasks;
mod test;

use std::path::Path;

use base::bounded;
use document::{DocumentError, DocumentErrors, Faults, ReadTable as _, Table, suggestion};

pub use catalogue::Catalogue;
pub use claim::{
    Check, ClaimSpec, Counted, CountedDatasets, Finding, HowMany, HowOften, Phrase, Range, Verdict,
};
pub use command::{bytes as bytes_of_size, keys_of};
pub use design::{
    Axis, AxisRef, CheckedPart, Choice, LeakCheck, MethodSpec, Part, PublishedFile, PublishedValue,
    SourceFile, Subject,
};
pub use difference::{Difference, Shows, Why};
pub use evidence::{
    Blocks, Evidence, FigureDesign, Grid, GridAxes, Mark, Over, PairBy, Pairs, Panel, Pictured,
    Place, Position, Says, Series, Size, TestDesign, Whose, id_on,
};
pub use experiment::Experiment;
pub use figure::{Drawn, FigureSpec, Numbers, Plot};
pub use file::{Heading, OfKind, Section, clashes, sections};
pub use kind::Kind;
pub use known::{Kinds, Known, Lists};
pub use overlay::Overlay;
pub use place::at_dataset;
pub use refer::{
    Axis as OneAxis, Bold, Datasets, Directed, Equivalence, Methods, OneDataset, OneMethod,
    OneTest, Published, Reported,
};
pub use schema::json_schema;
pub use scope::{Foreseen, KnownDataset, KnownTest, Scope, Shown};
pub use table::{Along, Best, SdOver, TableSpec};
pub use test::{Adjustment, Comparison, Comparisons, Correcting, FamilyOf, Found, Test, TestSpec};

/// Reads the experiment file at `path`, under a profile if one is named. Reads the files beside it that it names; looks
/// for no data. The profile `leak` is that of every file, and `NAME@leak` that of every profile: its leak check.
///
/// # Errors
/// Everything that is wrong with the file, with any of its profiles, and with the published values
/// that it names.
pub fn load(
    path: &Path,
    profile: Option<&str>,
    known: &Known<'_>,
) -> Result<Experiment, DocumentErrors> {
    load_with(path, profile, None, known)
}

/// As [`load`], with keys that are set from outside: the file is checked as if it said so itself.
///
/// # Errors
/// As [`load`]; or if the overlay sets what can't be set.
pub fn load_with(
    path: &Path,
    profile: Option<&str>,
    overlay: Option<&Overlay>,
    known: &Known<'_>,
) -> Result<Experiment, DocumentErrors> {
    let text = read(path)?;
    let set = overlay.map(|overlay| overlay.read(text.len())).transpose()?;
    let mut faults = overlay::faults(path.display(), &text, overlay);
    let mut root = document::parse(&text, &mut faults);
    if !faults.is_empty() {
        // Sections with syntax errors are not in the tree: that something is missing says nothing.
        let mut further = Faults::new(path.display(), &text);
        if limits::within(&root, &mut further) {
            file::check_file(&mut root, known, &mut further);
        }
        faults.append_placed(further);
        return Err(faults.into_errors(path.display()));
    }
    if !limits::within(&root, &mut faults) {
        return Err(faults.into_errors(path.display()));
    }
    let source = SourceFile { path: path.to_owned(), text, overlay: overlay.cloned() };
    if let Some(set) = &set {
        overlay::apply(&mut root, set, &mut faults);
    }

    let (profile, leaks) = leak::of_profile(profile);
    let mut whole = root.clone();
    file::check_file(&mut whole, known, &mut faults);
    let mut resolved = resolve(&whole, None, &source, known, &mut faults);
    let mut read = whole.clone();

    let profiles = profile::profiles(&root, &mut faults);
    for (name, overrides) in &profiles {
        let mut narrowed = profile::apply(&root, overrides, &mut faults);
        // What is set from outside counts under a profile too.
        if let Some(set) = &set {
            overlay::apply(&mut narrowed, set, &mut faults);
        }
        file::check_file(&mut narrowed, known, &mut faults);
        let under = Profile { name, whole: &whole };
        let narrow = resolve(&narrowed, Some(under), &source, known, &mut faults);
        if profile == Some(name) {
            (resolved, read) = (narrow, narrowed);
        }
    }
    if let Some(name) = profile
        && profiles.iter().all(|(known, _)| *known != name)
    {
        let names: Vec<&str> = profiles.iter().map(|(name, _)| *name).collect();
        let message = format!("the file has no profile `{name}`");
        faults.add(DocumentError::whole_file(message)).maybe_help(suggestion(name, &names));
    }
    let experiment = resolved.and_then(|(experiment, keys)| match leaks && faults.is_empty() {
        true => leak::derived(experiment, &keys, &read, &mut faults),
        false => Some(experiment),
    });
    match experiment {
        Some(experiment) if faults.is_empty() => Ok(experiment),
        _ => Err(faults.into_errors(path.display())),
    }
}

/// The profile that a file is read under.
#[derive(Clone, Copy)]
struct Profile<'a> {
    /// Its name.
    name: &'a str,
    /// The file without it.
    whole: &'a Table,
}

/// What a file of the right shape says, and how it is checked for leaks; none if there are errors.
fn resolve(
    root: &Table,
    profile: Option<Profile<'_>>,
    source: &SourceFile,
    known: &Known<'_>,
    faults: &mut Faults,
) -> Option<(Experiment, leak::LeakKeys)> {
    let ids = |section| root.tables(section).filter_map(|table| table.string("id")).collect();
    let mut scope = Scope {
        known: &known.lists.catalogue,
        registry: known.datasets,
        source,
        code: known.code.map_or_else(|| scope::folder(source).to_owned(), Path::to_owned),
        faults,
        left_out: 0,
        undecided: foreseen::undecided(root),
        dropped: profile.map_or(Vec::new(), |profile| tasks::named_datasets(profile.whole)),
        narrowed: profile.is_some(),
        datasets: tasks::named_datasets(root),
        part_ids: ids("part"),
        parts: Vec::new(),
        tasks: tasks::Tasks::of(root, &known.lists.catalogue),
        method_ids: ids("method"),
        methods: Vec::new(),
        choice_ids: ids("choice"),
        test_ids: ids("test"),
        tests: Vec::new(),
        table_ids: ids("table"),
        title: String::new(),
        published: Vec::new(),
        shown: Shown::default(),
        form: "",
        counted: Vec::new(),
    };
    for section in ["part", "method", "choice", "test", "table", "figure", "claim"] {
        scope.distinct_ids(root, section);
    }
    let header = root
        .table("experiment")
        .and_then(|table| experiment::Header::read_table(table, &mut scope));
    scope.title = header.as_ref().map_or(String::new(), |header| header.title.clone());
    scope.parts = task::parts(root, &mut scope);
    scope.methods = each(root, "method", &mut scope, method::method);
    foreseen::methods(root, &mut scope);
    foreseen::selections(root, &mut scope);
    foreseen::metrics(root, &mut scope);
    let choices = each(root, "choice", &mut scope, choice::choice);
    choice::apply(root, &choices, &mut scope);
    idle::refuse(root, &choices, &mut scope);
    let Kinds { tests, figures, claims } = known.lists.kinds;
    let tests = each(root, "test", &mut scope, |table, scope| test::test(tests, table, scope));
    let tables = each(root, "table", &mut scope, table::table);
    let figures =
        each(root, "figure", &mut scope, |table, scope| figure::figure(figures, table, scope));
    let claims = each(root, "claim", &mut scope, |table, scope| claim::claim(claims, table, scope));
    let known = difference::Cells { tables: &tables, choices: &choices };
    let differences = each(root, "difference", &mut scope, |table, scope| {
        difference::difference(known, table, scope)
    });
    difference::once(&differences, &mut scope);
    foreseen::quotations(root, &mut scope);
    let leak = leak::keys(root, &mut scope);
    let header = header?;
    let id = match profile {
        Some(profile) => format!("{}@{}", header.id, profile.name),
        None => header.id,
    };
    let experiment = Experiment {
        id,
        title: header.title,
        paper: header.paper,
        seed: header.seed as u64,
        exclusive: header.exclusive,
        parts: scope.parts,
        methods: scope.methods,
        choices: choices.into_iter().map(|choice| choice.value).collect(),
        tests,
        tables,
        figures,
        claims,
        differences,
        leak: None,
        published: scope.published,
        known: scope.known,
        source: source.clone(),
    };
    nothing_vanished(root, &experiment, scope.left_out, scope.faults);
    Some((experiment, leak?))
}

/// The tables of a section that could be read.
fn each<T>(
    root: &Table,
    section: &str,
    scope: &mut Scope<'_>,
    read: impl Fn(&Table, &mut Scope<'_>) -> Option<T>,
) -> Vec<T> {
    root.tables(section).filter_map(|table| read(table, scope)).collect()
}

/// What was written is there, or an error says why not: a table that is read as nothing without any error is a
/// mistake of the program, and never passes in silence.
fn nothing_vanished(root: &Table, experiment: &Experiment, left_out: usize, faults: &mut Faults) {
    if !faults.is_empty() {
        return;
    }
    for (section, read) in [
        // Without `[[part]]` the one task is a part.
        ("part", experiment.parts.iter().filter(|part| !part.id.is_empty()).count()),
        ("method", experiment.methods.len()),
        ("choice", experiment.choices.len() + left_out),
        ("test", experiment.tests.len()),
        ("table", experiment.tables.len()),
        ("figure", experiment.figures.len()),
        ("claim", experiment.claims.len()),
        ("difference", experiment.differences.len()),
    ] {
        let written = root.tables(section).count();
        if written != read {
            let message = format!(
                "the file has {written} `[[{section}]]`, of which reprise read {read} without saying why"
            );
            faults
                .add(DocumentError::whole_file(message))
                .help("this is a mistake in reprise, not in the file: please report it");
        }
    }
}

fn read(path: &Path) -> Result<String, DocumentErrors> {
    let failed = |error: DocumentError| DocumentErrors {
        document: path.display().to_string(),
        errors: vec![error],
    };
    let bytes = bounded::read_regular(path, bounded::MOST_WRITTEN).map_err(|error| {
        let mut fault = DocumentError::whole_file(format!("the file can't be read: {error}"));
        let beside = files_beside(path, "toml");
        let beside: Vec<&str> = beside.iter().map(String::as_str).collect();
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        fault.maybe_help(suggestion(&name, &beside));
        failed(fault)
    })?;
    String::from_utf8(bytes).map_err(|error| {
        let line = error.as_bytes()[..error.utf8_error().valid_up_to()]
            .iter()
            .filter(|byte| **byte == b'\n')
            .count();
        let message = format!("line {} is not UTF-8 text", line + 1);
        let mut fault = DocumentError::whole_file(message);
        fault.help("save the file as UTF-8");
        failed(fault)
    })
}

/// Names of the files with this extension in the folder of `path`, sorted.
fn files_beside(path: &Path, extension: &str) -> Vec<String> {
    let Some(entries) = path.parent().and_then(|folder| {
        let folder = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
        std::fs::read_dir(folder).ok()
    }) else {
        return Vec::new();
    };
    let mut names: Vec<String> = entries
        .filter_map(|entry| entry.ok()?.file_name().into_string().ok())
        .filter(|name| Path::new(name).extension().is_some_and(|end| end == extension))
        .collect();
    names.sort();
    names
}
