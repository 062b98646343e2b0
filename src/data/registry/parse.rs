//! The text of `datasets.toml` to entries.

use contract::words::Words;
use std::collections::BTreeSet;
use std::ops::Range;
use std::path::Path;

use super::fields::Fields;
use super::files::files;
use super::generator::generator;
use super::parameters::{BINNING, STANDARDISED, THRESHOLD, VOCABULARY};
use super::{Derivation, Entry, JoinedClass, Kind, Origin, RowSelection, Rows, Shape};
use crate::format::is_class_name;
use crate::generate::Generator;
use crate::limits;
use document::{self, Content, DocumentErrors, Faults, Span, Table};

const SCHEMA: u64 = 1;
const ENTRY_KEYS: &[&str] = &[
    "title",
    "kind",
    "vocabulary",
    "classes",
    "threshold",
    "binning",
    "standardised",
    "shape",
    "citation",
    "licence",
    "files",
    "generator",
    "from",
    "rows",
    "columns",
];

pub(super) fn parse(text: &str, name: &str, folder: &Path) -> Result<Vec<Entry>, DocumentErrors> {
    let mut faults = Faults::new(name, text);
    let root = document::parse(text, &mut faults);
    let whole = faults.is_empty();
    let mut further = Faults::new(name, text);
    let entries = entries(&root, whole, folder, &mut further);
    if whole {
        faults.append(further);
    } else {
        faults.append_placed(further);
    }
    if faults.is_empty() {
        Ok(entries)
    } else {
        Err(faults.into_errors(format!("the dataset registry {name}")))
    }
}

/// All entries; `whole` says whether no part of the text is missing from the tree.
fn entries(root: &Table, whole: bool, folder: &Path, faults: &mut Faults) -> Vec<Entry> {
    let root = Fields { table: root, heading: "a dataset registry".to_owned() };
    root.only(&["schema", "dataset"], faults);
    let schema = root.needed_whole("schema", "the version of the file's layout, 1", faults);
    if schema.is_some_and(|schema| schema != SCHEMA) {
        let label = format!("this program reads schema {SCHEMA}");
        faults
            .at(&root.place("schema"), "unknown version of the layout", label)
            .help("a newer release may read this file");
    }
    let mut entries: Vec<Entry> = Vec::new();
    let Some(datasets) = root.inner("dataset", faults) else { return entries };
    let datasets = &datasets.table.entries;
    if datasets.len() > limits::TABLES {
        let label = format!("expected at most {}", limits::TABLES);
        let span = &datasets[limits::TABLES].key_span;
        faults.at(span, "the registry has more datasets than this program reads", label);
        return entries;
    }
    let mut derived = Vec::new();
    for dataset in datasets {
        let id = dataset.key.as_str();
        check_id(id, &dataset.key_span, faults);
        let Some(table) = dataset.node.table() else {
            faults.wrong(id, &dataset.node, "a table");
            continue;
        };
        let fields = Fields { table, heading: format!("dataset `{id}`") };
        if fields.has("from") {
            derived.push((id, fields, entries.len() + derived.len()));
        } else {
            entries.extend(entry(id, &fields, folder, faults));
        }
    }
    let all: Vec<&str> = datasets.iter().map(|dataset| dataset.key.as_str()).collect();
    let bases = entries.clone();
    for (id, fields, position) in derived {
        if let Some(entry) = derived_entry(id, &fields, &bases, whole.then_some(&all[..]), faults) {
            entries.insert(position.min(entries.len()), entry);
        }
    }
    entries
}

/// Ids stand in file names, csv cells and command lines.
fn check_id(id: &str, span: &Span, faults: &mut Faults) {
    let fine = |c: char| c.is_ascii_alphanumeric() || "-_.".contains(c);
    if id.is_empty() || id.starts_with(['-', '.']) || !id.chars().all(fine) {
        let label = "use letters, digits, `-`, `_` and `.`";
        faults.at(span, format!("`{id}` is no dataset id"), label);
    }
}

