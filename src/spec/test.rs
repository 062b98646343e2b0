//! `[[test]]`: significance tests, and the road on which all of them compare methods two by two.

use std::fmt;
use std::ops::Deref;
use std::sync::Arc;

use base::digest::{Digest, FieldHasher};
use contract::{DatasetId, MethodId, PartId};
use document::{Faults, Id, ReadTable, Spanned, Table, section};
use stats::{Effect, Power, Superiority};

use super::comparison::{Adjustment, Comparison, Correcting, FamilyOf, Found};
use super::dependent::dependent_values;
use super::evidence::{Evidence, PairBy, Pairs, Says, TestDesign, Whose, id_on};
use super::foreseen::blocks;
use super::kind::{Kind, declared, find};
use super::lack::Lack;
use super::over::{Dependent, Over};
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
        Self {
            design: design.clone(),
            says: kind.says(),
            ranks: kind.ranks(),
            shifts: kind.shifts(),
        }
    }
}

/// What is made of pairs, and how sure one asks to be.
#[derive(Debug, Clone, Copy)]
pub struct Asks<'t> {
    /// What one pair is.
    pub pair_by: PairBy,
    /// What becomes of values that depend on each other.
    pub dependent: Dependent,
    /// How p-values are corrected, if there are such that need it.
    pub correcting: Option<&'t Correcting>,
    /// Confidence level of intervals.
    pub level: f64,
}

/// A kind of significance test with its options.
pub trait Test: fmt::Debug + Send + Sync {
    /// What it asks of pairs.
    fn asks(&self) -> Asks<'_>;

    /// What it finds in the pairs of two methods, with an interval of this level; random numbers come from the seed.
    fn compare(&self, pairs: &Pairs, level: f64, seed: Digest) -> Made;

    /// Compares the methods of a `[[test]]`: two by two, unless it says otherwise.
    fn comparisons(&self, test: &TestDesign, evidence: &dyn Evidence) -> Vec<Comparison> {
        pairwise(self, test, evidence)
    }

    /// The interval of one of its comparisons at another level, if it has one.
    fn interval(
        &self,
        test: &TestDesign,
        evidence: &dyn Evidence,
        row: &Comparison,
        level: f64,
    ) -> Option<(f64, f64)> {
        interval(self, test, evidence, row, level)
    }

    /// Whether it is made for values over these, where they depend on each other.
    fn heeds(&self, _over: Over) -> bool {
        false
    }

    /// How probably a left value is larger than a right one.
    fn superiority(&self, pairs: &Pairs, level: f64) -> Option<Superiority> {
        stats::paired_superiority(&pairs.on_paper(), level).ok()
    }

    /// What its rows say of two methods.
    fn says(&self) -> Says {
        Says::Difference
    }

    /// Whether it counts 0/1 outcomes.
    fn outcomes(&self) -> bool {
        false
    }

    /// Whether it looks at the order or the signs of what it pairs.
    fn orders(&self) -> bool {
        false
    }

    /// Its asymptotic efficiency beside Student's t on normal differences; none where that is not known of its kind.
    fn efficiency(&self) -> Option<f64> {
        None
    }

    /// Whether it can be made of differences less a constant.
    fn shifts(&self) -> bool {
        self.efficiency().is_some() && !self.outcomes()
    }

    /// What it could show of such pairs at a two-sided level, if its efficiency is known.
    fn power(&self, pairs: &Pairs, alpha: f64) -> Option<Power> {
        Power::of(&pairs.differences, &pairs.dependence, self.efficiency()?, alpha).ok()
    }

    /// Whether it ranks all methods at once, as a critical-difference diagram wants.
    fn ranks(&self) -> bool {
        false
    }
}

declared!(Test in Designed);

/// What a test makes of the pairs of two methods.
pub struct Made {
    /// What it finds.
    pub found: Result<Found, Lack>,
    /// How large the difference is.
    pub effect: Option<Effect>,
}

/// Compares methods two by two.
pub fn pairwise<T: Test + ?Sized>(
    kind: &T,
    test: &TestDesign,
    evidence: &dyn Evidence,
) -> Vec<Comparison> {
    let datasets: Vec<Option<&DatasetId>> = match test.pair_by {
        PairBy::Dataset => vec![None],
        PairBy::Problem | PairBy::Fold | PairBy::Repeat | PairBy::Example | PairBy::Auto => {
            test.datasets.iter().map(Some).collect()
        }
    };
    let pairs = test.method_pairs().into_iter();
    let places = pairs.flat_map(|pair| datasets.iter().map(move |dataset| (pair, *dataset)));
    places.filter_map(|place| compared(kind, test, evidence, place)).collect()
}

