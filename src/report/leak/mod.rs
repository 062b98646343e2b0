//! The verdicts of a leak check, from the trials that the check consists of.

mod shown;
mod suspicion;

use std::collections::BTreeMap;

use base::words;
use contract::{DatasetId, MethodId, Metric, PartId};
use itertools::Itertools as _;
use math::beta;
use math::decimal::significant;
use run::Record;
use spec::{CheckedPart, Experiment, LeakCheck};
use stats::{Correction, Dependence, adjust, paired_t};
use std::cmp::Ordering;
use suspicion::Suspects;
use task::chance::MAJORITY_SHARE;
use task::metrics::TEST_EXAMPLES;
use task::moved::MOVED_ANSWERS;
use task::overlap::{COPIES, COPIES_ALIKE, COPIES_BY_CHANCE, COPIES_OF_NUMBERS, GROUPS};
use task::overlap::{NEAR_BY_CHANCE, NEAR_COPIES, SHARED_GROUPS};

use crate::tested::number;

/// So many permutations have to come to an end.
const LEAST: usize = 99;

/// What differs by less is the same but for rounding.
const ROUNDING: f64 = 1e-9;

words! {
    /// What can leak.
    #[derive(PartialOrd, Ord)]
    pub enum Leak {
        Labels = "labels", "on permuted labels the method scores more than chance gives";
        Copies = "copies", "more test examples equal a training example than in a random division, or one does with numbers that no other row has";
        NearCopies = "near copies", "more test examples are near a training example than in a random division";
        Groups = "groups", "test examples are of groups that have training examples";
        Remembers = "remembers", "of labels that are drawn once the method knows more in later folds than chance gives";
        Answers = "answers", "an answer depends on the test examples that it is asked with, or on their order";
        Column = "column", "a column alone tells as much as the best method, or it or its difference from another orders the classes all but perfectly";
        Encoded = "encoded", "a column follows the mean targets of the rows that share its values more closely than chance can";
        Filled = "filled in", "several classes have a value each in a column that far more rows share than any other, or many rows have the mean of all others";
        Clusters = "clusters", "labels agree among the nearest few training examples, or those with one value or name in a column, and hardly with others";
        Close = "close rows", "many test examples have a few training examples ten times nearer than the next, or four times where rows fill more than a surface";
        Between = "interpolated", "many test examples lie on the line between two of their nearest training examples, or half of a column on lines between the values before and after";
        Exact = "exact", "a method predicts numbers all but exactly, or columns multiply up to them";
        Repeats = "repeats", "far more rows stand more than once than chance gives where each column depends on another";
        Scaled = "scaled", "columns were scaled to the mean 0 and the deviation 1 of all rows, or to reach from 0 to 1, or rotated so that they are uncorrelated";
        Selected = "selected", "all columns tell what the best of very many columns tell by chance, and independently of each other";
        Computed = "computed", "a column is a mean or sum of targets of a group, or of rows before and after, which nobody knows when a row is predicted";
        Missing = "missing", "whether a column has a value, or another one than 0, tells the label";
        Sequence = "in a row", "labels agree between rows that stand near each other in the file, and hardly between rows that are alike and stand far off";
        Earlier = "earlier", "test rows are earlier than training rows, where a time is named";
        Identifies = "identifier", "a column says which row it is: an order, an id or a time";
        Wide = "wide", "there are more columns than training examples";
    }
}

impl Leak {
    /// Whether it shows a leak; else it may have honest reasons.
    fn shows(self) -> bool {
        use Leak::{Answers, Copies, Groups, Labels, NearCopies, Remembers};
        matches!(self, Labels | Copies | NearCopies | Groups | Remembers | Answers)
    }
}

words! {
    /// What is said of a method on a dataset.
    pub enum Verdict {
        Nothing = "nothing found", "all was checked, and nothing was found";
        Leaks = "leaks", "of what was found something shows a leak";
        Suspicious = "suspicious", "what was found may have honest reasons";
        NotChecked = "not checked", "not all was checked; nothing was found in what was";
    }
}

impl Verdict {
    /// That of what was found.
    fn of(found: &[Leak]) -> Self {
        match found {
            [] => Self::Nothing,
            found if found.iter().any(|leak| leak.shows()) => Self::Leaks,
            _ => Self::Suspicious,
        }
    }
}

/// A p-value, and the same among the others of its family.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct P {
    /// Alone.
    pub p: f64,
    /// After Holm's correction.
    pub adjusted: f64,
}

