//! The files of a dataset of columns to its examples: tables, arrays and sparse lines.

use std::collections::HashSet;

use contract::categorical::MISSING;

use super::{Read, check, foreign, in_file, in_table};
use crate::arrays::{self, Held};
use crate::content::Parsed;
use crate::error::DataError;
use crate::format::arff::{self, Arff};
use crate::format::attribute_csv::{self, Record};
use crate::format::npz::Npz;
use crate::format::{Malformed, csv, excerpt, libsvm, openml_splits};
use crate::limits;
use crate::marks::{self, Marks, Moment};
use crate::registry::{Entry, FileEntry, Format};
use crate::tabular::{Builder, Columns, Refused};
use crate::vocabulary::{Charset, Kind, Role, Shape, Target};

/// Attributes and numbers, of any format.
///
/// # Errors
/// As [`parse`](super::parse).
pub(super) fn tabular(
    entry: &Entry,
    files: &[FileEntry],
    read: Read<'_>,
) -> Result<Parsed, DataError> {
    let mut growing = Growing::new(entry);
    for file in files {
        match &file.format {
            Format::NpyFeatures | Format::Npz { .. } => {
                let (features, targets) = held(file, files, read)?;
                growing.arrays(&features, targets.as_ref(), file.role)?;
            }
            // It is read with its examples.
            Format::NpyTarget => {}
            format => {
                let (text, name) = read(file)?.unpacked(limits::TEXT)?;
                match format {
                    Format::AttributeCsv(columns) => {
                        growing.attribute_csv(&text, &name, *columns, file.role)
                    }
                    Format::Csv(layout) => growing.csv(&text, &name, layout, file.role),
                    Format::Arff(layout) => growing.arff(&text, &name, layout, file.role),
                    Format::Libsvm => growing.libsvm(&text, &name, file.role),
                    Format::OpenmlSplits => growing.splits(&text, &name, file.role),
                    _ => Err(foreign(entry, file)),
                }?;
            }
        }
    }
    growing.finish()
}

/// A dataset of columns, while its files are read.
struct Growing<'e> {
    entry: &'e Entry,
    /// Whether its columns are numbers, unless a layout says otherwise.
    numbers: bool,
    builder: Builder,
    attributes: Option<Vec<String>>,
    marked: Marked,
    folds: Option<Vec<u32>>,
}

impl<'e> Growing<'e> {
    fn new(entry: &'e Entry) -> Self {
        Self {
            entry,
            numbers: matches!(entry.kind, Kind::Numeric { .. }),
            builder: Builder::new(entry.kind.preprocessing().missing, entry.shape.target),
            attributes: None,
            marked: Marked::default(),
            folds: None,
        }
    }

    /// How many rows there may be once a file of this role is read.
    fn most(&self, role: Role) -> usize {
        self.builder.seen() + limits::with_room(self.entry.shape.rows.of(role) as u64) as usize
    }

    /// Checks that a file of this role held as many rows as it should.
    fn came(&self, name: &str, role: Role, before: usize) -> Result<(), DataError> {
        let expected = self.entry.shape.rows.of(role);
        check(self.entry, name, "rows", expected, self.builder.seen() - before)
    }

    fn arrays(
        &mut self,
        features: &Held,
        targets: Option<&Held>,
        role: Role,
    ) -> Result<(), DataError> {
        let Some(targets) = targets else { return Ok(()) };
        let shape = &self.entry.shape;
        let expected = shape.rows.of(role);
        let found = arrays::numeric(features, targets, shape, expected, &mut self.builder)?;
        check(self.entry, &features.file, "rows", expected, found)
    }

