//! What a dataset gives away as a whole, whoever trains.

use std::ops::Deref;
use std::sync::{Arc, OnceLock};

use data::Dataset;

use crate::columns::Mark;
use crate::repeats::excess;
use crate::sequence::in_file;
use crate::traces::traces;

/// A dataset, and what is found of it once for all its divisions.
#[derive(Debug)]
pub struct Whole {
    dataset: Arc<Dataset>,
    repeats: OnceLock<f64>,
    in_file: OnceLock<f64>,
    traces: OnceLock<Vec<Vec<Mark>>>,
}

impl From<Arc<Dataset>> for Whole {
    fn from(dataset: Arc<Dataset>) -> Self {
        let (repeats, in_file, traces) = Default::default();
        Self { dataset, repeats, in_file, traces }
    }
}

impl Deref for Whole {
    type Target = Dataset;

    fn deref(&self) -> &Dataset {
        &self.dataset
    }
}

impl Whole {
    /// See [`crate::overlap::REPEATS`].
    pub(crate) fn repeats(&self) -> f64 {
        *self.repeats.get_or_init(|| excess(self))
    }

    /// See [`crate::overlap::IN_FILE`].
    pub(crate) fn in_file(&self) -> f64 {
        *self.in_file.get_or_init(|| in_file(self))
    }

    /// What may be wrong with each column.
    pub(crate) fn traces(&self) -> &[Vec<Mark>] {
        self.traces.get_or_init(|| traces(self))
    }
}
