//! What the variables of examples are.

use base::words;

words! {
    /// What the variables of examples are when a method meets them.
    #[derive(PartialOrd, Ord)]
    pub enum Variables {
        Binary = "0/1 variables", "each is 0 or 1";
        Categorical = "categorical attributes", "each has one of finitely many names";
        Numeric = "numeric columns", "each is a number";
    }
}

impl Variables {
    /// All of them, in the order in which they are listed.
    pub(crate) const ALL: [Self; 3] = [Self::Binary, Self::Categorical, Self::Numeric];
}
