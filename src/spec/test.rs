//! `[[test]]`: significance tests, and the road on which all of them compare methods two by two.

use std::fmt;
use std::sync::Arc;

use contract::{DatasetId, MethodId, PartId};
use derive_more::Deref;
use document::{Faults, Id, ReadTable, Spanned, Table, section};
use stats::{Effect, Power, Superiority};

use super::comparison::{Adjustment, Behind, Comparison, Correcting, FamilyOf, Found};
use super::dependent::dependent_values;
use super::evidence::{Evidence, PairBy, Pairs, Says, TestDesign, Whose};
use super::foreseen::blocks;
use super::kind::{Kind, declared};
use super::lack::Lack;
use super::over::{Dependent, Over};
use super::refer::{Datasets, Methods, OneMethod, OnePart, Reported};
use super::scope::{Designed, KnownTest};

/// One `[[test]]`.
#[derive(Debug, Clone, Deref)]
pub struct TestSpec {
    /// What it compares.
    #[deref]
    pub design: TestDesign,
    /// Which test, with its options.
    pub kind: Arc<dyn Test>,
}

impl From<&TestSpec> for KnownTest {
    fn from(test: &TestSpec) -> Self {
        let Asks { says, ranks, shifts, .. } = test.kind.asks();
        Self { design: test.design.clone(), says, ranks, shifts }
    }
}

/// What a kind of test makes of pairs, how sure one asks to be, and what it is made for.
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
    /// What its rows say of two methods.
    pub says: Says,
    /// Over which values it is made for their dependence on each other.
    pub heeds: &'static [Over],
    /// Whether it counts 0/1 outcomes.
    pub outcomes: bool,
    /// Whether it looks at the order or the signs of what it pairs.
    pub orders: bool,
    /// Whether it ranks all methods at once, as a critical-difference diagram wants.
    pub ranks: bool,
    /// Whether it can be made of differences less a constant.
    pub shifts: bool,
    /// Its asymptotic efficiency beside Student's t on normal differences; none where that is not known of its kind.
    pub efficiency: Option<f64>,
    /// Whether its p-value counts the ways to deal out signs.
    pub by_signs: bool,
}

impl<'t> Asks<'t> {
    /// Of a kind that says that methods differ, and of which nothing else is known.
    pub fn of(
        pair_by: PairBy,
        dependent: Dependent,
        correcting: Option<&'t Correcting>,
        level: f64,
    ) -> Self {
        Self {
            pair_by,
            dependent,
            correcting,
            level,
            says: Says::Difference,
            heeds: &[],
            outcomes: false,
            orders: false,
            ranks: false,
            shifts: false,
            efficiency: None,
            by_signs: false,
        }
    }
}

/// A kind of significance test with its options.
pub trait Test: fmt::Debug + Send + Sync {
    /// What it asks of pairs.
    fn asks(&self) -> Asks<'_>;

    /// What it finds in the pairs of two methods, with an interval of this level.
    fn compare(&self, pairs: &Pairs, level: f64) -> Made;

    /// Compares the methods of a `[[test]]`: two by two, unless it says otherwise.
    fn comparisons(&self, test: &TestDesign, evidence: &dyn Evidence) -> Vec<Comparison> {
        pairwise(self, test, evidence)
    }

    /// The interval of one of its comparisons at another level, if it has one.
    fn interval(&self, row: &Comparison, level: f64) -> Option<(f64, f64)> {
        self.compare(&*row.pairs_of(&row.left)?, level).effect?.interval
    }

    /// What it could have shown in these pairs at a level, where that is known of its kind.
    fn power(&self, pairs: &Pairs, alpha: f64) -> Option<Power> {
        let Asks { efficiency, by_signs, .. } = self.asks();
        let power = Power::of(&pairs.differences, &pairs.dependence, efficiency?, alpha).ok()?;
        Some(if by_signs { power.by_signs() } else { power })
    }

