//! Validation examples taken from the training examples of a split, so that a grid point can be selected under every
//! split without a look at the test examples.

use base::digest::{Digest, FieldHasher};

use super::Dataset;
use super::split::{Division, Lacks, SplitError, SplitPlan};

/// The `inner` of an experiment file: where the validation examples of a grid come from.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Inner {
    /// How the training examples are divided; what is tested there validates.
    pub split: SplitPlan,
    /// Whether what is scored on the test examples is fitted to all training examples, those that validated included.
    pub refit: bool,
}

impl Inner {
    /// It in one word, which is part of the key of the trials that it changes.
    pub fn word(&self) -> String {
        let held = match self.split {
            // What is left out before those that validate is in the word of the split.
            SplitPlan::Ordered { folds, .. } => format!("cv-{folds}-in-time"),
            split => split.word(),
        };
        format!("inner={held}{}", if self.refit { "" } else { "-without-refit" })
    }

    /// How many fits only validate; none where the fit that is scored does.
    pub fn rounds(&self) -> usize {
        self.split.own_folds().unwrap_or(usize::from(self.refit))
    }

    /// Checks that these training examples can be divided.
    ///
    /// # Errors
    /// If there are too few, or the dataset has no classes to stratify by.
    pub fn check(&self, dataset: &Dataset, training: &[usize]) -> Result<(), SplitError> {
        self.inside(dataset, training, Digest::default(), 0).map(drop)
    }

    /// A split whose fit is both validated and scored: what is held out of its training examples validates.
    ///
    /// # Errors
    /// As [`Self::check`].
    pub fn hold_out(
        &self,
        dataset: &Dataset,
        division: Division,
        seed: Digest,
    ) -> Result<Division, SplitError> {
        let inside = self.round(dataset, &division, seed, 0)?;
        Ok(Division { train: inside.train, valid: inside.valid, test: division.test })
    }

    /// One of the divisions inside of a split's training examples. What it holds out is there to validate, and stands
    /// where test examples do. `seed` depends on the split and its fold.
    ///
    /// # Errors
    /// As [`Self::check`].
    pub fn round(
        &self,
        dataset: &Dataset,
        division: &Division,
        seed: Digest,
        round: usize,
    ) -> Result<Division, SplitError> {
        let Division { train, test, .. } = self.inside(dataset, &division.train, seed, round)?;
        Ok(Division { train, valid: test.clone(), test })
    }

    fn inside(
        &self,
        dataset: &Dataset,
        training: &[usize],
        seed: Digest,
        round: usize,
    ) -> Result<Division, SplitError> {
        use Lacks::{Classes, Groups, Times};
        match self.split.divide(dataset, training, seed, round) {
            Ok(inside) if !inside.train.is_empty() && !inside.test.is_empty() => Ok(inside),
            Err(lacks @ SplitError { why: Classes | Groups | Times, .. }) => Err(lacks),
            Ok(_) | Err(_) => Err(SplitError {
                dataset: dataset.id.clone(),
                why: Lacks::Training { word: self.word(), training: training.len() },
            }),
        }
    }
}

