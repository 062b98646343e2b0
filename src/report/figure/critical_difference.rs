//! Critical-difference diagrams.

use contract::{MethodId, PartId};
use document::{Level, Node, Spanned, Table, section};
use math::decimal::significant;
use spec::{
    Adjustment, Drawn, Evidence, FigureDesign, Mark, OneTest, PairBy, Plot, Plotted, TestDesign,
    TestSpec,
};

use super::area::Page;
use super::axis::drawable;
use super::canvas::{Align, Canvas, INK, Pen, TEXT, widest};
use super::legend::Legend;
use super::{FigureError, Look};
use crate::significance::{comparisons, ranking};
use base::text::real;
use stats::Friedman as Ranks;

section! {
    in Plotted;
    pub struct CriticalDifference: "critical-difference" => "mean ranks with Nemenyi's critical difference (Demšar 2006), or joined by Wilcoxon's test where the test has pairs = \"wilcoxon\"" {
        test: Spanned<OneTest> => "id of a Friedman `[[test]]`";
        alpha: Level = 0.05 => "level of Friedman's test and of the critical difference";
    }
    check(scope, table) {
        if let Some(named) = &test
            && let Some(known) = scope.test(named)
        {
            if known.ranks {
                shows(named, &known.design, table, scope);
            } else {
                let message = format!("`{}` is not a Friedman test", named.value);
                scope.fault(&named.span, message, "another kind")
                    .help("critical differences are those of a test with kind = \"friedman\"");
            }
        }
    }
}

/// A diagram shows what its test ranks, once and all of it.
fn shows(named: &Spanned<String>, test: &TestDesign, table: &Table, scope: &mut Plotted<'_>) {
    if test.pair_by != PairBy::Dataset {
        let message = format!("`{}` ranks within each dataset", test.id);
        scope
            .fault(&named.span, message, "a diagram shows one ranking")
            .help("give the test pair_by = \"dataset\"");
    }
    let shown = scope.shown;
    scope.about(named, shown.y.as_slice());
    let parts: Vec<PartId> = scope.parts.iter().map(|part| part.id.clone()).collect();
    let keys = [
        ("methods", shown.methods.len(), same(&shown.methods, &test.methods)),
        ("datasets", shown.datasets.len(), same(&shown.datasets, &test.datasets)),
        ("parts", shown.parts.len(), same(&shown.parts, &parts)),
    ];
    for (key, count, same) in keys {
        // A list with an error has been reported; one that a profile narrows is read without the profile too.
        let whole = |node: &&Node| count > 0 && node.items().len() == count;
        if let Some(node) = table.get(key).filter(whole).filter(|_| !same) {
            let message = format!("`{}` ranks other {key}", test.id);
            let help = match key {
                "parts" => "remove this key: its test says which part counts".to_owned(),
                _ => format!("remove this key, or write the same `{key}` in the test"),
            };
            scope.fault(&node.span, message, "not those of the test").help(help);
        }
    }
}

fn same<I: PartialEq>(shown: &[I], ranked: &[I]) -> bool {
    shown.len() == ranked.len() && shown.iter().all(|id| ranked.contains(id))
}

impl Plot for CriticalDifference {
    fn draw(&self, figure: &FigureDesign, evidence: &dyn Evidence, tests: &[TestSpec]) -> Drawn {
        let named = tests.iter().find(|test| test.id == *self.test);
        let test = named.ok_or(FigureError::NoTest)?;
        let ranking = ranking(test, evidence, None)?;
        let Ranks { n, p, mean_ranks, .. } = &ranking.friedman;
        let critical = stats::critical_difference(mean_ranks.len(), *n, self.alpha)?;
        let told = told_apart(test, evidence, self.alpha);
        let methods = ranking.methods.iter().zip(&ranking.labels).zip(mean_ranks);
        let methods = methods.map(|((method, label), rank)| {
            let quoted = !evidence.quoted_among([method]).is_empty();
            Ranked { label: label.clone(), rank: *rank, quoted }
        });
        let place = |id: &MethodId| ranking.methods.iter().position(|other| other == id);
        let places = |(one, other): &(MethodId, MethodId)| Some((place(one)?, place(other)?));
        Ok(critical_difference(&RankPlot {
            title: figure.title.clone(),
            methods: methods.collect(),
            n: *n,
            p: significant(*p, 6),
            alpha: self.alpha,
            apart: match told {
                Some(pairs) => Apart::Pairs(pairs.iter().filter_map(places).collect()),
                None => Apart::Critical(significant(critical, 9)),
            },
        })?)
    }

