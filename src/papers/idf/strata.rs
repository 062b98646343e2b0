//! The strata of examples that agree on a set of variables.

use super::columns::Columns;

/// Strata of examples. Those of one example tell nothing of dependence and are left out, so there is less
/// to do the more variables are given. The strata of each beginning of `given` are kept: a set that
/// begins as the last one costs only what differs.
#[derive(Debug)]
pub struct Strata {
    given: Vec<usize>,
    levels: Vec<Level>,
    buckets: Vec<Vec<u32>>,
}

/// Examples, stratum by stratum.
#[derive(Debug, Default, Clone)]
struct Level {
    examples: Vec<u32>,
    ends: Vec<u32>,
}

impl Level {
    fn clear(&mut self) {
        self.examples.clear();
        self.ends.clear();
    }
}

impl Strata {
    /// All examples as one stratum.
    pub fn new(examples: usize) -> Self {
        let mut all = Level::default();
        if examples > 1 {
            all = Level { examples: (0..examples as u32).collect(), ends: vec![examples as u32] };
        }
        Self { given: Vec::new(), levels: vec![all], buckets: Vec::new() }
    }

    /// The strata of the examples that agree on all of `given`, each of two examples at least.
    /// O(examples that are not alone yet) for each variable that the last call did not begin with.
    pub fn of(
        &mut self,
        columns: &Columns,
        given: &[usize],
    ) -> impl Iterator<Item = &[u32]> + Clone {
        let same = self.given.iter().zip(given).take_while(|(old, new)| old == new).count();
        self.given.truncate(same);
        for &variable in &given[same..] {
            let depth = self.given.len();
            if self.levels[depth].ends.is_empty() {
                break;
            }
            if self.levels.len() == depth + 1 {
                self.levels.push(Level::default());
            }
            let (coarse, fine) = self.levels.split_at_mut(depth + 1);
            refine(&coarse[depth], columns, variable, &mut self.buckets, &mut fine[0]);
            self.given.push(variable);
        }
        let level = &self.levels[self.given.len()];
        level.ends.iter().enumerate().map(|(index, &end)| {
            let start = if index == 0 { 0 } else { level.ends[index - 1] };
            &level.examples[start as usize..end as usize]
        })
    }
}

fn refine(
    coarse: &Level,
    columns: &Columns,
    variable: usize,
    buckets: &mut Vec<Vec<u32>>,
    fine: &mut Level,
) {
    fine.clear();
    let cardinality = columns.cardinality(variable);
    if buckets.len() < cardinality {
        buckets.resize(cardinality, Vec::new());
    }
    let value = columns.values(variable);
    let mut start = 0;
    for &end in &coarse.ends {
        for &example in &coarse.examples[start..end as usize] {
            buckets[value(example as usize)].push(example);
        }
        start = end as usize;
        for bucket in &mut buckets[..cardinality] {
            if bucket.len() > 1 {
                fine.examples.extend_from_slice(bucket);
                fine.ends.push(fine.examples.len() as u32);
            }
            bucket.clear();
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;
    use base::digest::Digest;
    use contract::Examples;
    use contract::binary::BinaryRows;
    use math::random::Random;

    #[test]
    fn strata_agree_on_what_is_given_whatever_came_before() {
        let mut random = Random::new(Digest::of(b"strata"));
        let mut rows = BinaryRows::new(6);
        for _ in 0..90 {
            let ones: Vec<u32> = (0..6).filter(|_| random.below(2) == 1).collect();
            rows.push(&ones);
        }
        let columns = Columns::new(&Examples::Binary(rows.clone())).unwrap();
        let mut strata = Strata::new(90);
        for _ in 0..50 {
            let mut given = random.permutation(6);
            given.truncate(random.below(7));
            let mut expected: BTreeMap<Vec<bool>, Vec<u32>> = BTreeMap::new();
            for (example, row) in (0..).zip(rows.iter()) {
                let state = given.iter().map(|&v| row.contains(&(v as u32))).collect();
                expected.entry(state).or_default().push(example);
            }
            let mut found: Vec<Vec<u32>> =
                strata.of(&columns, &given).map(<[u32]>::to_vec).collect();
            found.sort();
            let mut expected: Vec<Vec<u32>> =
                expected.into_values().filter(|stratum| stratum.len() > 1).collect();
            expected.sort();
            assert_eq!(found, expected, "{given:?}");
        }
    }
}
