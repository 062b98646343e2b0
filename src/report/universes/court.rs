//! What judges claims in universes: the trials that are run with some options, and what judges them anywhere.

use std::collections::{BTreeMap, BTreeSet};

use base::side_by_side;
use contract::{Assignment, DatasetId, MethodId};
use run::Record;
use spec::{
    Choice, ClaimSpec, Comparisons, Experiment, Finding, Over, PairBy, TestSpec, Universe, Verdict,
    Whose,
};

use super::judged::Alone;
use crate::axis::Titles;
use crate::cells::Cells;
use crate::published::Published;
use crate::significance;
use crate::values::Values;

/// Datasets with methods.
type Asking = BTreeSet<(DatasetId, MethodId)>;

/// What a claim comes to on all repeats, and on sets of them if that is known.
type BySeeds = (Verdict, Option<Vec<Verdict>>);

/// The trials of a method on a dataset that are run with the same options.
type Place<'a> = (&'a DatasetId, &'a MethodId, &'a Assignment);

/// What claims are judged on.
pub(super) struct Court<'a> {
    /// The experiment.
    pub experiment: &'a Experiment,
    /// What people read for a dataset.
    pub titles: Titles<'a>,
    /// The universes, the chosen one first.
    rows: &'a [Universe],
    /// How many repeats they have.
    pub size: usize,
    published: Published<'a>,
    /// The claims that are judged.
    pub claims: Vec<&'a ClaimSpec>,
    /// The tests that they name.
    tests: Vec<TestSpec>,
    trials: BTreeMap<Place<'a>, Vec<&'a Record>>,
    /// The repeats of these trials.
    repeats: BTreeMap<Place<'a>, BTreeSet<usize>>,
}

impl<'a> Court<'a> {
    pub fn new(
        experiment: &'a Experiment,
        rows: &'a [Universe],
        records: impl Iterator<Item = &'a Record>,
        titles: Titles<'a>,
    ) -> Self {
        let mut trials: BTreeMap<Place<'_>, Vec<&Record>> = BTreeMap::new();
        for record in records {
            let trial = &record.trial.setup;
            trials.entry((&trial.dataset, &trial.method, &trial.choice)).or_default().push(record);
        }
        let size = experiment.universes.as_ref().map_or(0, |own| own.repeats);
        let of = |records: &Vec<&Record>| records.iter().map(|one| one.trial.repeat).collect();
        let repeats = trials.iter().map(|(place, records)| (*place, of(records))).collect();
        let named = experiment.claims.iter().filter_map(|claim| claim.check.about().test);
        let named: BTreeSet<&str> = named.collect();
        let tests = experiment.tests.iter().filter(|test| named.contains(test.id.as_str()));
        let (tests, published) = (tests.cloned().collect(), Published::new(experiment, titles));
        let claims = Vec::new();
        Self { experiment, titles, rows, size, published, claims, tests, trials, repeats }
    }

    /// The datasets and methods that a claim names, by way of its test too.
    pub fn asks(&self, claim: &ClaimSpec) -> Asking {
        let cells = self.cells(&self.rows[0], |_| true);
        self.values(&cells, Whose::Ours, claim).asked_by(claim, &Comparisons::default())
    }

