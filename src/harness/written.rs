//! Files of sealed results, as what counts and compares them reads them.

use std::collections::BTreeMap;
use std::io;
use std::path::Path;

use base::bounded::MOST_WRITTEN;
use base::layout::{CLAIMS, SPEC, TIMING};
use base::own;
use seal::Manifest;

use super::Error;

/// The most bytes of a file whose rows are counted: 16 MiB, of which rows take some 200 MiB.
pub const MOST_TABLE: u64 = 1 << 24;

/// A results folder.
#[derive(Clone, Copy)]
pub struct Written<'d>(pub &'d Path);

/// A row of a file, by column.
pub struct Row(BTreeMap<String, String>);

impl Row {
    /// What stands in a column; nothing where there is none.
    pub fn text(&self, column: &str) -> &str {
        self.0.get(column).map_or("", String::as_str)
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
        self.at_most(file, MOST_WRITTEN)
    }

    fn at_most(&self, file: &str, most: u64) -> Result<Vec<u8>, Error> {
        let read = own::read_there(&self.0.join(file), most);
        read.map(Option::unwrap_or_default).map_err(|cause| self.not_counted(file, cause))
    }

    /// That a file can't be counted.
    pub fn not_counted(&self, file: &str, cause: io::Error) -> Error {
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

    /// The rows of a file; none where it is not there.
    ///
    /// # Errors
    /// It can't be read.
    pub fn rows(&self, file: &str) -> Result<Vec<Row>, Error> {
        let bytes = self.at_most(file, MOST_TABLE)?;
        let rows = csv::Reader::from_reader(bytes.as_slice()).into_deserialize();
        let rows = rows.map(|row| row.map(Row)).collect::<csv::Result<_>>();
        rows.map_err(|error| self.not_counted(file, error.into()))
    }

    /// The rows of each table, by its id: of those that read a clock too, or of the others.
    ///
    /// # Errors
    /// One can't be read.
    pub fn tables(
        &self,
        manifest: &Manifest,
        timing: bool,
    ) -> Result<Vec<(String, Vec<Row>)>, Error> {
        let table = |path: &str| {
            let path = if timing { path.strip_prefix(TIMING).unwrap_or(path) } else { path };
            Some(path.strip_prefix("tables/")?.strip_suffix(".csv")?.to_owned())
        };
        let files = manifest.files.iter().map(|file| &file.path);
        let tables = files.filter_map(|path| Some((path, table(path)?)));
        tables.map(|(path, id)| Ok((id, self.rows(path)?))).collect()
    }

    /// The judged claims, those that read a clock too.
    ///
    /// # Errors
    /// They can't be read.
    pub fn claims(&self) -> Result<Vec<Row>, Error> {
        let mut rows = self.rows(CLAIMS)?;
        rows.extend(self.rows(&format!("{TIMING}{CLAIMS}"))?);
        Ok(rows)
    }
}
