//! How much of the data a method is shown, where an experiment varies that.

use crate::parameter::Count;

/// How many of the training examples a method is to see.
pub const EXAMPLES: Count = Count::within(
    "examples",
    0..=u32::MAX as i64,
    0,
    "how many of the training examples are used, the first; all if 0",
);

/// How many of the variables a method is to see.
pub const DIMENSION: Count = Count::within(
    "dimension",
    0..=u32::MAX as i64,
    0,
    "how many of the variables are used, the first; all if 0. They may not cut a true factor",
);
