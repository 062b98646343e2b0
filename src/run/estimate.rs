//! How long paths will take: as trials of their method on their dataset took before, else what the method expects.

use std::collections::BTreeMap;
use std::path::Path as FilePath;

use base::text::real;
use base::{durable, own};
use contract::{DatasetId, MethodId};

use super::plan::{Path, Plan};
use super::record::{Record, Trial};
use base::file_error::FileError;

/// The file beside the journals that all workers read, so that they cut the same chunks.
const FILE: &str = "estimates.csv";

/// The most bytes of it.
const MOST: u64 = 1 << 24;

/// The least seconds of a path: its data is prepared, and what came of it is written.
pub const LEAST: f64 = 1e-3;

/// A method on a dataset.
type Place = (DatasetId, MethodId);

/// The mean seconds of earlier trials, on one core.
#[derive(Debug, Default, PartialEq)]
pub struct Estimates(BTreeMap<Place, f64>);

impl Estimates {
    /// From the records of results.
    pub fn of(records: &[Record]) -> Self {
        let mut seconds: BTreeMap<Place, (f64, usize)> = BTreeMap::new();
        for Record { trial, outcome, .. } in records {
            let place = (trial.dataset.clone(), trial.method.clone());
            let entry = seconds.entry(place).or_default();
            let total = outcome.as_ref().map_or(0.0, |outcome| outcome.seconds());
            *entry = (entry.0 + total, entry.1 + 1);
        }
        Self(seconds.into_iter().map(|(place, (total, n))| (place, total / n as f64)).collect())
    }

    /// Those that were written beside the journals of a folder; none if none were. What can't be understood is none:
    /// chunks are then cut otherwise, and all are executed all the same.
    ///
    /// # Errors
    /// If the file can't be read, or is a link.
    pub fn read(journals: &FilePath) -> Result<Option<Self>, FileError> {
        let path = journals.join(FILE);
        let bytes = own::read_there(&path, MOST).map_err(FileError::on("read", &path))?;
        let Some(bytes) = bytes else { return Ok(None) };
        let rows = csv::ReaderBuilder::new().has_headers(false).from_reader(&*bytes).into_records();
        let mean = |row: csv::StringRecord| {
            let place = (row.get(0)?.into(), row.get(1)?.into());
            Some((place, row.get(2)?.parse().ok()?))
        };
        Ok(Some(Self(rows.filter_map(|row| mean(row.ok()?)).collect())))
    }

    /// Writes them beside the journals of a folder.
    ///
    /// # Errors
    /// If they can't be written.
    pub fn write(&self, journals: &FilePath) -> Result<(), FileError> {
        let path = journals.join(FILE);
        let mut rows = csv::Writer::from_writer(Vec::new());
        let write = self.0.iter().try_for_each(|((dataset, method), &mean)| {
            rows.write_record([dataset.as_str(), method.as_str(), real(mean).as_str()])
        });
        let bytes = write.map_err(std::io::Error::other).and_then(|()| {
            rows.into_inner().map_err(|error| std::io::Error::other(error.to_string()))
        });
        let written = bytes.and_then(|bytes| durable::replace(&path, &bytes));
        written.map_err(FileError::on("write", &path))
    }

    /// The mean seconds of earlier trials like this one, on one core.
    pub fn trial(&self, trial: &Trial) -> Option<f64> {
        let place = (trial.dataset.clone(), trial.method.clone());
        self.0.get(&place).copied()
    }

    /// The seconds of a path on one core, a positive number.
    pub fn path(&self, plan: &Plan, path: &Path) -> f64 {
        let seconds = match self.trial(&plan.trials[path.trials[0]]) {
            Some(mean) => mean * path.trials.len() as f64,
            None => path.cost,
        };
        if seconds.is_finite() { seconds.max(LEAST) } else { 1.0 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn estimates_come_back_bit_for_bit() {
        let folder = tempfile::tempdir().unwrap();
        assert_eq!(Estimates::read(folder.path()).unwrap(), None);
        let place = |name: &str| ("a,\"b\"\n".into(), name.into());
        let estimates =
            Estimates(BTreeMap::from([(place("NB"), 1.0 / 3.0), (place("CL"), 2e-300)]));
        estimates.write(folder.path()).unwrap();
        assert_eq!(Estimates::read(folder.path()).unwrap(), Some(estimates));
        std::fs::write(folder.path().join(FILE), "NB,x\nnltcs,CL,2,").unwrap();
        Estimates::read(folder.path()).unwrap();
    }
}
