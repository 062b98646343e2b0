//! What judges claims in universes: the trials that are run with some options, and what judges them anywhere.

use std::collections::{BTreeMap, BTreeSet};

use base::side_by_side;
use contract::{Assignment, DatasetId, MethodId};
use run::Record;
use spec::{
    Choice, ClaimSpec, Comparisons, Experiment, Finding, Over, PairBy, TestSpec, Universe, Verdict,
    Whose,
};

use crate::axis::Titles;
use crate::cells::Cells;
use crate::published::Published;
use crate::significance;
use crate::values::Values;

/// Datasets with methods.
type Asking = BTreeSet<(DatasetId, MethodId)>;

/// The trials of a method on a dataset that are run with the same options.
type Place<'a> = (&'a DatasetId, &'a MethodId, &'a Assignment);

/// What claims are judged on.
pub(super) struct Court<'a> {
    /// The experiment.
    pub experiment: &'a Experiment,
    /// What people read for a dataset.
    pub titles: Titles<'a>,
    published: Published<'a>,
    /// The claims that are judged.
    pub claims: Vec<&'a ClaimSpec>,
    /// The tests that they name.
    tests: Vec<TestSpec>,
    trials: BTreeMap<Place<'a>, Vec<&'a Record>>,
}

impl<'a> Court<'a> {
    pub fn new(
        experiment: &'a Experiment,
        records: impl Iterator<Item = &'a Record>,
        titles: Titles<'a>,
    ) -> Self {
        let mut trials: BTreeMap<Place<'_>, Vec<&Record>> = BTreeMap::new();
        for record in records {
            let trial = &record.trial.setup;
            trials.entry((&trial.dataset, &trial.method, &trial.choice)).or_default().push(record);
        }
        let named = experiment.claims.iter().filter_map(|claim| claim.check.about().test);
        let named: BTreeSet<&str> = named.collect();
        let tests = experiment.tests.iter().filter(|test| named.contains(test.id.as_str()));
        let (tests, published) = (tests.cloned().collect(), Published::new(experiment, titles));
        Self { experiment, titles, published, claims: Vec::new(), tests, trials }
    }

    /// The datasets and methods that a claim names, by way of its test too.
    pub fn asks(&self, claim: &ClaimSpec) -> Asking {
        let cells = self.cells(|_, _| Assignment::default(), |_| true);
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

    /// The trials with these options of those repeats that count.
    pub fn cells(
        &self,
        options: impl Fn(&MethodId, &DatasetId) -> Assignment,
        counts: impl Fn(usize) -> bool,
    ) -> Cells<'a> {
        let chosen = self
            .trials
            .iter()
            .filter(|((dataset, method, choice), _)| **choice == options(method, dataset));
        let records = chosen.flat_map(|(_, records)| records.iter().copied());
        Cells::of(self.experiment, records.filter(|record| counts(record.trial.repeat)))
    }

    /// The trials of a universe.
    pub fn cells_in(&self, universe: &Universe) -> Cells<'a> {
        let Experiment { choices, universes, .. } = self.experiment;
        let repeats = universes.as_ref().map_or(0, |own| own.repeats);
        self.cells(
            |method, dataset| universe.of(choices, method, dataset),
            |repeat| repeat < repeats,
        )
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

    /// What every claim comes to on the chosen options: on all repeats, and on each alone.
    pub fn by_seeds(&self) -> (Vec<Verdict>, Vec<Option<Vec<Verdict>>>) {
        let chosen = |counts: &dyn Fn(usize) -> bool| {
            self.judged(&self.cells(|_, _| Assignment::default(), counts), Whose::Ours)
        };
        let whole = chosen(&|_| true);
        let own = self.trials.iter().filter(|((.., choice), _)| choice.is_empty());
        let repeats: BTreeSet<usize> =
            own.flat_map(|(_, records)| records.iter().map(|record| record.trial.repeat)).collect();
        let each =
            side_by_side(repeats.into_iter().collect(), |own| chosen(&|repeat| repeat == own));
        let over_repeats = |found: &Finding| {
            let repeats = [Over::Repeats, Over::Divisions, Over::Draws, Over::Seeds];
            found.power.iter().any(|could| repeats.contains(&could.over))
        };
        let seeds = |(at, found): (usize, &Finding)| {
            // A repeat that some method of the claim does not run for says nothing of it.
            let verdicts = each.iter().map(|claims| claims[at].verdict);
            let verdicts: Vec<Verdict> =
                verdicts.filter(|verdict| *verdict != Verdict::NoEvidence).collect();
            (verdicts.len() >= 3 && !over_repeats(found)).then_some(verdicts)
        };
        let seeds = whole.iter().enumerate().map(seeds).collect();
        (whole.iter().map(|found| found.verdict).collect(), seeds)
    }
}

/// The choices that bear on what is asked for.
pub(super) fn bearing(experiment: &Experiment, asked: &Asking) -> Vec<usize> {
    let choices = experiment.choices.iter().enumerate();
    let bears =
        |choice: &Choice| asked.iter().any(|(dataset, method)| choice.bears_on(method, dataset));
    choices.filter(|(_, choice)| bears(choice)).map(|(at, _)| at).collect()
}
