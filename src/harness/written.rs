//! Files of sealed results, as what counts and compares them reads them: row by row, within one budget.

use std::cell::Cell;
use std::fs::OpenOptions;
use std::io::{self, Read as _};
use std::path::Path;

use base::bounded::{MOST_WRITTEN, TooLong, there};
use base::layout::{CLAIMS, SPEC, TIMING};
use base::own;
use csv::StringRecord;
use seal::{Folder, Manifest};

use super::Error;

/// The most bytes of a file whose rows are counted: 16 MiB.
pub const MOST_TABLE: u64 = 1 << 24;
/// The most bytes that the rows of all files may take which one command counts, and pairs of cells that it compares.
pub const MOST_COUNTED: usize = 1 << 27;
/// The most bytes of a row, which is held in memory: 1 MiB.
const MOST_ROW: u64 = 1 << 20;
/// The bytes that what is kept of a row takes beside its text.
const ROW: usize = 512;

/// The sealed results below a folder.
///
/// # Errors
/// If there are none, or they can't be read.
pub fn folders(root: &Path) -> Result<Vec<Folder>, Error> {
    let failed = |cause| Error::NoResults { dir: root.to_owned(), cause };
    let mut folders = seal::audit(root).map_err(|cause| failed(Some(cause)))?;
    folders.retain(|folder| folder.manifest.is_some());
    if folders.is_empty() { Err(failed(None)) } else { Ok(folders) }
}

/// A results folder, and what is left of the budget.
#[derive(Clone, Copy)]
pub struct Written<'d>(pub &'d Path, pub &'d Cell<usize>);

/// A row of a file.
pub struct Row<'r> {
    header: &'r StringRecord,
    cells: &'r StringRecord,
}

impl Row<'_> {
    /// What stands in a column; nothing where there is none.
    pub fn text(&self, column: &str) -> &str {
        let place = self.header.iter().position(|name| name == column);
        place.map_or("", |at| &self.cells[at])
    }

    /// The number in a column.
    pub fn number(&self, column: &str) -> Option<f64> {
        self.text(column).parse().ok()
    }
}

impl Written<'_> {
    /// The bytes of a file; none where it is not there.
    ///
    /// # Errors
    /// It can't be read.
    pub fn bytes(&self, file: &str) -> Result<Vec<u8>, Error> {
        let read = own::read_there(&self.0.join(file), MOST_WRITTEN);
        read.map(Option::unwrap_or_default).map_err(|cause| self.not_counted(file, cause))
    }

    /// That a file can't be counted.
    fn not_counted(&self, file: &str, cause: io::Error) -> Error {
        Error::NotCounted { path: self.0.join(file), cause }
    }

    /// What a file of TOML says; nothing where it is not there.
    ///
    /// # Errors
    /// It can't be read.
    pub fn toml(&self, file: &str) -> Result<toml::Table, Error> {
        let wrong = |error| self.not_counted(file, io::Error::other(error));
        toml::from_slice(&self.bytes(file)?).map_err(wrong)
    }

    /// The ids of the tables in the experiment's file of which a key is this word.
    ///
    /// # Errors
    /// It can't be read.
    pub fn tables_with(&self, key: &str, word: &str) -> Result<Vec<String>, Error> {
        let spec = self.toml(SPEC)?;
        let tables = spec.get("table").and_then(toml::Value::as_array).into_iter().flatten();
        let text = |one: &toml::Value, key: &str| Some(one.get(key)?.as_str()?.to_owned());
        let with = tables.filter(|one| text(one, key).as_deref() == Some(word));
        Ok(with.filter_map(|one| text(one, "id")).collect())
    }

    /// Reads the rows of a file that has at most so many bytes, if it is there.
    ///
    /// # Errors
    /// It can't be read.
    pub fn each(
        &self,
        file: &str,
        most: u64,
        mut read: impl FnMut(Row<'_>) -> Result<(), Error>,
    ) -> Result<(), Error> {
        let wrong = |cause| self.not_counted(file, cause);
        let too_long = |most| wrong(TooLong { most }.into());
        let opened = own::open(&self.0.join(file), OpenOptions::new().read(true));
        let Some(opened) = there(opened).map_err(wrong)? else { return Ok(()) };
        if opened.metadata().map_err(wrong)?.len() > most {
            return Err(too_long(most));
        }
        let mut rows = csv::Reader::from_reader(opened.take(MOST_ROW));
        let header = rows.headers().cloned().map_err(|error| wrong(error.into()))?;
        let mut cells = StringRecord::new();
        loop {
            let more = rows.read_record(&mut cells);
            let left = rows.get_mut();
            if left.limit() == 0 {
                return Err(too_long(MOST_ROW));
            }
            left.set_limit(MOST_ROW);
            if !more.map_err(|error| wrong(error.into()))? {
                return Ok(());
            }
            read(Row { header: &header, cells: &cells })?;
        }
    }

    /// Reads the rows of a file of which something is kept.
    ///
    /// # Errors
    /// It can't be read, or with it the budget is spent.
    pub fn rows(&self, file: &str, mut read: impl FnMut(Row<'_>)) -> Result<(), Error> {
        self.each(file, MOST_TABLE, |row| {
            self.spend(file, ROW + row.cells.as_slice().len())?;
            read(row);
            Ok(())
        })
    }

    /// Takes so much of the budget for a file.
    ///
    /// # Errors
    /// It is spent.
    pub fn spend(&self, file: &str, much: usize) -> Result<(), Error> {
        let left = self.1.get().checked_sub(much);
        let spent =
            || format!("up to here rows and pairs of cells take more than {MOST_COUNTED} bytes");
        self.1.set(left.ok_or_else(|| self.not_counted(file, io::Error::other(spent())))?);
        Ok(())
    }

    /// The files of tables, by the ids of these: of those that read a clock too, or of the others.
    pub fn tables(manifest: &Manifest, timing: bool) -> impl Iterator<Item = (&str, &str)> {
        manifest.files.iter().filter_map(move |file| {
            let path = file.path.as_str();
            let table = if timing { path.strip_prefix(TIMING).unwrap_or(path) } else { path };
            Some((table.strip_prefix("tables/")?.strip_suffix(".csv")?, path))
        })
    }

    /// Reads the judged claims, those that read a clock too.
    ///
    /// # Errors
    /// As [`Self::rows`].
    pub fn claims(&self, mut read: impl FnMut(Row<'_>)) -> Result<(), Error> {
        self.rows(CLAIMS, &mut read)?;
        self.rows(&format!("{TIMING}{CLAIMS}"), read)
    }
}
