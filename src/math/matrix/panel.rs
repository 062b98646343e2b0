//! Products of narrow panels, subtracted from a matrix: the loop in which dense linear algebra spends
//! its time.
//!
//! C - L'R is computed in tiles of eight by eight; each element sums its products by rising k and is
//! then subtracted once. That order is the same in every tile, so a matrix does not depend on how it is
//! cut.

use super::Matrix;
use crate::wide::{Level, wide};

/// Rows and columns of a tile.
pub const WIDTH: usize = 8;

/// Most rows of a panel: a tile's share of it and of another one fit into a first-level cache.
pub const DEPTH: usize = 32;

type Tile = [[f64; WIDTH]; WIDTH];

/// A panel of k rows, laid out tile by tile: eight columns of row 0, the same of row 1, ….
#[derive(Debug, Clone, Default)]
pub struct Panel {
    depth: usize,
    columns: Vec<[f64; WIDTH]>,
}

impl Panel {
    /// Takes up the elements (k, column) of `depth` rows and `length` columns.
    pub fn load(
        &mut self,
        depth: usize,
        length: usize,
        mut element: impl FnMut(usize, usize) -> f64,
    ) {
        self.depth = depth;
        self.columns.clear();
        self.columns.resize(length.div_ceil(WIDTH) * depth, [0.0; WIDTH]);
        for column in 0..length {
            let tile = &mut self.columns[column / WIDTH * depth..][..depth];
            for (k, row) in tile.iter_mut().enumerate() {
                row[column % WIDTH] = element(k, column);
            }
        }
    }

    /// Takes up the product L'R of two panels of one depth.
    ///
    /// # Panics
    /// If the panels differ in depth.
    pub fn load_product(&mut self, left: &Self, left_length: usize, right: &Self) {
        assert_eq!(left.depth, right.depth, "panels of one depth");
        self.depth = left_length;
        self.columns.clear();
        self.columns.resize(right.tiles() * left_length, [0.0; WIDTH]);
        product(self, left, right);
    }

    /// Number of tiles.
    pub fn tiles(&self) -> usize {
        self.columns.len() / self.depth.max(1)
    }

    /// Eight columns.
    pub fn tile(&self, tile: usize) -> &[[f64; WIDTH]] {
        &self.columns[tile * self.depth..][..self.depth]
    }

    /// Eight columns, to be changed.
    pub fn tile_mut(&mut self, tile: usize) -> &mut [[f64; WIDTH]] {
        &mut self.columns[tile * self.depth..][..self.depth]
    }
}

/// Which elements are computed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Part {
    /// All of them.
    All,
    /// Those on and below the diagonal (some above it too, without use).
    Lower,
}

wide! {
    fn product[level](out: &mut Panel, left: &Panel, right: &Panel) {
        for tile in 0..right.tiles() {
            let rows = out.tile_mut(tile).chunks_mut(WIDTH);
            for (left_tile, rows) in rows.enumerate() {
                let product = product_of_tiles(level, left.tile(left_tile), right.tile(tile));
                rows.copy_from_slice(&product[..rows.len()]);
            }
        }
    }
}

wide! {
    /// Subtracts L'R from the elements of `matrix` that begin at a corner's row and column, both multiples of
    /// [`WIDTH`]. `part` is counted from there.
    ///
    /// # Panics
    /// If the panels differ in depth, a corner is not that of a tile, or the product sticks out.
    pub fn subtract_product[level](
        matrix: &mut Matrix,
        corner: (usize, usize),
        left: &Panel,
        right: &Panel,
        part: Part,
    ) {
        let (row, column) = corner;
        assert_eq!(left.depth, right.depth, "panels of one depth");
        assert!(row.is_multiple_of(WIDTH) && column.is_multiple_of(WIDTH), "the corner of a tile");
        let stride = matrix.stride;
        for right_tile in 0..right.tiles() {
            let first = if part == Part::Lower { right_tile } else { 0 };
            for left_tile in first..left.tiles() {
                let product =
                    product_of_tiles(level, left.tile(left_tile), right.tile(right_tile));
                let corner = (row + left_tile * WIDTH) * stride + column + right_tile * WIDTH;
                for (lane, product) in product.iter().enumerate() {
                    let elements = &mut matrix.values[corner + lane * stride..][..WIDTH];
                    for (element, product) in elements.iter_mut().zip(product) {
                        *element -= product;
                    }
                }
            }
        }
    }
}

