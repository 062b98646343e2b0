//! Claims: sentences of the paper, judged on our numbers and on the paper's own. A form is its keys and what it asks of
//! each item that counts; all are one statement, of which the rules stand once: by values and by the paper's procedure in
//! `statement`, by a test in `tested`.

mod advantage;
mod alike;
mod margin;
mod measured;
mod p_value;
mod pair;
mod procedure;
mod range;
mod rank;
mod reading;
mod statement;
mod sweep;
mod test_sample;
mod tested;
mod wins;

use spec::{Basis, Check, ClaimSpec, Comparisons, CouldShow, Experiment, Finding, Kind, Verdict};
use stats::Power;

use super::sheet::{Cell, Sheet};
use super::values::Values;

pub use advantage::{BetterOn, GainsMore, Scale, Widens};
pub use alike::{Equivalent, Ties};
pub use p_value::PValue;
pub use pair::Pair;
pub use range::{Counts, Ratio, Spread, ValueNear};
pub use rank::Rank;
pub use sweep::{BestAt, Direction, Swept, Trend};
pub use wins::{Opponents, Wins};

/// Every form of claim.
pub static KINDS: &[Kind<dyn Check>] = &[
    Kind::<dyn Check>::of::<Wins>(),
    Kind::<dyn Check>::of::<Rank>(),
    Kind::<dyn Check>::of::<PValue>(),
    Kind::<dyn Check>::of::<ValueNear>(),
    Kind::<dyn Check>::of::<Trend>(),
    Kind::<dyn Check>::of::<BestAt>(),
    Kind::<dyn Check>::of::<Ratio>(),
    Kind::<dyn Check>::of::<Widens>(),
    Kind::<dyn Check>::of::<Spread>(),
    Kind::<dyn Check>::of::<Counts>(),
    Kind::<dyn Check>::of::<Equivalent>(),
    Kind::<dyn Check>::of::<Ties>(),
    Kind::<dyn Check>::of::<GainsMore>(),
    Kind::<dyn Check>::of::<BetterOn>(),
];

/// A judged claim.
#[derive(Debug, Clone)]
pub struct Claim<'a> {
    /// The claim.
    pub spec: &'a ClaimSpec,
    /// On our numbers, published-only methods by their published values.
    pub ours: Finding,
    /// On the paper's numbers only; no evidence where the paper does not print them.
    pub published: Finding,
    /// Whether a metric behind it reads a clock.
    pub timing: bool,
}

impl Claim<'_> {
    /// The evidence of both verdicts.
    pub fn evidence(&self) -> String {
        format!("{}. As published: {}", self.ours.numbers(), self.published.numbers())
    }
}

/// Judges every claim.
pub fn judge<'a>(
    experiment: &'a Experiment,
    ours: Values<'_>,
    published: Values<'_>,
    comparisons: &Comparisons,
) -> Vec<Claim<'a>> {
    let judge = |spec: &'a ClaimSpec, values: Values<'_>| {
        let of_part = Values { part: spec.part.as_ref(), ..values };
        spec.check.judge(&of_part, comparisons)
    };
    experiment
        .claims
        .iter()
        .map(|spec| Claim {
            spec,
            ours: judge(spec, ours),
            published: as_printed(spec, judge(spec, published)),
            timing: spec.reads_clock(&experiment.tests),
        })
        .collect()
}

/// What is judged by published numbers; where none can judge, what the paper is said to find.
fn as_printed(spec: &ClaimSpec, judged: Finding) -> Finding {
    match &spec.printed {
        Some((verdict, why)) if judged.verdict == Verdict::NoEvidence => {
            let finding = Finding::of(*verdict, judged.basis, "as printed, not recomputed");
            finding.adding(why)
        }
        _ => judged,
    }
}

/// What the tests of claims could have shown with probability .8, on each data set.
pub fn power(claims: &[Claim]) -> Sheet {
    type Row<'a> = (&'a Claim<'a>, &'a CouldShow);
    let known = claims.iter().filter(|claim| claim.ours.basis == Basis::Test);
    let rows = known.flat_map(|claim| claim.ours.power.iter().map(move |could| (claim, could)));
    let number =
        |could: &CouldShow, of: fn(&Power) -> f64| match could.power.map(|power| of(&power)) {
            Some(value) if value > 0.0 => Cell::significant(value, 3),
            Some(_) => Cell::Empty,
            None => Cell::Absent("not computed"),
        };
    Sheet::of("What could have been shown", rows)
        .text("claim", "claim", |(claim, _): Row| &*claim.spec.id)
        .text("verdict", "verdict", |(claim, _)| claim.ours.verdict.text())
        .text("on", "on", |(_, could)| &*could.on)
        .number("n", "n", |(_, could)| could.power.map(|power| power.n))
        .text("over", "over", |(_, could)| could.over.word())
        .number("sd", "sd at most", move |(_, could)| number(could, |power| power.sd))
        .number("smallest", "smallest difference", move |(_, could)| match could.smallest() {
            Some(smallest) if smallest.is_finite() => Cell::significant(smallest, 3),
            Some(_) => Cell::Absent("none that is possible"),
            None => Cell::Absent("not computed"),
        })
        .number("floor", "floor", |(_, could)| match could.power.map(|power| power.floor()) {
            Some(0.0) => Cell::Empty,
            Some(floor) => Cell::significant(Some(could.matters + floor), 3),
            None => Cell::Absent("not computed"),
        })
        .number("matters", "matters", |(_, could)| {
            Cell::significant((could.matters != 0.0).then_some(could.matters), 3)
        })
        .text("needed", "n for twice that", |(_, could)| match could.needed() {
            Some(Some(n)) => n.to_string(),
            Some(None) => "no number decides this".to_owned(),
            None => String::new(),
        })
        .sheet()
        .without_empty()
}

/// The claims with what they rest on; what the paper's numbers say of them, if there is a paper.
pub fn sheet(claims: &[&Claim], of_paper: bool) -> Sheet {
    let sheet = Sheet::of("Claims", claims.iter().copied())
        .value("id", |claim: &Claim| &*claim.spec.id)
        .value("verdict", |claim| claim.ours.verdict.word())
        .value("published_verdict", |claim| claim.published.verdict.word())
        .value("by", |claim| claim.ours.by())
        .value("sentence", |claim| Cell::prose(&claim.ours.sentence))
        .value("evidence", |claim| Cell::prose(claim.evidence()))
        .value("source", |claim| Cell::prose(claim.spec.source.text()))
        .text("text", "Claim", |claim| Cell::prose(&claim.spec.text))
        .shown("Source", |claim| claim.spec.source.text())
        .shown("Our numbers", |claim| &claim.ours);
    if of_paper { sheet.shown("The paper's numbers", |claim| &claim.published) } else { sheet }
        .sheet()
}
