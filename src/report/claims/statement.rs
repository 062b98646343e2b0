//! What a claim says of several items, and the sentence that is found.

use base::words;
use spec::HowMany;

words! {
    /// What a claim counts.
    pub enum Items {
        Datasets = "data sets", "on which";
        Cells = "cells", "in which";
        Methods = "methods", "for which";
    }
}

/// How many names a sentence lists.
const NAMED: usize = 6;

/// What is said of each of several items, and of how many it must be true.
pub(super) struct Statement {
    /// A clause, such as `MEVM has a higher accuracy than NB`.
    pub says: String,
    /// What is counted.
    pub of: Items,
    /// Of how many it must be true.
    pub how_many: HowMany,
}

impl Statement {
    /// On data sets.
    pub fn on_datasets(says: String, how_many: HowMany) -> Self {
        Self { says, of: Items::Datasets, how_many }
    }

    /// The clause with an item, such as ` on MNIST`; with nothing where there is one item without a name.
    pub fn at(&self, name: &str) -> String {
        let Self { says, .. } = self;
        if name.is_empty() { says.clone() } else { format!("{says} {} {name}", self.preposition()) }
    }

    /// Of how many of all it is true, and of which not, such as ` on 3 of 4 data sets, all needed: not MNIST`.
    pub fn counted(&self, yes: &str, total: usize, not: &[(String, String)]) -> String {
        let names: Vec<&str> = not.iter().take(NAMED).map(|(name, _)| name.as_str()).collect();
        let more = match not.len().saturating_sub(NAMED) {
            0 => String::new(),
            more => format!(" and {more} more"),
        };
        let not =
            if names.is_empty() { String::new() } else { format!(": not {}", names.join(", ")) };
        let needed = match self.how_many {
            HowMany::All => ", all needed".to_owned(),
            some => some.to_string(),
        };
        format!("{} {yes} of {total} {}{needed}{not}{more}", self.preposition(), self.of.word())
    }

    fn preposition(&self) -> &'static str {
        match self.of {
            Items::Datasets => "on",
            Items::Cells => "in",
            Items::Methods => "for",
        }
    }
}
