//! Every claim judged in every universe of choices, by what judges it on the chosen options.

mod found;
mod nearest;
mod said;

use std::collections::{BTreeMap, BTreeSet};

use base::layout::{CLAIMS, CONCLUSIONS, REPORT, UNIVERSES, UNIVERSES_LIST};
use base::parallel::lock;
use base::side_by_side;
use contract::{Assignment, DatasetId, MethodId};
use run::Record;
use spec::{
    Choice, ClaimSpec, Comparisons, Experiment, FigureSpec, Finding, Mark, Origin, Over, Strength,
    TestSpec, Universe, Verdict, Whose,
};

use super::axis::Titles;
use super::cells::{Asked, Cells};
use super::figure::{FigureError, SpecificationPlot, specification};
use super::published::Published;
use super::sheet::Sheet;
use super::significance;
use super::values::Values;

pub use found::{Importance, Main, Rule, Terms, Turns};
pub use nearest::Nearest;

/// What claims come to in universes.
#[derive(Debug)]
pub struct Universes<'a> {
    /// The experiment.
    pub experiment: &'a Experiment,
    /// The universes, the chosen one first.
    pub rows: &'a [Universe],
    /// The claims that are judged there.
    pub claims: Vec<OfClaim<'a>>,
    /// The others, and why they are not.
    pub unjudged: Vec<(&'a ClaimSpec, &'static str)>,
    /// The universe that comes nearest to the published values, if the paper prints any.
    pub nearest: Option<Nearest>,
}

/// A claim in all universes.
#[derive(Debug)]
pub struct OfClaim<'a> {
    /// The claim.
    pub spec: &'a ClaimSpec,
    /// What it comes to in each.
    pub judged: Vec<Judged>,
    /// The choices that bear on it, by their places.
    pub bearing: Vec<usize>,
    /// What it comes to on each repeat of the chosen universe alone; none if these are fewer than three, or its test is
    /// over repeats.
    pub seeds: Option<Vec<Verdict>>,
    /// What it comes to on all repeats of the chosen universe.
    pub sealed: Verdict,
    /// What it hangs on by the paper's own numbers.
    pub published: Option<Strength>,
}

/// What a claim comes to in a universe.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Judged {
    /// The verdict.
    pub verdict: Verdict,
    /// What it hangs on.
    pub strength: Option<Strength>,
}

impl From<&Finding> for Judged {
    fn from(found: &Finding) -> Self {
        Self { verdict: found.verdict, strength: found.strength }
    }
}

/// Datasets with methods.
type Asking = BTreeSet<(DatasetId, MethodId)>;

/// The trials of a method on a dataset that are run with the same options.
type Place<'a> = (&'a DatasetId, &'a MethodId, &'a Assignment);

/// What claims are judged on.
struct Court<'a> {
    experiment: &'a Experiment,
    titles: Titles<'a>,
    published: Published<'a>,
    claims: Vec<&'a ClaimSpec>,
    /// The tests that they name.
    tests: Vec<TestSpec>,
    trials: BTreeMap<Place<'a>, Vec<&'a Record>>,
}

impl<'a> Universes<'a> {
    /// Of an experiment with these trials, and those of universes.
    pub fn new(
        experiment: &'a Experiment,
        rows: &'a [Universe],
        records: impl Iterator<Item = &'a Record>,
        titles: Titles<'a>,
    ) -> Self {
        let mut court = Court::new(experiment, records, titles);
        let asked: Vec<Asking> = experiment.claims.iter().map(|spec| court.asks(spec)).collect();
        let refused =
            |spec: &'a ClaimSpec, asked: &Asking| Some((spec, court.refuses(spec, asked)?));
        let unjudged: Vec<(&ClaimSpec, &str)> = experiment
            .claims
            .iter()
            .zip(&asked)
            .filter_map(|(spec, own)| refused(spec, own))
            .collect();
        let judged = |spec: &ClaimSpec| !unjudged.iter().any(|(other, _)| other.id == spec.id);
        let asked: Vec<Asking> = experiment
            .claims
            .iter()
            .zip(asked)
            .filter(|(spec, _)| judged(spec))
            .map(|(_, own)| own)
            .collect();
        court.claims.retain(|spec| judged(spec));
        let found = side_by_side(rows.iter().collect(), |universe: &Universe| {
            let cells = court.cells_in(universe);
            (court.judged(&cells, Whose::Ours), court.near(&cells))
        });
        let papers =
            court.judged(&court.cells(|_, _| Assignment::default(), |_| true), Whose::Published);
        let (sealed, seeds) = court.by_seeds();
        let of_claim = |(at, spec): (usize, &&'a ClaimSpec)| OfClaim {
            spec,
            judged: found.iter().map(|(claims, _)| Judged::from(&claims[at])).collect(),
            bearing: bearing(experiment, &asked[at]),
            seeds: seeds[at].clone(),
            sealed: sealed[at],
            published: papers[at].strength,
        };
        let claims = court.claims.iter().enumerate().map(of_claim).collect();
        let published: Vec<_> = found.iter().map(|(_, cells)| cells.clone()).collect();
        Self { experiment, rows, claims, unjudged, nearest: nearest::nearest(&published) }
    }

