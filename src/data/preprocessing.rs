//! What a trial makes of a dataset's columns before a method meets them: missing values filled in, names as 0/1
//! columns, numbers binned or standardised. One step for all of it, fitted on the training examples of each split and
//! applied to every example.

use std::borrow::Cow;
use std::sync::Arc;

use base::words;
use contract::Examples;
use contract::categorical::{Attribute, CategoricalRows, MISSING};
use contract::numeric::NumericRows;
use contract::table::{Column, Table};

use crate::binning::{BINS, Binning};

words! {
    /// What is done about missing values.
    pub enum Missing {
        Error = "error", "they are an error, which names the first";
        Drop = "drop", "rows that have one are left out, before any split";
        Median = "median", "a missing number becomes the median of the training values of its column, a missing name the one that most training examples have";
        Category = "category", "a missing name is one more name; a missing number becomes the median, and a column beside says where; where numbers are binned it is one more category";
    }
}

words! {
    /// Of a text dataset, which variables a trial sees: those that occur in some of its training examples.
    pub enum Vocabulary {
        Problem = "problem", "tokens of the training documents of the problem's classes";
        Training = "training", "tokens of all training documents of the split";
    }
}

/// What a trial makes of columns.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Preprocessing {
    /// Which variables a trial sees; all, if none.
    pub vocabulary: Option<Vocabulary>,
    /// What is done about missing values. Those that are an error or left out are gone before a trial.
    pub missing: Missing,
    /// How numbers become categories; none where they stay numbers.
    pub binning: Option<Binning>,
    /// Whether numbers that stay numbers are standardised.
    pub standardised: bool,
}

impl Preprocessing {
    /// Nothing: what methods take already.
    pub const NONE: Self =
        Self { vocabulary: None, missing: Missing::Error, binning: None, standardised: false };

    /// All examples as methods meet them, by rules fitted to those of `train`. Time O(n N log N).
    ///
    /// The columns of a table keep their order. A number stays one column; with `missing = "category"` a column
    /// behind it is 1 where the number was missing, if that happens among the training examples. A column of names
    /// becomes a 0/1 column for each name of the training examples, so a name that they do not have is 0 in all of
    /// them. A column without known values in training is 0. Where numbers are binned, names stay names.
    pub fn apply<'e>(&self, examples: &'e Examples, train: &[usize]) -> Cow<'e, Examples> {
        match (examples, self.binning) {
            (Examples::Table(table), _) => {
                let filled = Filled::new(table, self.missing, train);
                Cow::Owned(match self.binning {
                    None if filled.has_numbers() => {
                        Examples::Numeric(filled.numeric(train, self.standardised))
                    }
                    binning => Examples::Categorical(filled.categorical(binning, train)),
                })
            }
            (Examples::Numeric(rows), Some(binning)) => {
                Cow::Owned(Examples::Categorical(binning.codes(rows, train)))
            }
            (Examples::Numeric(rows), None) if self.standardised => {
                Cow::Owned(Examples::Numeric(rows.standardised(train)))
            }
            (examples, _) => Cow::Borrowed(examples),
        }
    }

    /// The names of the columns that [`apply`](Self::apply) makes of columns with these names: `port=a` of a name that
    /// becomes a 0/1 column, `port=?` where a name is missing, `age=?` of the column that says where a number is missing.
    pub fn columns(&self, examples: &Examples, train: &[usize], names: &[String]) -> Vec<String> {
        let Examples::Table(table) = examples else { return names.to_vec() };
        let filled = Filled::new(table, self.missing, train);
        if self.binning.is_some() || !filled.has_numbers() {
            return names.to_vec();
        }
        let made = filled.made(train);
        // The column of zeros that stands for none.
        if made.is_empty() {
            return vec![names.join("+")];
        }
        let name = |(name, made): (usize, Made<'_>)| match (&names[name], made) {
            (name, Made::Number(_)) => name.clone(),
            (name, Made::Missing(_) | Made::Name(None, ..)) => format!("{name}=?"),
            (name, Made::Name(Some(value), ..)) => format!("{name}={value}"),
        };
        made.into_iter().map(name).collect()
    }
}