    fn reads_clock(&self, tests: &[TestSpec]) -> bool {
        tests.iter().any(|test| test.id == *self.test && test.metric.is_time())
    }
}

/// The methods that the test of each two of them tells apart; none where these are compared by their ranks.
fn told_apart(
    test: &TestSpec,
    evidence: &dyn Evidence,
    alpha: f64,
) -> Option<Vec<(MethodId, MethodId)>> {
    let rows = comparisons(test, evidence);
    let mut pairs = rows.iter().filter(|row| !row.left.is_empty()).peekable();
    pairs.peek().filter(|row| row.adjustment != Adjustment::Nemenyi)?;
    test.reference.is_none().then(|| {
        let below = |p: Option<f64>| p.is_some_and(|p| p < alpha);
        let apart = pairs.filter(|row| row.found.as_ref().is_ok_and(|f| below(f.p_adjusted)));
        apart.map(|row| (row.left.clone(), row.right.clone())).collect()
    })
}

/// A method in a diagram.
#[derive(Debug, Clone)]
pub struct Ranked {
    /// What people read.
    pub label: String,
    /// Its mean rank; 1 is best.
    pub rank: f64,
    /// Whether its values are the paper's.
    pub quoted: bool,
}

/// Mean ranks of methods after Friedman's test, with Nemenyi's critical difference (Demšar 2006,
/// figure 1).
#[derive(Debug, Clone)]
pub struct RankPlot {
    /// Title above.
    pub title: String,
    /// Methods with their mean ranks.
    pub methods: Vec<Ranked>,
    /// Over how many data sets.
    pub n: usize,
    /// The p-value of Friedman's test. If it is not below the level, no two methods are told apart.
    pub p: f64,
    /// The level of both.
    pub alpha: f64,
    /// Which methods are significantly different. All others are joined.
    pub apart: Apart,
}

/// Which methods are significantly different.
#[derive(Debug, Clone)]
pub enum Apart {
    /// Those whose mean ranks differ by as much as this.
    Critical(f64),
    /// These pairs, by Wilcoxon's test: positions among the methods.
    Pairs(Vec<(usize, usize)>),
}

impl RankPlot {
    /// Whether Friedman's test lets methods be compared.
    fn differs(&self) -> bool {
        self.p < self.alpha
    }

    /// Positions of the methods that can be drawn, the best first.
    fn order(&self) -> Vec<usize> {
        let rank = |at: &usize| self.methods[*at].rank;
        let mut order: Vec<usize> =
            (0..self.methods.len()).filter(|at| drawable(rank(at))).collect();
        order.sort_by(|a, b| rank(a).total_cmp(&rank(b)));
        order
    }

    /// Name and rank of a method.
    fn named(&self, at: usize) -> (String, f64) {
        let Ranked { label, rank, quoted } = &self.methods[at];
        (format!("{label}{} ({rank:.2})", if *quoted { "*" } else { "" }), *rank)
    }

    /// Whether the methods at two positions are significantly different.
    fn differ(&self, one: usize, other: usize) -> bool {
        let distance = || (self.methods[one].rank - self.methods[other].rank).abs();
        self.differs()
            && match &self.apart {
                Apart::Critical(least) => distance() >= *least,
                Apart::Pairs(pairs) => {
                    pairs.contains(&(one, other)) || pairs.contains(&(other, one))
                }
            }
    }

