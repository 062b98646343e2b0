//! Binary rows in blocks of 64, by variables.

use base::parallel::Cores;
use contract::binary::BinaryRows;

/// Which variables are one in these rows, 64 at most: bit r of a variable's word is the r-th of them.
pub fn bits(rows: &BinaryRows, which: impl Iterator<Item = usize>, bits: &mut [u64]) {
    bits.fill(0);
    for (at, row) in which.enumerate() {
        for &one in rows.row(row) {
            bits[one as usize] |= 1 << at;
        }
    }
}

/// A value for each row. `values` has those of a block of `W` rows, 64 at most, by the [`bits`] of these: of what is behind
/// the last row they are of no account.
pub fn by_blocks<const W: usize, S>(
    rows: &BinaryRows,
    cores: &Cores,
    scratch: impl Fn() -> S + Sync,
    values: impl Fn(&mut S, &[u64]) -> [f64; W] + Sync,
) -> Vec<f64> {
    let scratch = || (vec![0; rows.variables()], scratch());
    let blocks = cores.each(rows.len().div_ceil(W), 4, scratch, |(ones, scratch), block| {
        bits(rows, block * W..rows.len().min((block + 1) * W), ones);
        values(scratch, ones)
    });
    blocks.into_iter().flatten().take(rows.len()).collect()
}
