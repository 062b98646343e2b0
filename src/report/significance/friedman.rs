//! Friedman's test over all methods of a `[[test]]`, with its comparisons.

use std::cmp::Ordering;

use base::words;
use contract::{DatasetId, Direction, MethodId};
use document::{Word, section};
use math::decimal::significant;
use math::normal;
use spec::{
    Adjustment, Asks, Behind, Comparison, Designed, Evidence, Found, Lack, Made, Over, PairBy,
    Pairs, Test, TestDesign, Whose, pairwise,
};
use stats::{Correction, EXACT_MOST, Effect, Friedman as Ranks, Measure, Zeros};

use super::paired::{Pairing, made, oriented};
use spec::number::fixed;

words! {
    /// How two methods are compared after Friedman's test.
    pub enum ByPairs {
        Ranks = "ranks", "by their mean ranks: all pairs by Nemenyi's test, or those with `reference`; they depend on which other methods are listed";
        Wilcoxon = "wilcoxon", "by Wilcoxon's signed-rank test of the two alone, corrected as `correction` says (Benavoli, Corani and Mangili, JMLR 17, 2016)";
    }
}

section! {
    in Designed;
    pub struct Friedman: "friedman" => "Friedman's test over all methods; with `reference`, comparisons with it; without, Nemenyi's comparisons of all pairs; or Wilcoxon's" {
        /// What a block is; the correction is of comparisons with `reference`, or by Wilcoxon's test.
        pairing: Pairing;
        pairs: Word<ByPairs> = "ranks" => "how two methods are compared";
    }
    check(scope, table) {
        if let (Some(pairing), Some(ByPairs::Ranks)) = (&pairing, pairs)
            && pairing.correcting.correction != Correction::Holm
            && table.get("reference").is_none()
            && let Some(node) = table.get("correction")
        {
            scope.fault(&node.span, "Nemenyi's comparisons of all pairs have a correction of their own", "no effect")
                .help("remove this key, or name a `reference`, or write pairs = \"wilcoxon\"");
        }
    }
}

impl Test for Friedman {
    fn asks(&self) -> Asks<'_> {
        let shifts = self.pairs == ByPairs::Wilcoxon;
        Asks { orders: true, ranks: true, shifts, ..self.pairing.asks() }
    }

    /// Wilcoxon's test of two methods alone.
    fn compare(&self, pairs: &Pairs, level: f64) -> Made {
        let differences = pairs.on_paper();
        let exact = differences.len() <= EXACT_MOST;
        made(
            stats::wilcoxon_signed_rank(&differences, exact, Zeros::Drop, false),
            stats::pseudo_median(&differences, level),
        )
    }

    /// The overall test (a row without methods), then the comparisons: by Wilcoxon's test, those with the
    /// reference, or Nemenyi's of all pairs. One set over the datasets, or one a dataset.
    fn comparisons(&self, test: &TestDesign, evidence: &dyn Evidence) -> Vec<Comparison> {
        let mut rows = self.by_ranks(test, evidence);
        if self.pairs == ByPairs::Wilcoxon {
            let pairs = pairwise(self, test, evidence).into_iter();
            rows.extend(
                pairs.map(|row| Comparison { called: "Wilcoxon's signed-rank test", ..row }),
            );
        }
        rows
    }

    fn interval(&self, row: &Comparison, level: f64) -> Option<(f64, f64)> {
        if let (Behind::Ranks(k), Ok(Found { n, .. })) = (&row.behind, &row.found) {
            let alone = row.adjustment != Adjustment::Nemenyi;
            return around(row.effect?.value, alone, (*k, *n), level).ok();
        }
        self.compare(&*row.pairs_of(&row.left)?, level).effect?.interval
    }
}

/// Mean ranks of methods, behind a critical-difference diagram.
pub struct Ranking {
    /// Method ids.
    pub methods: Vec<MethodId>,
    /// What people read for them.
    pub labels: Vec<String>,
    /// What Friedman's test found, mean ranks in the order of the methods.
    pub friedman: Ranks,
    /// What the blocks are.
    pub over: Over,
    /// Remarks: what was left out, quoted values.
    pub note: String,
}

/// Ranks the methods over datasets, or over the problems, folds, repeats or examples of one dataset.
///
/// # Errors
/// A value that should be there is not, or there is nothing to rank.
pub fn ranking(
    test: &TestDesign,
    evidence: &dyn Evidence,
    dataset: Option<&DatasetId>,
) -> Result<Ranking, Lack> {
    let blocks = evidence.blocks(test, dataset)?;
    // Values are rounded to twelve digits, so that rounding errors do not part ties.
    let comparable = |value: f64| significant(oriented(test.metric, value), 12);
    let values: Vec<Vec<f64>> = blocks
        .values
        .into_iter()
        .map(|block| block.into_iter().map(comparable).collect())
        .collect();
    let friedman = stats::friedman(&values)?;
    let labels = blocks.methods.iter().map(|method| evidence.label(method).to_owned()).collect();
    Ok(Ranking { methods: blocks.methods, labels, friedman, over: blocks.over, note: blocks.note })
}

