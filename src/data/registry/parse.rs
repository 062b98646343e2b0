//! The text of `datasets.toml` to entries.

mod derived;

use std::collections::BTreeSet;
use std::ops::Range;
use std::path::Path;

use contract::Value;
use document::{
    Content, DocumentErrors, Faults, Flag, Form, Holds, Key, Node, Pattern, ReadTable, Section,
    Span, Spanned, Table, Text, Whole, Word, closed, holds, reads, section,
};

use super::files::{FileKeys, FormatWord, files};
use super::generator::OfKind;
use super::parameters::{VARYING, Varying};
use super::reading::{Needed, Reading, Size};
use super::{Entry, JoinedClass, Origin};
use crate::format::is_class_name;
use crate::limits;
use crate::preprocessing::{Missing, Preprocessing, Vocabulary};
use crate::vocabulary::{Kind, Parts, Rows, Shape, Target};

use derived::derived_entry;

/// The version of the file's layout.
pub(super) const SCHEMA: i64 = 1;

/// Any text, also none.
static ANY_TEXT: Pattern = Pattern::new("text", "text", "");

holds! {
    /// Any text, also none.
    AnyText: String = Form::Text(&ANY_TEXT), Node::string;
    /// The first of a range of things, and the one behind its last.
    Interval: Range<usize> = Form::Range, document::range;
}

section! {
    in Reading;
    /// What a `[dataset.ID]` says.
    pub(super) struct EntryKeys {
        title: AnyText => "what people read";
        kind: Option<Spanned<Word<Kind>>>, else "required, unless there is a `from`" => "what its examples are";
        /// Keys that experiments may vary.
        varied: Varied;
        classes: Option<Spanned<NamedClasses>>, else "all of the files, or of the base"
            => "the classes of a text dataset whose documents are kept, in this order; or those that classes of the base become, a table of lists";
        shape: Option<Spanned<ShapeKeys>>, else "required with `files`" => "what the files must hold";
        citation: AnyText => "whom to cite";
        licence: AnyText => "as stated at the source";
        files: Option<Spanned<Vec<FileKeys>>>, else "`generator`, or `from`" => "where the examples come from";
        generator: Option<Spanned<OfKind>>, else "`files`, or `from`" => "what draws the examples";
        from: Option<Spanned<Text>>, else "`files`, or `generator`"
            => "the dataset of this registry that the examples are taken from";
        rows: Option<Spanned<Selected>>, else "all" => "which examples of the base";
        columns: Option<Spanned<Interval>>, else "all" => "which variables of the base";
        replaces: Flag = false => "whether it is used instead of a dataset of this id that a farther registry has: that above the experiment, or the built-in one";
    }
    check(reading, table) {
        if let (Some(Some(kind)), Some(Some(shape)), Some(None)) = (&kind, &shape, &from) {
            let inner = table.table("shape").unwrap_or(table);
            goes_with((inner, shape), kind.value, classes.iter().flatten().next(), reading);
        }
    }
}

