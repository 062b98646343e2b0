//! Density estimation: what a trial measures.
