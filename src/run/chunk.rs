//! Paths cut into chunks, each of which one worker executes: a function of the plan and of seconds that all workers
//! read in the same files, so that they agree on the chunks without a word.

use std::ops::Range;

use base::digest::{Digest, FieldHasher};

use super::plan::Path;

/// How long a chunk takes on one core where nobody says, in seconds. A task of an engine costs half a second to a second,
/// and a worker that is lost loses half a chunk.
pub const TARGET: f64 = 300.0;

/// The most chunks: each is a task of an engine or a file in the journal's folder.
pub const MOST: usize = 100_000;

/// Paths that follow one another in a plan, and so have much of their data in common.
#[derive(Debug, Clone, PartialEq)]
pub struct Chunk {
    /// Their places in the plan.
    pub paths: Range<usize>,
    /// How long they take together on one core.
    pub seconds: f64,
}

impl Chunk {
    /// What all workers call it.
    pub fn id(&self, paths: &[Path]) -> Digest {
        let paths = paths[self.paths.clone()].iter();
        paths.fold(FieldHasher::new("chunk"), |hasher, path| hasher.field(path.id.0)).finish()
    }
}

/// How many chunks take about `target` seconds each, for paths of these.
pub fn number(seconds: &[f64], target: f64) -> usize {
    let total: f64 = seconds.iter().sum();
    let chunks = (total / target.max(1e-9)).ceil();
    (chunks as usize).clamp(1, MOST).min(seconds.len().max(1))
}

/// Cuts paths of these seconds into so many chunks. None takes longer than its share of the whole and one path; where
/// single paths are longer than that, some are empty.
pub fn cut(seconds: &[f64], chunks: usize) -> Vec<Chunk> {
    let share = seconds.iter().sum::<f64>() / chunks as f64;
    let mut cut: Vec<Chunk> = Vec::with_capacity(chunks);
    let (mut at, mut before) = (0, 0.0);
    for number in 1..=chunks {
        let begin = at;
        let mut own = 0.0;
        // A path belongs to the chunk in whose share its middle lies.
        let end = share * number as f64;
        while at < seconds.len() && (number == chunks || before + seconds[at] / 2.0 < end) {
            own += seconds[at];
            before += seconds[at];
            at += 1;
        }
        cut.push(Chunk { paths: begin..at, seconds: own });
    }
    cut
}

/// The `index`th of `of` chunks, from 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Index {
    /// Which one, from 1.
    pub index: usize,
    /// How many there are.
    pub of: usize,
}

/// A text that names no chunk.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
#[error("expected I/N with 1 <= I <= N <= {MOST}, such as 1/2, not {0:?}")]
pub struct NotAnIndex(String);

impl std::str::FromStr for Index {
    type Err = NotAnIndex;

    fn from_str(text: &str) -> Result<Self, NotAnIndex> {
        let index = text.split_once('/').and_then(|(index, of)| {
            Some(Self { index: index.parse().ok()?, of: of.parse().ok()? })
        });
        let sound = |it: &Self| 1 <= it.index && it.index <= it.of && it.of <= MOST;
        index.filter(sound).ok_or_else(|| NotAnIndex(text.to_owned()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn chunks_hold_every_path_once_and_are_about_as_long(
            seconds in prop::collection::vec(0.001..50.0_f64, 0..200),
            chunks in 1_usize..40,
        ) {
            let cut = cut(&seconds, chunks);
            prop_assert_eq!(cut.len(), chunks);
            let all: Vec<usize> = cut.iter().flat_map(|chunk| chunk.paths.clone()).collect();
            prop_assert_eq!(all, (0..seconds.len()).collect::<Vec<_>>());
            let share = seconds.iter().sum::<f64>() / chunks as f64;
            let longest = seconds.iter().copied().fold(0.0, f64::max);
            for chunk in &cut {
                let sum: f64 = seconds[chunk.paths.clone()].iter().sum();
                prop_assert_eq!(sum, chunk.seconds);
                prop_assert!(sum <= (share + longest) * (1.0 + 1e-9));
            }
        }
    }

    #[test]
    fn there_are_as_many_chunks_as_the_target_asks_for() {
        assert_eq!(number(&[100.0; 12], 300.0), 4);
        assert_eq!(number(&[900.0; 2], 300.0), 2);
        assert_eq!(number(&[0.001; 10], 300.0), 1);
        assert_eq!(number(&[], 300.0), 1);
        assert_eq!(number(&[f64::MAX, f64::MAX], 1.0), 2);
    }

    #[test]
    fn an_index_is_one_of_so_many() {
        assert_eq!("3/7".parse(), Ok(Index { index: 3, of: 7 }));
        for bad in ["0/1", "2/1", "1", "a/b", "1/99999999"] {
            assert!(bad.parse::<Index>().unwrap_err().to_string().contains("I/N"), "{bad}");
        }
    }
}
