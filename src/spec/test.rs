//! `[[test]]`: significance tests, and what they find.

use std::cmp::Ordering;
use std::fmt;
use std::ops::Deref;
use std::sync::Arc;

use base::words;
use contract::{DatasetId, Direction, MethodId, Metric, PartId};
use document::{Faults, Id, ReadTable, Spanned, Table, Word, section};
use stats::{Correction, Effect, Posterior, Superiority};

use super::evidence::{Evidence, Over, PairBy, Says, Size, TestDesign, Whose, id_on};
use super::foreseen::blocks;
use super::kind::{Kind, declared, find};
use super::lack::Lack;
use super::refer::{Datasets, Methods, OneMethod, Reported};
use super::scope::{Designed, KnownTest};

/// One `[[test]]`.
#[derive(Debug, Clone)]
pub struct TestSpec {
    /// What it compares.
    pub design: TestDesign,
    /// Which test, with its options.
    pub kind: Arc<dyn Test>,
}

impl Deref for TestSpec {
    type Target = TestDesign;

    fn deref(&self) -> &TestDesign {
        &self.design
    }
}

impl From<&TestSpec> for KnownTest {
    fn from(test: &TestSpec) -> Self {
        let TestSpec { design, kind } = test;
        Self { design: design.clone(), says: kind.says(), ranks: kind.ranks() }
    }
}

/// A kind of significance test with its options.
pub trait Test: fmt::Debug + Send + Sync {
    /// What one pair is.
    fn pair_by(&self) -> PairBy;

    /// Compares the methods of a `[[test]]`.
    fn comparisons(&self, test: &TestDesign, evidence: &dyn Evidence) -> Vec<Comparison>;

    /// What its rows say of two methods.
    fn says(&self) -> Says {
        Says::Difference
    }

    /// How its p-values are corrected, if it has such that need it.
    fn correcting(&self) -> Option<&Correcting> {
        None
    }

    /// Whether it counts 0/1 outcomes.
    fn outcomes(&self) -> bool {
        false
    }

    /// Whether it looks at the order or the signs of what it pairs.
    fn orders(&self) -> bool {
        false
    }

    /// Whether it ranks all methods at once, as a critical-difference diagram wants.
    fn ranks(&self) -> bool {
        false
    }
}

declared!(Test in Designed);

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

section! {
    in Designed;
    /// What every `[[test]]` says.
    pub(crate) struct TestKeys {
        id: Id => "its id";
        metric: Spanned<Reported> => "what is compared; not a time";
        reference: Option<OneMethod>, else "all pairs of methods"
            => "the method that all others are compared with";
        methods: Spanned<Methods>, else "those that run where the metric is reported, or are quoted"
            => "the methods compared; published-only ones by their published values";
        datasets: Datasets, else "those where the metric is reported" => "the datasets that count";
    }
    check(scope, _table) {
        if let Some(metric) = metric.as_ref().filter(|metric| metric.is_time()) {
            scope
                .faults
                .at(&metric.span, "a test can't be about a time", "reads a clock")
                .help("`tests.csv` has the same bytes on every machine; use a claim");
        }
        if let (Some(Some(reference)), Some(methods)) = (&reference, &methods)
            && !methods.contains(reference)
        {
            let message = format!("the reference `{reference}` does not take part");
            scope
                .faults
                .at(&methods.span, message, "without the reference")
                .help(format!("add \"{reference}\""));
        }
        if let Some(methods) = methods.as_ref().filter(|methods| methods.len() < 2)
            && !scope.method_ids().is_empty()
        {
            let message = "a test compares at least two methods";
            scope.faults.at(&methods.span, message, "fewer than two");
        }
    }
}

/// A test of one of these kinds.
pub(crate) fn test(
    kinds: &'static [Kind<dyn Test>],
    table: &Table,
    scope: &mut Designed<'_>,
) -> Option<TestSpec> {
    let keys = TestKeys::read_table(table, scope);
    let kind = find(kinds, table.text("kind")?)?;
    let read = kind.read(table, scope);
    let TestKeys { id, metric, reference, methods, datasets } = keys?;
    let read = read?;
    let reporting = scope.parts.iter().filter(|part| part.reports(metric.value));
    let reporting: Vec<PartId> = reporting.map(|part| part.id.clone()).collect();
    let methods = match table.get("methods") {
        Some(_) => methods.value,
        None => scope.shown_methods(methods.value, &reporting),
    };
    let datasets = match table.get("datasets") {
        Some(_) => datasets,
        None => scope.shown_datasets(datasets, &reporting),
    };
    let design = TestDesign {
        id,
        word: kind.word,
        metric: metric.value,
        reference,
        methods,
        datasets,
        pair_by: read.pair_by(),
        outcomes: read.outcomes(),
    };
    if let (Some(correcting), PairBy::Dataset) = (read.correcting(), design.pair_by)
        && correcting.family_of == FamilyOf::Dataset
        && let Some(node) = table.get("family_of")
    {
        let message = "a test over datasets has no family of one dataset";
        scope
            .faults
            .at(&node.span, message, "pair_by = \"dataset\"")
            .help("remove this key, or pair by what one dataset has several of");
    }
    blocks(&design, table, scope);
    Some(TestSpec { design, kind: read })
}