impl Friedman {
    /// What mean ranks say: of all methods, and of pairs unless these are compared otherwise.
    fn by_ranks(&self, test: &TestDesign, evidence: &dyn Evidence) -> Vec<Comparison> {
        let whose = evidence.whose();
        if self.asks().pair_by == PairBy::Dataset {
            let ranking = ranking(test, evidence, None);
            if whose == Whose::Published && ranking.is_err() {
                return Vec::new();
            }
            return self.rows(test, whose, &DatasetId::default(), ranking);
        }
        let within = |dataset: &DatasetId| {
            self.rows(test, whose, dataset, ranking(test, evidence, Some(dataset)))
        };
        test.datasets.iter().flat_map(within).collect()
    }

    fn rows(
        &self,
        test: &TestDesign,
        whose: Whose,
        dataset: &DatasetId,
        ranking: Result<Ranking, Lack>,
    ) -> Vec<Comparison> {
        let Asks { correcting, level, .. } = self.asks();
        let within = |of| Adjustment::within(correcting, test, whose, of, dataset);
        let (called, pairwise) = match test.reference {
            Some(_) => ("z-test of mean ranks", within("")),
            None => ("Nemenyi's test", Adjustment::Nemenyi),
        };
        let over = ranking.as_ref().map(|ranking| ranking.over).ok();
        let ranks = |ranking: &Ranking| Behind::Ranks(ranking.methods.len());
        let behind = ranking.as_ref().map_or(Behind::Nothing, ranks);
        let row = |made: Result<(Found, Effect), Lack>, adjustment, note| {
            let effect = made.as_ref().ok().map(|(_, effect)| *effect);
            let found = made.map(|(found, _)| found);
            let row = Comparison::of_all(test, whose, dataset, level, found);
            let row = Comparison { effect, adjustment, note, behind: behind.clone(), ..row };
            row.over(over, test, &[])
        };
        let known = || ranking.as_ref().map_err(Clone::clone);
        let note = |of: fn(&Ranking) -> String| known().map(of).unwrap_or_default();
        let all = row(known().map(of_ranking), within(" overall"), note(overall_note));
        let pairs = test.method_pairs().into_iter().filter(|_| self.pairs == ByPairs::Ranks);
        let pairs = pairs.map(|(left, right)| {
            let made = known().and_then(|ranking| compared(test, ranking, (left, right), level));
            let row = row(made, pairwise.clone(), note(|ranking| ranking.note.clone()));
            Comparison { called, left: left.to_owned(), right: right.to_owned(), ..row }
        });
        std::iter::once(all).chain(pairs).collect()
    }
}

/// Statistic: z, or (Nemenyi) the difference of mean ranks, which is also the effect.
fn compared(
    test: &TestDesign,
    ranking: &Ranking,
    (left, right): (&MethodId, &MethodId),
    level: f64,
) -> Result<(Found, Effect), Lack> {
    let at = |method: &MethodId| {
        let place = ranking.methods.iter().position(|other| other == method);
        place.ok_or(Lack::Unmet("no published value"))
    };
    let (left, right, friedman) = (at(left)?, at(right)?, &ranking.friedman);
    let (k, n) = (friedman.mean_ranks.len(), friedman.n);
    let value = friedman.mean_ranks[right] - friedman.mean_ranks[left];
    let alone = test.reference.is_some();
    let (statistic, p) = if alone {
        let z = value / stats::rank_error(k, n)?;
        (z, normal::two_sided(z))
    } else {
        (value, stats::nemenyi_p(value, k, n)?)
    };
    let better = value.total_cmp(&0.0);
    // Where left is the better its values are the larger, or the smaller.
    let larger = if test.metric.direction == Direction::Lower { better.reverse() } else { better };
    let interval = Some(around(value, alone, (k, n), level)?);
    let effect = Effect { measure: Measure::MeanRank, value, interval };
    Ok((Found::of(n, statistic, larger).with_p(p), effect))
}

/// The interval of a difference of two of `k` mean ranks over `n` blocks: of this pair alone, or simultaneous for all
/// pairs with Nemenyi's critical difference.
fn around(
    difference: f64,
    alone: bool,
    (k, n): (usize, usize),
    level: f64,
) -> Result<(f64, f64), Lack> {
    let half = match alone {
        true => stats::rank_error(k, n)? * normal::quantile(0.5 * (1.0 + level)),
        false => stats::critical_difference(k, n, 1.0 - level)?,
    };
    Ok((difference - half, difference + half))
}

/// What Friedman's test found of all methods, with Kendall's concordance.
fn of_ranking(Ranking { methods, friedman, .. }: &Ranking) -> (Found, Effect) {
    let Ranks { n, statistic, p, .. } = *friedman;
    let value = statistic / (n * (methods.len() - 1)) as f64;
    let effect = Effect { measure: Measure::Concordance, value, interval: None };
    (Found::of(n, statistic, Ordering::Equal).with_p(p), effect)
}

fn overall_note(ranking: &Ranking) -> String {
    let friedman = &ranking.friedman;
    let ranks = ranking.labels.iter().zip(&friedman.mean_ranks);
    let ranks: Vec<String> =
        ranks.map(|(label, rank)| format!("{label} ({})", fixed(*rank, 3))).collect();
    let [f, p] = [friedman.iman_davenport, friedman.iman_davenport_p]
        .map(|value| base::text::real(significant(value, 6)));
    let by_f = match friedman.iman_davenport.is_finite() {
        true => format!("Iman-Davenport F {f}, p {p}"),
        false => "no Iman-Davenport F, since all agree on the order".to_owned(),
    };
    let mut note = format!("mean ranks: {}; {by_f}", ranks.join(", "));
    if !ranking.note.is_empty() {
        note = format!("{note}; {}", ranking.note);
    }
    note
}