    /// Its files, by path.
    pub fn files(&self) -> BTreeMap<String, Vec<u8>> {
        let drawn = self.figures();
        let drawn = drawn
            .into_iter()
            .filter_map(|(spec, svg)| Some((format!("{}.svg", spec.id), svg.ok()?)));
        let drawn = drawn.map(|(file, svg)| (file, svg.into_bytes()));
        let files = [
            (CLAIMS.to_owned(), self.verdicts().csv()),
            (CONCLUSIONS.to_owned(), self.conclusions().csv()),
            (REPORT.to_owned(), self.markdown().into_bytes()),
        ];
        let files = files.into_iter().chain(drawn);
        let list = (UNIVERSES_LIST.to_owned(), list(self.experiment, self.rows));
        files.map(|(file, bytes)| (format!("{UNIVERSES}{file}"), bytes)).chain([list]).collect()
    }

    /// The figures of its claims, or why they can't be drawn.
    pub fn figures(&self) -> Vec<(&'a FigureSpec, Result<String, FigureError>)> {
        let figures = self.experiment.figures.iter().filter_map(|spec| {
            let claim = spec.plot.of_universes()?;
            let claim = self.claims.iter().find(|one| one.spec.id == claim)?;
            Some((spec, specification(&self.plot(&spec.title, claim))))
        });
        figures.collect()
    }

    fn plot(&self, title: &str, claim: &OfClaim<'a>) -> SpecificationPlot {
        let order = claim.importance(self.rows).map(|found| found.choices);
        let order = order.map(|choices| choices.iter().map(|main| main.choice).collect());
        let order: Terms = order
            .unwrap_or_else(|| claim.bearing.clone())
            .into_iter()
            .flat_map(|at| (0..self.experiment.choices[at].options.len()).map(move |o| (at, o)))
            .collect();
        let universe = |(at, judged): (usize, &Judged)| {
            let Strength { value, interval: bar } = judged.strength?;
            let has = |(_, (choice, option)): &(usize, &(usize, usize))| {
                self.rows[at].options[*choice] == *option
            };
            let options = order.iter().enumerate().filter(has).map(|(row, _)| row).collect();
            Some((at, Mark { value, bar }, options))
        };
        SpecificationPlot {
            title: title.to_owned(),
            effect: "effect".to_owned(),
            universes: claim.judged.iter().enumerate().filter_map(universe).collect(),
            options: order.iter().map(|term| self.terms(&vec![*term])).collect(),
            published: claim.published.map(|strength| strength.value),
        }
    }