fn entry(id: &str, table: &Fields<'_>, folder: &Path, faults: &mut Faults) -> Option<Entry> {
    table.only(ENTRY_KEYS, faults);
    let text = described(table, faults);
    let kind = kind(table, faults);
    for key in ["rows", "columns"] {
        if table.has(key) {
            faults.at(&table.place(key), format!("`{key}` needs `from`"), "there is no `from`");
        }
    }
    let (origin, shape) = match (table.has("files"), table.has("generator")) {
        (true, false) => {
            let shape = table
                .needed_inner("shape", "what the files must hold", faults)
                .and_then(|inner| read_shape(&inner, kind.as_ref(), faults));
            let files = files(table, kind.as_ref(), shape, folder, faults);
            (files.map(Origin::Files), shape)
        }
        (false, true) => {
            if table.has("shape") {
                let why = "`shape` follows from the generator's parameters";
                faults.at(&table.place("shape"), why, "leave it out");
            }
            let generator =
                table.inner("generator", faults).and_then(|inner| generator(&inner, faults));
            let drawn = generator.as_ref().map_or(Kind::Binary, Generator::kind);
            let other = |kind: &Kind| generator.is_some() && kind.word() != drawn.word();
            if kind.as_ref().is_some_and(other) {
                let message = format!("what this generator draws is `{}`", drawn.word());
                faults.at(&table.place("kind"), message, "another kind");
            }
            for key in [BINNING.parameter.name, STANDARDISED.parameter.name] {
                if table.has(key) {
                    let message = format!("`{key}` is a key of datasets with files");
                    faults.at(&table.place(key), message, "leave it out");
                }
            }
            let shape = generator.as_ref().map(Generator::shape);
            (generator.map(Origin::Generated), shape)
        }
        (true, true) => {
            let why = "a dataset has either `files` or a `generator`";
            faults.at(&table.place("generator"), why, "this one has both");
            (None, None)
        }
        (false, false) => {
            let what = "where the examples come from; or `generator`, or `from`";
            table.missing("files", what, faults);
            (None, None)
        }
    };
    let (title, citation, licence) = text?;
    Some(Entry {
        id: id.to_owned(),
        title,
        kind: kind?,
        shape: shape?,
        citation,
        licence,
        origin: origin?,
    })
}

fn described(table: &Fields<'_>, faults: &mut Faults) -> Option<(String, String, String)> {
    let title = table.needed_text("title", "what people read", faults);
    let citation = table.needed_text("citation", "whom to cite", faults);
    let licence = table.needed_text("licence", "as stated at the source", faults);
    Some((title?, citation?, licence?))
}

/// The kind with its own keys.
fn kind(table: &Fields<'_>, faults: &mut Faults) -> Option<Kind> {
    #[derive(Clone, Copy, PartialEq)]
    enum Word {
        Binary,
        Text,
        Image,
        Categorical,
        Numeric,
    }
    const WORDS: Words<Word> = Words(&[
        ("binary", Word::Binary, "rows of 0/1 variables"),
        ("text", Word::Text, "documents: a variable for each token"),
        ("image", Word::Image, "images: a variable for each pixel"),
        ("categorical", Word::Categorical, "rows of attributes with finitely many values"),
        ("numeric", Word::Numeric, "rows of real numbers"),
    ]);
    let word = table.needed_word("kind", &WORDS, faults)?;
    for (key, of, name) in [
        (VOCABULARY.parameter.name, Word::Text, "text"),
        ("classes", Word::Text, "text"),
        (THRESHOLD.parameter.name, Word::Image, "image"),
        (BINNING.parameter.name, Word::Numeric, "numeric"),
        (STANDARDISED.parameter.name, Word::Numeric, "numeric"),
    ] {
        if word != of && table.has(key) {
            faults.at(
                &table.place(key),
                format!("`{key}` is a key of kind `{name}`"),
                "leave it out",
            );
        }
    }
    Some(match word {
        Word::Binary => Kind::Binary,
        Word::Categorical => Kind::Categorical,
        Word::Numeric => {
            let (binning, standardised) =
                (table.parameter(&BINNING, faults), table.parameter(&STANDARDISED, faults));
            Kind::Numeric { binning: binning?, standardised: standardised? }
        }
        Word::Text => {
            let vocabulary = table.parameter(&VOCABULARY, faults)?;
            Kind::Text { vocabulary, classes: classes(table, faults)? }
        }
        Word::Image => {
            let threshold = table.parameter(&THRESHOLD, faults)?;
            Kind::Image { threshold: u8::try_from(threshold).ok()? }
        }
    })
}

