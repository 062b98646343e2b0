//! The significance tests of an experiment. Each kind is one file: its keys, and what it computes.

mod bayesian;
mod bootstrap;
mod cochran_q;
mod equivalence;
mod friedman;
mod mcnemar;
mod paired;
mod paired_t;
mod resampled_t;
mod sign;
mod welch_t;
mod wilcoxon;

use std::collections::BTreeMap;

use math::decimal::significant;
use spec::{Adjustment, Comparison, Comparisons, Evidence, Found, Kind, PairBy, Test, TestSpec};
use stats::Correction;

pub use bayesian::{BayesianCorrelatedT, BayesianSignedRank};
pub use bootstrap::Bootstrap;
pub use cochran_q::CochranQ;
pub use equivalence::{Equivalence, Form as EquivalenceForm};
pub use friedman::{ByPairs, Friedman, ranking};
pub use mcnemar::{McNemar, Outcomes, PValue as McNemarPValue, Unit as McNemarUnit};
pub use paired::{Pairing, Unit, oriented};
pub use paired_t::PairedT;
pub use resampled_t::{CorrectedResampledT, Unit as Division};
pub use sign::{PValue as SignPValue, Sign};
pub use welch_t::WelchT;
pub use wilcoxon::{PValue as WilcoxonPValue, Wilcoxon};

/// Every kind of test.
pub static KINDS: &[Kind<dyn Test>] = &[
    Kind::<dyn Test>::of::<PairedT>(),
    Kind::<dyn Test>::of::<WelchT>(),
    Kind::<dyn Test>::of::<Wilcoxon>(),
    Kind::<dyn Test>::of::<Sign>(),
    Kind::<dyn Test>::of::<McNemar>(),
    Kind::<dyn Test>::of::<CochranQ>(),
    Kind::<dyn Test>::of::<Friedman>(),
    Kind::<dyn Test>::of::<CorrectedResampledT>(),
    Kind::<dyn Test>::of::<Equivalence>(),
    Kind::<dyn Test>::of::<Bootstrap>(),
    Kind::<dyn Test>::of::<BayesianSignedRank>(),
    Kind::<dyn Test>::of::<BayesianCorrelatedT>(),
];

/// Runs every test on our numbers and, where it pairs datasets, on the paper's.
pub fn run(tests: &[TestSpec], ours: &dyn Evidence, published: &dyn Evidence) -> Comparisons {
    let whose = |test: &TestSpec| 1 + usize::from(test.pair_by == PairBy::Dataset);
    let runs = tests.iter().flat_map(|test| {
        [ours, published].into_iter().take(whose(test)).map(move |own| (test, own))
    });
    let compared = |(test, own): (&TestSpec, &dyn Evidence)| test.kind.comparisons(test, own);
    let mut groups: Vec<Vec<Comparison>> = runs.clone().map(compared).collect();
    let families = correct(groups.iter_mut().flatten());
    for ((test, own), rows) in runs.zip(&mut groups) {
        for row in rows {
            row.labels = [&row.left, &row.right].map(|method| own.label(method).to_owned());
            row.title = own.title(&row.dataset);
            row.in_family = in_family(&*test.kind, row, &families);
        }
    }
    Comparisons { tests: tests.to_vec(), rows: groups.into_iter().flatten().collect() }
}

/// What one test finds in these numbers, its p-values corrected by themselves.
pub fn comparisons(test: &TestSpec, evidence: &dyn Evidence) -> Vec<Comparison> {
    let mut rows = test.kind.comparisons(test, evidence);
    correct(rows.iter_mut());
    rows
}

/// Corrects the p-values of each family for all its comparisons that could be computed, of which it gives the number.
fn correct<'c>(rows: impl Iterator<Item = &'c mut Comparison>) -> BTreeMap<String, usize> {
    let mut families: BTreeMap<String, (Correction, Vec<&mut Found>)> = BTreeMap::new();
    for row in rows {
        let Adjustment::Family { name, correction } = &row.adjustment else { continue };
        let Ok(found) = &mut row.found else { continue };
        if found.p.is_some() {
            let (_, members) =
                families.entry(name.clone()).or_insert_with(|| (*correction, Vec::new()));
            members.push(found);
        }
    }
    let corrected = |(name, (correction, members)): (String, (Correction, Vec<&mut Found>))| {
        let p: Vec<f64> = members.iter().filter_map(|found| found.p).collect();
        for (found, adjusted) in members.into_iter().zip(stats::adjust(&p, correction)) {
            found.p_adjusted = Some(significant(adjusted, 6));
        }
        (name, p.len())
    };
    families.into_iter().map(corrected).collect()
}

/// The interval of a comparison that holds for all those of its family at once: by Bonferroni's inequality, at the level
/// 1 - (1 - level) / their number.
fn in_family(
    kind: &dyn Test,
    row: &Comparison,
    families: &BTreeMap<String, usize>,
) -> Option<(f64, f64)> {
    let own = row.effect?.interval;
    match (&row.adjustment, families.get(row.adjustment.family())) {
        (Adjustment::Nemenyi, _) | (Adjustment::Family { .. }, Some(1)) => own,
        (Adjustment::Family { .. }, Some(&size)) if row.found.is_ok() => {
            let level = 1.0 - (1.0 - row.level) / size as f64;
            own.and_then(|_| kind.interval(row, level))
        }
        (Adjustment::Family { .. } | Adjustment::None, _) => None,
    }
}
