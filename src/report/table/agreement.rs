//! How our cells stand to the paper's.

use base::words;
use base::words::Worded as _;
use math::decimal::significant;

words! {
    /// How our value of a cell stands to the paper's.
    #[derive(PartialOrd, Ord)]
    pub enum Agreement {
        Rounding = "rounding", "within half a unit of the last digit that the paper prints";
        Noise = "noise", "within that and the 95% interval of ours over seeds, draws or divisions";
        Explained = "explained", "further away, and what the file says moves it is there by rounding or noise";
        InPart = "in-part", "further away, and what the file says moves it closes half of the difference or more";
        Unexplained = "unexplained", "further away; the file says what was tried, if it says anything";
        NoNoiseKnown = "no-noise-known", "further away than by rounding; ours does not vary, and the file says nothing";
    }
}

/// A value of ours, and what it becomes by what a note says moves it, over the same repeats.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Moved {
    /// Ours.
    pub from: f64,
    /// What it becomes.
    pub to: f64,
    /// Half the width of the 95% interval of that, if it varies.
    pub noise: Option<f64>,
}

impl Moved {
    /// The share of the difference from the paper's value that it closes, to four digits: 1 is all of it. Below 0 it
    /// moves away, or beyond by more than ours was off.
    pub fn share(self, paper: f64) -> f64 {
        let off = (self.from - paper).abs();
        if off > 0.0 { significant(1.0 - (self.to - paper).abs() / off, 4) } else { 0.0 }
    }
}

/// How a value of ours stands to one that the paper prints, whose last digit counts `unit`. `noise` is half the width
/// of the 95% interval of ours, if ours varies; `moved` is what a cause does that the file names, if its trials are there.
///
/// The first of these that holds: the two differ by at most half a unit (rounding); by at most that and the noise
/// (noise); so does what the cause makes of ours (explained); the cause closes half of the difference (in part); there
/// is neither noise nor a note (no-noise-known); else unexplained.
pub fn agreement(
    (ours, paper): (f64, f64),
    unit: f64,
    noise: Option<f64>,
    noted: bool,
    moved: Option<Moved>,
) -> Agreement {
    let near = |value: f64, noise: f64| within((value - paper).abs(), unit / 2.0 + noise);
    match (noise, moved) {
        _ if near(ours, 0.0) => Agreement::Rounding,
        (Some(noise), _) if near(ours, noise) => Agreement::Noise,
        (_, Some(moved)) if near(moved.to, moved.noise.unwrap_or(0.0)) => Agreement::Explained,
        (_, Some(moved)) if moved.share(paper) >= 0.5 => Agreement::InPart,
        (None, _) if !noted => Agreement::NoNoiseKnown,
        _ => Agreement::Unexplained,
    }
}

/// Whether a distance is at most this, to nine digits, so that 0.9685 is half a unit from 0.968.
pub fn within(distance: f64, most: f64) -> bool {
    significant(distance, 9) <= significant(most, 9)
}

impl Agreement {
    /// For people.
    pub fn text(self) -> String {
        Self::WORDS.word(self).replace('-', " ")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_words_exclude_each_other() {
        use Agreement::*;
        let of = |ours, noise, (noted, moved)| agreement((ours, 0.968), 0.001, noise, noted, moved);
        let (none, tried) = ((false, None), (true, None));
        let cause = |to, noise| (true, Some(Moved { from: 0.9705, to, noise }));
        assert_eq!(of(0.9685, None, none), Rounding);
        assert_eq!(of(0.9675, Some(0.01), cause(0.968, None)), Rounding);
        assert_eq!(of(0.9705, Some(0.002), none), Noise);
        assert_eq!(of(0.9705, Some(0.002), cause(0.968, None)), Noise);
        assert_eq!(of(0.970_500_1, Some(0.002), none), Unexplained);
        assert_eq!(of(0.9686, None, none), NoNoiseKnown);
        assert_eq!(of(0.9686, None, tried), Unexplained);
        assert_eq!(of(0.9705, Some(0.001), tried), Unexplained);
        // A cause has to move ours to the printed value, or half of the way at least.
        assert_eq!(of(0.9705, None, cause(0.9685, None)), Explained);
        assert_eq!(of(0.9705, None, cause(0.9689, Some(0.0004))), Explained);
        assert_eq!(of(0.9705, None, cause(0.9689, None)), InPart);
        assert_eq!(of(0.9705, None, cause(0.969_25, None)), InPart);
        assert_eq!(of(0.9705, None, cause(0.9693, None)), Unexplained);
        assert_eq!(of(0.9705, None, cause(0.9671, None)), InPart, "a little beyond");
        assert_eq!(of(0.9705, None, cause(0.9654, None)), Unexplained, "beyond by more");
        assert_eq!(of(0.9705, None, cause(0.9708, None)), Unexplained, "it moves away");
        assert_eq!(of(0.9705, None, (true, None)), Unexplained);
        // 94.5 is within half of one of a printed 95, and not of a printed 95.0.
        assert_eq!(agreement((94.5, 95.0), 1.0, None, false, None), Rounding);
        assert_eq!(agreement((94.5, 95.0), 0.1, None, false, None), NoNoiseKnown);
    }
}
