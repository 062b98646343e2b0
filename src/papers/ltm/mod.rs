//! Latent tree models: M. J. Choi, V. Y. F. Tan, A. Anandkumar and A. S. Willsky, "Learning Latent Tree Graphical
//! Models", JMLR 12 (2011).
//!
//! - [`distances`]: information distances of binary variables (section 3)
//! - [`grouping`]: recursive grouping (section 4, with samples section 4.3)
//! - [`joining`]: neighbour joining with contraction
//! - [`local`]: CLGrouping: both of them over the closed neighbourhoods of a spanning tree (section 5)
//! - [`regularised`]: the variants that add hidden nodes while the BIC rises
//! - [`pieces`], [`messages`], [`em`]: parameters by EM with exact message passing
//! - [`model`]: the distribution; [`entry`]: the method

pub mod distances;
pub mod em;
pub mod entry;
pub mod graph;
pub mod grouping;
pub mod joining;
pub mod local;
pub mod messages;
pub mod model;
pub mod pieces;
pub mod regularised;
pub mod structure;

#[cfg(test)]
mod tests;