    fn attribute_csv(
        &mut self,
        text: &[u8],
        name: &str,
        columns: attribute_csv::Columns,
        role: Role,
    ) -> Result<(), DataError> {
        let (before, most) = (self.builder.seen(), self.most(role));
        let Self { entry, numbers, builder, .. } = self;
        let mut row = |record: &Record<'_>| {
            if builder.seen() == most {
                return Err(record.beyond(most - before));
            }
            builder.begin(record.values.iter().map(|_| !*numbers));
            let pushed = builder.push(Some(record.class), record.values);
            pushed.map_err(|refused| refused_value(record, refused))
        };
        attribute_csv::read(text, entry.shape.variables, columns, &mut row)
            .map_err(in_file(name))?;
        self.came(name, role, before)
    }

    /// What takes the rows of a table, of which these attributes have names.
    fn rows<'s>(&'s mut self, categories: &'s [String], role: Role) -> TableRows<'s> {
        let most = self.most(role);
        let Self { entry, numbers, builder, attributes, marked, .. } = self;
        let categories = numbers.then_some(categories);
        TableRows { shape: &entry.shape, categories, attributes, builder, marked, most }
    }

    fn csv(
        &mut self,
        text: &[u8],
        name: &str,
        layout: &csv::Layout,
        role: Role,
    ) -> Result<(), DataError> {
        let before = self.builder.seen();
        csv::read(text, layout, &mut self.rows(&layout.categories, role))
            .map_err(in_table(name))?;
        self.came(name, role, before)
    }

    fn arff(
        &mut self,
        text: &[u8],
        name: &str,
        layout: &csv::Layout,
        role: Role,
    ) -> Result<(), DataError> {
        let before = self.builder.seen();
        let text = arff::text(text, layout.charset).map_err(in_table(name))?;
        let arff = Arff::new(&text).map_err(in_table(name))?;
        let categories = arff.categories();
        arff.read(layout, &mut self.rows(&categories, role)).map_err(in_table(name))?;
        self.came(name, role, before)
    }

    fn libsvm(&mut self, text: &[u8], name: &str, role: Role) -> Result<(), DataError> {
        let (before, variables) = (self.builder.seen(), self.entry.shape.variables);
        // Its lines may be shorter than the rows that they stand for.
        let room = 2 * self.entry.shape.rows.of(role) + FEW_VALUES / variables.max(1) + 1;
        let most = self.most(role).min(before + room);
        let builder = &mut self.builder;
        let mut row = |line: usize, target: &str, values: &[Option<&str>]| {
            if builder.seen() == most {
                return Err(too_many(line));
            }
            builder.begin(values.iter().map(|_| false));
            let pushed = builder.push(Some(target), values);
            pushed.map_err(|_| {
                let what = format!("{} is no number", excerpt(target));
                csv::Fault::in_line(line, what, NO_TARGET)
            })
        };
        libsvm::read(text, variables, &mut row).map_err(in_table(name))?;
        self.came(name, role, before)
    }

    fn splits(&mut self, text: &[u8], name: &str, role: Role) -> Result<(), DataError> {
        let shape = &self.entry.shape;
        let text = arff::text(text, Charset::Utf8).map_err(in_table(name))?;
        let found = openml_splits::folds(&text, shape.rows.of(role)).map_err(in_table(name))?;
        let count = found.iter().max().map_or(0, |&last| last as usize + 1);
        check(self.entry, name, "folds", shape.folds.unwrap_or(count), count)?;
        self.folds = Some(found);
        Ok(())
    }

    fn finish(self) -> Result<Parsed, DataError> {
        let Self { entry, builder, attributes, marked, folds, .. } = self;
        if let Target::Classes(expected) = entry.shape.target {
            check(entry, "the dataset", "classes", expected, builder.classes())?;
        }
        let kept = builder.kept(entry.shape.rows);
        let folds = folds.map(|folds| builder.of_kept(folds));
        let marks = marked.of_kept(&builder);
        let Columns { examples, targets } = builder.finish();
        Ok(Parsed { examples, columns: attributes, targets, marks, folds, kept })
    }
}

/// The array of the examples in a file, and that of their targets, in it or in the file of the same role.
pub(super) fn held(
    file: &FileEntry,
    files: &[FileEntry],
    read: Read<'_>,
) -> Result<(Held, Option<Held>), DataError> {
    let (bytes, name) = read(file)?.unpacked(limits::TEXT)?;
    let Format::Npz { features, target } = &file.format else {
        let of_role =
            |other: &&FileEntry| other.role == file.role && other.format == Format::NpyTarget;
        let target = files.iter().find(of_role).map(|target| read(target)?.unpacked(limits::TEXT));
        let whole = |(bytes, file)| Held { file, name: None, bytes };
        return Ok((whole((bytes, name)), target.transpose()?.map(whole)));
    };
    let mut archive = Npz::of(&bytes).map_err(in_table(&name))?;
    let mut array = |array: &String| -> Result<Held, DataError> {
        let bytes = archive.array(array).map_err(in_table(&name))?;
        Ok(Held { file: name.clone(), name: Some(array.clone()), bytes })
    };
    let features = array(features)?;
    Ok((features, target.as_ref().map(array).transpose()?))
}

/// So many values that no line has are made of a sparse file beyond twice those that `shape` says.
const FEW_VALUES: usize = 1 << 20;

/// What is wrong with a value of a line.
fn refused_value(record: &Record<'_>, refused: Refused) -> Malformed {
    let (attribute, expected, found) = match refused {
        Refused::NoNumber(at) | Refused::Missing(Some(at)) => {
            return record.no_number(at);
        }
        Refused::ManyNames(at) => {
            (at, format!("at most {MISSING} values of attribute {}", at + 1), "one more".to_owned())
        }
        Refused::Missing(None) => (0, "a class".to_owned(), "nothing".to_owned()),
        // The registry lets no target that is a number into such a file.
        Refused::NoTarget => (0, "a number".to_owned(), record.class.to_owned()),
    };
    record.malformed(attribute, expected, found)
}