    /// Why a claim is not judged in universes.
    pub fn refuses(&self, claim: &ClaimSpec, asked: &Asking) -> Option<&'static str> {
        let inexact =
            |id: &MethodId| self.experiment.method(id).is_some_and(|spec| !spec.is_exact());
        if claim.reads_clock(&self.experiment.tests) {
            Some("it reads a clock")
        } else if self.tests.iter().any(|test| {
            test.pair_by == PairBy::Example && claim.check.about().test == Some(test.id.as_str())
        }) {
            Some("its test is by test examples, whose outcomes are not kept in universes")
        } else if asked.iter().any(|(_, method)| inexact(method)) {
            Some("it names a method that does not give the same bits again")
        } else {
            None
        }
    }

    fn values<'v>(&'v self, cells: &'v Cells<'v>, whose: Whose, of: &'v ClaimSpec) -> Values<'v> {
        Values {
            experiment: self.experiment,
            cells,
            published: &self.published,
            whose,
            part: of.part.as_ref(),
            titles: self.titles,
        }
    }

    /// The trials of a universe, of those repeats that count.
    pub fn cells(&self, universe: &Universe, counts: impl Fn(usize) -> bool) -> Cells<'a> {
        let choices = &self.experiment.choices;
        let own = self.trials.iter().filter(|((dataset, method, choice), _)| {
            **choice == universe.of(choices, method, dataset)
        });
        let records = own.flat_map(|(_, records)| records.iter().copied());
        Cells::of(self.experiment, records.filter(|record| counts(record.trial.repeat)))
    }

    /// What every claim comes to on these values.
    pub fn judged(&self, cells: &Cells<'a>, of: Whose) -> Vec<Finding> {
        let Some(first) = self.claims.first() else { return Vec::new() };
        let all = |whose| Values { part: None, ..self.values(cells, whose, first) };
        let comparisons = significance::run(&self.tests, &all(Whose::Ours), &all(Whose::Published));
        let judge =
            |claim: &&ClaimSpec| claim.check.judge(&self.values(cells, of, claim), &comparisons);
        self.claims.iter().map(judge).collect()
    }

    /// What every claim comes to on the chosen options, of those repeats that count.
    fn chosen(&self, counts: impl Fn(usize) -> bool) -> Vec<Finding> {
        self.judged(&self.cells(&self.rows[0], counts), Whose::Ours)
    }

    /// The repeats of a method on a dataset with these options, if it ran with them.
    fn repeats<'s>(
        &'s self,
        (dataset, method): &'s (DatasetId, MethodId),
        options: &'s Assignment,
    ) -> Option<&'s BTreeSet<usize>> {
        self.repeats.get(&(dataset, method, options))
    }

    /// What every claim comes to on the chosen options: on all repeats, and on sets of repeats that have none in common,
    /// with their size. They are as large as those of universes, or of one where there are fewer than three such. A
    /// set counts that has every method that a claim asks for on every dataset, and is not that of the universes.
    pub fn by_seeds(&self, asked: &[Asking]) -> (usize, Vec<BySeeds>) {
        let (whole, chosen) = (self.chosen(|_| true), Assignment::default());
        let run = asked.iter().flatten().filter_map(|at| self.repeats(at, &chosen));
        let all: BTreeSet<usize> = run.flatten().copied().collect();
        let all: Vec<usize> = all.into_iter().collect();
        let size = if 3 * self.size <= all.len() { self.size.max(1) } else { 1 };
        let sets: Vec<&[usize]> = all.chunks_exact(size).collect();
        let each = side_by_side(sets.clone(), |own| self.chosen(|repeat| own.contains(&repeat)));
        let over_repeats = |found: &Finding| {
            let repeats = [Over::Repeats, Over::Divisions, Over::Draws, Over::Seeds];
            found.power.iter().any(|could| repeats.contains(&could.over))
        };
        let seeds = |(at, found): (usize, &Finding)| {
            let run = asked[at].iter().filter_map(|place| self.repeats(place, &chosen));
            let complete =
                |set: &[usize]| run.clone().all(|own| set.iter().all(|r| own.contains(r)));
            // What universes are judged on can't differ from itself.
            let own = usize::from(size == self.size);
            let counted = sets.iter().zip(&each).skip(own).filter(|(set, _)| complete(set));
            let verdicts = counted.map(|(_, claims)| claims[at].verdict);
            let verdicts: Vec<Verdict> =
                verdicts.filter(|verdict| *verdict != Verdict::NoEvidence).collect();
            (verdicts.len() + own >= 3 && !over_repeats(found)).then_some(verdicts)
        };
        let found = whole.iter().enumerate().map(|one| (one.1.verdict, seeds(one)));
        (size, found.collect())
    }

    /// Which options turn each claim by themselves, on as many repeats as ran with them; `whole` is what claims come to in
    /// the chosen universe.
    pub fn alone(&self, asked: &[Asking], whole: &[Finding]) -> Vec<Vec<Alone>> {
        let (choices, none) = (&self.experiment.choices, Assignment::default());
        let options = (0..choices.len()).flat_map(|at| {
            let others = move |option: &usize| *option != self.rows[0].options[at];
            (0..choices[at].options.len()).filter(others).map(move |option| (at, option))
        });
        let judged = side_by_side(options.collect(), |option: (usize, usize)| {
            let (choice, mut universe) = (&choices[option.0], self.rows[0].clone());
            universe.options[option.0] = option.1;
            let own =
                |(dataset, method): &(DatasetId, MethodId)| universe.of(choices, method, dataset);
            let borne = asked.iter().flatten().filter(|(on, method)| choice.bears_on(method, on));
            let fewer = borne.filter_map(|place| {
                let of = |options: &Assignment| {
                    Some(self.repeats(place, options)?.range(..self.size).count())
                };
                of(&own(place)).filter(|run| Some(*run) < of(&none))
            });
            let repeats = fewer.min().unwrap_or(self.size);
            let cells = self.cells(&universe, |repeat| repeat < repeats);
            let found = self.judged(&cells, Whose::Ours);
            let ran = |asked: &Asking| {
                let mut ours = asked.iter().filter(|at| self.repeats(at, &none).is_some());
                ours.all(|place| self.repeats(place, &own(place)).is_some())
            };
            let verdicts =
                found.iter().zip(asked).map(|(one, own)| ran(own).then_some(one.verdict));
            (Alone { option, repeats }, verdicts.collect::<Vec<_>>())
        });
        let repeats: BTreeSet<usize> = judged.iter().map(|(alone, _)| alone.repeats).collect();
        let fewer = repeats.range(..self.size);
        let chosen: BTreeMap<usize, Vec<Finding>> =
            fewer.map(|&n| (n, self.chosen(|repeat| repeat < n))).collect();
        let of_claim = |at: usize| {
            let turns = |(alone, verdicts): &(Alone, Vec<Option<Verdict>>)| {
                let turned = verdicts[at].filter(|own| *own != Verdict::NoEvidence)?;
                let here = chosen.get(&alone.repeats).map_or(whole, Vec::as_slice)[at].verdict;
                // Fewer repeats must not be what turns it.
                (turned != here && here == whole[at].verdict).then_some(*alone)
            };
            judged.iter().filter_map(turns).collect()
        };
        (0..self.claims.len()).map(of_claim).collect()
    }
}

/// The choices that bear on what is asked for.
pub(super) fn bearing(experiment: &Experiment, asked: &Asking) -> Vec<usize> {
    let choices = experiment.choices.iter().enumerate();
    let bears =
        |choice: &Choice| asked.iter().any(|(dataset, method)| choice.bears_on(method, dataset));
    choices.filter(|(_, choice)| bears(choice)).map(|(at, _)| at).collect()
}
