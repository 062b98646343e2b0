//! Irreducible disjoint factors: the finest partition of the variables into independent groups.
//!
//! M. Gasse and A. Aussem, "Identifying the irreducible disjoint factors of a multivariate probability
//! distribution", PGM 2016; equation and theorem numbers are those of the French version. A *disjoint
//! factor* is a set of variables that is independent of all others; an irreducible one has no smaller one
//! inside. They are unique (theorem 1), and the connected components of a graph whose edges are pairwise
//! conditional dependences (theorems 3, 5, 7 and 8, in [`procedures`]).

pub mod columns;
pub mod entries;
pub mod enumeration;
pub mod exact;
pub mod g_test;
pub mod independence;
pub mod markov_boundary;
pub mod moments;
pub mod partial_correlation;
pub mod procedures;
pub mod strata;

#[cfg(test)]
mod tests;
