//! A CSV file of a results folder, read line by line, and what may be wrong with it.

use std::collections::HashSet;
use std::fs::{File, OpenOptions};
use std::io;
use std::path::Path;
use std::str::FromStr;

use base::bounded::there;
use base::digest::{Digest, NotADigest};
use base::layout::{PREDICTED, TRIAL_OUTCOME};
use base::own;
use contract::words::Worded;
use contract::{Metric, Metrics, NotAnAssignment};

use crate::cause::{NotACause, Status};

/// The files of a results folder can't be read back as records.
#[derive(Debug, thiserror::Error, miette::Diagnostic)]
#[error("{file}, line {line}: {problem}")]
#[diagnostic(help("the file is not as reprise wrote it: restore it, or run with --fresh"))]
pub struct NotRecords {
    /// The file within the results folder.
    pub file: String,
    /// 1-based line.
    pub line: u64,
    /// What is wrong.
    pub problem: Problem,
}

/// What is wrong with a file of records.
#[derive(Debug, thiserror::Error)]
pub enum Problem {
    /// It is not there.
    #[error("there is no such file")]
    NoFile,
    /// It has too many bytes.
    #[error("it has more than {MOST} bytes, the most that are read back")]
    TooLong,
    /// With it the rows hold too many numbers.
    #[error("the trials up to here have more than {MOST_HELD} values")]
    TooMany,
    /// It can't be opened.
    #[error(transparent)]
    Io(#[from] io::Error),
    /// It is no CSV file.
    #[error(transparent)]
    Csv(#[from] csv::Error),
    /// A column lacks.
    #[error("there is no column `{0}`")]
    NoColumn(&'static str),
    /// A cell has another text.
    #[error("column `{column}`: expected {expected}, found {found:?}")]
    Cell {
        /// The name of its column.
        column: String,
        /// What it should have.
        expected: &'static str,
        /// What it has.
        found: String,
    },
    /// A cell has no key.
    #[error(transparent)]
    Key(#[from] NotADigest),
    /// A cell has no options of choices.
    #[error("column `choice`: {0}")]
    Choice(#[from] NotAnAssignment),
    /// No trial ends so.
    #[error("column `{TRIAL_OUTCOME}`: {0}")]
    Ending(#[from] NotACause),
    /// A time is none.
    #[error("{time} is {found}, which is no number of seconds")]
    Seconds {
        /// The name of the metric.
        time: &'static str,
        /// What stands there.
        found: String,
    },
    /// It has values of a trial twice.
    #[error("the key {} comes twice", .0.short())]
    Twice(Digest),
    /// Values of examples are none.
    #[error("expected `bits` of 0 and 1, or `values`")]
    NoValues,
    /// It is no array of predictions, or not of these trials.
    #[error("no array of predictions of the trials in `{PREDICTED}`")]
    NoPredictions,
    /// What stands there of a trial can't be drawn.
    #[error("the lines of the key {} are no picture", .0.short())]
    NoPicture(Digest),
}

impl Problem {
    /// That a cell of a column has another text.
    pub(super) fn cell(column: impl Into<String>, expected: &'static str, found: &str) -> Self {
        Self::Cell { column: column.into(), expected, found: found.to_owned() }
    }
}

/// The most bytes of a file that is read back: 2 GiB, some ten million trials.
pub(super) const MOST: u64 = 1 << 31;

/// The most values of examples, numbers of pictures and of predictions, and parameters, that rows hold: 2 GiB. Rows of one key each have their own.
pub(super) const MOST_HELD: usize = 1 << 28;

/// As how many of them a parameter of a setup counts, which is two texts, beyond the few that a row has room for.
pub(super) const PARAMETER: usize = 64;
pub(super) const FEW: usize = 16;

/// The most columns of a file.
const MOST_COLUMNS: usize = 10_000;

/// A file that is read line by line.
pub(super) struct Table {
    file: String,
    pub header: Vec<String>,
    reader: csv::Reader<File>,
    /// The line that was read last.
    cells: csv::StringRecord,
}

impl Table {
    /// A plain file of the folder; none if it is not there.
    pub fn open(folder: &Path, file: &str) -> Result<Option<Self>, NotRecords> {
        let bad = |problem: Problem| NotRecords { file: file.to_owned(), line: 1, problem };
        let opened = there(own::open(&folder.join(file), OpenOptions::new().read(true)));
        let Some(opened) = opened.map_err(|error| bad(error.into()))? else { return Ok(None) };
        // A row is held in memory, and a file may be one row.
        if opened.metadata().is_ok_and(|found| found.len() > MOST) {
            return Err(bad(Problem::TooLong));
        }
        let mut reader = csv::Reader::from_reader(opened);
        let header = reader.headers().map_err(|error| bad(error.into()))?;
        if let Some(beyond) = header.get(MOST_COLUMNS) {
            let count = header.len().to_string();
            return Err(bad(Problem::cell(beyond, "at most 10000 columns", &count)));
        }
        let header: Vec<String> = header.iter().map(str::to_owned).collect();
        let mut names = HashSet::new();
        if let Some(twice) = header.iter().find(|name| !names.insert(*name)) {
            return Err(bad(Problem::cell(twice, "one column of this name", "a second one")));
        }
        let cells = csv::StringRecord::new();
        Ok(Some(Self { file: file.to_owned(), header, reader, cells }))
    }

    pub fn needed(folder: &Path, file: &str) -> Result<Self, NotRecords> {
        let none = || NotRecords { file: file.to_owned(), line: 1, problem: Problem::NoFile };
        Self::open(folder, file)?.ok_or_else(none)
    }

    /// The columns of metrics that read a clock.
    pub fn times(&self, metrics: &Metrics) -> Vec<(usize, &'static Metric)> {
        let time = |(at, name): (usize, &String)| {
            Some((at, metrics.get(name).filter(|metric| metric.is_time())?))
        };
        self.header.iter().enumerate().filter_map(time).collect()
    }

    /// The place of a column.
    pub fn column(&self, name: &'static str) -> Result<usize, NotRecords> {
        let place = self.header.iter().position(|column| column == name);
        place.ok_or_else(|| self.bad(Problem::NoColumn(name)))
    }

    /// Reads the lines, which have as many cells as the header: of each those of some columns, and all.
    pub fn each_line<const N: usize>(
        &mut self,
        names: [&'static str; N],
        mut read: impl FnMut([&str; N], &csv::StringRecord) -> Result<(), Problem>,
    ) -> Result<(), NotRecords> {
        let mut places = [0; N];
        for (place, name) in places.iter_mut().zip(names) {
            *place = self.column(name)?;
        }
        while self.next()? {
            let cells = &self.cells;
            read(places.map(|at| &cells[at]), cells).map_err(|problem| self.bad(problem))?;
        }
        Ok(())
    }

    /// Reads the next line; false if there is none.
    fn next(&mut self) -> Result<bool, NotRecords> {
        self.reader.read_record(&mut self.cells).map_err(|error| {
            let line = error.position().map_or(1, csv::Position::line);
            NotRecords { file: self.file.clone(), line, problem: error.into() }
        })
    }

    /// The error that the line which was read last has this problem.
    pub fn bad(&self, problem: Problem) -> NotRecords {
        let line = self.cells.position().map_or(1, csv::Position::line);
        NotRecords { file: self.file.clone(), line, problem }
    }
}

pub(super) fn status_of(text: &str) -> Result<Status, Problem> {
    Status::WORDS.value(text).ok_or_else(|| Problem::cell("status", "a status", text))
}

pub(super) fn digest(text: &str) -> Result<Digest, Problem> {
    Ok(text.parse()?)
}

pub(super) fn number(name: &str, text: &str) -> Result<f64, Problem> {
    text.parse().map_err(|_| Problem::cell(name, "a number", text))
}

pub(super) fn count<N: FromStr>(name: &str, text: &str) -> Result<N, Problem> {
    text.parse().map_err(|_| Problem::cell(name, "a count", text))
}
