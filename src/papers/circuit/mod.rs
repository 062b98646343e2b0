//! Circuits: sums and products of leaves, of which any marginal takes one pass. What the papers compare with, and what came after:
//! mixtures of trees, sum-product networks, hidden Chow-Liu trees, and Markov networks that are learned with their circuit.

pub mod acmn;
mod clustering;
pub mod hclt;
mod information;
pub mod learn_spn;
pub mod mixture_of_trees;
pub mod network;
mod rows;
#[cfg(test)]
mod tests;
