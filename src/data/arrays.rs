//! Arrays of examples and of targets on their way into rows.

use super::error::DataError;
use super::format::columns::{Column, Table, Wanted};
use super::format::csv::NO_TARGET;
use super::format::excerpt;
use super::format::fault::Fault;
use super::format::npy::Array;
use super::vocabulary::Shape;
use contract::binary::BinaryRows;

/// An array as its file has it.
pub(super) struct Held {
    /// The file, as errors call it.
    pub file: String,
    /// Its name, where the file has several.
    pub name: Option<String>,
    /// Its bytes.
    pub bytes: Vec<u8>,
}

impl Held {
    fn array(&self) -> Result<Array<'_>, DataError> {
        Array::of(&self.bytes).map_err(|fault| self.fault(fault))
    }

    /// That something is wrong with it.
    pub fn fault(&self, fault: Fault) -> DataError {
        let fault = match &self.name {
            Some(name) => fault.of_array(name),
            None => fault,
        };
        DataError::in_file(&self.file)(fault)
    }

    /// Its rows of examples, once they have as many columns as `shape` says variables.
    fn examples(&self, shape: &Shape) -> Result<(Array<'_>, usize), DataError> {
        let array = self.array()?;
        let (rows, columns) = array.of_examples().map_err(|fault| self.fault(fault))?;
        if columns != shape.variables {
            let expected = shape.variables;
            let what = format!("it has {columns} columns, but `shape` says {expected} variables");
            return Err(self.fault(Fault::in_array(what, format!("set variables = {columns}"))));
        }
        Ok((array, rows))
    }
}

/// Appends rows of 0 and 1, and returns how many there are; of more than `most` none.
///
/// # Errors
/// If it is no such array.
pub(super) fn binary(
    features: &Held,
    shape: &Shape,
    most: usize,
    rows: &mut BinaryRows,
) -> Result<usize, DataError> {
    let (array, count) = features.examples(shape)?;
    if count > most {
        return Ok(count);
    }
    let mut ones = Vec::with_capacity(shape.variables);
    for row in 0..count {
        ones.clear();
        for column in 0..shape.variables {
            match array.value(row, column).number() {
                Some(0.0) => {}
                Some(1.0) => ones.push(column as u32),
                other => {
                    let what = format!("{} is not 0 or 1", other.unwrap_or(f64::NAN));
                    let cure =
                        "a dataset of kind `binary` has 0 and 1 only; set kind = \"numeric\"";
                    let fault = Fault::in_array(what, cure).at_element(row, column);
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
    features: &Held,
    targets: &Held,
    shape: &Shape,
    wanted: Wanted,
) -> Result<Table, DataError> {
    let (array, count) = features.examples(shape)?;
    let column = |column: usize| {
        let values: Vec<f64> = array.column(column).collect();
        match values.iter().position(|value| value.is_infinite()) {
            None => Ok(Column::Numbers(values)),
            Some(row) => {
                let fault = Fault::in_array("the value is infinite", "correct the value");
                Err(features.fault(fault.at_element(row, column)))
            }
        }
    };
    let attributes = (0..shape.variables).map(column).collect::<Result<_, _>>()?;
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
