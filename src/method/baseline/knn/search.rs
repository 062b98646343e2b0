//! Exact search for the nearest rows: over packed rows, or over an inverted index of sparse ones.

use std::ops::Range;

use super::nearest::Nearest;
use contract::binary::{BinaryColumns, BinaryRows};
use contract::packed::PackedRows;
use contract::{Binary, Context, Result};
use math::hamming::{self, Distances, LANES, QUERIES, Tile};

/// Queries that one thread answers at a time: each tile of training rows is laid out once for all.
const CHUNK: usize = 256;
/// Words of a tile: half of a first-level cache.
const TILE_WORDS: usize = 2048;
/// Words that are compared in the time of one step along the inverted index, roughly.
const WORDS_PER_STEP: f64 = 4.0;

/// Training rows, ready to be searched.
#[derive(Debug)]
pub(super) enum Search {
    Packed(PackedRows),
    Index(Index),
}

impl Search {
    pub(super) fn new(examples: Binary<'_>) -> Self {
        match examples {
            Binary::Packed(rows) => Self::Packed(rows.clone()),
            Binary::Sparse(rows) if Index::pays(rows) => Self::Index(Index::new(rows)),
            Binary::Sparse(rows) => Self::Packed(PackedRows::from(rows)),
        }
    }

    /// Applies `work` to the k nearest rows of each example.
    pub(super) fn map_nearest<T: Send>(
        &self,
        examples: Binary<'_>,
        k: usize,
        context: &Context,
        work: impl Fn(&Nearest) -> T + Sync,
    ) -> Result<Vec<T>> {
        let nearest = || (0..CHUNK).map(|_| Nearest::new(k)).collect::<Vec<_>>();
        let chunks = match self {
            Self::Packed(rows) => {
                let queries = examples.packed();
                context.cores.map_chunks(
                    queries.len(),
                    CHUNK,
                    || (nearest(), Tile::default(), Vec::new()),
                    |(found, tile, distances), range| {
                        let found = &mut found[..range.len()];
                        search_packed(rows, &queries, range, tile, distances, found, context)?;
                        Ok(found.iter().map(&work).collect::<Vec<T>>())
                    },
                )
            }
            Self::Index(index) => {
                let queries = examples.sparse();
                context.cores.map_chunks(
                    queries.len(),
                    CHUNK,
                    || (nearest(), vec![0; index.sizes.len()]),
                    |(found, common), range| {
                        let found = &mut found[..range.len()];
                        for (query, nearest) in range.zip(&mut *found) {
                            context.check()?;
                            index.search(queries.row(query), common, nearest);
                        }
                        Ok(found.iter().map(&work).collect())
                    },
                )
            }
        };
        Ok(chunks.into_iter().collect::<Result<Vec<_>>>()?.into_iter().flatten().collect())
    }
}

/// Compares a range of queries with all rows, tile by tile: O(queries rows words).
fn search_packed(
    rows: &PackedRows,
    queries: &PackedRows,
    range: Range<usize>,
    tile: &mut Tile,
    distances: &mut Vec<Distances>,
    found: &mut [Nearest],
    context: &Context,
) -> Result<()> {
    let width = rows.words_per_row();
    let groups = (TILE_WORDS / (LANES * width)).max(1);
    distances.resize(groups, Default::default());
    found.iter_mut().for_each(Nearest::clear);
    let words = rows.words().chunks(groups * LANES * width);
    for (start, words) in (0u32..).step_by(groups * LANES).zip(words) {
        context.check()?;
        tile.load(words, width);
        let count = words.len() / width;
        for (block, found) in found.chunks_mut(QUERIES).enumerate() {
            let first = range.start + block * QUERIES;
            // The last block repeats its last query.
            let query = |index: usize| queries.row(first + index.min(found.len() - 1));
            let least = hamming::distances(&std::array::from_fn(query), tile, distances);
            for (query, nearest) in found.iter_mut().enumerate() {
                if least[query] >= nearest.limit() {
                    continue;
                }
                let distances = distances.iter().flat_map(|group| group[query]);
                for (row, distance) in (start..).zip(distances.take(count)) {
                    nearest.offer(distance, row);
                }
            }
        }
    }
    Ok(())
}

/// For each variable the rows that have a one there: 4 bytes a one.
#[derive(Debug)]
pub(super) struct Index {
    columns: BinaryColumns,
    /// Number of ones of each row.
    sizes: Vec<u32>,
}