/// What the divisions of a dataset say; nothing of what no trial measured.
#[derive(Debug, Clone, Default)]
pub struct OfData {
    copies: Option<f64>,
    alike: Option<f64>,
    /// Copies that are no chance.
    sure: Option<f64>,
    copies_by_chance: Option<P>,
    near: Option<f64>,
    near_by_chance: Option<P>,
    groups: Option<f64>,
    shared_groups: Option<f64>,
    suspects: Suspects,
}

/// What permuted labels say of a method.
#[derive(Debug, Clone, Default)]
pub struct OfLabels {
    score: Option<f64>,
    permuted: Option<f64>,
    chance: Option<f64>,
    majority: Option<f64>,
    permutations: usize,
    p: Option<P>,
    /// How probably chance has as many hits on drawn labels.
    remembered: Option<P>,
    /// How often a permutation scores as much as the given labels, these included.
    learned: Option<f64>,
    moved: Option<f64>,
    why_not: Option<String>,
}

/// A method on a dataset.
#[derive(Debug, Clone)]
pub struct Checked<'a> {
    part: &'a CheckedPart,
    dataset: &'a DatasetId,
    method: &'a MethodId,
    data: usize,
    labels: OfLabels,
    /// What was found of it, each once.
    leaks: Vec<Leak>,
    /// What is said of it.
    pub verdict: Verdict,
}

/// What was found of a dataset, or of one method on it.
#[derive(Debug, Clone)]
struct Found<'a> {
    data: usize,
    method: Option<&'a MethodId>,
    leak: Leak,
    /// What was seen, and what to do.
    what: String,
}

/// The verdicts of a leak check.
#[derive(Debug, Clone)]
pub struct Leaks<'a> {
    check: &'a LeakCheck,
    /// Parts and datasets with what their divisions say.
    data: Vec<(&'a CheckedPart, &'a DatasetId, OfData)>,
    /// What was found.
    found: Vec<Found<'a>>,
    /// Each method on each dataset.
    pub checked: Vec<Checked<'a>>,
}

impl<'a> Leaks<'a> {
    /// Of a leak check with these trials; none of another experiment.
    pub fn of(experiment: &'a Experiment, records: &'a [Record]) -> Option<Self> {
        let check = experiment.leak.as_ref()?;
        let trials = Trials::of(records);
        let (mut data, mut checked) = (Vec::new(), Vec::new());
        for part in &check.parts {
            let Some(spec) = experiment.parts.iter().find(|known| known.id == part.given) else {
                continue;
            };
            for dataset in &spec.datasets {
                let of_method = |method| trials.given((&part.given, dataset, method)).ok();
                let given = spec.methods.iter().find_map(of_method);
                let of_data = given.map_or_else(OfData::default, |given| of_data(part, given));
                data.push((part, dataset, of_data));
                for method in &spec.methods {
                    let mut labels = OfLabels::default();
                    let place = (dataset, method);
                    labels.why_not = measure_labels(&mut labels, part, &trials, place).err();
                    checked.push(Checked {
                        part,
                        dataset,
                        method,
                        data: data.len() - 1,
                        labels,
                        leaks: Vec::new(),
                        verdict: Verdict::Nothing,
                    });
                }
            }
        }
        let mut leaks = Self { check, data, found: Vec::new(), checked };
        leaks.correct();
        leaks.judge();
        Some(leaks)
    }

    /// Corrects the p-values of both families.
    fn correct(&mut self) {
        holm(self.checked.iter_mut().map(|row| &mut row.labels.p));
        holm(self.checked.iter_mut().map(|row| &mut row.labels.remembered));
        holm(
            self.data
                .iter_mut()
                .flat_map(|(.., data)| [&mut data.copies_by_chance, &mut data.near_by_chance]),
        );
    }

    fn judge(&mut self) {
        let alpha = self.check.keys.alpha;
        for (at, (part, _, data)) in self.data.iter().enumerate() {
            let of = self.checked.iter().filter(|row| row.data == at);
            let best = of.filter_map(|row| row.labels.score).max_by(f64::total_cmp);
            let accept = self.check.keys.accept.as_deref().unwrap_or_default();
            let suspects = data.suspects.found((part.chance.score, best), accept);
            let found = data.found(alpha).chain(suspects);
            let of_all = |(leak, what)| Found { data: at, method: None, leak, what };
            self.found.extend(found.map(of_all));
        }
        for row in &mut self.checked {
            let (data, method) = (row.data, Some(row.method));
            let of_method = |(leak, what)| Found { data, method, leak, what };
            self.found.extend(row.labels.found(alpha).map(of_method));
            row.leaks = row.found(&self.found).map(|one| one.leak).sorted().dedup().collect();
            row.verdict = match Verdict::of(&row.leaks) {
                Verdict::Nothing if row.labels.why_not.is_some() => Verdict::NotChecked,
                found => found,
            };
        }
    }

