//! The names that experiment files, registries and results give things. A name of one kind is not taken for one of
//! another.

use std::borrow::Borrow;
use std::sync::Arc;

use derive_more::{Debug, Deref, Display};

macro_rules! ids {
    ($($(#[$doc:meta])* $name:ident;)*) => {$(
        $(#[$doc])*
        ///
        /// Made where it is read; cheap to clone.
        #[derive(Clone, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Deref, Display)]
        #[debug("{_0:?}")]
        pub struct $name(#[deref(forward)] Arc<str>);

        impl $name {
            /// Its text.
            pub fn as_str(&self) -> &str {
                &self.0
            }
        }

        impl<T: Into<Arc<str>>> From<T> for $name {
            fn from(text: T) -> Self {
                Self(text.into())
            }
        }

        impl Borrow<str> for $name {
            fn borrow(&self) -> &str {
                &self.0
            }
        }

        impl PartialEq<&str> for $name {
            fn eq(&self, text: &&str) -> bool {
                &*self.0 == *text
            }
        }
    )*};
}

ids! {
    /// The id of a dataset.
    DatasetId;
    /// The id of a part of an experiment; empty where it has no parts.
    PartId;
    /// The name of a problem (a class pair); empty where a task has only one.
    ProblemId;
    /// The id of a method of an experiment.
    MethodId;
    /// The id of a choice.
    ChoiceId;
}
