//! Every claim judged in every universe of choices, by what judges it on the chosen options.

mod court;
mod found;
mod judged;
mod nearest;
mod said;
mod together;

use std::collections::BTreeMap;

use base::layout::{CLAIMS, CONCLUSIONS, REPORT, UNIVERSES, UNIVERSES_LIST};
use base::side_by_side;
use contract::Assignment;
use run::Record;
use spec::{ClaimSpec, Experiment, FigureSpec, Mark, Strength, Universe, Whose};

use super::axis::Titles;
use super::figure::{FigureError, SpecificationPlot, specification};
use super::sheet::Sheet;
use court::{Asking, Court, bearing};

pub use found::{Importance, Main, Rule, Terms, Turns};
pub use judged::{Judged, OfClaim};
pub use nearest::Nearest;
pub use together::{Universes, list, lists_all};

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