    /// How many leak, and how many are suspicious.
    pub fn leaking(&self) -> [usize; 2] {
        let count = |verdict| self.checked.iter().filter(|row| row.verdict == verdict).count();
        [Verdict::Leaks, Verdict::Suspicious].map(count)
    }
}

impl Checked<'_> {
    /// What was found of it, or of all methods on its dataset.
    fn found<'f>(&self, all: &'f [Found<'_>]) -> impl Iterator<Item = &'f Found<'f>> {
        let of_both =
            |one: &&Found| one.data == self.data && one.method.is_none_or(|of| of == self.method);
        all.iter().filter(of_both)
    }

    /// The verdict, with what was found.
    fn text(&self) -> String {
        match self.leaks.iter().map(|leak| leak.word()).join(", ") {
            none if none.is_empty() => self.verdict.word().to_owned(),
            found => format!("{}: {found}", self.verdict.word()),
        }
    }

    /// What was found that shows a leak, or that does not.
    fn words(&self, shows: bool) -> String {
        let those = self.leaks.iter().filter(|leak| leak.shows() == shows);
        those.map(|leak| leak.word()).join(", ")
    }

    /// Why not all was checked, where nothing was found.
    fn unchecked(&self) -> Option<&str> {
        self.labels.why_not.as_deref().filter(|_| self.verdict == Verdict::NotChecked)
    }
}

impl OfData {
    /// What shows that training examples give test examples away.
    fn found(&self, alpha: f64) -> impl Iterator<Item = (Leak, String)> {
        let copied = |what: &str, share: Option<f64>, p: Option<P>| {
            let p = p.filter(|p| p.adjusted < alpha)?;
            let (share, p) = (percent(share?), number(p.adjusted, 2));
            Some(format!(
                "{share} % of the test rows {what} a training row, as hardly a random division has (p = {p})"
            ))
        };
        let sure = || {
            let sure = percent(self.sure.filter(|sure| *sure > 0.0)?);
            let copies = percent(self.copies?);
            Some(format!(
                "{copies} % of the test rows equal a training row, {sure} % in numbers that no other row has: drop the copies, or name the `group`"
            ))
        };
        let groups = || {
            let shared = percent(self.shared_groups.filter(|shared| *shared > 0.0)?);
            Some(format!("{shared} % of the test rows are of groups that have training rows"))
        };
        [
            (Leak::Copies, sure().or_else(|| copied("equal", self.copies, self.copies_by_chance))),
            (Leak::NearCopies, copied("are near", self.near, self.near_by_chance)),
            (Leak::Groups, groups()),
        ]
        .into_iter()
        .filter_map(|(leak, what)| Some((leak, what?)))
    }
}

impl OfLabels {
    /// What shows that labels reach the method.
    fn found(&self, alpha: f64) -> impl Iterator<Item = (Leak, String)> {
        let below = |p: Option<P>| p.filter(|p| p.adjusted < alpha).map(|p| number(p.adjusted, 2));
        let three = |value: Option<f64>| value.map_or_else(String::new, |value| number(value, 3));
        let labels = below(self.p).map(|p| {
            let (score, chance) = (three(self.permuted), three(self.chance));
            format!("scores {score} on permuted labels, where chance gives {chance} (p = {p})")
        });
        let remembers = below(self.remembered)
            .map(|p| format!("knows more of labels that were drawn than chance gives (p = {p})"));
        let answers = self.moved.filter(|moved| *moved > 0.0).map(|moved| {
            format!("{} % of its answers depend on the rows asked with them", percent(moved))
        });
        [(Leak::Labels, labels), (Leak::Remembers, remembers), (Leak::Answers, answers)]
            .into_iter()
            .filter_map(|(leak, what)| Some((leak, what?)))
    }
}

fn holm<'p>(family: impl Iterator<Item = &'p mut Option<P>>) {
    let family: Vec<&mut P> = family.flatten().collect();
    let p: Vec<f64> = family.iter().map(|p| p.p).collect();
    for (member, adjusted) in family.into_iter().zip(adjust(&p, Correction::Holm)) {
        member.adjusted = significant(adjusted, 6);
    }
}

/// A part, a dataset and a method.
type Place<'a> = (&'a PartId, &'a DatasetId, &'a MethodId);

/// The trials that count, by place.
struct Trials<'a>(BTreeMap<Place<'a>, Vec<&'a Record>>);

