//! Friedman's test over all methods of a `[[test]]`, with its comparisons.

use document::{Word, section};
use math::decimal::significant;
use spec::{Comparison, Evidence, Found, Kind, PairBy, Scope, Test, TestDesign, Whose};
use stats::Friedman as Ranks;

use super::paired::oriented;
use spec::number::fixed;

pub(super) const KIND: Kind<dyn Test> = Kind::<dyn Test>::of::<Friedman>(
    "friedman",
    "Friedman's test over all methods; with `reference`, Holm's step-down against it; without, Nemenyi's comparisons \
     of all pairs",
);

section! {
    in Scope;
    /// Friedman's test over all methods.
    pub struct Friedman {
        pair_by: Word<PairBy> = "dataset" => "what one pair is";
    }
}

impl Test for Friedman {
    fn pair_by(&self) -> PairBy {
        self.pair_by
    }

    /// The overall test (a row without methods), then the comparisons: with Holm's correction against
    /// the reference, or Nemenyi's of all pairs. One set over the datasets, or one a dataset.
    fn comparisons(&self, test: &TestDesign, evidence: &dyn Evidence) -> Vec<Comparison> {
        let whose = evidence.whose();
        if self.pair_by == PairBy::Dataset {
            let ranking = ranking(test, evidence, None);
            if whose == Whose::Published && ranking.is_err() {
                return Vec::new();
            }
            return rows(test, whose, "", ranking);
        }
        let within =
            |dataset: &String| rows(test, whose, dataset, ranking(test, evidence, Some(dataset)));
        test.datasets.iter().flat_map(within).collect()
    }

    fn ranks(&self) -> bool {
        true
    }
}

/// Mean ranks of methods, behind a critical-difference diagram.
pub struct Ranking {
    /// Method ids.
    pub methods: Vec<String>,
    /// What Friedman's test found, mean ranks in the order of the methods.
    pub friedman: Ranks,
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
    dataset: Option<&str>,
) -> Result<Ranking, String> {
    let blocks = evidence.blocks(test, dataset)?;
    // Values are rounded to twelve digits, so that rounding errors do not part ties.
    let comparable = |value: f64| significant(oriented(test.metric, value), 12);
    let values: Vec<Vec<f64>> = blocks
        .values
        .into_iter()
        .map(|block| block.into_iter().map(comparable).collect())
        .collect();
    let friedman = stats::friedman(&values).map_err(|error| error.to_string())?;
    Ok(Ranking { methods: blocks.methods, friedman, note: blocks.note })
}

fn rows(
    test: &TestDesign,
    whose: Whose,
    dataset: &str,
    ranking: Result<Ranking, String>,
) -> Vec<Comparison> {
    let correction = if test.reference.is_some() { "holm" } else { "nemenyi" };
    let row = |left: &str, right: &str, found, correction, note| Comparison {
        id: test.id_on(whose),
        kind: test.word,
        metric: test.metric,
        left: left.to_owned(),
        right: right.to_owned(),
        dataset: dataset.to_owned(),
        found,
        correction,
        note,
    };
    let ranking = match ranking {
        Ok(ranking) => ranking,
        Err(reason) => {
            let pairs = test.method_pairs().into_iter().map(|(left, right)| {
                row(left, right, Err(reason.clone()), correction, String::new())
            });
            let all = row("", "", Err(reason.clone()), "none", String::new());
            return std::iter::once(all).chain(pairs).collect();
        }
    };
    let Ranking { methods, friedman, note } = &ranking;
    let p = significant(friedman.p, 6);
    let overall = Found {
        n: friedman.n,
        statistic: friedman.statistic,
        p: Some(p),
        p_adjusted: Some(p),
        interval: None,
    };
    let mut rows = vec![row("", "", Ok(overall), "none", overall_note(&ranking))];
    for (left, right) in test.method_pairs() {
        let at = |method: &str| methods.iter().position(|other| other == method);
        let finding = match (at(left), at(right)) {
            (Some(left), Some(right)) => compared(friedman, left, right, test.reference.is_some()),
            _ => Err("no published value".to_owned()),
        };
        rows.push(row(left, right, finding, correction, note.clone()));
    }
    rows
}

/// Statistic: z, or (Nemenyi) the difference of mean ranks.
fn compared(
    friedman: &Ranks,
    left: usize,
    right: usize,
    against_reference: bool,
) -> Result<Found, String> {
    let finding = |statistic, p: f64, adjusted: f64| Found {
        n: friedman.n,
        statistic,
        p: Some(significant(p, 6)),
        p_adjusted: Some(significant(adjusted, 6)),
        interval: None,
    };
    if against_reference {
        let comparisons =
            stats::holm_against_control(friedman, left).map_err(|error| error.to_string())?;
        return comparisons
            .iter()
            .find(|comparison| comparison.treatment == right)
            .map(|comparison| finding(comparison.z, comparison.p, comparison.p_adjusted))
            .ok_or_else(|| "no such method".to_owned());
    }
    let difference = friedman.mean_ranks[right] - friedman.mean_ranks[left];
    let p = stats::nemenyi_p(difference, friedman.mean_ranks.len(), friedman.n)
        .map_err(|error| error.to_string())?;
    Ok(finding(difference, p, p))
}

fn overall_note(ranking: &Ranking) -> String {
    let friedman = &ranking.friedman;
    let ranks: Vec<String> = ranking
        .methods
        .iter()
        .zip(&friedman.mean_ranks)
        .map(|(method, rank)| format!("{method} {}", fixed(*rank, 3)))
        .collect();
    let mut note = format!(
        "mean ranks: {}; Iman-Davenport F {}, p {}",
        ranks.join(", "),
        base::text::real(significant(friedman.iman_davenport, 6)),
        base::text::real(significant(friedman.iman_davenport_p, 6)),
    );
    if !ranking.note.is_empty() {
        note = format!("{note}; {}", ranking.note);
    }
    note
}
