//! Deterministic numerics: the same bits on every x86-64 CPU, for any number of threads.

pub mod ascent;
pub mod beta;
pub mod decimal;
pub mod hamming;
pub mod k_means;
pub mod lbfgs;
pub mod matrix;
pub mod normal;
pub mod positional;
pub mod quadrature;
pub mod random;
pub mod sample;
pub mod special;
pub mod student_t;
pub mod vector;
