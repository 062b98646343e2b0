//! What a test finds of two methods, or of all at once: a row of `tests.csv`.

use std::borrow::Cow;
use std::cmp::Ordering;
use std::sync::Arc;

use base::words;
use base::words::Worded as _;
use contract::{DatasetId, Direction, MethodId, Metric};
use document::{Id, Spanned, Word, section};
use math::decimal::{difference, significant};
use stats::{Correction, Effect, Posterior, Superiority};

use super::evidence::{Pairs, Says, Size, TestDesign, Whose, id_on};
use super::lack::Lack;
use super::over::{Dependent, Over};
use super::scope::Designed;

section! {
    in Designed;
    /// How the p-values of several comparisons are corrected.
    pub struct Correcting {
        correction: Word<Correction> = "holm" => "correction over the comparisons of the family";
        family: Option<Spanned<Id>>, else "the test's id: all its pairs and datasets"
            => "tests that name one family are corrected together";
        family_of: Word<FamilyOf> = "test" => "which comparisons are one family";
    }
}

words! {
    /// Which comparisons are one family.
    pub enum FamilyOf {
        Test = "test", "those of all pairs and datasets";
        Dataset = "dataset", "those of all pairs on one dataset, as a table has them in a row: where each dataset is a question of its own";
    }
}

impl Correcting {
    /// The name that tests of one family share.
    pub fn family<'f>(&'f self, test: &'f TestDesign) -> &'f str {
        self.family.as_ref().map_or(&test.id, |family| &family.value)
    }
}

/// One comparison: a row of `tests.csv`.
#[derive(Debug, Clone)]
pub struct Comparison {
    /// The test's id.
    pub test: String,
    /// Whose numbers are compared.
    pub whose: Whose,
    /// The kind of test.
    pub kind: &'static str,
    /// What people call it.
    pub called: &'static str,
    /// What is compared.
    pub metric: &'static Metric,
    /// One method; empty for a test of all at once.
    pub left: MethodId,
    /// The other; empty for a test of all at once.
    pub right: MethodId,
    /// What people read for both.
    pub labels: [String; 2],
    /// The dataset, for tests within one.
    pub dataset: DatasetId,
    /// What people read for it.
    pub title: String,
    /// What the test found, or why it cannot be computed. P-values have six significant digits, so
    /// that no verdict depends on the last bits of a distribution function.
    pub found: Result<Found, Lack>,
    /// How large the difference is, if values are there.
    pub effect: Option<Effect>,
    /// The interval of the effect that holds for all comparisons of the family at once (Bonferroni), where there is one.
    pub in_family: Option<(f64, f64)>,
    /// How probably a left value is larger than a right one.
    pub superiority: Option<Superiority>,
    /// What it is over, if it could be made.
    pub over: Option<Over>,
    /// Confidence level of both their intervals.
    pub level: f64,
    /// Why its values depend on each other, where the test takes them for independent.
    pub ignored: Option<&'static str>,
    /// How the p-value is adjusted.
    pub adjustment: Adjustment,
    /// Remarks.
    pub note: String,
    /// What it says of its two methods.
    pub says: Says,
    /// What it was made of.
    pub behind: Behind,
}

/// What a comparison was made of.
#[derive(Debug, Clone)]
pub enum Behind {
    /// Nothing that is kept.
    Nothing,
    /// The pairs of its two methods.
    Pairs(Arc<Pairs>),
    /// The mean ranks of so many methods.
    Ranks(usize),
}

/// How a p-value is adjusted for the others.
#[derive(Debug, Clone, PartialEq)]
pub enum Adjustment {
    /// There is none.
    None,
    /// With those of its family.
    Family {
        /// The family, with `@published` for the paper's numbers.
        name: String,
        /// How.
        correction: Correction,
    },
    /// It is of the range of all ranks, and holds for all pairs at once.
    Nemenyi,
}

impl Adjustment {
    /// That of the family of a test's comparisons on a dataset; `of` tells families of one test apart.
    pub fn within(
        correcting: Option<&Correcting>,
        test: &TestDesign,
        whose: Whose,
        of: &str,
        dataset: &DatasetId,
    ) -> Self {
        let Some(correcting) = correcting else { return Self::None };
        let family = correcting.family(test);
        let name = match correcting.family_of {
            FamilyOf::Test => format!("{family}{of}"),
            FamilyOf::Dataset => format!("{family}{of} on {dataset}"),
        };
        Self::Family { name: id_on(&name, whose), correction: correcting.correction }
    }