    /// What stands under the title.
    fn remarks(&self) -> Vec<String> {
        let p = real(significant(self.p, 2));
        let (n, alpha) = (self.n, real(self.alpha));
        let mut remarks = vec![format!("{n} data sets; Friedman's test: p = {p}; alpha = {alpha}")];
        if !self.differs() {
            remarks
                .push("Friedman's test does not reject: no two methods are told apart".to_owned());
        }
        if matches!(self.apart, Apart::Pairs(_)) && self.differs() {
            remarks
                .push("joined: not told apart by Wilcoxon's test of the two, corrected".to_owned());
        }
        if self.methods.iter().any(|method| method.quoted) {
            remarks.push("* as published".to_owned());
        }
        remarks
    }
}

/// Draws a critical-difference diagram as SVG: the ranks as an axis with the best on the left,
/// every method at its mean rank, and a thick bar under every largest group of methods that the
/// test does not tell apart. Where Friedman's test does not reject, one bar joins all methods.
///
/// # Errors
/// No method with a finite rank.
pub fn critical_difference(plot: &RankPlot) -> Result<String, FigureError> {
    const REMARK: f64 = 16.0;
    let order = plot.order();
    let methods: Vec<(String, f64)> = order.iter().map(|&at| plot.named(at)).collect();
    let ranks: Vec<f64> = methods.iter().map(|&(_, rank)| rank).collect();
    let (Some(best), Some(worst)) = (ranks.first(), ranks.last()) else {
        return Err(FigureError::Empty { title: plot.title.clone() });
    };
    // The better half is named on the left, the worse half on the right.
    let half = methods.len().div_ceil(2);
    let (better, worse) = methods.split_at(half);
    let names = |side: &[(String, f64)]| widest(side.iter().map(|(name, _)| name.as_str()));
    let mut axis = RankAxis {
        first: best.floor().min(1.0),
        last: (methods.len() as f64).max(worst.ceil()).max(2.0),
        left: 16.0 + names(better) + 24.0,
        y: 0.0,
    };
    let right = axis.left + WIDTH;
    let width = right + 24.0 + names(worse).max(widest([AXIS])) + 16.0;
    let page = Page::new(&plot.title, width, Legend::default());
    let remarks: Vec<String> =
        plot.remarks().iter().flat_map(|remark| page.wrapped(remark)).collect();
    axis.y = page.top + remarks.len() as f64 * REMARK + 76.0;
    let groups = groups(order.len(), |one, other| plot.differ(order[one], order[other]));
    let bars = axis.y + 14.0;
    let rows = bars + groups.len() as f64 * BAR + 12.0;
    page.draw(rows + (half - 1) as f64 * ROW + 20.0, |canvas| {
        let at = (0.5 * page.width, page.top + 4.0);
        canvas.lines(&remarks, at, TEXT, REMARK, Align::Middle);
        if let Apart::Critical(least) = plot.apart
            && plot.differs()
            && drawable(least)
            && least > 0.0
        {
            axis.draw_critical(canvas, least);
        }
        axis.draw(canvas);
        for (place, &(first, last)) in groups.iter().enumerate() {
            let y = bars + place as f64 * BAR;
            let ends = [(axis.x(ranks[first]) - 5.0, y), (axis.x(ranks[last]) + 5.0, y)];
            canvas.line(&ends, Pen::new(INK, 4));
        }
        for (row, method) in better.iter().enumerate() {
            axis.draw_method(
                canvas,
                method,
                (axis.left - 18.0, rows + row as f64 * ROW),
                Align::End,
            );
        }
        for (row, method) in worse.iter().rev().enumerate() {
            axis.draw_method(canvas, method, (right + 18.0, rows + row as f64 * ROW), Align::Start);
        }
    })
}