/// What to do about a target that is no number.
const NO_TARGET: &str =
    "correct the value; if the target is a class, `shape` gives their number, `classes`";

fn too_many(line: usize) -> csv::Fault {
    csv::Fault::in_line(line, "there are many more rows than `shape` says", "correct `shape`")
}

/// What marks the rows that came, those that are left out too; empty where no column says it.
#[derive(Default)]
struct Marked {
    groups: Vec<String>,
    times: Vec<Moment>,
}

impl Marked {
    fn add(&mut self, row: &csv::Row<'_>) -> Result<(), csv::Fault> {
        if let Some((column, group)) = row.group {
            let missing = || row.fault_in(column, "the group is missing".to_owned(), MARKED);
            self.groups.push(group.ok_or_else(missing)?.to_owned());
        }
        if let Some((column, time)) = row.time {
            let missing = || row.fault_in(column, "the time is missing".to_owned(), MARKED);
            let text = time.ok_or_else(missing)?;
            let moment = Moment::parse(text).ok_or_else(|| {
                let what = format!("{} is no time", excerpt(text));
                row.fault_in(
                    column,
                    what,
                    "write numbers, or dates such as 2026-11-23 or 2026-11-23T10:51:48",
                )
            })?;
            if self.times.first().is_some_and(|first| !first.comparable(&moment)) {
                let what = format!("{} is of another kind than the first time", excerpt(text));
                return Err(row.fault_in(
                    column,
                    what,
                    "write numbers in all rows, or dates in all",
                ));
            }
            self.times.push(moment);
        }
        Ok(())
    }

    fn of_kept(self, builder: &Builder) -> Marks {
        let groups = (!self.groups.is_empty()).then(|| builder.of_kept(self.groups));
        let times = (!self.times.is_empty()).then(|| builder.of_kept(self.times));
        Marks {
            groups: groups.map(|groups| marks::numbered(&groups)),
            times: times.map(|times| marks::ranked(&times)),
        }
    }
}

/// What to do about a row without its mark.
const MARKED: &str = "write one in every row; a split could not tell where the row belongs";

/// The rows of a table on their way into columns.
struct TableRows<'a> {
    shape: &'a Shape,
    /// The attributes that have names; none where all have.
    categories: Option<&'a [String]>,
    /// Those of the first file.
    attributes: &'a mut Option<Vec<String>>,
    builder: &'a mut Builder,
    marked: &'a mut Marked,
    /// With how many rows reading ends.
    most: usize,
}

impl csv::Sink for TableRows<'_> {
    fn begin(&mut self, attributes: &[&str]) -> Result<(), csv::Fault> {
        let found = attributes.len();
        let expected = self.shape.variables;
        if found != expected {
            let what = format!("it has {found} attributes, but `shape` says {expected} variables");
            let cure = format!("set variables = {found}, or name the columns in `attributes`");
            return Err(csv::Fault::in_line(1, what, cure));
        }
        let own = || attributes.iter().map(|&name| name.to_owned()).collect::<Vec<String>>();
        if *self.attributes.get_or_insert_with(own) != attributes {
            let what = "its attributes are not those of the first file";
            let cure = "name the columns in `attributes`, the same for every file";
            return Err(csv::Fault::in_line(1, what, cure));
        }
        let categories: Option<HashSet<&str>> =
            self.categories.map(|named| named.iter().map(String::as_str).collect());
        let named = |name: &str| categories.as_ref().is_none_or(|named| named.contains(name));
        self.builder.begin(attributes.iter().map(|&name| named(name)));
        Ok(())
    }

    fn row(&mut self, row: &csv::Row<'_>) -> Result<(), csv::Fault> {
        if self.builder.seen() == self.most {
            return Err(too_many(row.line));
        }
        self.marked.add(row)?;
        let classes = matches!(self.shape.target, Target::Classes(_));
        if let Some(class) = row.target.filter(|class| classes && !csv::is_class_name(class)) {
            let what = format!("{} is no class name", excerpt(class));
            let cure = "a class name has at most 200 characters, and none of `/`, `;` and `=`";
            return Err(row.fault(None, what, cure));
        }
        self.builder.push(row.target, row.values).map_err(|refused| match refused {
            Refused::NoNumber(at) => row.no_number(at),
            Refused::ManyNames(at) => {
                let what = format!("it has more than {MISSING} different names");
                row.fault(Some(at), what, "leave the column out of `attributes`")
            }
            Refused::Missing(Some(at)) => row.fault(
                Some(at),
                "the value is missing".to_owned(),
                "say what is done about missing values: missing = \"drop\", \"median\" or \"category\"",
            ),
            Refused::Missing(None) => row.fault(
                None,
                format!("the {} is missing", if classes { "class" } else { "target" }),
                "correct the file, or leave such rows out: missing = \"drop\"",
            ),
            Refused::NoTarget => row.no_target(),
        })
    }
}