    /// How probably a left value is larger than a right one.
    fn superiority(&self, pairs: &Pairs, level: f64) -> Option<Superiority> {
        stats::paired_superiority(&pairs.on_paper(), level).ok()
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
    (methods @ (left, right), dataset): ((&MethodId, &MethodId), Option<&DatasetId>),
) -> Option<Comparison> {
    let (whose, asks) = (evidence.whose(), kind.asks());
    let pairs = evidence.pairs(test, methods, dataset);
    if whose == Whose::Published && pairs.is_err() {
        return None;
    }
    let dataset = dataset.cloned().unwrap_or_default();
    let mut row = Comparison {
        left: left.to_owned(),
        right: right.to_owned(),
        adjustment: Adjustment::within(asks.correcting, test, whose, "", &dataset),
        says: asks.says,
        ..Comparison::of_all(test, whose, &dataset, asks.level, Err(Lack::Datasets))
    };
    match pairs {
        Err(why) => row.found = Err(why),
        Ok(pairs) => {
            let made = kind.compare(&pairs, asks.level);
            (row.found, row.effect) = (made.found, made.effect);
            row.superiority =
                kind.superiority(&pairs, asks.level).and_then(|found| kept(found, pairs.over));
            row = row.over(Some(pairs.over), test, asks.heeds);
            row.note.clone_from(&pairs.note);
            row.behind = Behind::Pairs(Arc::new(pairs));
        }
    }
    Some(row)
}

/// How probably a left value is larger than a right one: nothing of means of blocks, which are larger more probably
/// the larger the blocks are; and no interval where values depend on each other, for none is known.
fn kept(found: Superiority, over: Over) -> Option<Superiority> {
    let interval = found.interval.filter(|_| over.depends().is_none());
    (!matches!(over, Over::Blocks | Over::FittedBlocks))
        .then_some(Superiority { interval, ..found })
}

section! {
    in Designed;
    pub(crate) struct TestKeys: "test" => "A significance test." {
        id: Id => "its id";
        metric: Spanned<Reported> => "what is compared; not a time";
        reference: Option<OneMethod>, else "all pairs of methods"
            => "the method that all others are compared with";
        methods: Spanned<Methods>, else "those that run where the metric is reported, or are quoted"
            => "the methods compared; published-only ones by their published values";
        datasets: Datasets, else "those where the metric is reported" => "the datasets that count";
        part: Option<OnePart>, else "all parts"
            => "the part whose trials count, where methods have a value on a dataset in several";
    }
    check(scope, _table) {
        if let Some(metric) = metric.as_ref().filter(|metric| metric.is_time()) {
            scope.fault(&metric.span, "a test can't be about a time", "reads a clock")
                .help("`tests.csv` has the same bytes on every machine; use a claim");
        }
        if let (Some(Some(reference)), Some(methods)) = (&reference, &methods)
            && !methods.contains(reference)
        {
            let message = format!("the reference `{reference}` does not take part");
            scope.fault(&methods.span, message, "without the reference")
                .help(format!("add \"{reference}\""));
        }
        if let Some(methods) = methods.as_ref().filter(|methods| methods.len() < 2)
            && !scope.method_ids().is_empty()
        {
            let message = "a test compares at least two methods";
            scope.fault(&methods.span, message, "fewer than two");
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
    let word = table.text("kind")?;
    let kind = kinds.iter().find(|kind| kind.word == word)?;
    let read = (kind.read)(table, scope);
    let TestKeys { id, metric, reference, methods, mut datasets, part } = keys?;
    let (read, mut methods) = (read?, methods.value);
    let counts = |id: &PartId| part.as_ref().is_none_or(|own| own == id);
    let reporting =
        scope.parts.iter().filter(|part| counts(&part.id) && part.reports(metric.value));
    let reporting: Vec<PartId> = reporting.map(|part| part.id.clone()).collect();
    scope.leave_run(table, &reporting, &mut methods);
    scope.leave_used(table, &reporting, &mut datasets);
    let Asks { pair_by, dependent, correcting, outcomes, heeds, .. } = read.asks();
    let design = TestDesign {
        id,
        word: kind.word,
        called: kind.called(),
        metric: metric.value,
        reference,
        methods,
        datasets,
        part: part.clone(),
        pair_by,
        dependent,
        outcomes,
    };
    if let (Some(correcting), PairBy::Dataset) = (correcting, pair_by)
        && correcting.family_of == FamilyOf::Dataset
        && let Some(node) = table.get("family_of")
    {
        let message = "a test over datasets has no family of one dataset";
        scope
            .fault(&node.span, message, "pair_by = \"dataset\"")
            .help("remove this key, or pair by what one dataset has several of");
    }
    possible(&design, read.asks().says, table, scope);
    let compared: Vec<&MethodId> = design.methods.iter().collect();
    scope.one_value_each(table, &compared, None, design.metric);
    scope.run_somewhere(table, &compared, part.as_ref(), design.metric);
    let help = "name the `part` that counts";
    let place = table.get("methods").map_or(&table.span, |node| &node.span);
    let compared = (&*design.methods, &*design.datasets);
    scope.in_one_part(place, compared, counts, &[design.metric], help);
    blocks(&design, table, scope);
    dependent_values(&design, heeds, table, scope);
    Some(TestSpec { design, kind: read })
}

/// A difference that does not matter is less than any two values can have.
fn possible(design: &TestDesign, says: Says, table: &Table, scope: &mut Designed<'_>) {
    let (Says::Equivalence(size) | Says::Posterior(size)) = says else { return };
    let key = ["margin", "region"].into_iter().find_map(|key| table.get(key));
    scope.can_differ(size, design.metric, key.map_or(&table.span, |key| &key.span));
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
        let mut rows = self.rows.iter();
        let row = rows.find(|row| {
            (row.whose, row.test.as_str()) == (whose, test)
                && ([&row.left, &row.right] == [one, other]
                    || [&row.left, &row.right] == [other, one])
                && (row.dataset.is_empty() || Some(&row.dataset) == dataset)
        });
        row.ok_or(Lack::Unmet("the test was not made"))
    }
}