/// A column of numbers that is made of one of a table.
enum Made<'f> {
    /// Its numbers.
    Number(&'f [f64]),
    /// Where a number was missing.
    Missing(&'f [bool]),
    /// Where it has this name, or none: of its codes the code of that.
    Name(Option<&'f str>, &'f [u16], u16),
}

/// A table without missing values, but for names where that counts: [`MISSING`] stays.
struct Filled {
    rows: usize,
    columns: Vec<Column>,
    /// Of each column of numbers the rows where they were missing, where that counts.
    missing: Vec<Option<Vec<bool>>>,
}

impl Filled {
    fn new(table: &Table, missing: Missing, train: &[usize]) -> Self {
        let counts = missing == Missing::Category;
        let fill = |column: &Column| match column {
            Column::Numbers(values) => {
                let known = train.iter().map(|&row| values[row]).filter(|value| !value.is_nan());
                let median = median(known.collect());
                let absent: Vec<bool> = values.iter().map(|value| value.is_nan()).collect();
                let filled = values.iter().map(|&v| if v.is_nan() { median } else { v }).collect();
                (Column::Numbers(filled), (counts && absent.contains(&true)).then_some(absent))
            }
            Column::Names { names, codes } => {
                let mut codes = codes.clone();
                if !counts {
                    let usual = most_frequent(names.len(), train.iter().map(|&row| codes[row]));
                    codes.iter_mut().filter(|c| **c == MISSING).for_each(|code| *code = usual);
                }
                (Column::Names { names: names.clone(), codes }, None)
            }
        };
        let (columns, missing) = table.columns().iter().map(fill).unzip();
        Self { rows: table.len(), columns, missing }
    }

    fn has_numbers(&self) -> bool {
        self.columns.iter().any(|column| column.numbers().is_some())
    }

    /// The columns that become of it where names become numbers, with the places of those that they are made of.
    fn made(&self, train: &[usize]) -> Vec<(usize, Made<'_>)> {
        let mut made = Vec::new();
        for (at, (column, missing)) in self.columns.iter().zip(&self.missing).enumerate() {
            match column {
                Column::Numbers(values) => {
                    made.push((at, Made::Number(values)));
                    let missing = missing.as_deref();
                    let known = missing.filter(|missing| train.iter().any(|&row| missing[row]));
                    made.extend(known.map(|missing| (at, Made::Missing(missing))));
                }
                Column::Names { names, codes } => {
                    let all = names.iter().map(|name| Some(name.as_str())).zip(0..);
                    let all = all.chain([(None, MISSING)]);
                    let trained =
                        all.filter(|(_, code)| train.iter().any(|&row| codes[row] == *code));
                    made.extend(trained.map(|(name, code)| (at, Made::Name(name, codes, code))));
                }
            }
        }
        made
    }

    /// Names as 0/1 columns.
    fn numeric(self, train: &[usize], standardised: bool) -> NumericRows {
        let indicator = |is: &dyn Fn(usize) -> bool| -> Vec<f64> {
            (0..self.rows).map(|row| f64::from(is(row))).collect()
        };
        let column = |(_, made): (usize, Made<'_>)| match made {
            Made::Number(values) if standardised => {
                NumericRows::new(1, values.to_vec()).standardised(train).values().to_vec()
            }
            Made::Number(values) => values.to_vec(),
            Made::Missing(missing) => indicator(&|row| missing[row]),
            Made::Name(_, codes, code) => indicator(&|row| codes[row] == code),
        };
        let mut made: Vec<Vec<f64>> = self.made(train).into_iter().map(column).collect();
        // Names alone, none of them in training: methods need a column.
        if made.is_empty() {
            made.push(vec![0.0; self.rows]);
        }
        let value = |row: usize| made.iter().map(move |column| column[row]);
        let values = (0..self.rows).flat_map(value).collect();
        NumericRows::new(made.len(), values)
    }

    /// Numbers binned. Without a rule there are none.
    fn categorical(self, binning: Option<Binning>, train: &[usize]) -> CategoricalRows {
        let mut attributes = Vec::with_capacity(self.columns.len());
        let mut coded: Vec<Vec<u16>> = Vec::with_capacity(self.columns.len());
        for (column, absent) in self.columns.into_iter().zip(self.missing) {
            let (values, codes) = match (column, binning) {
                (Column::Names { names, codes }, _) => (Vec::clone(&names), codes),
                (Column::Numbers(values), Some(binning)) => {
                    let is_absent = |row: usize| absent.as_ref().is_some_and(|absent| absent[row]);
                    let known: Vec<usize> =
                        train.iter().copied().filter(|&row| !is_absent(row)).collect();
                    let mut codes = binning.column(&values, &known);
                    let all = codes.iter_mut().enumerate().filter(|(row, _)| is_absent(*row));
                    all.for_each(|(_, code)| *code = MISSING);
                    ((1..=BINS).map(|bin| bin.to_string()).collect(), codes)
                }
                (Column::Numbers(_), None) => continue,
            };
            attributes.push(Attribute { values, missing: codes.contains(&MISSING) });
            coded.push(codes);
        }
        let mut rows = CategoricalRows::new(Arc::new(attributes));
        for row in 0..self.rows {
            rows.push(&coded.iter().map(|codes| codes[row]).collect::<Vec<u16>>());
        }
        rows
    }
}

/// The median, of an even number of values the mean of the middle two; 0 of none.
fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    let middle = values.len() / 2;
    match values.len() {
        0 => 0.0,
        odd if odd % 2 == 1 => values[middle],
        _ => 0.5 * values[middle - 1] + 0.5 * values[middle],
    }
}

/// The code that comes most often, the first of equals; 0 of none.
fn most_frequent(names: usize, codes: impl Iterator<Item = u16>) -> u16 {
    let mut counts = vec![0_usize; names];
    codes.filter(|code| *code != MISSING).for_each(|code| counts[usize::from(code)] += 1);
    let most = counts.iter().copied().max().unwrap_or(0);
    counts.iter().position(|&count| count == most).unwrap_or(0) as u16
}

#[cfg(test)]
mod tests {
    use super::*;

