//! Arrays of examples and of targets on their way into rows.

use super::error::DataError;
use super::format::csv::{self, Fault};
use super::format::excerpt;
use super::format::npy::{Array, Value};
use super::tabular::{Builder, Given, Refused};
use super::vocabulary::{Shape, Target};
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

    fn fault(&self, fault: Fault) -> DataError {
        let fault = match &self.name {
            Some(name) => fault.of_array(name),
            None => fault,
        };
        DataError::Table { file: self.file.clone(), fault: Box::new(fault) }
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

/// Gives examples with their targets to `builder`, and returns how many there are; of more than `most` none.
///
/// # Errors
/// If they are no such arrays, or not of one length.
pub(super) fn numeric(
    features: &Held,
    targets: &Held,
    shape: &Shape,
    most: usize,
    builder: &mut Builder,
) -> Result<usize, DataError> {
    let (array, count) = features.examples(shape)?;
    let target = targets.array()?;
    let found = target.of_targets().map_err(|fault| targets.fault(fault))?;
    if found != count {
        let what = format!("it has {found} targets, and there are {count} examples");
        return Err(targets.fault(Fault::in_array(what, "save as many targets as examples")));
    }
    if count > most {
        return Ok(count);
    }
    builder.begin(std::iter::repeat_n(false, shape.variables));
    let mut values = vec![0.0; shape.variables];
    for row in 0..count {
        for (column, value) in values.iter_mut().enumerate() {
            *value = array.value(row, column).number().unwrap_or(f64::NAN);
        }
        let given = target.value(row, 0);
        let at = |fault: Fault| targets.fault(fault.at_element(row, 0));
        let pushed = match shape.target {
            Target::Number => match given.number() {
                Some(number) if number.is_nan() => builder.push_numbers(None, &values),
                Some(number) => builder.push_numbers(Some(Given::Number(number)), &values),
                None => return Err(at(no_number(&given))),
            },
            Target::None | Target::Classes(_) => {
                let class = given.name();
                if let Some(class) = class.as_ref().filter(|class| !csv::is_class_name(class)) {
                    let cure =
                        "a class name has at most 200 characters, and none of `/`, `;` and `=`";
                    let what = format!("{} is no class name", excerpt(class));
                    return Err(at(Fault::in_array(what, cure)));
                }
                builder.push_numbers(class.as_deref().map(Given::Text), &values)
            }
        };
        pushed.map_err(|refused| match refused {
            Refused::Missing(Some(column)) => features.fault(
                Fault::in_array(
                    "the value is missing",
                    "say what is done about missing values: missing = \"drop\", \"median\" or \"category\"",
                )
                .at_element(row, column),
            ),
            Refused::NoNumber(column) | Refused::ManyNames(column) => features.fault(
                Fault::in_array("the value is infinite", "correct the value").at_element(row, column),
            ),
            Refused::Missing(None) => at(Fault::in_array(
                "the target is missing",
                "correct the file, or leave such rows out: missing = \"drop\"",
            )),
            Refused::NoTarget => at(no_number(&given)),
        })?;
    }
    Ok(count)
}

fn no_number(value: &Value) -> Fault {
    let text = value.name().unwrap_or_default();
    let cure = "correct the value; if the target is a class, `shape` gives their number, `classes`";
    Fault::in_array(format!("{} is no number", excerpt(&text)), cure)
}
