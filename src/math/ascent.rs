//! The limited-memory BFGS method for a maximum in a box.

use super::vector::{add_scaled, dot};

/// Pairs of steps and changes of the gradient that are remembered.
const MEMORY: usize = 8;

/// Most halvings of a step.
const HALVINGS: usize = 12;

/// A step, and by how much it changed the gradient.
pub(super) struct Pair {
    step: Vec<f64>,
    change: Vec<f64>,
    /// Their scalar product: how much the function curves along the step.
    curvature: f64,
}

impl Pair {
    pub(super) fn new(step: Vec<f64>, change: Vec<f64>) -> Self {
        let curvature = dot(&step, &change);
        Self { step, change, curvature }
    }
}

/// When to stop, and where to stay.
#[derive(Debug, Clone, Copy)]
pub struct Limits {
    /// No coordinate moves further than this from its start.
    pub reach: f64,
    /// No coordinate moves further than this in one step.
    pub stride: f64,
    /// A step that gains less is the last.
    pub gain: f64,
    /// Most steps.
    pub steps: usize,
}

/// Climbs from `start`: `function` gives the value and the gradient at a place, or none where it is not
/// defined. Returns the highest place found, with its value; none if the function is not defined at the
/// start.
///
/// Coordinates at the box's edge that the gradient would take further take no part in a step, nor in what is
/// remembered of the curvature; at an edge the search ends only after a step along the gradient. A step is halved
/// until it gains at least a ten-thousandth of what the gradient promises (Armijo's rule). The search is
/// deterministic.
///
/// # Errors
/// Those of the function.
pub fn maximise<E>(
    start: &[f64],
    limits: &Limits,
    mut function: impl FnMut(&[f64]) -> Result<Option<(f64, Vec<f64>)>, E>,
) -> Result<Option<(Vec<f64>, f64)>, E> {
    let mut place = start.to_vec();
    let Some((mut value, mut gradient)) = function(&place)? else { return Ok(None) };
    let mut memory: Vec<Pair> = Vec::new();
    for _ in 0..limits.steps {
        let mut slope = gradient.clone();
        hold(&mut slope, &place, start, limits.reach);
        let by_gradient = memory.is_empty();
        let mut direction = upwards(&slope, &among(&memory, &slope));
        hold(&mut direction, &place, start, limits.reach);
        if dot(&direction, &slope) <= 0.0 {
            direction.clone_from(&slope);
        }
        let longest = direction.iter().fold(0.0, |most: f64, part| most.max(part.abs()));
        if longest == 0.0 {
            break;
        }
        let mut step = (limits.stride / longest).min(1.0);
        let mut found = None;
        for _ in 0..HALVINGS {
            let inside = |((place, part), start): ((&f64, &f64), &f64)| {
                (place + step * part).clamp(start - limits.reach, start + limits.reach)
            };
            let next: Vec<f64> = place.iter().zip(&direction).zip(start).map(inside).collect();
            let promised: f64 =
                next.iter().zip(&place).zip(&gradient).map(|((n, p), g)| (n - p) * g).sum();
            match function(&next)? {
                Some((higher, slope)) if higher >= value + 1e-4 * promised => {
                    found = Some((next, higher, slope));
                    break;
                }
                _ => step *= 0.5,
            }
        }
        let Some((next, higher, slope)) = found else {
            if by_gradient || !touches(&place, start, limits.reach) {
                break;
            }
            memory.clear();
            continue;
        };
        let moved: Vec<f64> = next.iter().zip(&place).map(|(next, place)| next - place).collect();
        let fallen: Vec<f64> =
            gradient.iter().zip(&slope).map(|(before, after)| before - after).collect();
        remember(&mut memory, moved, fallen);
        let gained = higher - value;
        (place, value, gradient) = (next, higher, slope);
        if gained < limits.gain {
            if by_gradient || !touches(&place, start, limits.reach) {
                break;
            }
            memory.clear();
        }
    }
    Ok(Some((place, value)))
}