/// The classes to keep; empty if the key is not there.
fn classes(table: &Fields<'_>, faults: &mut Faults) -> Option<Vec<String>> {
    let Some(classes) = table.texts("classes", faults) else {
        return (!table.has("classes")).then(Vec::new);
    };
    let distinct: BTreeSet<&String> = classes.iter().collect();
    let label = if classes.len() < 2 {
        "expected at least two classes"
    } else if !classes.iter().all(|class| is_class_name(class)) {
        "use letters, digits, `-`, `_` and `.`"
    } else if distinct.len() < classes.len() {
        "one stands twice"
    } else {
        return Some(classes);
    };
    faults.at(&table.place("classes"), "these are no classes", label);
    None
}

fn read_shape(table: &Fields<'_>, kind: Option<&Kind>, faults: &mut Faults) -> Option<Shape> {
    let labelled = match kind {
        Some(Kind::Binary) => &[][..],
        Some(Kind::Image { .. } | Kind::Categorical | Kind::Numeric { .. }) => &["classes"],
        Some(Kind::Text { .. }) | None => &["classes", "folds"],
    };
    table.only(&[&["variables", "rows", "train", "valid", "test"], labelled].concat(), faults);
    let classes = match kind {
        Some(kind) if *kind != Kind::Binary => {
            // The labels of images are single bytes.
            let most = if matches!(kind, Kind::Image { .. }) { 256 } else { limits::CLASSES };
            let classes = table.needed_size("classes", "the number of classes", most, faults);
            if classes.is_some_and(|classes| classes < 2) {
                faults.at(
                    &table.place("classes"),
                    "there are too few classes",
                    "expected at least 2",
                );
            }
            classes.map(Some)
        }
        _ => Some(None),
    };
    if let (Some(Kind::Text { classes: named, .. }), Some(Some(number))) = (kind, classes)
        && !named.is_empty()
        && named.len() != number
    {
        let why = format!("`shape` says {number} classes");
        faults.at(&table.place("classes"), why, format!("`classes` names {}", named.len()));
    }
    let folds = if table.has("folds") {
        table.needed_size("folds", "the number of folds", limits::FOLDS, faults).map(Some)
    } else {
        Some(None)
    };
    let what = "the number of variables";
    let variables = table.needed_size("variables", what, limits::VARIABLES, faults);
    if variables == Some(0) {
        faults.at(&table.place("variables"), "`variables` can't be 0", "expected at least 1");
    }
    let rows = if table.has("rows") {
        for key in ["train", "valid", "test"] {
            if table.has(key) {
                let why =
                    format!("`rows` is for a set without a published split, `{key}` for one with");
                faults.at(&table.place(key), why, "`rows` is there too");
            }
        }
        table.needed_size("rows", "the number of examples", limits::ROWS, faults).map(Rows::Whole)
    } else {
        let mut part = |key: &str, what: &str| {
            table.needed_size(key, &format!("the number of {what} examples"), limits::ROWS, faults)
        };
        let train = part("train", "training");
        let test = part("test", "test");
        let valid = if table.has("valid") { part("valid", "validation") } else { Some(0) };
        train.zip(valid).zip(test).map(|((train, valid), test)| Rows::Split { train, valid, test })
    };
    let shape = Shape { variables: variables?, rows: rows?, classes: classes?, folds: folds? };
    // A document has few of the words.
    let sparse = matches!(kind, None | Some(Kind::Text { .. }));
    if !sparse && limits::product(shape.rows.total(), shape.variables, limits::CELLS).is_none() {
        let label = format!("expected at most {} examples times variables", limits::CELLS);
        faults.at(&table.table.span, "the dataset is larger than this program reads", label);
    }
    Some(shape)
}