/// Those that are given, each with its value and its place.
#[derive(Debug, Clone)]
pub(super) struct Varied(Vec<(&'static Varying, Spanned<Value>)>);

impl Section for Varied {
    fn keys() -> Vec<Key> {
        VARYING.iter().map(|key| Key::from(key.parameter)).collect()
    }
}

impl Holds for Varied {
    type Value = Self;

    fn form() -> Form {
        Form::Table(Self::keys())
    }
}

impl<'s> ReadTable<Reading<'s>> for Varied {
    fn read_table(table: &Table, _: &mut Reading<'s>) -> Option<Self> {
        let given = |varying: &'static Varying| {
            let parameter = varying.parameter;
            let entry = table.entry(parameter.name)?;
            let value = parameter.check(entry.node.scalar()?.clone()).ok()?;
            let (span, key) = (entry.node.span.clone(), entry.key_span.clone());
            Some((varying, Spanned { value, span, key }))
        };
        Some(Self(VARYING.iter().filter_map(given).collect()))
    }
}

impl Varied {
    /// Each key that is given, with its place and the kinds that have it.
    fn given(&self) -> impl Iterator<Item = (&'static str, &Span, &'static [Kind])> {
        self.0.iter().map(|(of, value)| (of.parameter.name, &value.span, of.kinds))
    }
}

/// Classes of the files that are kept, or those that classes of a base become.
#[derive(Debug, Clone)]
pub(super) enum Classes {
    Kept(Vec<String>),
    Joined(Vec<JoinedClass>),
}

reads! {
    in Reading;
    /// Class names, or a table of lists of them.
    NamedClasses: Classes = Form::Either(vec![Form::Row(Box::new(AnyText::form())), Form::Lists("class")]),
        |node, reading| match node.table() {
            Some(table) => joined(table, reading).map(Classes::Joined),
            None => texts(node).map(Classes::Kept),
        };
    /// Which examples of a base.
    Selected: SelectedRows = Form::Either(vec![Form::Range, OfParts::form()]), |node, reading| {
        match node.table() {
            Some(table) => OfParts::read_table(table, reading).map(SelectedRows::Parts),
            None => document::range(node).map(SelectedRows::Whole),
        }
    };
}

fn texts(node: &Node) -> Option<Vec<String>> {
    node.items().iter().map(Node::string).collect()
}

fn joined(table: &Table, reading: &mut Reading<'_>) -> Option<Vec<JoinedClass>> {
    let mut joined = Vec::new();
    for entry in &table.entries {
        let name = entry.key.clone();
        if !is_class_name(&name) {
            let label = "use letters, digits, `-`, `_` and `.`";
            reading.faults.at(&entry.key_span, format!("`{name}` is no class name"), label);
        }
        let Some(of_base) = texts(&entry.node) else {
            reading.faults.wrong(&name, &entry.node, "a list of texts");
            return None;
        };
        joined.push(JoinedClass { name, of_base });
    }
    Some(joined)
}

base::words! {
    /// What a target is that is no class.
    pub(super) enum TargetWord {
        Number = "number", "a real number, for regression";
    }
}

section! {
    in Reading;
    /// What the files of a dataset must hold.
    pub(super) struct ShapeKeys {
        variables: Whole<1, { limits::VARIABLES as i64 }> => "the number of variables";
        rows: Option<Size>, else "`train`, `valid` and `test`" => "the number of examples of a set without a published split";
        train: Option<Spanned<Size>>, else "`rows`" => "the number of training examples";
        valid: Option<Spanned<Size>>, else "0" => "the number of validation examples";
        test: Option<Spanned<Size>>, else "`rows`" => "the number of test examples";
        classes: Option<Spanned<Whole<2, { limits::CLASSES as i64 }>>>, else "none, of binary datasets that are no tables, and where the target is a number"
            => "the number of classes";
        target: Option<Spanned<Word<TargetWord>>>, else "a class, of all but binary datasets"
            => "what the target of a table is where it is no class";
        folds: Option<Spanned<Whole<0, { limits::FOLDS as i64 }>>>, else "none"
            => "the number of folds that the authors give: of text datasets, and with a file of the format `openml-splits`";
    }
    check(reading, table) {
        if let Some(None) = rows {
            let needed = [("train", Needed::Yes), ("test", Needed::Yes)];
            reading.belong::<Self>(table, "`shape`", &needed);
        }
        for (key, part) in [("train", &train), ("valid", &valid), ("test", &test)] {
            if let (Some(Some(_)), Some(Some(part))) = (&rows, part) {
                let why = format!("`rows` is for a set without a published split, `{key}` for one with");
                reading.faults.at(&part.span, why, "`rows` is there too");
            }
        }
    }
}

impl ShapeKeys {
    fn shape(&self) -> Option<Shape> {
        let whole = |given: &Option<Spanned<usize>>| given.as_ref().map(|given| given.value);
        let rows = match self.rows {
            Some(rows) => Rows::Whole(rows),
            None => Rows::Split(Parts {
                train: whole(&self.train)?,
                valid: whole(&self.valid).unwrap_or(0),
                test: whole(&self.test)?,
            }),
        };
        let target = match (&self.target, whole(&self.classes)) {
            (Some(_), _) => Target::Number,
            (None, Some(classes)) => Target::Classes(classes),
            (None, None) => Target::None,
        };
        Some(Shape { variables: self.variables, rows, target, folds: whole(&self.folds) })
    }
}

/// A shape has what datasets of a kind have, and no more than is read.
fn goes_with(
    (table, shape): (&Table, &Spanned<ShapeKeys>),
    kind: Kind,
    classes: Option<&Spanned<Classes>>,
    reading: &mut Reading<'_>,
) {
    let tabular = matches!(kind, Kind::Categorical | Kind::Numeric);
    let number = shape.target.is_some();
    reading.belong::<ShapeKeys>(
        table,
        "`shape`",
        &[
            ("classes", if kind == Kind::Binary { Needed::May } else { Needed::when(!number) }),
            ("target", Needed::may(tabular || kind == Kind::Binary)),
            ("folds", Needed::may(kind != Kind::Image)),
        ],
    );
    if let Some(number) = &shape.classes {
        // The labels of images are single bytes.
        if kind == Kind::Image && number.value > 256 {
            let message = format!("`classes` can't be {number}");
            reading.faults.at(&number.span, message, "expected a whole number from 2 to 256");
        }
        if let Some(Spanned { value: Classes::Kept(named), .. }) = classes
            && named.len() != number.value
        {
            let why = format!("`shape` says {number} classes");
            reading.faults.at(&number.span, why, format!("`classes` names {}", named.len()));
        }
    }
    // A document has few of the words.
    if let Some(of) = shape.shape().filter(|_| kind != Kind::Text)
        && limits::product(of.rows.total(), of.variables, limits::CELLS).is_none()
    {
        let label = format!("expected at most {} examples times variables", limits::CELLS);
        let why = "the dataset is larger than this program reads";
        reading.faults.at(&shape.span, why, label);
    }
}

section! {
    in Reading;
    /// Ranges within the parts of the published split.
    pub(super) struct OfParts {
        train: Option<Spanned<Interval>>, else "all" => "which training examples";
        valid: Option<Spanned<Interval>>, else "all" => "which validation examples";
        test: Option<Spanned<Interval>>, else "all" => "which test examples";
    }
}

/// Which examples of a base.
#[derive(Debug, Clone)]
pub(super) enum SelectedRows {
    Whole(Range<usize>),
    Parts(OfParts),
}

pub(super) fn parse(text: &str, name: &str, folder: &Path) -> Result<Vec<Entry>, DocumentErrors> {
    let mut faults = Faults::new(name, text);
    let root = document::parse(text, &mut faults);
    let whole = faults.is_empty();
    let mut further = Faults::new(name, text);
    let mut reading = Reading { faults: &mut further, folder };
    let entries = entries(root, whole, &mut reading);
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
fn entries(mut root: Table, whole: bool, reading: &mut Reading<'_>) -> Vec<Entry> {
    for entry in &root.entries {
        if !["schema", "dataset"].contains(&entry.key.as_str()) {
            reading.faults.unknown_key(entry, "a dataset registry", &["schema", "dataset"]);
        }
    }
    version(&root, reading);
    let mut entries: Vec<Entry> = Vec::new();
    let Some(node) = root.entries.iter_mut().find(|entry| entry.key == "dataset") else {
        return entries;
    };
    let Content::Table(datasets) = &mut node.node.content else {
        reading.faults.wrong("dataset", &node.node, "a table");
        return entries;
    };
    let datasets = &mut datasets.entries;
    if datasets.len() > limits::TABLES {
        let label = format!("expected at most {}", limits::TABLES);
        let span = &datasets[limits::TABLES].key_span;
        let why = "the registry has more datasets than this program reads";
        reading.faults.at(span, why, label);
        return entries;
    }
    let all: Vec<String> = datasets.iter().map(|dataset| dataset.key.clone()).collect();
    let mut derived = Vec::new();
    for (position, dataset) in datasets.iter_mut().enumerate() {
        let Some((is_derived, read)) = keys_of(dataset, reading) else { continue };
        let id = dataset.key.as_str();
        if is_derived {
            derived.push((position, id, read));
        } else {
            entries.extend(read.and_then(|keys| entry(id, keys, reading)));
        }
    }
    let bases = entries.clone();
    for (position, id, read) in derived {
        let all = whole.then_some(&all[..]);
        let entry = read.and_then(|keys| derived_entry(id, keys, &bases, all, reading));
        if let Some(entry) = entry {
            entries.insert(position.min(entries.len()), entry);
        }
    }
    if reading.faults.is_empty() {
        reading.faults.vanished("datasets", all.len(), entries.len());
    }
    entries
}

/// What the table of a dataset says, and whether it is derived from another one; none where it is no table.
fn keys_of(
    dataset: &mut document::Entry,
    reading: &mut Reading<'_>,
) -> Option<(bool, Option<EntryKeys>)> {
    let id = dataset.key.as_str();
    if !is_id(id) {
        let label = format!("use {ID_CHARACTERS}");
        reading.faults.at(&dataset.key_span, format!("`{id}` is no dataset id"), label);
    }
    let Content::Table(table) = &mut dataset.node.content else {
        reading.faults.wrong(id, &dataset.node, "a table");
        return None;
    };
    let heading = format!("dataset `{id}`");
    closed(table, &EntryKeys::keys(), &heading, reading.faults);
    let read = EntryKeys::read_table(table, reading);
    if table.get("from").is_some() {
        return Some((true, read));
    }
    let (files, generator) = (table.get("files"), table.get("generator"));
    if table.get("kind").is_none() {
        reading.lacks(table, &heading, "kind", "what its examples are");
    }
    if files.is_none() && generator.is_none() {
        let what = "where the examples come from; or `generator`, or `from`";
        reading.lacks(table, &heading, "files", what);
    } else if generator.is_none() && table.get("shape").is_none() {
        reading.lacks(table, &heading, "shape", "what the files must hold");
    }
    Some((false, read))
}

fn version(root: &Table, reading: &mut Reading<'_>) {
    match root.get("schema").map(|node| (node, node.scalar())) {
        None => reading.lacks(
            root,
            "a dataset registry",
            "schema",
            "the version of the file's layout, 1",
        ),
        Some((_, Some(Value::Integer(SCHEMA)))) => {}
        Some((node, Some(Value::Integer(_)))) => {
            let label = format!("this program reads schema {SCHEMA}");
            reading
                .faults
                .at(&node.span, "unknown version of the layout", label)
                .help("a newer release may read this file");
        }
        Some((node, _)) => {
            reading.faults.wrong("schema", node, "a whole number");
        }
    }
}

/// What an id of a dataset is made of.
pub(crate) const ID_CHARACTERS: &str = "letters, digits, `-`, `_` and `.`";

/// Whether a text is an id of a dataset: these stand in file names, csv cells and command lines.
pub(crate) fn is_id(id: &str) -> bool {
    let fine = |c: char| c.is_ascii_alphanumeric() || "-_.".contains(c);
    !id.is_empty() && !id.starts_with(['-', '.']) && id.chars().all(fine)
}

fn entry(id: &str, keys: EntryKeys, reading: &mut Reading<'_>) -> Option<Entry> {
    let rows = keys.rows.as_ref().map(|rows| ("rows", &rows.span));
    let columns = keys.columns.as_ref().map(|columns| ("columns", &columns.span));
    for (key, span) in rows.into_iter().chain(columns) {
        reading.faults.at(span, format!("`{key}` needs `from`"), "there is no `from`");
    }
    let own = keys
        .kind
        .as_ref()
        .and_then(|kind| Some((kind.value, own_classes(kind.value, &keys, reading)?)));
    // A `?` has always been a value of its own there.
    let attributes = |file: &FileKeys| file.format.value == FormatWord::AttributeCsv;
    let own_value = keys.files.as_ref().is_none_or(|files| files.iter().all(attributes));
    let (origin, shape) = origin(&keys, reading)?;
    let (kind, classes) = own?;
    let categories = own_value && kind == Kind::Categorical;
    let preprocessing = Preprocessing {
        vocabulary: (kind == Kind::Text).then_some(Vocabulary::Training),
        missing: if categories { Missing::Category } else { Missing::Error },
        ..Preprocessing::NONE
    };
    let EntryKeys { title, citation, licence, replaces, varied, .. } = keys;
    let mut entry = Entry {
        id: id.to_owned(),
        title,
        kind,
        preprocessing,
        threshold: 0,
        classes,
        shape,
        citation,
        licence,
        origin,
        replaces,
    };
    for (of, value) in varied.0.iter().filter(|(of, _)| of.kinds.contains(&kind)) {
        (of.set)(&mut entry, value)?;
    }
    Some(entry)
}

/// Where the examples come from, and what they are.
fn origin(keys: &EntryKeys, reading: &mut Reading<'_>) -> Option<(Origin, Shape)> {
    match (&keys.files, &keys.generator) {
        (Some(_), Some(generator)) => {
            let why = "a dataset has either `files` or a `generator`";
            reading.faults.at(&generator.span, why, "this one has both");
            None
        }
        (Some(named), None) => {
            let shape = keys.shape.as_ref().and_then(|keys| {
                let (span, key) = (keys.span.clone(), keys.key.clone());
                Some(Spanned { value: keys.shape()?, span, key })
            });
            let word = keys.kind.as_ref().map(|word| word.value);
            let files = files(named, word, shape.as_ref(), reading);
            Some((Origin::Files(files?), shape?.value))
        }
        (None, Some(generator)) => {
            if let Some(shape) = &keys.shape {
                let why = "`shape` follows from the generator's parameters";
                reading.leave_out(&shape.span, why);
            }
            let drawn = generator.kind();
            if let Some(word) = keys.kind.as_ref().filter(|word| word.value != drawn) {
                let message = format!("what this generator draws is `{}`", drawn.word());
                reading.faults.at(&word.span, message, "another kind");
            }
            for (key, span, _) in
                keys.varied.given().filter(|given| given.2.contains(&Kind::Numeric))
            {
                let message = format!("`{key}` is a key of datasets with files");
                reading.leave_out(span, message);
            }
            Some((Origin::Generated(generator.value.clone()), generator.shape()))
        }
        (None, None) => None,
    }
}

/// The classes to keep, of a kind that has all the keys that are given; empty if there is no such key.
fn own_classes(kind: Kind, keys: &EntryKeys, reading: &mut Reading<'_>) -> Option<Vec<String>> {
    let classes = keys.classes.as_ref();
    let own = classes.map(|classes| ("classes", &classes.span, &[Kind::Text][..]));
    for (key, span, of) in keys.varied.given().chain(own).filter(|(.., of)| !of.contains(&kind)) {
        let of: Vec<&str> = of.iter().map(|kind| kind.word()).collect();
        reading.leave_out(span, format!("`{key}` is a key of kind `{}`", of.join("` or `")));
    }
    let Some(classes) = classes.filter(|_| kind == Kind::Text) else { return Some(Vec::new()) };
    let Classes::Kept(named) = &classes.value else {
        let why = "a table of `classes` joins those of a base";
        reading.faults.at(&classes.span, why, "expected a list of texts");
        return None;
    };
    let distinct: BTreeSet<&String> = named.iter().collect();
    let label = if named.len() < 2 {
        "expected at least two classes"
    } else if !named.iter().all(|class| is_class_name(class)) {
        "use letters, digits, `-`, `_` and `.`"
    } else if distinct.len() < named.len() {
        "one stands twice"
    } else {
        return Some(named.clone());
    };
    reading.faults.at(&classes.span, "these are no classes", label);
    None
}
