//! What tests share that compare methods two by two.

use base::digest::FieldHasher;
use contract::{DatasetId, Direction, MethodId, Metric};
use document::{Level, Spanned, Word, section};
use math::decimal::significant;
use spec::{
    Adjustment, Comparison, Correcting, Designed, Evidence, FamilyOf, Found, Lack, Over, PairBy,
    Pairs, TestDesign, Whose,
};
use stats::{Effect, StatsError, Superiority, TestResult};

section! {
    in Designed;
    /// What one pair is, and what becomes of several comparisons.
    pub struct Pairing {
        pair_by: Word<PairBy> = "dataset" => "what one pair is";
        /// How p-values are corrected.
        correcting: Correcting;
        level: Level = 0.95 => "confidence level of the interval around the effect";
    }
}

/// What a test makes of the pairs of two methods.
pub(super) struct Made {
    /// What it finds.
    pub found: Result<Found, Lack>,
    /// How large the difference is.
    pub effect: Result<Effect, StatsError>,
    /// How probably a left value is larger than a right one.
    pub superiority: Option<Superiority>,
}

impl Made {
    /// What a test on the differences of pairs finds.
    pub fn of_pairs(
        found: Result<Found, Lack>,
        effect: Result<Effect, StatsError>,
        pairs: &Pairs,
        level: f64,
    ) -> Self {
        let superiority = stats::paired_superiority(&pairs.on_paper(), level).ok();
        Self { found, effect, superiority: superiority.and_then(|found| kept(found, pairs)) }
    }
}

/// How probably a left value is larger than a right one: nothing of means of blocks, which are larger more probably
/// the larger the blocks are; and no interval where training sets overlap, for none is known.
pub(super) fn kept(found: Superiority, pairs: &Pairs) -> Option<Superiority> {
    let interval = found.interval.filter(|_| pairs.overlap == Some(0.0));
    (pairs.over != Over::Blocks).then_some(Superiority { interval, ..found })
}

/// Compares methods two by two, over datasets or within each.
pub(super) fn paired(
    pair_by: PairBy,
    correcting: Option<&Correcting>,
    level: f64,
    test: &TestDesign,
    evidence: &dyn Evidence,
    compute: impl Fn(&Pairs, FieldHasher) -> Made,
) -> Vec<Comparison> {
    let datasets: Vec<Option<&DatasetId>> = match pair_by {
        PairBy::Dataset => vec![None],
        PairBy::Problem | PairBy::Fold | PairBy::Repeat | PairBy::Example | PairBy::Auto => {
            test.datasets.iter().map(Some).collect()
        }
    };
    let whose = evidence.whose();
    let mut rows = Vec::new();
    for (left, right) in test.method_pairs() {
        for dataset in &datasets {
            let pairs = evidence.pairs(test, left, right, *dataset);
            if whose == Whose::Published && pairs.is_err() {
                continue;
            }
            let note = pairs.as_ref().map(|pairs| pairs.note.clone()).unwrap_or_default();
            let dataset = dataset.cloned().unwrap_or_default();
            let seed = FieldHasher::new("bootstrap")
                .number(evidence.seed())
                .field(&test.id)
                .field(left.as_str())
                .field(right.as_str())
                .field(dataset.as_str());
            let over = pairs.as_ref().map(|pairs| pairs.over).ok();
            let (found, effect, superiority) = match pairs.map(|pairs| compute(&pairs, seed)) {
                Err(why) => (Err(why), None, None),
                Ok(Made { found, effect, superiority }) => (found, effect.ok(), superiority),
            };
            rows.push(Comparison {
                left: left.to_owned(),
                right: right.to_owned(),
                effect,
                superiority,
                over,
                adjustment: adjustment(correcting, test, whose, "", &dataset),
                note,
                ..of_all(test, whose, &dataset, level, found)
            });
        }
    }
    rows
}

/// What a test found for all methods at once, without correction and remark.
pub(super) fn of_all(
    test: &TestDesign,
    whose: Whose,
    dataset: &DatasetId,
    level: f64,
    found: Result<Found, Lack>,
) -> Comparison {
    Comparison {
        id: test.id_on(whose),
        kind: test.word,
        metric: test.metric,
        left: MethodId::default(),
        right: MethodId::default(),
        dataset: dataset.to_owned(),
        found,
        effect: None,
        superiority: None,
        over: None,
        level,
        adjustment: Adjustment::None,
        note: String::new(),
    }
}

/// The family of a test's comparisons on a dataset; `of` tells families of one test apart.
pub(super) fn adjustment(
    correcting: Option<&Correcting>,
    test: &TestDesign,
    whose: Whose,
    of: &str,
    dataset: &DatasetId,
) -> Adjustment {
    correcting.map_or(Adjustment::None, |correcting| {
        let family = correcting.family(test);
        let name = match correcting.family_of {
            FamilyOf::Test => format!("{family}{of}"),
            FamilyOf::Dataset => format!("{family}{of} on {dataset}"),
        };
        let correction = correcting.correction;
        Adjustment::Family { name: spec::id_on(&name, whose), correction }
    })
}

impl Pairing {
    /// Compares methods two by two with a test on differences.
    pub(super) fn compare(
        &self,
        test: &TestDesign,
        evidence: &dyn Evidence,
        differences: impl Fn(&Pairs) -> Vec<f64>,
        compute: impl Fn(&[f64]) -> Result<TestResult, StatsError>,
        effect: impl Fn(&[f64], f64) -> Result<Effect, StatsError>,
    ) -> Vec<Comparison> {
        let Self { pair_by, correcting, level } = self;
        paired(*pair_by, Some(correcting), *level, test, evidence, |pairs, _| {
            let differences = differences(pairs);
            let (found, effect) = (found(compute(&differences)), effect(&differences, *level));
            Made::of_pairs(found, effect, pairs, *level)
        })
    }
}

pub(super) fn found(result: Result<TestResult, StatsError>) -> Result<Found, Lack> {
    let TestResult { statistic, p, n, larger } = result?;
    let p = Some(significant(p, 6));
    Ok(Found { n, statistic, larger, p, p_adjusted: p, posterior: None })
}

/// An exact p-value has no continuity correction.
pub(super) fn not_corrected(exact: bool, continuity: &Spanned<bool>, scope: &mut Designed<'_>) {
    if exact && continuity.value {
        scope
            .faults
            .at(&continuity.key, "an exact p-value has no continuity correction", "no effect")
            .help("remove this key, or choose another `p_value`");
    }
}

/// Values such that larger is better.
pub fn oriented(metric: &Metric, value: f64) -> f64 {
    if metric.direction == Direction::Lower { -value } else { value }
}
