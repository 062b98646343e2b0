//! What the tests found, for people: one line a comparison. `tests.csv` has all of it.

use base::text::{columns, real};
use math::decimal::significant;
use spec::{Adjustment, Comparison, Comparisons};
use stats::{Effect, Posterior};

use super::table::markdown_escaped as escaped;

/// How many comparisons of a test a terminal shows.
const LISTED: usize = 20;

/// What stands over the columns.
const HEADER: [&str; 6] = ["Data set", "Pair", "n", "Effect", "p", "Adjusted p"];

/// The tests over metrics that read a clock, or the others: a table each.
pub fn markdown(comparisons: &Comparisons, timing: bool) -> String {
    let mut text = String::new();
    for test in tests(comparisons, timing) {
        if text.is_empty() {
            text += "\n## Tests\n";
        }
        text += &format!("\n{}.\n\n", escaped(&heading(test)));
        text += &format!("| {} |\n|:--|:--|--:|--:|--:|--:|\n", HEADER.join(" | "));
        for line in test.iter().map(line) {
            text += &format!("| {} |\n", line.map(|cell| escaped(&cell)).join(" | "));
        }
    }
    text
}

/// The tests over metrics that do not read a clock, the first comparisons of each.
pub fn terminal(comparisons: &Comparisons) -> String {
    let mut text = String::new();
    for test in tests(comparisons, false) {
        text += &format!("\n{}\n", heading(test));
        let lines = test.iter().take(LISTED).map(line);
        let rows: Vec<[String; 6]> =
            std::iter::once(HEADER.map(str::to_owned)).chain(lines).collect();
        text += &columns(&rows, &[2, 3, 4, 5]);
        if test.len() > LISTED {
            text += &format!("and {} more in tests.csv\n", test.len() - LISTED);
        }
    }
    text
}

/// The comparisons test by test.
fn tests(comparisons: &Comparisons, timing: bool) -> impl Iterator<Item = &[Comparison]> {
    let tests = comparisons.0.chunk_by(|one, other| one.id == other.id);
    tests.filter(move |test| test.iter().all(|row| row.metric.is_time() == timing))
}

/// Such as `Test wilcoxon: wilcoxon-signed-rank of test_ll, correction holm in the family wilcoxon; effect: ...`.
fn heading(test: &[Comparison]) -> String {
    let Some(first @ Comparison { id, kind, metric, .. }) = test.first() else {
        return String::new();
    };
    let correction = match &first.adjustment {
        Adjustment::None => "no correction".to_owned(),
        Adjustment::Nemenyi => "Nemenyi's correction".to_owned(),
        Adjustment::Family { name, correction } => {
            format!("correction {} in the family {name}", correction.word())
        }
    };
    let effect = test.iter().find_map(|row| row.effect);
    let effect = effect.map_or_else(String::new, |effect| {
        format!("; effect: {}, {}% interval", effect.measure.word(), real(100.0 * first.level))
    });
    format!("Test {id}: {kind} of {}, {correction}{effect}", metric.name)
}

fn line(comparison: &Comparison) -> [String; 6] {
    let Comparison { left, right, dataset, found, .. } = comparison;
    let pair = match (left.as_str(), right.as_str()) {
        ("", _) => "all".to_owned(),
        (left, right) => format!("{left}, {right}"),
    };
    let (dataset, rest) = match found {
        Ok(found) => {
            let p = |p: Option<f64>| p.map_or_else(String::new, |p| number(p, 3));
            let effect = comparison.effect.map_or_else(String::new, shown);
            let first = found.posterior.map_or_else(|| p(found.p), posterior);
            (dataset.clone(), [found.n.to_string(), effect, first, p(found.p_adjusted)])
        }
        Err(why) => (dataset.clone(), [String::new(), why.clone(), String::new(), String::new()]),
    };
    let [n, effect, p, adjusted] = rest;
    [dataset, pair, n, effect, p, adjusted]
}

/// How large the difference is, with its interval.
fn shown(effect: Effect) -> String {
    let value = number(effect.value, 3);
    effect.interval.map_or_else(
        || value.clone(),
        |(low, high)| format!("{value} [{}, {}]", number(low, 3), number(high, 3)),
    )
}

/// How probable it is that left, neither or right is better.
fn posterior(Posterior { left, region, right }: Posterior) -> String {
    let [left, region, right] = [left, region, right].map(|share| number(share, 3));
    format!("{left} left, {region} neither, {right} right")
}

fn number(value: f64, digits: usize) -> String {
    // Without the sign of a zero.
    real(significant(value, digits) + 0.0)
}