/// Tests of one family have one correction.
pub(crate) fn one_correction(tests: &[TestSpec], faults: &mut Faults) {
    for (at, test) in tests.iter().enumerate() {
        let Some(own) = test.kind.correcting() else { continue };
        let (name, Some(family)) = (own.family(test), &own.family) else { continue };
        let other = tests[..at].iter().find_map(|other| {
            let theirs = other.kind.correcting()?;
            let differ = theirs.family(other) == name && theirs.correction != own.correction;
            differ.then(|| (&other.id, theirs.correction))
        });
        if let Some((other, correction)) = other {
            let message = format!("family `{name}` has two corrections");
            let label = format!("`{other}` has correction = \"{}\"", correction.word());
            faults.at(&family.span, message, label).help("write the same `correction` in both");
        }
    }
}

/// One comparison: a row of `tests.csv`.
#[derive(Debug, Clone)]
pub struct Comparison {
    /// The test's id, with `@published` where the paper's numbers are compared.
    pub id: String,
    /// The kind of test.
    pub kind: &'static str,
    /// What is compared.
    pub metric: &'static Metric,
    /// One method; empty for a test of all at once.
    pub left: MethodId,
    /// The other; empty for a test of all at once.
    pub right: MethodId,
    /// The dataset, for tests within one.
    pub dataset: DatasetId,
    /// What the test found, or why it cannot be computed. P-values have six significant digits, so
    /// that no verdict depends on the last bits of a distribution function.
    pub found: Result<Found, Lack>,
    /// How large the difference is, if values are there.
    pub effect: Option<Effect>,
    /// How probably a left value is larger than a right one.
    pub superiority: Option<Superiority>,
    /// What it is over, if it could be made.
    pub over: Option<Over>,
    /// Confidence level of both their intervals.
    pub level: f64,
    /// How the p-value is adjusted.
    pub adjustment: Adjustment,
    /// Remarks.
    pub note: String,
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
    /// What files call it.
    pub fn word(&self) -> &'static str {
        match self {
            Self::None => Correction::None.word(),
            Self::Family { correction, .. } => correction.word(),
            Self::Nemenyi => "nemenyi",
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
    /// Posterior probabilities of left, the region and right.
    pub posterior: Option<Posterior>,
}

impl Comparison {
    /// Whether the difference is significant: its adjusted p-value is below `alpha`, one side's posterior probability is
    /// above 1 - `alpha`, or its interval does not hold zero.
    ///
    /// # Errors
    /// Why there is no answer.
    pub fn significant(&self, alpha: f64) -> Result<bool, Lack> {
        let found = self.found.as_ref().map_err(Clone::clone)?;
        let interval = self.effect.and_then(|effect| effect.interval);
        Ok(match (found.p_adjusted, found.posterior) {
            (Some(p), _) => p < alpha,
            (None, Some(posterior)) => posterior.left.max(posterior.right) > 1.0 - alpha,
            (None, None) => interval.is_some_and(|(low, high)| low > 0.0 || high < 0.0),
        })
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

/// All comparisons of an experiment.
#[derive(Debug)]
pub struct Comparisons(pub Vec<Comparison>);

impl Comparisons {
    /// The comparisons of two methods by one test: one, or one a dataset.
    pub fn between<'c>(
        &'c self,
        test: &str,
        whose: Whose,
        one: &MethodId,
        other: &MethodId,
    ) -> impl Iterator<Item = &'c Comparison> {
        let id = id_on(test, whose);
        self.0.iter().filter(move |row| {
            row.id == id
                && ((row.left == *one && row.right == *other)
                    || (row.left == *other && row.right == *one))
        })
    }

    /// The comparison of two methods that says something about a dataset: over that dataset's
    /// problems, folds, repeats or examples, or over all datasets.
    pub fn on(
        &self,
        test: &str,
        whose: Whose,
        one: &MethodId,
        other: &MethodId,
        dataset: Option<&DatasetId>,
    ) -> Option<&Comparison> {
        self.between(test, whose, one, other)
            .find(|row| row.dataset.is_empty() || Some(&row.dataset) == dataset)
    }
}
