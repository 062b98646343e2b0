//! `[[test]]`: significance tests, and what they find.

use std::fmt;
use std::ops::Deref;
use std::sync::Arc;

use contract::Metric;
use document::{Id, ReadTable, Spanned, Table, section};

use super::evidence::{Evidence, PairBy, TestDesign, Whose, id_on};
use super::kind::{Kind, declared, find};
use super::refer::{Datasets, Methods, OneMethod, Reported};
use super::scope::{KnownTest, Scope};

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

/// A kind of significance test with its options.
pub trait Test: fmt::Debug + Send + Sync {
    /// What one pair is.
    fn pair_by(&self) -> PairBy;

    /// Compares the methods of a `[[test]]`.
    fn comparisons(&self, test: &TestDesign, evidence: &dyn Evidence) -> Vec<Comparison>;

    /// The confidence level of its intervals, if it gives intervals.
    fn level(&self) -> Option<f64> {
        None
    }

    /// Whether it ranks all methods at once, as a critical-difference diagram wants.
    fn ranks(&self) -> bool {
        false
    }
}

declared!(Test);

section! {
    in Scope;
    /// What every `[[test]]` says.
    pub(crate) struct TestKeys {
        id: Id => "its id";
        metric: Spanned<Reported> => "what is compared; not a time";
        reference: Option<OneMethod>, else "all pairs of methods"
            => "the method that all others are compared with";
        methods: Spanned<Methods>, else "all methods"
            => "the methods compared; published-only ones by their published values";
        datasets: Datasets, else "all datasets" => "the datasets that count";
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
            && !scope.method_ids.is_empty()
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
    scope: &mut Scope<'_>,
) -> Option<TestSpec> {
    let keys = TestKeys::read_table(table, scope);
    let kind = find(kinds, table.text("kind")?)?;
    let read = kind.read(table, scope);
    let TestKeys { id, metric, reference, methods, datasets } = keys?;
    let read = read?;
    let design = TestDesign {
        id,
        word: kind.word,
        metric: metric.value,
        reference,
        methods: methods.value,
        datasets,
        pair_by: read.pair_by(),
    };
    let (level, ranks) = (read.level(), read.ranks());
    scope.tests.push(KnownTest { design: design.clone(), level, ranks });
    Some(TestSpec { design, kind: read })
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
    pub left: String,
    /// The other; empty for a test of all at once.
    pub right: String,
    /// The dataset, for tests within one.
    pub dataset: String,
    /// What the test found, or why it cannot be computed. P-values have six significant digits, so
    /// that no verdict depends on the last bits of a distribution function.
    pub found: Result<Found, String>,
    /// The correction behind the adjusted p-value.
    pub correction: &'static str,
    /// Remarks.
    pub note: String,
}

/// What a test found.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Found {
    /// Number of pairs (or values) behind it.
    pub n: usize,
    /// The statistic; of a bootstrap, the mean difference.
    pub statistic: f64,
    /// The p-value; none for intervals.
    pub p: Option<f64>,
    /// The p-value after the correction.
    pub p_adjusted: Option<f64>,
    /// The interval of the mean difference; none for p-values.
    pub interval: Option<(f64, f64)>,
}

impl Found {
    /// Whether the difference is significant: its adjusted p-value is below `alpha`, or its
    /// interval does not hold zero.
    pub fn significant(&self, alpha: f64) -> bool {
        self.p_adjusted.is_some_and(|p| p < alpha)
            || self.interval.is_some_and(|(low, high)| low > 0.0 || high < 0.0)
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
        one: &str,
        other: &str,
    ) -> impl Iterator<Item = &'c Comparison> {
        let id = id_on(test, whose);
        self.0.iter().filter(move |row| {
            row.id == id
                && ((row.left == one && row.right == other)
                    || (row.left == other && row.right == one))
        })
    }

    /// The comparison of two methods that says something about a dataset: over that dataset's
    /// problems, folds, repeats or examples, or over all datasets.
    pub fn on(
        &self,
        test: &str,
        whose: Whose,
        one: &str,
        other: &str,
        dataset: Option<&str>,
    ) -> Option<&Comparison> {
        self.between(test, whose, one, other)
            .find(|row| row.dataset.is_empty() || Some(row.dataset.as_str()) == dataset)
    }
}
