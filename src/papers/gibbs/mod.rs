//! "Probability Estimation from a Database Using a Gibbs Energy Model", Miller and Goodman 1993.
//!
//! A *pattern* is a subset of the attributes with their values; the class is one of the attributes. The
//! frequencies of patterns become potentials ([`transform`]), and the weighted sum of the potentials that
//! a record activates estimates the logarithm of its probability ([`energy`]). [`counts`] gives the
//! frequencies: all of them, or those that a [`table`] of bounded size holds. [`classifier`] is the
//! method `gibbs`. `docs/papers/gibbs.md` says what the paper leaves open and what is done here.

pub mod classifier;
pub mod counts;
pub mod energy;
pub mod records;
pub mod table;
#[cfg(test)]
mod tests;
pub mod transform;
