//! How our cells stand to the paper's.

use std::collections::BTreeMap;

use base::words;
use base::words::Worded as _;
use math::decimal::significant;

words! {
    /// How our value of a cell stands to the paper's.
    #[derive(PartialOrd, Ord)]
    pub enum Agreement {
        Rounding = "rounding", "within half a unit of the last digit that the paper prints";
        Noise = "noise", "within that and the 95% interval of ours over seeds, draws or divisions";
        Explained = "explained", "further away, and the file says why";
        Unexplained = "unexplained", "further away; the file says what was tried, if it says anything";
        NoNoiseKnown = "no-noise-known", "further away than by rounding; ours does not vary, and the file says nothing";
    }
}

/// How a value of ours stands to one that the paper prints, whose last digit counts `unit`. `noise` is half the width
/// of the 95% interval of ours, if ours varies; `note` says whether the file has a note on the cell, and if so, whether
/// it is a cause (or else a list of what was tried).
///
/// The first of these that holds: the two differ by at most half a unit (rounding); by at most that and the noise
/// (noise); there is a cause (explained); there is neither noise nor a note (no-noise-known); else unexplained.
pub fn agreement(
    (ours, paper): (f64, f64),
    unit: f64,
    noise: Option<f64>,
    note: Option<bool>,
) -> Agreement {
    let within = |most: f64| within((ours - paper).abs(), most);
    match noise {
        _ if within(unit / 2.0) => Agreement::Rounding,
        Some(noise) if within(unit / 2.0 + noise) => Agreement::Noise,
        _ if note == Some(true) => Agreement::Explained,
        None if note.is_none() => Agreement::NoNoiseKnown,
        _ => Agreement::Unexplained,
    }
}

/// Whether a distance is at most this, to nine digits, so that 0.9685 is half a unit from 0.968.
pub fn within(distance: f64, most: f64) -> bool {
    significant(distance, 9) <= significant(most, 9)
}

/// How many cells stand how to the paper's.
pub type Counts = BTreeMap<Agreement, usize>;

/// Such as `12 rounding, 3 noise, 1 explained`.
pub fn counts_text(counts: &Counts) -> String {
    let each = counts.iter().map(|(agreement, n)| {
        format!("{n} {}", Agreement::WORDS.word(*agreement).replace('-', " "))
    });
    each.collect::<Vec<String>>().join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_words_exclude_each_other() {
        use Agreement::*;
        let of = |ours, noise, note| agreement((ours, 0.968), 0.001, noise, note);
        let (none, cause, tried) = (None, Some(true), Some(false));
        assert_eq!(of(0.9685, None, none), Rounding);
        assert_eq!(of(0.9675, Some(0.01), cause), Rounding);
        assert_eq!(of(0.9705, Some(0.002), none), Noise);
        assert_eq!(of(0.9705, Some(0.002), cause), Noise);
        assert_eq!(of(0.970_500_1, Some(0.002), none), Unexplained);
        assert_eq!(of(0.970_500_1, Some(0.002), cause), Explained);
        assert_eq!(of(0.9686, None, none), NoNoiseKnown);
        assert_eq!(of(0.9686, None, cause), Explained);
        assert_eq!(of(0.9686, None, tried), Unexplained);
        assert_eq!(of(0.9705, Some(0.001), tried), Unexplained);
        // 94.5 is within half of one of a printed 95, and not of a printed 95.0.
        assert_eq!(agreement((94.5, 95.0), 1.0, None, None), Rounding);
        assert_eq!(agreement((94.5, 95.0), 0.1, None, None), NoNoiseKnown);
    }
}