/// The seed of what is drawn inside of a split, from that of its division and its fold.
pub fn seed(division: Digest, fold: usize) -> Digest {
    FieldHasher::new("inner").field(division.0).number(fold as u64).finish()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dealt::{Dealt, Forward};
    use crate::marks::Marks;
    use crate::split::tests::{dataset, every};
    use crate::{Labels, Targets};
    use proptest::prelude::*;

    const SEED: Digest = Digest([7; 32]);

    fn cv(folds: usize, dealt: Dealt) -> Inner {
        Inner { split: SplitPlan::CrossValidation { folds, repeats: 1, dealt }, refit: true }
    }

    fn share(test: f64, dealt: Dealt) -> Inner {
        Inner { split: SplitPlan::Share { test, repeats: 1, dealt }, refit: true }
    }

    fn by_class(stratified: bool) -> Dealt {
        Dealt { stratified, grouped: false }
    }

    fn labelled(examples: usize) -> Dataset {
        let classes = ["a", "b"].map(str::to_owned).to_vec();
        let of_example = (0..examples).map(|example| u32::from(example % 4 == 0)).collect();
        Dataset { targets: Targets::Classes(Labels { classes, of_example }), ..dataset(examples) }
    }

    proptest! {
        #[test]
        fn test_examples_never_validate_and_each_training_example_does_once(
            examples in 20usize..90, folds in 2usize..6, stratified: bool, fold in 0usize..4,
        ) {
            let dataset = labelled(examples);
            let outer = SplitPlan::CrossValidation { folds: 4, repeats: 1, dealt: Dealt::default() };
            let division = outer.divide(&dataset, &every(&dataset), SEED, fold).unwrap();
            let inner = cv(folds, by_class(stratified));
            let mut seen = Vec::new();
            for round in 0..inner.rounds() {
                let inside = inner.round(&dataset, &division, seed(SEED, fold), round).unwrap();
                prop_assert_eq!(&inside.valid, &inside.test);
                let mut all = [inside.train, inside.valid.clone()].concat();
                all.sort_unstable();
                prop_assert_eq!(&all, &division.train);
                seen.extend(inside.valid);
            }
            seen.sort_unstable();
            prop_assert_eq!(seen, division.train);
        }

        #[test]
        fn a_share_is_of_its_size_and_has_the_classes_in_proportion(
            examples in 20usize..200, percent in 10usize..90, stratified: bool,
        ) {
            let dataset = labelled(examples);
            let share = percent as f64 / 100.0;
            let division =
                Division { train: (0..examples).collect(), valid: Vec::new(), test: Vec::new() };
            let inner = self::share(share, by_class(stratified));
            let inside = inner.round(&dataset, &division, SEED, 0).unwrap();
            prop_assert!((inside.valid.len() as f64 - share * examples as f64).abs() <= 0.5);
            if stratified {
                let rare = |examples: &[usize]| {
                    examples.iter().filter(|&&example| example % 4 == 0).count() as f64
                };
                let all = rare(&division.train);
                prop_assert!((rare(&inside.valid) - share * all).abs() <= 1.5);
            }
        }
    }

    const BY_GROUP: Dealt = Dealt { stratified: false, grouped: true };

    /// Four rows of each of ten groups, of which two rows each are of one moment.
    fn marked() -> Dataset {
        let groups = Some((0..40).map(|row| row / 4).collect());
        let times = Some((0..40).map(|row| (row * 7 % 40) / 2).collect());
        Dataset { marks: Marks { groups, times }, ..labelled(40) }
    }

    #[test]
    fn groups_and_moments_stay_together_and_time_goes_forward() {
        let dataset = marked();
        let (groups, times) =
            (dataset.marks.groups.as_ref().unwrap(), dataset.marks.times.as_ref().unwrap());
        let division =
            Division { train: (0..32).collect(), valid: Vec::new(), test: (32..40).collect() };
        let in_time = |forward| {
            let (ordered, last) =
                (SplitPlan::Ordered { folds: 3, forward }, SplitPlan::Last { test: 0.3, forward });
            [ordered, last].map(|split| Inner { split, refit: true })
        };
        let by_group = [cv(3, BY_GROUP), share(0.3, BY_GROUP)];
        let gap = Forward { gap: 3, window: None };
        for inners in [by_group, in_time(Forward::default()), in_time(gap)] {
            for inner in inners {
                for round in 0..inner.rounds() {
                    let inside = inner.round(&dataset, &division, SEED, round).unwrap();
                    let (train, valid) = (&inside.train, &inside.valid);
                    assert!(!train.is_empty() && !valid.is_empty(), "{inner:?}");
                    for (&one, &other) in
                        train.iter().flat_map(|one| valid.iter().map(move |other| (one, other)))
                    {
                        match inner.split {
                            SplitPlan::Ordered { forward: Forward { gap, .. }, .. }
                            | SplitPlan::Last { forward: Forward { gap, .. }, .. } => {
                                assert!(times[one] + (gap as u32).div_ceil(2) < times[other]);
                            }
                            _ => assert_ne!(groups[one], groups[other]),
                        }
                    }
                    if inner.split.own_folds().is_none() {
                        assert!((10..14).contains(&valid.len()), "{}", valid.len());
                    }
                }
            }
        }
        let without =
            |inner: Inner| inner.check(&labelled(40), &[0, 1, 2, 3, 4, 5]).unwrap_err().to_string();
        assert_eq!(without(cv(3, BY_GROUP)), "dataset `d` has no groups, but the split is grouped");
        for inner in in_time(Forward::default()) {
            assert_eq!(
                without(inner),
                "dataset `d` has no times, but the split is ordered in time"
            );
        }
    }

    #[test]
    fn without_refit_the_test_examples_stay() {
        let dataset = labelled(40);
        let outer = SplitPlan::Resample { train: 30, test: 10, repeats: 1 };
        let division = outer.divide(&dataset, &every(&dataset), SEED, 0).unwrap();
        let inner = Inner { refit: false, ..share(0.2, Dealt::default()) };
        let divided = inner.hold_out(&dataset, division.clone(), SEED).unwrap();
        assert_eq!((divided.train.len(), divided.valid.len()), (24, 6));
        assert_eq!(divided.test, division.test);
        assert_eq!((inner.rounds(), Inner { refit: true, ..inner }.rounds()), (0, 1));
    }

    #[test]
    fn other_folds_hold_out_other_examples() {
        let dataset = labelled(40);
        let division = Division { train: (0..30).collect(), valid: vec![], test: vec![] };
        let inside = |fold| {
            share(0.5, Dealt::default()).round(&dataset, &division, seed(SEED, fold), 0).unwrap()
        };
        assert_ne!(inside(0), inside(1));
    }

    #[test]
    fn too_few_training_examples_are_refused() {
        let message = |inner: Inner, training| {
            inner.check(&dataset(30), &(0..training).collect::<Vec<_>>()).unwrap_err().to_string()
        };
        assert_eq!(
            message(cv(5, Dealt::default()), 4),
            "dataset `d` has a split of 4 training examples, too few for inner=cv-5"
        );
        for (test, training) in [(0.01, 20), (0.99, 20), (0.5, 1)] {
            assert!(message(share(test, Dealt::default()), training).contains("for inner=share-"));
        }
        let stratified = cv(2, by_class(true)).check(&dataset(30), &[0, 1, 2]);
        assert_eq!(stratified, Err(SplitError { dataset: "d".to_owned(), why: Lacks::Classes }));
    }

    #[test]
    fn words() {
        let share = Inner { refit: false, ..share(0.2, by_class(true)) };
        assert_eq!(cv(5, Dealt::default()).word(), "inner=cv-5");
        let forward = Forward { gap: 3, window: None };
        let words =
            [SplitPlan::Ordered { folds: 4, forward }, SplitPlan::Last { test: 0.1, forward }]
                .map(|split| Inner { split, refit: true }.word());
        assert_eq!(words, ["inner=cv-4-in-time", "inner=share-0.1-in-time"]);
        assert_eq!(share.word(), "inner=share-0.2-stratified-without-refit");
    }
}
