//! Deterministic numerics: the same bits on every x86-64 CPU, for any number of threads.

pub mod ascent;
pub mod beta;
pub mod components;
mod continued_fraction;
pub mod decimal;
pub mod distribution;
pub mod gamma;
pub mod hamming;
pub mod k_means;
pub mod lanes;
pub mod matrix;
pub mod mutual_information;
pub mod newton;
pub mod normal;
pub mod orthant;
pub mod positional;
pub mod product;
pub mod quadrature;
pub mod random;
mod root;
pub mod sample;
pub mod spanning_tree;
pub mod special;
pub mod student_t;
pub mod studentized_range;
pub mod tile;
pub mod vector;
mod wide;

#[cfg(test)]
mod tests;