/// What is remembered of the coordinates that are not held.
fn among(memory: &[Pair], slope: &[f64]) -> Vec<Pair> {
    let part = |of: &[f64]| -> Vec<f64> {
        of.iter().zip(slope).map(|(part, slope)| if *slope == 0.0 { 0.0 } else { *part }).collect()
    };
    let parts = memory.iter().map(|pair| Pair::new(part(&pair.step), part(&pair.change)));
    parts.filter(curved).collect()
}

/// Remembers a step along which the value curves downwards; the oldest makes room for it.
pub(super) fn remember(memory: &mut Vec<Pair>, step: Vec<f64>, change: Vec<f64>) {
    let pair = Pair::new(step, change);
    if curved(&pair) {
        if memory.len() == MEMORY {
            memory.remove(0);
        }
        memory.push(pair);
    }
}

/// Whether the value curves downwards along a step.
fn curved(pair: &Pair) -> bool {
    pair.curvature > 1e-12 * dot(&pair.change, &pair.change)
}

/// Stops the coordinates that would leave the box.
fn hold(direction: &mut [f64], place: &[f64], start: &[f64], reach: f64) {
    for ((part, &place), &start) in direction.iter_mut().zip(place).zip(start) {
        if at_edge(place, start, reach) && *part * (place - start) > 0.0 {
            *part = 0.0;
        }
    }
}

/// Whether some coordinate is at the edge.
fn touches(place: &[f64], start: &[f64], reach: f64) -> bool {
    place.iter().zip(start).any(|(&place, &start)| at_edge(place, start, reach))
}

/// Rounding may leave a coordinate short of the edge at which it was stopped.
fn at_edge(place: f64, start: f64, reach: f64) -> bool {
    (place - start).abs() >= reach * (1.0 - 1e-9)
}

/// The gradient times the inverse of the curvature that the memory, the oldest first, tells: the two-loop recursion.
pub(super) fn upwards(gradient: &[f64], memory: &[Pair]) -> Vec<f64> {
    let mut direction = gradient.to_vec();
    let mut shares = Vec::with_capacity(memory.len());
    for pair in memory.iter().rev() {
        let share = dot(&pair.step, &direction) / pair.curvature;
        add_scaled(&mut direction, -share, &pair.change);
        shares.push(share);
    }
    if let Some(pair) = memory.last() {
        let scale = pair.curvature / dot(&pair.change, &pair.change);
        direction.iter_mut().for_each(|part| *part *= scale);
    }
    for (pair, before) in memory.iter().zip(shares.into_iter().rev()) {
        let after = dot(&pair.change, &direction) / pair.curvature;
        add_scaled(&mut direction, before - after, &pair.step);
    }
    direction
}

#[cfg(test)]
mod tests {
    use std::convert::Infallible;

    use super::*;
    use crate::special::ln;

    const LIMITS: Limits = Limits { reach: 100.0, stride: 1.0, gain: 1e-14, steps: 200 };

    type Value = Result<Option<(f64, Vec<f64>)>, Infallible>;

    /// Rosenbrock's valley upside down; its top is (1, 1).
    fn valley(x: &[f64]) -> Value {
        let (a, b) = (1.0 - x[0], x[1] - x[0] * x[0]);
        let gradient = vec![2.0 * a + 400.0 * x[0] * b, -200.0 * b];
        Ok(Some((-a * a - 100.0 * b * b, gradient)))
    }

    #[test]
    fn the_top_of_a_curved_ridge_is_found() {
        let (place, value) = maximise(&[-1.2, 1.0], &LIMITS, valley).unwrap().unwrap();
        assert!((place[0] - 1.0).abs() < 1e-6 && (place[1] - 1.0).abs() < 1e-6, "{place:?}");
        assert!(value > -1e-12);
    }

