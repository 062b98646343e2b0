//! From a file of the right shape to what it says, stage by stage: see [`scope`](super::scope).

use std::path::Path;

use document::{Faults, ReadTable as _, Table};

use super::experiment::{Experiment, Header};
use super::known::{Kinds, Known};
use super::leak;
use super::leak_check::LeakKeys;
use super::scope::{self, KnownTest, Named, Outline, each};
use super::{
    choice, claim, difference, figure, foreseen, idle, method, published, table, task, tasks, test,
    universes,
};
use crate::design::SourceFile;

/// The profile that a file is read under.
#[derive(Clone, Copy)]
pub(crate) struct Profile<'a> {
    /// Its name.
    pub name: &'a str,
    /// The file without it.
    pub whole: &'a Table,
}

/// What a file of the right shape says, and how it is checked for leaks; none if there are errors.
pub(crate) fn resolve(
    root: &Table,
    profile: Option<Profile<'_>>,
    source: &SourceFile,
    known: &Known<'_>,
    faults: &mut Faults,
) -> Option<(Experiment, LeakKeys)> {
    let outline = outline(root, profile.map(|profile| profile.whole), source, known);
    let mut named = Named { outline: &outline, known: &known.lists.catalogue, faults };
    for section in ["part", "method", "choice", "test", "table", "figure", "claim"] {
        named.distinct_ids(root, section);
    }
    let header = root.table("experiment").and_then(|table| Header::read_table(table, &mut named));
    let leak = leak::keys(root, &mut named);

    let mut parts = task::parts(root, &mut named);
    let mut methods = each(root, "method", &mut named.parted(&parts), method::method);
    foreseen::methods(root, &methods, &mut parts, &mut named);
    method::distinct_labels(root, &methods, &mut named.parted(&parts));
    let designed = &mut named.designed(&parts, &methods);
    foreseen::selections(root, designed);
    foreseen::metrics(root, designed);
    let (choices, left_out) = choice::choices(root, designed);
    choice::apply(root, &choices, &mut methods, &mut named);

    let designed = &mut named.designed(&parts, &methods);
    idle::refuse(root, &choices, designed);
    let seed = header.as_ref().map_or(0, |header| header.seed as u64);
    let universes = universes::universes(root, &choices, seed, designed);
    let Kinds { tests, figures, claims } = known.lists.kinds;
    let tests = each(root, "test", designed, |table, scope| test::test(tests, table, scope));
    test::one_correction(&tests, designed.faults);
    let title = header.as_ref().map_or("", |header| &header.title);
    let known_tests: Vec<KnownTest> = tests.iter().map(KnownTest::from).collect();
    let tested = &mut designed.tested(title, &known_tests);
    let mut tables = each(root, "table", tested, table::table);
    if root.get("table").is_none() {
        tables.extend(table::unwritten(&parts, tested));
    }
    let published = published::files(root, tested);
    let figures = each(root, "figure", tested, |t, scope| figure::figure(figures, t, scope));
    let claims = each(root, "claim", tested, |t, scope| claim::claim(claims, t, scope));
    if let Some(universes) = &universes {
        universes::enough(root, universes, (&claims, &tests), tested);
    }
    let cells = difference::Cells { tables: &tables, choices: &choices, published: &published };
    let differences =
        each(root, "difference", tested, |t, scope| difference::difference(cells, t, scope));
    difference::once(&differences, tested);
    foreseen::quotations(root, &published, tested);

    let header = header?;
    let experiment = Experiment {
        id: match profile {
            Some(profile) => format!("{}@{}", header.id, profile.name),
            None => header.id,
        },
        title: header.title,
        paper: header.paper,
        seed,
        exclusive: header.exclusive,
        parts,
        grouped: outline.grouped().cloned().collect(),
        methods,
        choices: choices.into_iter().map(|choice| choice.value).collect(),
        universes,
        tests,
        tables,
        figures,
        claims,
        differences,
        leak: None,
        published,
        known: &known.lists.catalogue,
        source: source.clone(),
    };
    nothing_vanished(root, &experiment, left_out, faults);
    Some((experiment, leak?))
}

/// The ids of the tables of a section.
fn ids<I: From<String>>(root: &Table, section: &str) -> Vec<I> {
    root.tables(section).filter_map(|table| table.string("id")).map(I::from).collect()
}

/// What a file names; `whole` is the file without the profile that narrows it, if one does.
fn outline<'a>(
    root: &Table,
    whole: Option<&Table>,
    source: &'a SourceFile,
    known: &Known<'a>,
) -> Outline<'a> {
    Outline {
        registry: known.datasets,
        source,
        code: known.code.map_or_else(|| scope::folder(source).to_owned(), Path::to_owned),
        sealed: known.code.is_some(),
        undecided: foreseen::undecided(root),
        dropped: whole.map_or(Vec::new(), tasks::named_datasets),
        narrowed: whole.is_some(),
        datasets: tasks::named_datasets(root),
        part_ids: ids(root, "part"),
        tasks: tasks::Tasks::of(root, &known.lists.catalogue),
        method_ids: ids(root, "method"),
        choice_ids: ids(root, "choice"),
        claim_ids: ids(root, "claim"),
        test_ids: ids(root, "test"),
        table_ids: ids(root, "table"),
    }
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
        ("table", if root.get("table").is_some() { experiment.tables.len() } else { 0 }),
        ("figure", experiment.figures.len()),
        ("claim", experiment.claims.len()),
        ("difference", experiment.differences.len()),
    ] {
        faults.vanished(&format!("`[[{section}]]`"), root.tables(section).count(), read);
    }
}