impl Index {
    /// Whether the index is searched faster than packed rows, by queries like the rows themselves.
    fn pays(rows: &BinaryRows) -> bool {
        let examples = rows.len() as f64;
        let steps: f64 = rows.column_counts().iter().map(|&c| c as f64 * c as f64).sum();
        let words = examples * rows.variables().div_ceil(64) as f64;
        steps / examples + examples <= words / WORDS_PER_STEP
            || rows.variables() == 0
            || rows.is_empty()
    }

    fn new(rows: &BinaryRows) -> Self {
        let sizes = rows.iter().map(|ones| ones.len() as u32).collect();
        Self { columns: rows.by_column(), sizes }
    }

    /// Compares a query with all rows: |a| + |b| - 2 a·b. O(rows that share a one, for each one, and
    /// all rows once).
    fn search(&self, query: &[u32], common: &mut [u32], nearest: &mut Nearest) {
        nearest.clear();
        common.fill(0);
        for &one in query {
            let rows = self.columns.of(one as usize);
            rows.iter().for_each(|&row| common[row as usize] += 1);
        }
        let size = query.len() as u64;
        for (row, (&common, &own)) in (0..).zip(common.iter().zip(&self.sizes)) {
            nearest.offer(size + u64::from(own) - 2 * u64::from(common), row);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use base::digest::Digest;
    use math::random::Random;
    use testing::context;

    fn rows(count: usize, variables: usize, density: f64, seed: &str) -> BinaryRows {
        let mut random = Random::new(Digest::of(seed.as_bytes()));
        let mut rows = BinaryRows::new(variables);
        for _ in 0..count {
            let one = |_: &u32| random.uniform() < density;
            rows.push(&(0..variables as u32).filter(one).collect::<Vec<u32>>());
        }
        rows
    }

    /// The k nearest rows by a stable sort of all distances, and whether the next is as near.
    fn sorted(train: &BinaryRows, query: &[u32], k: usize) -> (Vec<u32>, bool) {
        let distance = |row: &u32| {
            let row = train.row(*row as usize);
            row.len() + query.len() - 2 * row.iter().filter(|one| query.contains(one)).count()
        };
        let mut order: Vec<u32> = (0..train.len() as u32).collect();
        order.sort_by_key(distance);
        let tied = order.get(k).is_some_and(|next| distance(next) == distance(&order[k - 1]));
        order.truncate(k);
        (order, tied)
    }

    #[test]
    fn both_searches_find_what_sorting_finds() {
        // One row, fewer than a tile, several tiles, wide rows, hardly any ones.
        for (count, variables, density, k) in [
            (1, 1, 0.5, 1),
            (40, 70, 0.5, 5),
            (700, 300, 0.4, 7),
            (60, 20_000, 0.001, 3),
            (300, 500, 0.01, 300),
        ] {
            let (train, test) =
                (rows(count, variables, density, "train"), rows(261, variables, density, "test"));
            let expected: Vec<_> = test.iter().map(|query| sorted(&train, query, k)).collect();
            let packed = PackedRows::from(&test);
            let of_bits = Search::Packed(PackedRows::from(&train));
            let index = Search::Index(Index::new(&train));
            for (search, idle) in [(&of_bits, 0), (&of_bits, 2), (&index, 0), (&index, 2)] {
                for examples in [Binary::Sparse(&test), Binary::Packed(&packed)] {
                    let context = context(Digest::of(b"search"), idle);
                    let rows =
                        |nearest: &Nearest| (nearest.rows().collect::<Vec<u32>>(), nearest.tied);
                    let found = search.map_nearest(examples, k, &context, rows).unwrap();
                    assert_eq!(found, expected, "{count} {variables} {k}");
                }
            }
        }
    }

    #[test]
    fn sparse_rows_are_indexed_and_dense_ones_packed() {
        let search = |density| Search::new(Binary::Sparse(&rows(200, 3000, density, "density")));
        assert!(matches!(search(0.001), Search::Index(_)));
        assert!(matches!(search(0.3), Search::Packed(_)));
        let without_variables = rows(3, 0, 0.5, "none");
        assert!(matches!(Search::new(Binary::Sparse(&without_variables)), Search::Index(_)));
    }
}