    /// What files call it.
    pub fn word(&self) -> &'static str {
        match self {
            Self::None => Correction::None.word(),
            Self::Family { correction, .. } => correction.word(),
            Self::Nemenyi => "nemenyi",
        }
    }

    /// For people.
    pub fn text(&self) -> &'static str {
        match self {
            Self::None | Self::Nemenyi => self.word(),
            Self::Family { correction, .. } => Correction::WORDS.meaning(*correction),
        }
    }

    /// The family, if it is of one.
    pub fn family(&self) -> &str {
        match self {
            Self::Family { name, .. } => name,
            Self::None | Self::Nemenyi => "",
        }
    }
}

/// What a test found.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Found {
    /// Number of pairs (or values) behind it.
    pub n: usize,
    /// The statistic; of what has an interval or a posterior instead of a p-value, the effect.
    pub statistic: f64,
    /// Whether the values on the left are larger or smaller, by the statistic.
    pub larger: Ordering,
    /// The p-value; none for intervals and posteriors.
    pub p: Option<f64>,
    /// The p-value after the correction.
    pub p_adjusted: Option<f64>,
    /// Of a test of equivalence: the smaller one-sided p-value of the difference lying beyond an end of the margin.
    pub outside: Option<f64>,
    /// Posterior probabilities of left, the region and right.
    pub posterior: Option<Posterior>,
}

impl Found {
    /// Without a p-value.
    pub fn of(n: usize, statistic: f64, larger: Ordering) -> Self {
        let (p, p_adjusted, outside, posterior) = (None, None, None, None);
        Self { n, statistic, larger, p, p_adjusted, outside, posterior }
    }

    /// With this p-value, which nothing corrects.
    #[must_use]
    pub fn with_p(self, p: f64) -> Self {
        let p = Some(significant(p, 6));
        Self { p, p_adjusted: p, ..self }
    }
}

impl Comparison {
    /// What a test found for all methods at once, without correction and remark.
    pub fn of_all(
        test: &TestDesign,
        whose: Whose,
        dataset: &DatasetId,
        level: f64,
        found: Result<Found, Lack>,
    ) -> Self {
        Self {
            test: test.id.clone(),
            whose,
            kind: test.word,
            called: test.called,
            metric: test.metric,
            left: MethodId::default(),
            right: MethodId::default(),
            labels: Default::default(),
            dataset: dataset.to_owned(),
            title: String::new(),
            found,
            effect: None,
            in_family: None,
            superiority: None,
            over: None,
            level,
            ignored: None,
            adjustment: Adjustment::None,
            note: String::new(),
            says: Says::Difference,
            behind: Behind::Nothing,
        }
    }

    /// What files call its test: with `@published` where the paper's numbers are compared.
    pub fn id(&self) -> String {
        id_on(&self.test, self.whose)
    }

    /// Whether it is of a test, on our numbers.
    pub fn is_ours_of(&self, test: &str) -> bool {
        self.whose == Whose::Ours && self.test == test
    }

    /// The same over these values: where they depend on each other and the kind of test does not heed it, there is no
    /// answer; where the file says so, that is ignored.
    #[must_use]
    pub fn over(mut self, over: Option<Over>, test: &TestDesign, heeds: &[Over]) -> Self {
        self.over = over;
        let Some((why, _)) = over.and_then(Over::depends) else { return self };
        if test.dependent == Dependent::Ignored {
            self.ignored = Some(why);
        } else if !over.is_some_and(|over| heeds.contains(&over)) {
            self.found = Err(Lack::Unmet(why));
            self.effect = self.effect.map(|effect| Effect { interval: None, ..effect });
        }
        self
    }

    /// Adds a remark.
    pub fn noting(&mut self, remark: &str) {
        let apart = if self.note.is_empty() { "" } else { "; " };
        self.note += &format!("{apart}{remark}");
    }

    /// Whether the two differ at a level, by the p-value before any correction.
    ///
    /// # Errors
    /// Why there is no answer.
    pub fn differs(&self, alpha: f64) -> Result<bool, Lack> {
        let [p, q] = self.one_sided(&self.left)?;
        Ok(p.min(q) <= 0.5 * alpha)
    }

