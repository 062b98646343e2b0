//! What the variables of a dataset are when a method meets them, as far as its entry says.

use contract::Variables;

use super::{Entry, Format};
use crate::vocabulary::Kind;

impl Entry {
    /// What its variables are in a trial.
    pub fn variables(&self) -> Variables {
        match &self.kind {
            Kind::Binary | Kind::Text { .. } | Kind::Image { .. } => Variables::Binary,
            Kind::Categorical { .. } | Kind::Numeric { binning: Some(_), .. } => {
                Variables::Categorical
            }
            Kind::Numeric { binning: None, .. } if self.has_names_alone() => Variables::Categorical,
            Kind::Numeric { binning: None, .. } => Variables::Numeric,
        }
    }

    /// Whether all its columns have names for values, although it may have numbers.
    fn has_names_alone(&self) -> bool {
        let names = |format: &Format| matches!(format, Format::Csv(layout) if layout.categories.len() == self.shape.variables);
        !self.files().is_empty() && self.files().iter().all(|file| names(&file.format))
    }
}