impl<'a> Trials<'a> {
    fn of(records: &'a [Record]) -> Self {
        let counts = |record: &&Record| record.selected && record.trial.choice.is_empty();
        let mut trials: BTreeMap<_, Vec<&Record>> = BTreeMap::new();
        for record in records.iter().filter(counts) {
            let setup = &record.trial.setup;
            let place = (&setup.part, &setup.dataset, &setup.method);
            trials.entry(place).or_default().push(record);
        }
        Self(trials)
    }

    fn at<'s>(&'s self, place: Place<'s>) -> &'s [&'a Record] {
        self.0.get(&place).map_or(&[], Vec::as_slice)
    }

    /// The trials on the labels as they are.
    ///
    /// # Errors
    /// Why the first one has no value that has none, or that there is no trial.
    fn given<'s>(&'s self, place: Place<'s>) -> Result<&'s [&'a Record], String> {
        let given = self.at(place);
        match given.iter().find(|record| !measured(record)) {
            Some(record) => Err(why(record)),
            None if given.is_empty() => Err("no trial of it has run".to_owned()),
            None => Ok(given),
        }
    }
}

fn measured(record: &Record) -> bool {
    record.outcome.as_ref().is_some_and(|outcome| outcome.measured())
}

fn why(record: &Record) -> String {
    match &record.outcome {
        None => "a trial has not run".to_owned(),
        Some(outcome) => format!("{}: {}", outcome.status().word(), outcome.complaint()),
    }
}

fn percent(share: f64) -> String {
    number(100.0 * share, 3)
}

fn mean(values: impl Iterator<Item = f64>) -> Option<f64> {
    let (sum, count) = values.fold((0.0, 0.0), |(sum, count), value| (sum + value, count + 1.0));
    (count > 0.0).then(|| sum / count)
}

fn of_data(part: &CheckedPart, given: &[&Record]) -> OfData {
    let of = |metric| mean(given.iter().filter_map(|record| record.value(metric)));
    // The least of the divisions of a dataset, as one of so many.
    let least = |metric: &Metric| {
        let all: Vec<f64> = given.iter().filter_map(|record| record.value(metric)).collect();
        let least = all.iter().copied().min_by(f64::total_cmp).filter(|_| part.divided)?;
        let p = (least * all.len() as f64).min(1.0);
        Some(P { p, adjusted: p })
    };
    OfData {
        copies: of(&COPIES),
        alike: of(&COPIES_ALIKE),
        sure: of(&COPIES_OF_NUMBERS),
        copies_by_chance: least(&COPIES_BY_CHANCE),
        near: of(&NEAR_COPIES),
        near_by_chance: least(&NEAR_BY_CHANCE),
        groups: of(&GROUPS),
        shared_groups: of(&SHARED_GROUPS),
        suspects: Suspects::of(given, of),
    }
}

/// A permutation: what was scored, what chance gives, and the majority's share.
struct Permutation {
    score: f64,
    chance: f64,
    majority: Option<f64>,
}

impl Permutation {
    /// The mean over the folds and problems of a repeat; none where one did not come to an end, or none has a score.
    fn of(part: &CheckedPart, records: &[&Record]) -> Option<Self> {
        if !records.iter().all(|record| measured(record)) {
            return None;
        }
        let scored = || records.iter().filter(|record| record.value(part.chance.score).is_some());
        let of = |metric: &'static Metric| mean(scored().filter_map(|record| record.value(metric)));
        Some(Self {
            score: of(part.chance.score)?,
            chance: of(part.chance.by_chance)?,
            majority: of(&MAJORITY_SHARE),
        })
    }
}

