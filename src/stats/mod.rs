//! Significance tests, ranks, intervals and corrections for multiple comparisons.

/// What Wilcoxon's test does with zero differences.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Zeros {
    /// Dropped before ranking (Wilcoxon).
    Drop,
    /// Ranked, then dropped (Pratt).
    Pratt,
    /// Ranked, their ranks split evenly.
    Split,
}

/// Correction for several comparisons.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Correction {
    /// None.
    None,
    /// Bonferroni.
    Bonferroni,
    /// Holm's step-down.
    Holm,
    /// Benjamini and Hochberg's false discovery rate.
    BenjaminiHochberg,
}
