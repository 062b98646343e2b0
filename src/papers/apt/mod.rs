//! Automatic parameter tying (APT): regularised learning of pairwise binary Markov networks.
//!
//! L. Chou, P. Sahoo, S. Sarkhel, N. Ruozzi and V. Gogate, "Automatic Parameter Tying: A New Approach for
//! Regularized Parameter Learning in Markov Networks", AAAI 2018.

pub mod converged;
pub mod entries;
pub mod hessian;
pub mod likelihood;
pub mod model;
pub mod network;
pub mod objective;
mod parameters;
mod path;
pub mod pseudo_likelihood;
pub mod search;
pub mod sgd;
pub mod solution;
pub mod structure;

#[cfg(test)]
mod learning_tests;
#[cfg(test)]
mod tests;