/// Fills in what the labels of a part tell of a method on a dataset, as far as its trials have run.
///
/// # Errors
/// Why not all was checked.
fn measure_labels(
    found: &mut OfLabels,
    part: &CheckedPart,
    trials: &Trials<'_>,
    (dataset, method): (&DatasetId, &MethodId),
) -> Result<(), String> {
    let given = trials.given((&part.given, dataset, method))?;
    found.score = mean(given.iter().filter_map(|record| record.value(part.chance.score)));
    found.moved = mean(given.iter().filter_map(|record| record.value(&MOVED_ANSWERS)));
    let permuted = part.permuted.as_ref().map_err(|why| (*why).to_owned())?;
    let permuted = trials.at((permuted, dataset, method));
    let asked = given.iter().chain(permuted);
    found.moved = mean(asked.filter_map(|record| record.value(&MOVED_ANSWERS)));
    let mut repeats: BTreeMap<usize, Vec<&Record>> = BTreeMap::new();
    permuted.iter().for_each(|record| repeats.entry(record.trial.repeat).or_default().push(record));
    let all = repeats.len();
    let permutations: Vec<Permutation> =
        repeats.values().filter_map(|records| Permutation::of(part, records)).collect();
    found.permutations = permutations.len();
    let of = |of: fn(&Permutation) -> Option<f64>| mean(permutations.iter().filter_map(of));
    found.permuted = of(|permutation| Some(permutation.score));
    found.chance = of(|permutation| Some(permutation.chance));
    found.majority = of(|permutation| permutation.majority);
    if permutations.len() < LEAST {
        let failed = permuted.iter().find(|record| !measured(record));
        let failed = failed.map_or_else(String::new, |record| format!(": {}", why(record)));
        let ended = permutations.len();
        return Err(format!(
            "{ended} of {all} permutations have a score, and {LEAST} are needed{failed}"
        ));
    }
    let above = |permutation: &Permutation| permutation.score - permutation.chance;
    let p = p_above_zero(&permutations.iter().map(above).collect::<Vec<f64>>());
    found.p = Some(P { p, adjusted: p });
    found.remembered = part.drawn.as_ref().and_then(|drawn| {
        let p = p_of_hits(part, trials.at((drawn, dataset, method)))?;
        Some(P { p, adjusted: p })
    });
    found.learned = found.score.map(|score| {
        let as_much = permutations.iter().filter(|p| p.score >= score).count();
        (as_much + 1) as f64 / (permutations.len() + 1) as f64
    });
    Ok(())
}

/// How probably chance has at least as many hits on drawn labels as a method: none where a fold did not come to an end.
/// Whoever does not remember them hits each with at most the share of the largest class of its fold.
fn p_of_hits(part: &CheckedPart, folds: &[&Record]) -> Option<f64> {
    let (mut n, mut hits, mut largest) = (0.0, 0.0, 0.0);
    for fold in folds {
        let examples = fold.value(&TEST_EXAMPLES)?;
        n += examples;
        hits += (examples * fold.value(part.chance.hits)?).round();
        largest += (examples * fold.value(&MAJORITY_SHARE)?).round();
    }
    (n > 0.0).then(|| significant(hits_by_chance(hits, n, largest / n), 6))
}

/// The probability of at least so many of `n` hits, each with this probability.
fn hits_by_chance(hits: f64, n: f64, each: f64) -> f64 {
    if hits <= 0.0 || each >= 1.0 {
        return 1.0;
    }
    beta::regularized(hits, n - hits + 1.0, each, 1.0 - each)
}

/// The p-value of a mean above zero, by Student's t; 0 of values that are all the same above zero.
fn p_above_zero(values: &[f64]) -> f64 {
    let kept = |&value: &f64| if value.abs() <= ROUNDING { 0.0 } else { value };
    let values: Vec<f64> = values.iter().map(kept).collect();
    match paired_t(&values, &Dependence::None) {
        Ok(found) if found.larger == Ordering::Greater => significant(found.p / 2.0, 6),
        Ok(found) => significant(1.0 - found.p / 2.0, 6),
        // They do not vary.
        Err(_) => f64::from(values[0] <= 0.0),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hits_of_chance_are_binomial() {
        // Summed in fractions of integers.
        for (hits, n, each, p) in [
            (60.0, 100.0, 0.5, 0.028_443_966_820_490_395),
            (95.0, 100.0, 0.55, 3.201_849_687_386_161e-19),
            (5.0, 5.0, 0.25, 0.000_976_562_5),
        ] {
            let found = hits_by_chance(hits, n, each);
            assert!((found / p - 1.0).abs() < 1e-9, "{found} {p}");
        }
        assert_eq!((hits_by_chance(0.0, 9.0, 0.5), hits_by_chance(9.0, 9.0, 1.0)), (1.0, 1.0));
    }

    #[test]
    fn only_what_is_above_chance_is_found() {
        assert_eq!(p_above_zero(&[0.0; 99]), 1.0);
        assert_eq!(p_above_zero(&[1e-16; 99]), 1.0);
        assert_eq!(p_above_zero(&[-0.1; 99]), 1.0);
        assert_eq!(p_above_zero(&[0.1; 99]), 0.0);
        // SciPy 1.17: ttest_1samp([-1, 0, 1, 2, 3], 0, alternative="greater").
        let values = [-1.0, 0.0, 1.0, 2.0, 3.0];
        assert!((p_above_zero(&values) - 0.115_049_8).abs() < 1e-4, "{}", p_above_zero(&values));
        let opposite = values.map(|value: f64| -value);
        assert!((p_above_zero(&values) + p_above_zero(&opposite) - 1.0).abs() < 1e-5);
    }
}
