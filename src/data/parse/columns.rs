//! The files of a dataset of columns to its examples: tables, arrays and sparse lines.

use std::collections::HashSet;

use super::{Read, check, foreign};
use crate::arrays::{self, Held};
use crate::content::Parsed;
use crate::error::{DataError, Refused};
use crate::format::arff::Arff;
use crate::format::columns::{Table, Wanted};
use crate::format::csv;
use crate::format::fault::Fault;
use crate::format::{attribute_csv, libsvm, openml_splits};
use crate::limits;
use crate::registry::{Entry, FileEntry, Format};
use crate::tabular::Gathered;
use crate::vocabulary::{Charset, Kind, Role, Target};

/// Attributes and numbers, of any format.
///
/// # Errors
/// As [`parse`](super::parse).
pub(super) fn tabular(
    entry: &Entry,
    files: &[FileEntry],
    read: Read<'_>,
) -> Result<Parsed, DataError> {
    let mut growing = Growing { entry, rows: Gathered::default(), columns: None, folds: None };
    for file in files {
        match &file.format {
            Format::NpyFeatures | Format::Npz { .. } => {
                let (features, targets) = held(file, files, read)?;
                growing.arrays(&features, targets.as_ref(), file.role)?;
            }
            // It is read with its examples.
            Format::NpyTarget => {}
            Format::OpenmlSplits => {
                let (text, name) = read(file)?.unpacked(limits::FILE)?;
                growing.splits(&text, &name, file.role)?;
            }
            Format::AttributeCsv(_) | Format::Csv(_) | Format::Arff(_) | Format::Libsvm => {
                let (text, name) = read(file)?.unpacked(limits::FILE)?;
                let table = growing.table(file, &text)?.map_err(Refused::in_file(&name))?;
                drop(text);
                growing.add(table, file, &name)?;
            }
            _ => return Err(foreign(entry, file)),
        }
    }
    growing.finish()
}

/// A dataset of columns, while its files are read.
struct Growing<'e> {
    entry: &'e Entry,
    rows: Gathered,
    /// The names of the attributes, where files have some.
    columns: Option<Vec<String>>,
    folds: Option<Vec<u32>>,
}