    fn verdicts(&self) -> Sheet {
        let of_claim = |claim: &'_ OfClaim<'a>| {
            let id: &'a str = &claim.spec.id;
            let judged = claim.judged.clone().into_iter().enumerate();
            judged.map(move |(at, judged)| (id, at, judged)).collect::<Vec<_>>()
        };
        type Row<'r> = &'r (&'r str, usize, Judged);
        let rows: Vec<_> = self.claims.iter().flat_map(of_claim).collect();
        let interval = |(.., judged): Row<'_>| judged.strength.and_then(|one| one.interval);
        Sheet::of("", &rows)
            .value("claim", |(id, ..): Row<'_>| *id)
            .value("universe", |(_, at, _)| *at)
            .value("verdict", |(.., judged)| judged.verdict.word())
            .value("effect", |(.., judged)| judged.strength.map(|one| one.value))
            .value("low", |row| interval(row).map(|(low, _)| low))
            .value("high", |row| interval(row).map(|(_, high)| high))
            .sheet()
    }
}

/// The universes, for programs.
pub fn list(experiment: &Experiment, rows: &[Universe]) -> Vec<u8> {
    let numbered: Vec<(usize, &Universe)> = rows.iter().enumerate().collect();
    type Row<'r> = &'r (usize, &'r Universe);
    let others = |universe: &Universe| universe.others(&experiment.choices, |_| true);
    Sheet::of("", &numbered)
        .value("universe", |(at, _): Row<'_>| *at)
        .value("origin", |(_, universe)| universe.origin.word())
        .value("away", |(_, universe)| others(universe).len())
        .value("options", |(_, universe)| {
            let others = others(universe).into_iter();
            let own: Assignment =
                others.map(|(choice, option)| (choice.id.clone(), option.to_string())).collect();
            own.to_string()
        })
        .sheet()
        .csv()
}

/// Whether all universes are in such a list.
pub fn lists_all(list: &[u8]) -> bool {
    let list = String::from_utf8_lossy(list);
    let origin = list.lines().nth(2).and_then(|line| line.split(',').nth(1));
    origin == Some(Origin::Listed.word())
}

impl<'a> Court<'a> {
    fn new(
        experiment: &'a Experiment,
        records: impl Iterator<Item = &'a Record>,
        titles: Titles<'a>,
    ) -> Self {
        let mut trials: BTreeMap<Place<'_>, Vec<&Record>> = BTreeMap::new();
        for record in records {
            let trial = &record.trial.setup;
            trials.entry((&trial.dataset, &trial.method, &trial.choice)).or_default().push(record);
        }
        let claims: Vec<&ClaimSpec> = experiment.claims.iter().collect();
        let named = claims.iter().filter_map(|claim| claim.check.about().test);
        let named: BTreeSet<&str> = named.collect();
        let tests = experiment.tests.iter().filter(|test| named.contains(test.id.as_str()));
        let (tests, published) = (tests.cloned().collect(), Published::new(experiment, titles));
        Self { experiment, titles, published, claims, tests, trials }
    }

    /// The datasets and methods that a claim names, by way of its test too.
    fn asks(&self, claim: &ClaimSpec) -> Asking {
        let asked = Asked::default();
        let cells = self.cells(|_, _| Assignment::default(), |_| true);
        let cells = cells.noted(&asked);
        let values = self.values(&cells, Whose::Ours, claim);
        claim.check.judge(&values, &Comparisons::default());
        if let Some(test) = claim.check.about().test.and_then(|id| self.experiment.test(id)) {
            test.kind.comparisons(test, &values);
        }
        lock(&asked).clone()
    }

    /// Why a claim is not judged in universes.
    fn refuses(&self, claim: &ClaimSpec, asked: &Asking) -> Option<&'static str> {
        let inexact =
            |id: &MethodId| self.experiment.method(id).is_some_and(|spec| !spec.is_exact());
        if claim.reads_clock(&self.experiment.tests) {
            Some("it reads a clock")
        } else if asked.iter().any(|(_, method)| inexact(method)) {
            Some("it names a method that does not give the same bits again")
        } else {
            None
        }
    }

    fn values<'v>(
        &'v self,
        cells: &'v Cells<'v>,
        whose: Whose,
        claim: &'v ClaimSpec,
    ) -> Values<'v> {
        Values {
            experiment: self.experiment,
            cells,
            published: &self.published,
            whose,
            part: claim.part.as_ref(),
            titles: self.titles,
        }
    }

    /// The trials with these options of those repeats that count.
    fn cells(
        &self,
        options: impl Fn(&MethodId, &DatasetId) -> Assignment,
        counts: impl Fn(usize) -> bool,
    ) -> Cells<'a> {
        let Experiment { parts, .. } = self.experiment;
        let places: BTreeSet<(&DatasetId, &MethodId)> = parts
            .iter()
            .flat_map(|part| {
                part.datasets.iter().flat_map(|d| part.methods.iter().map(move |m| (d, m)))
            })
            .collect();
        let mut records: Vec<&Record> = Vec::new();
        for (dataset, method) in places {
            let options = options(method, dataset);
            let own = self.trials.get(&(dataset, method, &options)).into_iter().flatten();
            records.extend(own.filter(|record| counts(record.trial.repeat)));
        }
        Cells::of(self.experiment, records.into_iter())
    }

    /// The trials of a universe.
    fn cells_in(&self, universe: &Universe) -> Cells<'a> {
        let Experiment { choices, universes, .. } = self.experiment;
        let repeats = universes.as_ref().map_or(0, |own| own.repeats);
        self.cells(
            |method, dataset| universe.of(choices, method, dataset),
            |repeat| repeat < repeats,
        )
    }

    /// What every claim comes to on these values.
    fn judged(&self, cells: &Cells<'a>, of: Whose) -> Vec<Finding> {
        let Some(first) = self.claims.first() else { return Vec::new() };
        let all = |whose| Values { part: None, ..self.values(cells, whose, first) };
        let comparisons = significance::run(&self.tests, &all(Whose::Ours), &all(Whose::Published));
        let judge =
            |claim: &&ClaimSpec| claim.check.judge(&self.values(cells, of, claim), &comparisons);
        self.claims.iter().map(judge).collect()
    }

    /// What every claim comes to on the chosen options: on all repeats, and on each alone.
    fn by_seeds(&self) -> (Vec<Verdict>, Vec<Option<Vec<Verdict>>>) {
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
            let verdicts: Vec<Verdict> = each.iter().map(|claims| claims[at].verdict).collect();
            (each.len() >= 3 && !over_repeats(found)).then_some(verdicts)
        };
        let seeds = whole.iter().enumerate().map(seeds).collect();
        (whole.iter().map(|found| found.verdict).collect(), seeds)
    }
}

/// The choices that bear on what is asked for.
fn bearing(experiment: &Experiment, asked: &Asking) -> Vec<usize> {
    let choices = experiment.choices.iter().enumerate();
    let bears =
        |choice: &Choice| asked.iter().any(|(dataset, method)| choice.bears_on(method, dataset));
    choices.filter(|(_, choice)| bears(choice)).map(|(at, _)| at).collect()
}
