//! Arrays of examples and of targets on their way into rows.

use std::borrow::Cow;

use super::error::Refused;
use super::format::columns::{Column, Table, Wanted};
use super::format::csv::{NO_BIT, NO_TARGET};
use super::format::excerpt;
use super::format::fault::Fault;
use super::format::npy::Array;
use super::format::npz::Npz;
use contract::binary::BinaryRows;

/// An array as its file has it.
pub(super) struct Held<'a> {
    /// The file, as errors call it.
    pub file: String,
    /// Its name, where the file has several.
    pub name: Option<String>,
    /// Its bytes.
    pub bytes: Cow<'a, [u8]>,
}

impl<'a> Held<'a> {
    /// That of this name in an archive.
    pub fn archived(archive: &[u8], file: &str, name: &str) -> Result<Self, Refused> {
        let bytes = Npz::of(archive).and_then(|mut npz| npz.array(name));
        let bytes = bytes.map_err(Refused::in_file(file))?.into();
        Ok(Self { file: file.to_owned(), name: Some(name.to_owned()), bytes })
    }

    fn array(&self) -> Result<Array<'_>, Refused> {
        Array::of(&self.bytes).map_err(|fault| self.fault(fault))
    }

    /// That something is wrong with it.
    pub fn fault(&self, fault: Fault) -> Refused {
        let fault = match &self.name {
            Some(name) => fault.of_array(name),
            None => fault,
        };
        Refused::in_file(&self.file)(fault)
    }

    /// Its rows of examples, once they have so many columns.
    fn examples(&self, variables: usize) -> Result<(Array<'_>, usize), Refused> {
        let array = self.array()?;
        let (rows, columns) = array.of_examples().map_err(|fault| self.fault(fault))?;
        if columns != variables {
            let what = format!("it has {columns} columns, but `shape` says {variables} variables");
            return Err(self.fault(Fault::in_array(what, format!("set variables = {columns}"))));
        }
        Ok((array, rows))
    }

    /// Its columns of numbers, so many.
    ///
    /// # Errors
    /// If it is no such array, or a number is infinite.
    pub fn columns(&self, variables: usize) -> Result<Vec<Column>, Refused> {
        let (array, _) = self.examples(variables)?;
        let column = |column: usize| {
            let values: Vec<f64> = array.column(column).collect();
            match values.iter().position(|value| value.is_infinite()) {
                None => Ok(Column::Numbers(values)),
                Some(row) => {
                    let fault = Fault::in_array("the value is infinite", "correct the value");
                    Err(self.fault(fault.at_element(row, column)))
                }
            }
        };
        (0..variables).map(column).collect()
    }
}

/// Appends rows of 0 and 1, and returns how many there are; of more than `most` none.
///
/// # Errors
/// If it is no such array.
pub(super) fn binary(
    features: &Held<'_>,
    variables: usize,
    most: usize,
    rows: &mut BinaryRows,
) -> Result<usize, Refused> {
    let (array, count) = features.examples(variables)?;
    if count > most {
        return Ok(count);
    }
    let mut ones = Vec::with_capacity(variables);
    for row in 0..count {
        ones.clear();
        for column in 0..variables {
            match array.value(row, column).number() {
                Some(0.0) => {}
                Some(1.0) => ones.push(column as u32),
                other => {
                    let what = format!("{} is not 0 or 1", other.unwrap_or(f64::NAN));
                    let fault = Fault::in_array(what, NO_BIT).at_element(row, column);
                    return Err(features.fault(fault));
                }
            }
        }
        rows.push(&ones);
    }
    Ok(count)
}

/// The table of examples with their targets, of which `wanted` says what they are read as.
///
/// # Errors
/// If they are no such arrays, or not of one length.
pub(super) fn numeric(
    features: &Held<'_>,
    targets: &Held<'_>,
    variables: usize,
    wanted: Wanted,
) -> Result<Table, Refused> {
    let attributes = features.columns(variables)?;
    let count = attributes.first().map_or(0, Column::len);
    let array = targets.array()?;
    let found = array.of_targets().map_err(|fault| targets.fault(fault))?;
    if found != count {
        let what = format!("it has {found} targets, and there are {count} examples");
        return Err(targets.fault(Fault::in_array(what, "save as many targets as examples")));
    }
    let mut target = Column::new(wanted);
    for row in 0..count {
        let name = array.value(row, 0).name();
        if !target.push(name.as_deref(), wanted, None) {
            let what = format!("{} is no number", excerpt(&name.unwrap_or_default()));
            let fault = Fault::in_array(what, NO_TARGET).at_element(row, 0);
            return Err(targets.fault(fault));
        }
    }
    let (names, lines) = (Vec::new(), Vec::new());
    Ok(Table { attributes, target, group: None, time: None, names, lines })
}