    #[test]
    fn a_box_is_not_left() {
        // The highest place of -|x - (5, 0.3)|² within 2 of the origin is (2, 0.3).
        let hill = |x: &[f64]| -> Value {
            let apart = [x[0] - 5.0, x[1] - 0.3];
            assert!(x[0].abs() <= 2.0 && x[1].abs() <= 2.0);
            let value = -apart[0] * apart[0] - apart[1] * apart[1];
            Ok(Some((value, vec![-2.0 * apart[0], -2.0 * apart[1]])))
        };
        let limits = Limits { reach: 2.0, ..LIMITS };
        let (place, _) = maximise(&[0.0, 0.0], &limits, hill).unwrap().unwrap();
        assert!((place[0] - 2.0).abs() < 1e-12 && (place[1] - 0.3).abs() < 1e-9, "{place:?}");
    }

    /// The highest place of a quadratic in the box, coordinate by coordinate.
    fn top_in_box(h: [[f64; 2]; 2], top: [f64; 2], start: [f64; 2], reach: f64) -> [f64; 2] {
        let mut x = start;
        for _ in 0..10_000 {
            for at in 0..2 {
                let other = 1 - at;
                let free = top[at] - h[at][other] * (x[other] - top[other]) / h[at][at];
                x[at] = free.clamp(start[at] - reach, start[at] + reach);
            }
        }
        x
    }

    #[test]
    fn the_highest_place_at_an_edge_is_found() {
        let mut random = crate::random::Random::new(base::digest::Digest::of(b"box"));
        let mut draws = vec![
            ([[6.8538, -1.0189], [-1.0189, 2.7643]], [2.1229, -0.9982], [0.0, 0.0]),
            (
                [[2.5454030501222005, 0.592117418510056], [0.592117418510056, 2.3054136345696503]],
                [-4.47254908652289, 0.17443156295757056],
                [0.0, 0.0],
            ),
        ];
        for _ in 0..3_000 {
            let [a, b, c, d] = [(); 4].map(|()| 3.0 * random.uniform() - 1.5);
            let h = [[a * a + b * b + 0.1, a * c + b * d], [a * c + b * d, c * c + d * d + 0.1]];
            let [top, start] =
                [10.0, 3.0].map(|width| [(); 2].map(|()| width * (random.uniform() - 0.5)));
            draws.push((h, top, start));
        }
        let mut edges = 0;
        for (h, top, start) in draws {
            let hill = |x: &[f64]| -> Value {
                let apart = [x[0] - top[0], x[1] - top[1]];
                let slope = [0, 1].map(|at| -h[at][0] * apart[0] - h[at][1] * apart[1]);
                Ok(Some((0.5 * (slope[0] * apart[0] + slope[1] * apart[1]), slope.to_vec())))
            };
            let limits = Limits { reach: 2.0, ..LIMITS };
            let (place, value) = maximise(&start, &limits, hill).unwrap().unwrap();
            let expected = top_in_box(h, top, start, 2.0);
            let highest = hill(&expected).unwrap().unwrap().0;
            assert!(value > highest - 1e-6, "{place:?} instead of {expected:?}, from {start:?}");
            edges += usize::from(touches(&expected, &start, 2.0));
        }
        assert!(edges > 1_000, "{edges}");
    }

    #[test]
    fn places_without_a_value_are_avoided() {
        // ln x - x, defined for x > 0 only, from far up: the first full step would leave.
        let function = |x: &[f64]| -> Value {
            Ok((x[0] > 0.0).then(|| (ln(x[0]) - x[0], vec![1.0 / x[0] - 1.0])))
        };
        let limits = Limits { stride: 50.0, ..LIMITS };
        let (place, _) = maximise(&[20.0], &limits, function).unwrap().unwrap();
        assert!((place[0] - 1.0).abs() < 1e-6, "{place:?}");
        assert_eq!(maximise(&[-1.0], &limits, function).unwrap(), None);
    }

    #[test]
    fn where_no_step_gains_the_search_ends() {
        let mut calls = 0;
        let cliff = |x: &[f64]| -> Value {
            calls += 1;
            Ok(Some((-x[0].abs(), vec![1.0])))
        };
        assert_eq!(maximise(&[0.0], &LIMITS, cliff).unwrap(), Some((vec![0.0], 0.0)));
        assert!(calls <= 1 + HALVINGS, "{calls}");
    }
}