/// The comparison of two methods over all datasets or on one; none of published numbers that are not there.
fn compared<T: Test + ?Sized>(
    kind: &T,
    test: &TestDesign,
    evidence: &dyn Evidence,
    ((left, right), dataset): ((&MethodId, &MethodId), Option<&DatasetId>),
) -> Option<Comparison> {
    let (whose, level) = (evidence.whose(), kind.asks().level);
    let pairs = evidence.pairs(test, left, right, dataset);
    if whose == Whose::Published && pairs.is_err() {
        return None;
    }
    let dataset = dataset.cloned().unwrap_or_default();
    let mut row = Comparison {
        left: left.to_owned(),
        right: right.to_owned(),
        adjustment: Adjustment::within(kind.asks().correcting, test, whose, "", &dataset),
        ..Comparison::of_all(test, whose, &dataset, level, Err(Lack::Datasets))
    };
    match pairs {
        Err(why) => row.found = Err(why),
        Ok(pairs) => {
            let made = kind.compare(&pairs, level, seed(test, evidence, &row));
            (row.found, row.effect) = (made.found, made.effect);
            row.superiority =
                kind.superiority(&pairs, level).and_then(|found| kept(found, pairs.over));
            row = row.over(pairs.over, test, |over| kind.heeds(over));
            row.note = pairs.note;
        }
    }
    Some(row)
}

/// How probably a left value is larger than a right one: nothing of means of blocks, which are larger more probably
/// the larger the blocks are; and no interval where values depend on each other, for none is known.
fn kept(found: Superiority, over: Over) -> Option<Superiority> {
    let interval = found.interval.filter(|_| over.depends().is_none());
    (over != Over::Blocks).then_some(Superiority { interval, ..found })
}

/// The interval of a comparison at another level.
pub fn interval<T: Test + ?Sized>(
    kind: &T,
    test: &TestDesign,
    evidence: &dyn Evidence,
    row: &Comparison,
    level: f64,
) -> Option<(f64, f64)> {
    let dataset = Some(&row.dataset).filter(|dataset| !dataset.is_empty());
    let pairs = evidence.pairs(test, &row.left, &row.right, dataset).ok()?;
    kind.compare(&pairs, level, seed(test, evidence, row)).effect?.interval
}

/// The seed of the random numbers of a comparison.
fn seed(test: &TestDesign, evidence: &dyn Evidence, row: &Comparison) -> Digest {
    FieldHasher::new("bootstrap")
        .number(evidence.seed())
        .field(&test.id)
        .field(row.left.as_str())
        .field(row.right.as_str())
        .field(row.dataset.as_str())
        .finish()
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
    let Asks { pair_by, dependent, correcting, .. } = read.asks();
    let design = TestDesign {
        id,
        word: kind.word,
        metric: metric.value,
        reference,
        methods,
        datasets,
        pair_by,
        dependent,
        outcomes: read.outcomes(),
    };
    if let (Some(correcting), PairBy::Dataset) = (correcting, pair_by)
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
    dependent_values(&design, |over| read.heeds(over), table, scope);
    Some(TestSpec { design, kind: read })
}

/// Tests of one family have one correction.
pub(crate) fn one_correction(tests: &[TestSpec], faults: &mut Faults) {
    for (at, test) in tests.iter().enumerate() {
        let Some(own) = test.kind.asks().correcting else { continue };
        let (name, Some(family)) = (own.family(test), &own.family) else { continue };
        let other = tests[..at].iter().find_map(|other| {
            let theirs = other.kind.asks().correcting?;
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

/// The tests of an experiment, and all their comparisons.
#[derive(Debug, Default)]
pub struct Comparisons {
    /// The tests.
    pub tests: Vec<TestSpec>,
    /// What they found.
    pub rows: Vec<Comparison>,
}

impl Comparisons {
    /// A test.
    pub fn test(&self, id: &str) -> Option<&TestSpec> {
        self.tests.iter().find(|test| test.id == id)
    }

    /// The comparison of two methods that says something about a dataset: over that dataset's
    /// problems, folds, repeats or examples, or over all datasets.
    ///
    /// # Errors
    /// That there is none.
    pub fn on(
        &self,
        test: &str,
        whose: Whose,
        one: &MethodId,
        other: &MethodId,
        dataset: Option<&DatasetId>,
    ) -> Result<&Comparison, Lack> {
        let id = id_on(test, whose);
        let mut rows = self.rows.iter();
        let row = rows.find(|row| {
            row.id == id
                && ([&row.left, &row.right] == [one, other]
                    || [&row.left, &row.right] == [other, one])
                && (row.dataset.is_empty() || Some(&row.dataset) == dataset)
        });
        row.ok_or(Lack::Unmet("the test was not made"))
    }
}
