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
    pub fn counted(&self, yes: usize, total: usize, not: &[(String, String)]) -> String {
        let needed = match self.how_many {
            HowMany::All => ", all needed".to_owned(),
            some => some.to_string(),
        };
        let not = if not.is_empty() { String::new() } else { format!(": not {}", named(not)) };
        format!("{} {yes} of {total} {}{needed}{not}", self.preposition(), self.of.word())
    }

    /// What is to be shown, such as `MEVM has a higher accuracy than NB on at least 3 of 4 data sets`.
    pub fn wanted(&self, total: usize) -> String {
        let often = match self.how_many {
            HowMany::All => format!("all {total}"),
            HowMany::AtLeast(k) => format!("at least {k} of {total}"),
            HowMany::AtMost(k) => format!("at most {k} of {total}"),
            HowMany::Exactly(k) => format!("exactly {k} of {total}"),
        };
        format!("{} {} {often} {}", self.says, self.preposition(), self.of.word())
    }

    fn preposition(&self) -> &'static str {
        match self.of {
            Items::Datasets => "on",
            Items::Cells => "in",
            Items::Methods => "for",
        }
    }
}

/// The first of some names.
pub(super) fn named(names: &[(String, String)]) -> String {
    let listed: Vec<&str> = names.iter().take(NAMED).map(|(name, _)| name.as_str()).collect();
    let more = match names.len().saturating_sub(NAMED) {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    listed.join(", ") + &more
}
