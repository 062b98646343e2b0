//! Rows as files of a hand-over.

use std::fs::File;
use std::io::{BufWriter, Write as _};
use std::path::{Path, PathBuf};

use base::text::real;
use contract::table::Column;
use contract::{BinaryRows, Examples};
use ndarray::{Array1, Array2};
use ndarray_npy::{WritableElement, WriteNpyExt as _};

use crate::error::{Error, io};
use crate::program::Form;

/// How a missing value of a categorical attribute is written.
pub(crate) const MISSING: i32 = -1;

/// Sparse rows have more variables than this, and fewer ones than one in [`SPARSE_SHARE`] values.
const SPARSE_VARIABLES: usize = 64;
const SPARSE_SHARE: usize = 8;

/// How all batches of a hand-over are laid out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Layout {
    form: Form,
    kind: Kind,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Binary { sparse: bool },
    Categorical,
    Numeric,
    Table,
}

impl Layout {
    /// The layout of these batches in this form.
    pub(crate) fn of<'a>(form: Form, batches: impl Iterator<Item = &'a Examples>) -> Self {
        let (mut kind, mut ones, mut values) = (Kind::Numeric, 0, 0);
        for examples in batches {
            ones += examples.total_ones();
            values += examples.len() * examples.variables();
            kind = match examples {
                Examples::Binary(_) | Examples::Packed(_) => {
                    let wide = examples.variables() > SPARSE_VARIABLES;
                    let sparse = wide && ones < values / SPARSE_SHARE;
                    Kind::Binary { sparse: sparse && form == Form::Npy }
                }
                Examples::Categorical(_) => Kind::Categorical,
                Examples::Numeric(_) => Kind::Numeric,
                Examples::Table(_) => Kind::Table,
            };
        }
        Self { form, kind }
    }

    pub(crate) fn kind(self) -> &'static str {
        match self.kind {
            Kind::Binary { .. } => "binary",
            Kind::Categorical => "categorical",
            Kind::Numeric => "numeric",
            Kind::Table => "table",
        }
    }

    pub(crate) fn dtype(self) -> &'static str {
        match self.kind {
            Kind::Binary { .. } => "u1",
            Kind::Categorical => "i4",
            Kind::Numeric | Kind::Table => "f8",
        }
    }

    pub(crate) fn is_sparse(self) -> bool {
        self.kind == Kind::Binary { sparse: true }
    }
}

/// What is learned of rows.
#[derive(Debug, Clone, Copy)]
pub enum Labels<'a> {
    /// The class of each.
    Classes(&'a [u32]),
    /// The number that is to be predicted of each.
    Numbers(&'a [f64]),
}

impl Labels<'_> {
    pub(crate) fn len(self) -> usize {
        match self {
            Self::Classes(classes) => classes.len(),
            Self::Numbers(numbers) => numbers.len(),
        }
    }
}

/// Writes the files of batches.
pub(crate) struct Writer<'a> {
    /// Where.
    pub(crate) folder: &'a Path,
    /// How.
    pub(crate) layout: Layout,
    /// Names of the variables.
    pub(crate) columns: &'a [String],
}

