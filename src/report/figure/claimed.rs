//! All claims on one axis: how far each is from its opposite, by our numbers and by the paper's.

use base::text::real;
use math::decimal::significant;
use spec::{Finding, Mark, Strength, Verdict};

use super::axis::{Axis, drawable};
use super::canvas::{Align, TEXT};
use super::legend::Legend;
use super::plane::Rows;
use super::{FigureError, Look};
use crate::claims::Claim;

/// What the picture says of itself, below.
const READ: &str = "left: fails, right: holds; in half widths of the interval of what decides the claim, of ours or else as published; \
                    filled: ours, hollow: as published; round: holds, square: fails, triangle: neither is shown";

/// Draws claims as SVG, from the top.
///
/// # Errors
/// The backend failed.
pub fn claimed(title: &str, claims: &[&Claim<'_>]) -> Result<String, FigureError> {
    const ROW: f64 = 30.0;
    const APART: f64 = 13.0;
    const MOST: f64 = 5.0;
    let name = |claim: &&Claim<'_>| format!("{}: {}", claim.spec.id, claim.ours.verdict.text());
    let names: Vec<String> = claims.iter().map(name).collect();
    let names = names.iter().map(String::as_str).collect();
    let axis = Axis { clip: (-MOST, MOST), ..Axis::all(READ.to_owned(), false) };
    let rows = Rows::new(title, (names, ROW), (&axis, &[-MOST, MOST]), Legend::default());
    rows.draw(Some(0.0), |canvas, row, middle| {
        let Claim { spec, ours, published, .. } = claims[row];
        let Some(unit) = half(ours).or_else(|| half(published)) else {
            let by = |by: Strength| real(significant(by.value.abs(), 3));
            let text = match (ours.verdict, ours.strength.map(by)) {
                (Verdict::NoEvidence, _) => "values are missing".to_owned(),
                (_, Some(by)) => format!("by {by}, no interval"),
                (_, None) => "no single number decides".to_owned(),
            };
            return canvas.text(&text, (rows.area.left + 8.0, middle), TEXT, Align::Start);
        };
        let both = [(ours, "ours", false), (published, "as published", true)];
        let drawn = |(finding, ..): &(&Finding, _, _)| finding.strength.is_some();
        let both: Vec<_> = both.into_iter().filter(drawn).collect();
        let top = middle - 0.5 * APART * (both.len() - 1) as f64;
        for (place, (finding, whose, hollow)) in both.into_iter().enumerate() {
            let Some(Strength { value, interval: bar }) = finding.strength else { continue };
            let look = Look { color: shape(finding.verdict), hollow };
            let (value, y) = (value / unit, top + APART * place as f64);
            let mark = Mark { value, bar: bar.map(|(low, high)| (low / unit, high / unit)) };
            rows.mark(canvas, [whose, &spec.id], &mark, y, look);
        }
    })
}

/// Half of the interval of what a verdict hangs on.
fn half(finding: &Finding) -> Option<f64> {
    let (low, high) = finding.strength?.interval?;
    Some(0.5 * (high - low)).filter(|half| *half > 0.0 && drawable(*half))
}

/// A verdict's colour and shape.
fn shape(verdict: Verdict) -> usize {
    match verdict {
        Verdict::Holds => 0,
        Verdict::Fails => 1,
        Verdict::NotShown | Verdict::NoEvidence => 4,
    }
}
