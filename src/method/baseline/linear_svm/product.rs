//! Inner products of rows with weights; of binary rows with the same bits from both layouts.
//!
//! The weights of a row's ones are added in eight lanes, variable v in lane v mod 8, each in ascending
//! order, and the lanes as ((0 + 1) + (2 + 3)) + ((4 + 5) + (6 + 7)). A packed row adds zero for a zero,
//! which changes no bit: a sum that starts at zero is never a negative zero.

use super::Product;
use contract::binary::BinaryRows;
use contract::numeric::NumericRows;
use contract::packed::PackedRows;
use math::vector;

const LANES: usize = 8;

fn total(lanes: [f64; LANES]) -> f64 {
    let [a, b, c, d, e, f, g, h] = lanes;
    ((a + b) + (c + d)) + ((e + f) + (g + h))
}

impl Product for BinaryRows {
    fn square(&self, row: usize) -> f64 {
        self.row(row).len() as f64
    }

    fn dot(&self, row: usize, weights: &[f64]) -> f64 {
        let mut lanes = [0.0; LANES];
        for &one in self.row(row) {
            lanes[one as usize % LANES] += weights[one as usize];
        }
        total(lanes)
    }

    fn add(&self, row: usize, number: f64, weights: &mut [f64]) {
        self.row(row).iter().for_each(|&one| weights[one as usize] += number);
    }
}

impl Product for PackedRows {
    fn square(&self, row: usize) -> f64 {
        self.row(row).iter().map(|word| word.count_ones() as usize).sum::<usize>() as f64
    }

    fn dot(&self, row: usize, weights: &[f64]) -> f64 {
        let mut lanes = [0.0; LANES];
        for (&word, weights) in self.row(row).iter().zip(weights.as_chunks::<64>().0) {
            for (byte, weights) in word.to_le_bytes().into_iter().zip(weights.as_chunks::<8>().0) {
                let masks = masks(byte);
                for lane in 0..LANES {
                    lanes[lane] +=
                        f64::from_bits(weights[lane].to_bits() & masks[lane / 4][lane % 4]);
                }
            }
        }
        total(lanes)
    }

    fn add(&self, row: usize, number: f64, weights: &mut [f64]) {
        for (&word, weights) in self.row(row).iter().zip(weights.as_chunks_mut::<64>().0) {
            for (byte, weights) in
                word.to_le_bytes().into_iter().zip(weights.as_chunks_mut::<8>().0)
            {
                let masks = masks(byte);
                for lane in 0..LANES {
                    weights[lane] += f64::from_bits(number.to_bits() & masks[lane / 4][lane % 4]);
                }
            }
        }
    }
}

impl Product for NumericRows {
    fn square(&self, row: usize) -> f64 {
        vector::dot(self.row(row), self.row(row))
    }

    fn dot(&self, row: usize, weights: &[f64]) -> f64 {
        vector::dot(self.row(row), &weights[..self.columns()])
    }

    fn add(&self, row: usize, number: f64, weights: &mut [f64]) {
        vector::add_scaled(&mut weights[..self.columns()], number, self.row(row));
    }
}

/// All bits set where a bit of the byte is.
#[inline(always)]
fn masks(byte: u8) -> [&'static [u64; 4]; 2] {
    [&MASKS[byte as usize % 16], &MASKS[byte as usize / 16]]
}

static MASKS: [[u64; 4]; 16] = {
    let mut masks = [[0; 4]; 16];
    let mut bits = 0;
    while bits < 16 {
        let mut bit = 0;
        while bit < 4 {
            masks[bits][bit] = 0u64.wrapping_sub(bits as u64 >> bit & 1);
            bit += 1;
        }
        bits += 1;
    }
    masks
};