const WIDTH: f64 = 460.0;
const ROW: f64 = 22.0;
const BAR: f64 = 9.0;
const AXIS: &str = "mean rank";

/// The axis of ranks, the best on the left.
struct RankAxis {
    /// Its ends.
    first: f64,
    last: f64,
    /// Where they lie.
    left: f64,
    y: f64,
}

impl RankAxis {
    fn per_rank(&self) -> f64 {
        WIDTH / (self.last - self.first)
    }

    fn x(&self, rank: f64) -> f64 {
        self.left + (rank - self.first) * self.per_rank()
    }

    fn draw(&self, canvas: &Canvas<'_>) {
        let (right, y) = (self.left + WIDTH, self.y);
        canvas.line(&[(self.left, y), (right, y)], Pen::INK);
        let every = ((self.last - self.first) / 20.0).ceil().max(1.0) as usize;
        for tick in (0..=(self.last - self.first) as usize).step_by(every) {
            let rank = self.first + tick as f64;
            canvas.line(&[(self.x(rank), y - 6.0), (self.x(rank), y)], Pen::INK);
            canvas.text(&real(rank), (self.x(rank), y - 16.0), TEXT, Align::Middle);
        }
        canvas.text(AXIS, (right + 10.0, y), TEXT, Align::Start);
    }

    /// The critical difference above the axis.
    fn draw_critical(&self, canvas: &Canvas<'_>, difference: f64) {
        let pen = Pen::new(INK, 2);
        let shown = difference.min(self.last - self.first);
        let (from, to, y) = (self.left, self.left + shown * self.per_rank(), self.y - 44.0);
        canvas.line(&[(from, y), (to, y)], pen);
        for x in [from, to] {
            canvas.line(&[(x, y - 4.0), (x, y + 4.0)], pen);
        }
        let text = format!("critical difference {difference:.2}");
        canvas.text(&text, (from, y - 16.0), TEXT, Align::Start);
    }

    /// A method at its rank, and its name at the end of a line from there.
    fn draw_method(
        &self,
        canvas: &Canvas<'_>,
        (name, rank): &(String, f64),
        (end, y): (f64, f64),
        align: Align,
    ) {
        let x = self.x(*rank);
        canvas.line(&[(x, self.y), (x, y), (end, y)], Pen::INK);
        canvas.mark(name, AXIS, &Mark { value: *rank, bar: None }, |canvas| {
            canvas.marker((x, self.y), Look { color: 0, hollow: false });
        });
        let gap = if align == Align::End { -6.0 } else { 6.0 };
        canvas.text(name, (end + gap, y), TEXT, align);
    }
}

/// First and last position of every largest run of so many methods in which no two differ, runs of one left out.
fn groups(count: usize, differ: impl Fn(usize, usize) -> bool) -> Vec<(usize, usize)> {
    let mut groups: Vec<(usize, usize)> = Vec::new();
    for first in 0..count {
        let joins = |last: &usize| (first..*last).all(|one| !differ(one, *last));
        let last = first + (first + 1..count).take_while(joins).count();
        let new = groups.last().is_none_or(|&(_, reached)| last > reached);
        if last > first && new {
            groups.push((first, last));
        }
    }
    groups
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn groups_are_the_largest_runs() {
        let ranks: [f64; 5] = [1.0, 1.5, 2.5, 3.4, 5.0];
        let by = |least: f64| groups(5, |one, other| (ranks[other] - ranks[one]).abs() >= least);
        assert_eq!(by(1.6), [(0, 2), (2, 3)]);
        assert_eq!(by(2.0), [(0, 2), (1, 3), (3, 4)]);
        assert_eq!(by(10.0), [(0, 4)]);
        assert!(by(0.0).is_empty());
        // Pairs that are told apart need not be far apart in rank.
        assert_eq!(groups(4, |one, other| (one, other) == (1, 2)), [(0, 1), (2, 3)]);
    }
}
