//! Every claim judged in every universe of choices, by what judges it on the chosen options.

mod court;
mod found;
mod importance;
mod judged;
mod nearest;
mod said;
mod terms;
mod together;

use std::collections::BTreeMap;

use base::layout::{CLAIMS, CONCLUSIONS, REPORT, UNIVERSES, UNIVERSES_LIST};
use base::side_by_side;
use run::Record;
use spec::{ClaimSpec, Experiment, FigureSpec, Finding, Mark, Strength, Universe, Whose};

use super::axis::Titles;
use super::figure::{FigureError, SpecificationPlot, specification};
use super::sheet::Sheet;
use court::{Court, bearing};

pub use found::{Rule, Turns};
use importance::importance;
pub use importance::{Importance, Main, Unweighed};
pub use judged::{Alone, OfClaim};
pub use nearest::Nearest;
pub use terms::Terms;
use terms::distinct;
pub use together::{Universes, list, lists_all};

impl<'a> Universes<'a> {
    /// Of an experiment with these trials, and those of universes.
    pub fn new(
        experiment: &'a Experiment,
        rows: &'a [Universe],
        records: impl Iterator<Item = &'a Record>,
        titles: Titles<'a>,
    ) -> Self {
        let mut court = Court::new(experiment, rows, records, titles);
        let (mut asked, mut unjudged) = (Vec::new(), Vec::new());
        for spec in &experiment.claims {
            let own = court.asks(spec);
            match court.refuses(spec, &own) {
                Some(why) => unjudged.push((spec, why)),
                None => {
                    court.claims.push(spec);
                    asked.push(own);
                }
            }
        }
        let found = side_by_side(rows.iter().collect(), |universe: &Universe| {
            let cells = court.cells(universe, |repeat| repeat < court.size);
            (court.judged(&cells, Whose::Ours), court.near(&cells))
        });
        let papers = court.judged(&court.cells(&rows[0], |_| true), Whose::Published);
        let ((set, seeds), alone) = (court.by_seeds(&asked), court.alone(&asked, &found[0].0));
        let of_claim = |(at, spec): (usize, &&'a ClaimSpec)| {
            let judged: Vec<Finding> = found.iter().map(|(claims, _)| claims[at].clone()).collect();
            let bearing = bearing(experiment, &asked[at]);
            let weighed = importance(&judged, &bearing, rows);
            OfClaim {
                spec,
                judged,
                bearing,
                seeds: seeds[at].1.clone(),
                alone: alone[at].clone(),
                sealed: seeds[at].0,
                published: papers[at].strength,
                weighed,
            }
        };
        let claims = court.claims.iter().enumerate().map(of_claim).collect();
        let published: Vec<_> = found.iter().map(|(_, cells)| cells.clone()).collect();
        let (repeats, nearest) = (court.size, nearest::nearest(&published));
        Self { experiment, rows, claims, repeats, set, unjudged, nearest }
    }

    /// Its files, by path.
    pub fn files(&self) -> BTreeMap<String, Vec<u8>> {
        let own = |file: &str, bytes| (format!("{UNIVERSES}{file}"), bytes);
        let drawn = self.figures().into_iter();
        let drawn = drawn.filter_map(|(spec, svg)| {
            Some(own(&format!("{}.svg", spec.id), svg.ok()?.into_bytes()))
        });
        let files = [
            own(CLAIMS, self.verdicts().csv()),
            own(CONCLUSIONS, self.conclusions().csv()),
            own(REPORT, self.markdown().into_bytes()),
            (UNIVERSES_LIST.to_owned(), list(self.experiment, self.rows)),
        ];
        files.into_iter().chain(drawn).collect()
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
        let order = match &claim.weighed {
            Ok(found) => found.choices.iter().map(|main| main.choice).collect(),
            Err(_) => claim.bearing.clone(),
        };
        let options =
            |at: usize| (0..self.experiment.choices[at].options.len()).map(move |o| (at, o));
        let order: Terms = order.into_iter().flat_map(options).collect();
        let universe = |(at, judged): (usize, &Finding)| {
            let Strength { value, interval: bar } = judged.strength?;
            let has = |row: &usize| self.rows[at].options[order[*row].0] == order[*row].1;
            let options = (0..order.len()).filter(has).collect();
            Some((at, Mark { value, bar }, options))
        };
        let of = distinct(self.rows, |choice| claim.bearing.contains(&choice)).into_iter();
        SpecificationPlot {
            title: title.to_owned(),
            effect: "effect".to_owned(),
            universes: of.filter_map(|at| universe((at, &claim.judged[at]))).collect(),
            options: order.iter().map(|term| self.terms(&vec![*term])).collect(),
            published: claim.published.map(|strength| strength.value),
        }
    }

    fn verdicts(&self) -> Sheet {
        type Row<'r> = (&'r str, usize, &'r Finding);
        let rows = self.claims.iter().flat_map(|claim| {
            let judged = claim.judged.iter().enumerate();
            judged.map(|(at, judged)| (claim.spec.id.as_str(), at, judged))
        });
        let interval = |(.., judged): Row<'_>| judged.strength.and_then(|one| one.interval);
        Sheet::of("", rows)
            .value("claim", |(id, ..): Row<'_>| id)
            .value("universe", |(_, at, _)| at)
            .value("verdict", |(.., judged)| judged.verdict.word())
            .value("effect", |(.., judged)| judged.strength.map(|one| one.value))
            .value("low", |row| interval(row).map(|(low, _)| low))
            .value("high", |row| interval(row).map(|(_, high)| high))
            .sheet()
    }
}
