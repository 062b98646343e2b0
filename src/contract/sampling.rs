//! How much of the data a method is shown, where an experiment varies that.

use crate::parameter::{Default, Domain, Parameter};

/// A parameter of methods that are measured on samples of several sizes: the task hands them these examples.
pub const EXAMPLES: Parameter = Parameter {
    name: "examples",
    domain: Domain::Integer { least: 0, most: u32::MAX as i64 },
    default: Default::Integer(0),
    meaning: "how many of the training examples are used, the first; all if 0",
};

/// A parameter of methods that are measured on sets of several sizes: the task hands them these variables.
pub const DIMENSION: Parameter = Parameter {
    name: "dimension",
    domain: Domain::Integer { least: 0, most: u32::MAX as i64 },
    default: Default::Integer(0),
    meaning: "how many of the variables are used, the first; all if 0. They may not cut a true factor",
};