    const NONE: f64 = f64::NAN;

    /// Ages 1, 3, 10 and a missing one in training; ports `a` twice, `b` and a missing one; `c` and another
    /// missing age only behind.
    fn table() -> Examples {
        let names = ["a", "b", "c"].map(str::to_owned).to_vec();
        Examples::Table(Table::new(vec![
            Column::Numbers(vec![1.0, 3.0, 10.0, NONE, NONE, 7.0]),
            Column::Names { names: Arc::new(names), codes: vec![0, 0, 1, MISSING, 2, 1] },
        ]))
    }

    fn applied(missing: Missing, binning: Option<Binning>, standardised: bool) -> Examples {
        let rule = Preprocessing { missing, binning, standardised, ..Preprocessing::NONE };
        rule.apply(&table(), &[0, 1, 2, 3]).into_owned()
    }

    fn rows(examples: &Examples) -> Vec<Vec<f64>> {
        examples.numeric().unwrap().iter().map(<[f64]>::to_vec).collect()
    }

    #[test]
    fn missing_values_are_filled_from_training_examples() {
        // The median of 1, 3 and 10; `a`, which comes twice. scikit-learn 1.9.1: SimpleImputer("median"),
        // SimpleImputer("most_frequent"), OneHotEncoder(handle_unknown="ignore").
        let found = rows(&applied(Missing::Median, None, false));
        let expected: [[f64; 3]; 6] = [
            [1.0, 1.0, 0.0],
            [3.0, 1.0, 0.0],
            [10.0, 0.0, 1.0],
            [3.0, 1.0, 0.0],
            [3.0, 0.0, 0.0],
            [7.0, 0.0, 1.0],
        ];
        assert_eq!(found, expected);
    }

    #[test]
    fn a_missing_value_may_be_a_category_of_its_own() {
        let found = rows(&applied(Missing::Category, None, false));
        assert_eq!(found[0], [1.0, 0.0, 1.0, 0.0, 0.0]);
        assert_eq!(found[3], [3.0, 1.0, 0.0, 0.0, 1.0]);
        // A name that no training example has, and a missing number.
        assert_eq!(found[4], [3.0, 1.0, 0.0, 0.0, 0.0]);
        let binned = applied(Missing::Category, Some(Binning::EqualWidth), false);
        let binned = binned.categorical().unwrap();
        assert_eq!(binned.row(2), [9, 1]);
        assert_eq!(binned.row(3), [MISSING, MISSING]);
        assert_eq!(binned.row(4), [MISSING, 2]);
        assert_eq!(binned.row(5), [6, 1]);
    }

    #[test]
    fn columns_are_named_by_what_they_are_made_of() {
        let columns = |missing, binning| {
            let rule = Preprocessing { missing, binning, ..Preprocessing::NONE };
            let names = ["age", "port"].map(str::to_owned);
            let found = rule.columns(&table(), &[0, 1, 2, 3], &names);
            let made = rule.apply(&table(), &[0, 1, 2, 3]).variables();
            assert_eq!(found.len(), made);
            found
        };
        assert_eq!(columns(Missing::Median, None), ["age", "port=a", "port=b"]);
        let all = ["age", "age=?", "port=a", "port=b", "port=?"];
        assert_eq!(columns(Missing::Category, None), all);
        assert_eq!(columns(Missing::Category, Some(Binning::EqualWidth)), ["age", "port"]);
    }

    #[test]
    fn nothing_is_learned_from_other_examples() {
        let Examples::Table(table) = table() else { panic!("a table") };
        let mut columns = table.columns().to_vec();
        columns[0] = Column::Numbers(vec![1.0, 3.0, 10.0, NONE, 1e6, -1e6]);
        let other = Examples::Table(Table::new(columns));
        for missing in [Missing::Median, Missing::Category] {
            for standardised in [false, true] {
                let rule = Preprocessing { missing, standardised, ..Preprocessing::NONE };
                let own = applied(missing, None, standardised);
                let (own, other) = (rows(&own), rows(&rule.apply(&other, &[0, 1, 2, 3])));
                assert_eq!(own[..4], other[..4], "{missing:?} {standardised}");
            }
        }
    }

    #[test]
    fn only_numbers_are_standardised() {
        let found = rows(&applied(Missing::Median, None, true));
        let column: Vec<f64> = found[..4].iter().map(|row| row[0]).collect();
        assert!(column.iter().sum::<f64>().abs() < 1e-12, "{column:?}");
        assert!((column.iter().map(|value| value * value).sum::<f64>() - 4.0).abs() < 1e-12);
        assert_eq!(found[2][1..], [0.0, 1.0]);
    }

    #[test]
    fn a_column_that_is_unknown_in_training_is_defined() {
        let rule = Preprocessing { missing: Missing::Median, ..Preprocessing::NONE };
        let found = rows(&rule.apply(&table(), &[3]));
        assert_eq!(found[3], [0.0, 1.0]);
        assert_eq!(found[5], [7.0, 0.0]);
        assert_eq!(median(vec![4.0, 1.0, 3.0, 2.0]), 2.5);
    }
}
