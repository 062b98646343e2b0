//! The orthant-wise limited-memory quasi-Newton method for a maximum with an L1 penalty: G. Andrew and J. Gao, "Scalable training of
//! L1-regularized log-linear models", ICML 2007.

use super::ascent::{Pair, remember, upwards};
use super::vector::{add_scaled, dot};

/// Most halvings of a step.
const HALVINGS: usize = 30;
/// Steps over whose mean gain it is decided whether to go on.
const WINDOW: usize = 5;

/// When to stop.
#[derive(Debug, Clone, Copy)]
pub struct Limits {
    /// Most steps.
    pub steps: usize,
    /// The search ends when the mean gain of five steps is less than this part of the value.
    pub gain: f64,
}

/// The steepest way up from a place: the derivative of the penalised function in each coordinate; at zero that of the side on which it
/// climbs, if it does.
fn slope(place: f64, derivative: f64, penalty: f64) -> f64 {
    if place > 0.0 {
        derivative - penalty
    } else if place < 0.0 {
        derivative + penalty
    } else if derivative > penalty {
        derivative - penalty
    } else if derivative < -penalty {
        derivative + penalty
    } else {
        0.0
    }
}

/// A step as far as the orthant goes that a coordinate is in, or is about to enter.
fn inside(place: f64, step: f64, slope: f64) -> f64 {
    let side = if place == 0.0 { slope } else { place };
    let next = place + step;
    if next * side > 0.0 { next } else { 0.0 }
}

/// Climbs from `place` to the maximum of a concave function less `penalty` times the sum of the coordinates' absolute values, and
/// gives the value there. `function` gives the value without the penalty, and the gradient.
///
/// # Errors
/// Those of the function.
pub fn maximise<E>(
    place: &mut Vec<f64>,
    penalty: f64,
    limits: Limits,
    mut function: impl FnMut(&[f64]) -> Result<(f64, Vec<f64>), E>,
) -> Result<f64, E> {
    let cost = |place: &[f64]| penalty * place.iter().map(|part| part.abs()).sum::<f64>();
    let (value, mut gradient) = function(place)?;
    let mut values = vec![value - cost(place)];
    let mut memory: Vec<Pair> = Vec::new();
    while values.len() <= limits.steps {
        let value = values[values.len() - 1];
        let slopes: Vec<f64> =
            place.iter().zip(&gradient).map(|(&at, &of)| slope(at, of, penalty)).collect();
        let mut direction = upwards(&slopes, &memory);
        for (part, slope) in direction.iter_mut().zip(&slopes) {
            if *part * slope <= 0.0 {
                *part = 0.0;
            }
        }
        let steepest = dot(&slopes, &slopes).sqrt();
        if steepest == 0.0 {
            break;
        }
        let mut size = if memory.is_empty() { 1.0 / steepest } else { 1.0 };
        let mut found = None;
        for _ in 0..HALVINGS {
            let parts = place.iter().zip(&direction).zip(&slopes);
            let next: Vec<f64> =
                parts.map(|((&at, part), &slope)| inside(at, size * part, slope)).collect();
            let mut moved = next.clone();
            add_scaled(&mut moved, -1.0, place);
            let (higher, after) = function(&next)?;
            let higher = higher - cost(&next);
            if higher >= value + 1e-4 * dot(&moved, &slopes) {
                found = Some((next, moved, higher, after));
                break;
            }
            size *= 0.5;
        }
        let Some((next, moved, higher, after)) = found else { break };
        add_scaled(&mut gradient, -1.0, &after);
        remember(&mut memory, moved, std::mem::replace(&mut gradient, after));
        *place = next;
        values.push(higher);
        if let Some(&before) = values.iter().rev().nth(WINDOW)
            && higher - before < WINDOW as f64 * limits.gain * higher.abs()
        {
            break;
        }
    }
    Ok(values[values.len() - 1])
}

#[cfg(test)]
mod tests {
    use std::convert::Infallible;

    use super::*;

    /// Of separate parabolas the maximum is known: each is moved towards zero by the penalty, and not past it.
    #[test]
    fn parabolas_are_shrunk_to_zero() {
        let tops = [3.0, -2.0, 0.4, -0.1, 0.0, 0.9];
        let bends = [1.0, 4.0, 0.5, 2.0, 1.0, 1.0];
        let function = |x: &[f64]| -> Result<(f64, Vec<f64>), Infallible> {
            let parts = x.iter().zip(tops).zip(bends);
            let value = parts.clone().map(|((x, top), bend)| -0.5 * bend * (x - top) * (x - top));
            Ok((value.sum(), parts.map(|((x, top), bend)| -bend * (x - top)).collect()))
        };
        let mut place = vec![0.0; 6];
        let limits = Limits { steps: 100, gain: 1e-14 };
        maximise(&mut place, 1.0, limits, function).unwrap();
        let expected = [2.0, -1.75, 0.0, 0.0, 0.0, 0.0];
        for (found, expected) in place.iter().zip(expected) {
            assert!((found - expected).abs() < 1e-6, "{place:?}");
        }
    }

    /// Of parabolas that are bent unlike, what is remembered of the curvature leads to the top in few steps.
    #[test]
    fn curvature_is_remembered() {
        let mut calls = 0;
        let function = |x: &[f64]| -> Result<(f64, Vec<f64>), Infallible> {
            calls += 1;
            let bends = [1.0, 10.0, 100.0, 1000.0];
            let value = x.iter().zip(bends).map(|(x, bend)| -0.5 * bend * (x - 1.0) * (x - 1.0));
            Ok((value.sum(), x.iter().zip(bends).map(|(x, bend)| -bend * (x - 1.0)).collect()))
        };
        let mut place = vec![3.0; 4];
        maximise(&mut place, 0.0, Limits { steps: 1000, gain: 1e-14 }, function).unwrap();
        assert!(place.iter().all(|part| (part - 1.0).abs() < 1e-5), "{place:?}");
        assert!(calls < 100, "{calls}");
    }
}