/// As many sums at a time as fit into the registers.
#[inline(always)]
fn product_of_tiles(level: Level, left: &[[f64; WIDTH]], right: &[[f64; WIDTH]]) -> Tile {
    let mut tile = [[0.0; WIDTH]; WIDTH];
    match level {
        Level::Any => {
            part_of_tile::<0, 0, 4, 4>(left, right, &mut tile);
            part_of_tile::<0, 4, 4, 4>(left, right, &mut tile);
            part_of_tile::<4, 0, 4, 4>(left, right, &mut tile);
            part_of_tile::<4, 4, 4, 4>(left, right, &mut tile);
        }
        #[cfg(target_arch = "x86_64")]
        Level::Avx2 => {
            part_of_tile::<0, 0, 4, 8>(left, right, &mut tile);
            part_of_tile::<4, 0, 4, 8>(left, right, &mut tile);
        }
        #[cfg(target_arch = "x86_64")]
        Level::Avx512 | Level::Avx512Popcnt => {
            part_of_tile::<0, 0, 8, 8>(left, right, &mut tile);
        }
    }
    tile
}

/// The products of `ROWS` rows from `ROW` and `COLUMNS` columns from `COLUMN`.
#[inline(always)]
fn part_of_tile<const ROW: usize, const COLUMN: usize, const ROWS: usize, const COLUMNS: usize>(
    left: &[[f64; WIDTH]],
    right: &[[f64; WIDTH]],
    tile: &mut Tile,
) {
    let mut sums = [[0.0; COLUMNS]; ROWS];
    for (left, right) in left.iter().zip(right) {
        for row in 0..ROWS {
            for column in 0..COLUMNS {
                sums[row][column] += left[ROW + row] * right[COLUMN + column];
            }
        }
    }
    for (row, sums) in tile[ROW..ROW + ROWS].iter_mut().zip(&sums) {
        row[COLUMN..COLUMN + COLUMNS].copy_from_slice(sums);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Random;
    use base::digest::Digest;

    fn panel(random: &mut Random, depth: usize, length: usize) -> (Panel, Vec<Vec<f64>>) {
        let rows: Vec<Vec<f64>> =
            (0..depth).map(|_| (0..length).map(|_| random.uniform() - 0.5).collect()).collect();
        let mut panel = Panel::default();
        panel.load(depth, length, |k, column| rows[k][column]);
        (panel, rows)
    }

    #[test]
    fn products_of_panels_are_panels() {
        let mut random = Random::new(Digest::of(b"product"));
        for (depth, rows, columns) in [(1, 1, 1), (5, 19, 12), (32, 32, 33)] {
            let (left, of_left) = panel(&mut random, depth, rows);
            let (right, of_right) = panel(&mut random, depth, columns);
            let found = Level::available().into_iter().map(|level| {
                let mut found = Panel::default();
                found.load(rows, columns, |_, _| 0.0);
                product::at(level, &mut found, &left, &right);
                found
            });
            let mut found: Vec<Panel> = found.collect();
            let mut widest = Panel::default();
            widest.load_product(&left, rows, &right);
            found.push(widest);
            for row in 0..rows {
                for column in 0..columns {
                    let products = of_left.iter().zip(&of_right);
                    let term = |sum, (left, right): (&Vec<f64>, &Vec<f64>)| {
                        sum + left[row] * right[column]
                    };
                    let expected: f64 = products.fold(0.0, term);
                    for found in &found {
                        let element = found.tile(column / WIDTH)[row][column % WIDTH];
                        assert_eq!(element.to_bits(), expected.to_bits());
                    }
                }
            }
        }
    }

    #[test]
    fn elements_are_sums_in_order_for_every_instruction_set() {
        let mut random = Random::new(Digest::of(b"panel"));
        for (depth, rows, columns) in [(1, 1, 1), (5, 19, 12), (32, 40, 33)] {
            let (left, of_left) = panel(&mut random, depth, rows);
            let (right, of_right) = panel(&mut random, depth, columns);
            let start = Matrix::from_fn(rows + 8, columns + 16, |row, column| {
                row as f64 - 0.3 * column as f64
            });
            let expected = |part: Part| {
                Matrix::from_fn(rows + 8, columns + 16, |row, column| {
                    let value = start.at(row, column);
                    if row < 8 || column < 16 || column - 16 >= columns {
                        return value;
                    }
                    if part == Part::Lower && column - 16 > row - 8 {
                        return f64::NAN;
                    }
                    let products = of_left.iter().zip(&of_right);
                    let term = |sum, (left, right): (&Vec<f64>, &Vec<f64>)| {
                        sum + left[row - 8] * right[column - 16]
                    };
                    value - products.fold(0.0, term)
                })
            };
            for part in [Part::All, Part::Lower] {
                if part == Part::Lower && columns > rows {
                    continue;
                }
                let expected = expected(part);
                let found = Level::available().into_iter().map(|level| {
                    let mut found = start.clone();
                    subtract_product::at(level, &mut found, (8, 16), &left, &right, part);
                    found
                });
                let mut found: Vec<Matrix> = found.collect();
                let mut widest = start.clone();
                subtract_product(&mut widest, (8, 16), &left, &right, part);
                found.push(widest);
                for found in found {
                    for row in 0..rows + 8 {
                        for (one, other) in found.row(row).iter().zip(expected.row(row)) {
                            assert!(other.is_nan() || one.to_bits() == other.to_bits());
                        }
                    }
                }
            }
        }
    }
}
