//! Automatic parameter tying (APT): regularised learning of pairwise binary Markov networks.
//!
//! L. Chou, P. Sahoo, S. Sarkhel, N. Ruozzi and V. Gogate, "Automatic Parameter Tying: A New Approach for
//! Regularized Parameter Learning in Markov Networks", AAAI 2018.

pub mod network;
pub mod pseudo_likelihood;

#[cfg(test)]
mod tests;