impl Writer<'_> {
    /// The rows of a batch.
    pub(crate) fn examples(&self, name: &str, examples: &Examples) -> Result<(), Error> {
        match examples {
            Examples::Binary(rows) => self.binary(name, rows),
            Examples::Packed(rows) => self.binary(name, &rows.to_sparse()),
            Examples::Categorical(rows) => {
                let code = |&code: &u16| {
                    if code == contract::categorical::MISSING { MISSING } else { i32::from(code) }
                };
                let codes: Vec<i32> = rows.codes().iter().map(code).collect();
                self.dense(name, rows.len(), codes, i32::to_string)
            }
            Examples::Table(table) => {
                let value = |row: usize| {
                    move |column: &Column| match column {
                        _ if column.is_missing(row) => f64::NAN,
                        Column::Numbers(values) => values[row],
                        Column::Names { codes, .. } => f64::from(codes[row]),
                    }
                };
                let row = |row: usize| table.columns().iter().map(value(row));
                let values = (0..table.len()).flat_map(row).collect();
                self.dense(name, table.len(), values, |&value| real(value))
            }
            Examples::Numeric(rows) => {
                self.dense(name, rows.len(), rows.values().to_vec(), |&value| real(value))
            }
        }
    }

    /// What is learned of each row, in this order of the rows.
    pub(crate) fn labels(
        &self,
        name: &str,
        labels: Labels<'_>,
        order: &[usize],
    ) -> Result<(), Error> {
        match labels {
            Labels::Classes(classes) => {
                let classes: Vec<i32> = order.iter().map(|&row| classes[row] as i32).collect();
                self.column(name, "y", &classes, i32::to_string)
            }
            Labels::Numbers(numbers) => {
                let numbers: Vec<f64> = order.iter().map(|&row| numbers[row]).collect();
                self.column(name, "y", &numbers, |&number| real(number))
            }
        }
    }

    /// The token of each row.
    pub(crate) fn tokens(&self, name: &str, tokens: &[u64]) -> Result<(), Error> {
        self.column(name, "token", tokens, u64::to_string)
    }

    fn binary(&self, name: &str, rows: &BinaryRows) -> Result<(), Error> {
        if self.layout.is_sparse() {
            return self.sparse(name, rows);
        }
        let n = rows.variables();
        let mut values = vec![0u8; rows.len() * n];
        for (row, ones) in rows.iter().enumerate() {
            ones.iter().for_each(|&one| values[row * n + one as usize] = 1);
        }
        self.dense(name, rows.len(), values, u8::to_string)
    }

    /// Compressed sparse rows.
    fn sparse(&self, name: &str, rows: &BinaryRows) -> Result<(), Error> {
        let ends = rows.iter().scan(0i64, |end, row| {
            *end += row.len() as i64;
            Some(*end)
        });
        let offsets: Array1<i64> = std::iter::once(0).chain(ends).collect();
        let indices: Array1<i32> = rows.iter().flatten().map(|&one| one as i32).collect();
        let ones = Array1::from_elem(rows.total_ones(), 1u8);
        self.npy(&format!("{name}.x.indptr"), &offsets)?;
        self.npy(&format!("{name}.x.indices"), &indices)?;
        self.npy(&format!("{name}.x.data"), &ones)
    }

    fn dense<T: WritableElement>(
        &self,
        name: &str,
        rows: usize,
        values: Vec<T>,
        text: impl Fn(&T) -> String,
    ) -> Result<(), Error> {
        let stem = format!("{name}.x");
        match self.layout.form {
            Form::Npy => {
                let shaped = Array2::from_shape_vec((rows, self.columns.len()), values);
                let array = shaped.map_err(|error| Error::Examples(error.to_string()))?;
                self.npy(&stem, &array)
            }
            Form::Csv => self.csv(&stem, self.columns, values.chunks(self.columns.len()), text),
        }
    }

    fn column<T: WritableElement + Clone>(
        &self,
        name: &str,
        header: &str,
        values: &[T],
        text: impl Fn(&T) -> String,
    ) -> Result<(), Error> {
        let stem = format!("{name}.{header}");
        match self.layout.form {
            Form::Npy => self.npy(&stem, &Array1::from(values.to_vec())),
            Form::Csv => self.csv(&stem, &[header.to_owned()], values.chunks(1), text),
        }
    }

    fn npy<T: WritableElement, D: ndarray::Dimension>(
        &self,
        stem: &str,
        array: &ndarray::Array<T, D>,
    ) -> Result<(), Error> {
        let (path, file) = self.create(stem, "npy")?;
        let mut file = BufWriter::new(file);
        let written = array.write_npy(&mut file).map_err(std::io::Error::other);
        written.and_then(|()| file.flush()).map_err(io("write", path))
    }

    fn csv<'v, T: 'v>(
        &self,
        stem: &str,
        header: &[String],
        rows: impl Iterator<Item = &'v [T]>,
        text: impl Fn(&T) -> String,
    ) -> Result<(), Error> {
        let (path, file) = self.create(stem, "csv")?;
        let mut writer = csv::Writer::from_writer(BufWriter::new(file));
        let write = || -> Result<(), csv::Error> {
            writer.write_record(header)?;
            for row in rows {
                writer.write_record(row.iter().map(&text))?;
            }
            Ok(writer.flush()?)
        };
        write().map_err(|error| io("write", path)(error.into()))
    }

    fn create(&self, stem: &str, ending: &str) -> Result<(PathBuf, File), Error> {
        let path = self.folder.join(format!("{stem}.{ending}"));
        let file = File::create_new(&path).map_err(io("create", &path))?;
        Ok((path, file))
    }
}