    /// How strongly it speaks for `method` being the better one of the two, and for the other: one-sided p-values before any
    /// correction, which show something at half of the level of the test. Of a posterior they are half of what is left
    /// of 1; of an interval half of what is outside of it where zero is beyond its end, else 1.
    ///
    /// # Errors
    /// Why there is none.
    pub fn one_sided(&self, method: &MethodId) -> Result<[f64; 2], Lack> {
        let found = self.found.as_ref().map_err(Clone::clone)?;
        let first = (self.left == *method) != (self.metric.direction == Direction::Lower);
        let [larger, smaller] = match (found.p, found.posterior) {
            (Some(p), _) if found.larger == Ordering::Greater => [0.5 * p, 1.0 - 0.5 * p],
            (Some(p), _) => [1.0 - 0.5 * p, 0.5 * p],
            (None, Some(posterior)) => {
                [posterior.left, posterior.right].map(|side| 0.5 - 0.5 * side)
            }
            (None, None) => {
                let interval = self.effect.and_then(|effect| effect.interval);
                let (low, high) = interval.ok_or(Lack::Unmet("no interval"))?;
                let outside = 0.5 * difference(1.0, self.level);
                [low > 0.0, high < 0.0].map(|beyond| if beyond { outside } else { 1.0 })
            }
        };
        Ok(if first { [larger, smaller] } else { [smaller, larger] })
    }

    /// Its pairs as those of `method`, one of the two, and the other.
    pub fn pairs_of(&self, method: &MethodId) -> Option<Cow<'_, Pairs>> {
        match &self.behind {
            Behind::Pairs(pairs) if self.left == *method => Some(Cow::Borrowed(pairs)),
            Behind::Pairs(pairs) => Some(Cow::Owned(pairs.turned())),
            Behind::Nothing | Behind::Ranks(_) => None,
        }
    }

    /// The effect as that of `method`, one of the two, over the other.
    pub fn size_of(&self, method: &MethodId) -> Option<Size> {
        let (effect, over, level) = (self.effect?, self.over?, self.level);
        if self.left == *method {
            return Some(Size { effect, level, over });
        }
        let interval = effect.interval.map(|(low, high)| (-high, -low));
        Some(Size { effect: Effect { value: -effect.value, interval, ..effect }, level, over })
    }

    /// Whether `method`, one of the two, is the better one by the statistic: its values are larger, or smaller where the
    /// metric says so. A tie is better for neither.
    pub fn favours(&self, method: &MethodId) -> bool {
        let wanted = match (self.metric.direction, self.left == *method) {
            (Direction::Neutral, _) => return false,
            (Direction::Higher, true) | (Direction::Lower, false) => Ordering::Greater,
            (Direction::Higher, false) | (Direction::Lower, true) => Ordering::Less,
        };
        self.found.as_ref().is_ok_and(|found| found.larger == wanted)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use task::classification::CLASSIFICATION;
    use task::regression::REGRESSION;

    /// Methods `a` and `b`, of which `a` has smaller or larger values with a p-value of .02.
    fn compared(metric: &'static Metric, larger: Ordering) -> Comparison {
        Comparison {
            test: "t".to_owned(),
            whose: Whose::Ours,
            kind: "sign",
            called: "sign test",
            metric,
            left: MethodId::from("a"),
            right: MethodId::from("b"),
            labels: Default::default(),
            dataset: DatasetId::from("d"),
            title: String::new(),
            found: Ok(Found::of(9, 1.0, larger).with_p(0.02)),
            effect: None,
            in_family: None,
            superiority: None,
            over: None,
            level: 0.95,
            ignored: None,
            adjustment: Adjustment::None,
            note: String::new(),
            says: Says::Difference,
            behind: Behind::Nothing,
        }
    }

    #[test]
    fn half_of_the_p_value_speaks_for_the_better_method() {
        let [accuracy, error] = [CLASSIFICATION.score, REGRESSION.score];
        assert_eq!([accuracy.direction, error.direction], [Direction::Higher, Direction::Lower]);
        for (metric, larger, better) in [
            (accuracy, Ordering::Greater, "a"),
            (accuracy, Ordering::Less, "b"),
            (error, Ordering::Greater, "b"),
            (error, Ordering::Less, "a"),
        ] {
            let compared = compared(metric, larger);
            for method in ["a", "b"].map(MethodId::from) {
                let expected = if method == better { [0.01, 0.99] } else { [0.99, 0.01] };
                assert_eq!(compared.one_sided(&method), Ok(expected), "{} {larger:?}", metric.name);
                assert_eq!(compared.favours(&method), method == better);
            }
        }
    }
}