fn derived_entry(
    id: &str,
    table: &Fields<'_>,
    bases: &[Entry],
    all: Option<&[&str]>,
    faults: &mut Faults,
) -> Option<Entry> {
    table.only(ENTRY_KEYS, faults);
    for key in [
        "kind",
        "vocabulary",
        "threshold",
        "binning",
        "standardised",
        "shape",
        "files",
        "generator",
    ] {
        if table.has(key) {
            let why = format!("`{key}` follows from the base");
            faults.at(&table.place(key), why, "leave it out");
        }
    }
    let text = described(table, faults);
    let from = table.text("from", faults)?;
    let Some(base) = bases.iter().find(|entry| entry.id == from) else {
        match all {
            Some(all) if !all.contains(&from) => {
                faults.unknown("dataset", from, &table.place("from"), all);
            }
            // A base that is there but has mistakes of its own is reported already.
            Some(_) if faults.is_empty() => {
                let why = format!("`{from}` is derived itself");
                faults.at(&table.place("from"), why, "name its base");
            }
            _ => {}
        }
        return None;
    };
    let columns = match table.range("columns", faults) {
        Some(range) => within(table, "columns", range, base.shape.variables, faults)?,
        None => 0..base.shape.variables,
    };
    let (selection, rows) = selected_rows(table, base.shape.rows, faults)?;
    let joined = if table.has("classes") {
        Some(joined_classes(table, base.shape.classes, faults)?)
    } else {
        None
    };
    let classes = joined.as_ref().map(Vec::len).or(base.shape.classes);
    let (title, citation, licence) = text?;
    Some(Entry {
        id: id.to_owned(),
        title,
        kind: base.kind.clone(),
        shape: Shape { variables: columns.len(), rows, classes, ..base.shape },
        citation,
        licence,
        origin: Origin::Derived(Derivation {
            from: from.to_owned(),
            rows: selection,
            columns,
            classes: joined,
        }),
    })
}

/// The classes of a derived dataset, each with those of its base. Their names are known only when the
/// base is parsed, their number is known here.
fn joined_classes(
    table: &Fields<'_>,
    of_base: Option<usize>,
    faults: &mut Faults,
) -> Option<Vec<JoinedClass>> {
    let Some(of_base) = of_base else {
        faults.at(&table.place("classes"), "the base has no classes", "leave it out");
        return None;
    };
    let inner = table.inner("classes", faults)?;
    let mut classes: Vec<JoinedClass> = Vec::new();
    for entry in &inner.table.entries {
        let name = entry.key.clone();
        if !is_class_name(&name) {
            let label = "use letters, digits, `-`, `_` and `.`";
            faults.at(&entry.key_span, format!("`{name}` is no class name"), label);
        }
        let of_base = inner.texts(&name, faults)?;
        classes.push(JoinedClass { name, of_base });
    }
    let mut all: Vec<&String> = classes.iter().flat_map(|class| &class.of_base).collect();
    all.sort();
    let why = if classes.len() < 2 {
        "expected at least two classes".to_owned()
    } else if all.windows(2).any(|pair| pair[0] == pair[1]) {
        "a class of the base is in two".to_owned()
    } else if all.len() != of_base {
        format!("they name {} of the {of_base} classes of the base", all.len())
    } else if classes.iter().any(|class| class.of_base.is_empty()) {
        "one is of no class of the base".to_owned()
    } else {
        return Some(classes);
    };
    faults.at(&table.place("classes"), "the classes of the base are not joined so", why);
    None
}

fn selected_rows(
    table: &Fields<'_>,
    base: Rows,
    faults: &mut Faults,
) -> Option<(RowSelection, Rows)> {
    if let Some(Content::List(_)) = table.table.get("rows").map(|node| &node.content) {
        let range = table.range("rows", faults)?;
        let range = within(table, "rows", range, base.total(), faults)?;
        let rows = Rows::Whole(range.len());
        return Some((RowSelection::Whole(range), rows));
    }
    let parts = if table.has("rows") { Some(table.inner("rows", faults)?) } else { None };
    let Rows::Split { train, valid, test } = base else {
        if parts.is_some() {
            let why = "the base has no published split";
            faults.at(&table.place("rows"), why, "write rows = [first, end]");
            return None;
        }
        return Some((RowSelection::Whole(0..base.total()), base));
    };
    if let Some(parts) = &parts {
        parts.only(&["train", "valid", "test"], faults);
    }
    let mut part = |key: &str, size: usize| match &parts {
        Some(parts) if parts.has(key) => {
            let range = parts.range(key, faults)?;
            within(parts, key, range, size, faults)
        }
        _ => Some(0..size),
    };
    let (train, valid, test) = (part("train", train), part("valid", valid), part("test", test));
    let (train, valid, test) = (train?, valid?, test?);
    let rows = Rows::Split { train: train.len(), valid: valid.len(), test: test.len() };
    Some((RowSelection::Split { train, valid, test }, rows))
}

fn within(
    table: &Fields<'_>,
    key: &str,
    range: Range<usize>,
    size: usize,
    faults: &mut Faults,
) -> Option<Range<usize>> {
    if range.end > size {
        let why = format!("`{key}` ends at {}", range.end);
        faults.at(&table.place(key), why, format!("the base has only {size}"));
        return None;
    }
    Some(range)
}
