//! What the variables of examples are, and which of them a method takes.

use base::words;

use crate::{Fit, Gives, MethodEntry};

words! {
    /// What the variables of examples are when a method meets them.
    #[derive(PartialOrd, Ord)]
    pub enum Variables {
        Binary = "0/1 variables", "each is 0 or 1";
        Categorical = "categorical attributes", "each has one of finitely many names";
        Numeric = "numeric columns", "each is a number";
    }
}

/// All of them, in the order in which they are listed.
const ALL: [Variables; 3] = [Variables::Binary, Variables::Categorical, Variables::Numeric];

impl Fit {
    /// What it takes. A classifier of 0/1 variables or of numbers takes categorical attributes as one variable a value,
    /// and one of numbers takes 0/1 variables as the numbers that they are. Of methods that divide variables into
    /// groups, the independence test decides, which is a parameter.
    fn takes(&self) -> &'static [Variables] {
        match self {
            Self::Density(_) | Self::Network(_) | Self::Program(Gives::LogLikelihoods) => &ALL[..1],
            Self::Classification(_) => &ALL[..2],
            Self::Categorical(_) => &ALL[1..2],
            Self::Numeric(_)
            | Self::Regression(_)
            | Self::Partition(_)
            | Self::Program(Gives::Labels | Gives::Probabilities | Gives::Scores | Gives::Values) => {
                &ALL
            }
        }
    }
}

impl MethodEntry {
    /// What it takes, in a fixed order.
    pub fn takes(&self) -> Vec<Variables> {
        let of_fits =
            |variables: &Variables| self.fits.iter().any(|fit| fit.takes().contains(variables));
        ALL.into_iter().filter(of_fits).collect()
    }

    /// The same as a phrase.
    pub fn taken(&self) -> String {
        let words: Vec<&str> = self.takes().into_iter().map(Variables::word).collect();
        match words.as_slice() {
            [first @ .., last] if !first.is_empty() => format!("{} and {last}", first.join(", ")),
            words => words.concat(),
        }
    }
}