impl Growing<'_> {
    /// The table of a file; an error if no dataset of this kind has such files.
    fn table(&self, file: &FileEntry, bytes: &[u8]) -> Result<Result<Table, Fault>, DataError> {
        let plain = match self.entry.kind {
            Kind::Binary => Wanted::Bits,
            Kind::Numeric => Wanted::Numbers,
            Kind::Categorical | Kind::Text | Kind::Image => Wanted::Names,
        };
        let (variables, rows) = (self.entry.shape.variables, self.entry.shape.rows.of(file.role));
        let most = limits::with_room(rows as u64) as usize;
        Ok(match &file.format {
            Format::AttributeCsv(columns) => {
                attribute_csv::read(bytes, variables, *columns, most, plain)
            }
            Format::Csv(layout) => {
                let named: HashSet<&str> = layout.categories.iter().map(String::as_str).collect();
                let wanted = |name: &str| if named.contains(name) { Wanted::Names } else { plain };
                csv::read(bytes, layout, most, &wanted, self.target())
            }
            Format::Arff(layout) => csv::text(bytes, layout.charset).and_then(|text| {
                let arff = Arff::new(&text)?;
                let named: HashSet<String> = arff.categories().into_iter().collect();
                let wanted = |name: &str| match plain {
                    Wanted::Numbers if named.contains(name) => Wanted::Names,
                    // Names of 0 and 1 are bits too.
                    plain => plain,
                };
                arff.read(layout, most, &wanted, self.target())
            }),
            Format::Libsvm => {
                // Its lines may be shorter than the rows that they stand for.
                let room = 2 * rows + FEW_VALUES / variables.max(1) + 1;
                libsvm::table(bytes, variables, most.min(room), (plain, self.target()))
            }
            _ => return Err(foreign(self.entry, file)),
        })
    }

    /// What the target is read as.
    fn target(&self) -> Wanted {
        match self.entry.shape.target {
            Target::Number => Wanted::Numbers,
            Target::None | Target::Classes(_) => Wanted::Names,
        }
    }

    /// Adds the table of a file, once it is of the columns and of the size that it should be.
    fn add(&mut self, table: Table, file: &FileEntry, name: &str) -> Result<(), DataError> {
        let (found, expected) = (table.attributes.len(), self.entry.shape.variables);
        let in_line = |what: String, cure: String| {
            Refused::in_file(name)(Fault::in_line(1, what, cure)).into()
        };
        if found != expected {
            let what = format!("it has {found} attributes, but `shape` says {expected} variables");
            let cure = format!("set variables = {found}, or name the columns in `attributes`");
            return Err(in_line(what, cure));
        }
        if matches!(file.format, Format::Csv(_) | Format::Arff(_)) {
            let own = &table.names[..found];
            if *self.columns.get_or_insert_with(|| own.to_vec()) != *own {
                let what = "its attributes are not those of the first file";
                let cure = "name the columns in `attributes`, the same for every file";
                return Err(in_line(what.to_owned(), cure.to_owned()));
            }
        }
        let rows = table.target.len();
        self.rows.add(table, self.entry).map_err(|(_, fault)| Refused::in_file(name)(fault))?;
        check(self.entry, name, "rows", self.entry.shape.rows.of(file.role), rows)
    }

    fn arrays(
        &mut self,
        features: &Held<'_>,
        targets: Option<&Held<'_>>,
        role: Role,
    ) -> Result<(), DataError> {
        let Some(targets) = targets else { return Ok(()) };
        let Entry { shape, .. } = self.entry;
        let table = arrays::numeric(features, targets, shape.variables, self.target())?;
        check(self.entry, &features.file, "rows", shape.rows.of(role), table.target.len())?;
        let holder = |at: usize| if at < shape.variables { features } else { targets };
        Ok(self.rows.add(table, self.entry).map_err(|(at, fault)| holder(at).fault(fault))?)
    }

    fn splits(&mut self, text: &[u8], name: &str, role: Role) -> Result<(), DataError> {
        let shape = &self.entry.shape;
        let text = csv::text(text, Charset::Utf8).map_err(Refused::in_file(name))?;
        let found =
            openml_splits::folds(&text, shape.rows.of(role)).map_err(Refused::in_file(name))?;
        let count = found.iter().max().map_or(0, |&last| last as usize + 1);
        check(self.entry, name, "folds", shape.folds.unwrap_or(count), count)?;
        self.folds = Some(found);
        Ok(())
    }

    fn finish(self) -> Result<Parsed, DataError> {
        let Self { entry, rows, columns, folds } = self;
        let parsed = rows.finish(entry, folds);
        if let Target::Classes(expected) = entry.shape.target {
            let found = parsed.targets.labels().map_or(0, |labels| labels.classes.len());
            check(entry, "the dataset", "classes", expected, found)?;
        }
        Ok(Parsed { columns, ..parsed })
    }
}

/// The array of the examples in a file, and that of their targets, in it or in the file of the same role.
pub(super) fn held(
    file: &FileEntry,
    files: &[FileEntry],
    read: Read<'_>,
) -> Result<(Held<'static>, Option<Held<'static>>), DataError> {
    let (bytes, name) = read(file)?.unpacked(limits::FILE)?;
    let Format::Npz { features, target } = &file.format else {
        let of_role =
            |other: &&FileEntry| other.role == file.role && other.format == Format::NpyTarget;
        let target = files.iter().find(of_role).map(|target| read(target)?.unpacked(limits::FILE));
        let whole = |(bytes, file): (Vec<u8>, _)| Held { file, name: None, bytes: bytes.into() };
        return Ok((whole((bytes, name)), target.transpose()?.map(whole)));
    };
    let array = |array: &String| Held::archived(&bytes, &name, array);
    Ok((array(features)?, target.as_ref().map(array).transpose()?))
}

/// So many values that no line has are made of a sparse file beyond twice those that `shape` says.
const FEW_VALUES: usize = 1 << 20;
