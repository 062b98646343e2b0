//! A numeric axis: its range, its ticks and their text.

use super::FigureError;
use super::canvas::{LINE_HEIGHT, TEXT, text_width};
use base::text::real;
use math::decimal::significant;
use math::special::{log10, pow};
use spec::{Mark, Range};

/// Whether a value has a place on an axis. The limit keeps the axis' own arithmetic finite.
pub(super) fn drawable(value: f64) -> bool {
    value.abs() < 1e150
}

/// What an axis shows.
#[derive(Debug, Clone)]
pub struct Axis {
    /// Its name, with its unit.
    pub name: String,
    /// Whether it is logarithmic.
    pub log: bool,
    /// The values that there can be, from and to.
    pub range: (f64, f64),
    /// The values that it is cut to, from and to: those beyond stand at its ends.
    pub clip: (f64, f64),
}

impl Axis {
    /// All numbers.
    const ALL: (f64, f64) = (f64::NEG_INFINITY, f64::INFINITY);

    /// All values, which may be any numbers.
    pub fn all(name: String, log: bool) -> Self {
        Self { name, log, range: Self::ALL, clip: Self::ALL }
    }

    /// With the values that there can be, cut to `clip`.
    #[must_use]
    pub fn within(self, range: Option<(f64, f64)>, clip: Option<&Range>) -> Self {
        let least = clip.and_then(|clip| Some(clip.least.as_ref()?.value)).unwrap_or(Self::ALL.0);
        let most = clip.and_then(|clip| clip.most).unwrap_or(Self::ALL.1);
        Self { range: range.unwrap_or(Self::ALL), clip: (least, most), ..self }
    }

    /// Whether a value is beyond an end of the axis.
    pub fn cuts(&self, value: f64) -> bool {
        value < self.clip.0 || value > self.clip.1
    }

    /// What the axis has to span: these marks with their bars.
    ///
    /// # Errors
    /// There is none, or the axis is logarithmic and one is not positive.
    pub fn spanned(&self, title: &str, marks: &[Mark]) -> Result<Vec<f64>, FigureError> {
        let mut values: Vec<f64> = marks.iter().map(|mark| mark.value).collect();
        if values.is_empty() {
            return Err(FigureError::Empty { title: title.to_owned() });
        }
        if let Some(&value) = values.iter().find(|&&value| self.log && value <= 0.0) {
            let (title, axis) = (title.to_owned(), self.name.clone());
            return Err(FigureError::NotPositive { title, axis, value });
        }
        // A bar that reaches zero or less ends at the border of a logarithmic axis.
        let bars = marks.iter().filter_map(|mark| mark.bar).flat_map(|(low, high)| [low, high]);
        values.extend(bars.filter(|&end| drawable(end) && (!self.log || end > 0.0)));
        Ok(values)
    }
}

/// A numeric axis, from its values' range to pixels.
#[derive(Debug, Clone)]
pub struct Scale {
    /// Ends in values, or in their decimal logarithms.
    low: f64,
    high: f64,
    log: bool,
    /// Where the ends lie, in pixels.
    pixels: (f64, f64),
    /// Values that have a tick, with its text.
    pub ticks: Vec<(f64, String)>,
}

impl Scale {
    /// An axis around at least one drawable value (positive ones if it is logarithmic), from the pixel
    /// `pixels.0` on the left to `pixels.1`.
    pub fn horizontal(values: &[f64], axis: &Axis, pixels: (f64, f64)) -> Self {
        Self::around(values, axis, pixels, |text| text_width(text, TEXT) + 10.0)
    }

    /// The same, from the pixel `pixels.0` at the bottom to `pixels.1`.
    pub fn vertical(values: &[f64], axis: &Axis, pixels: (f64, f64)) -> Self {
        Self::around(values, axis, pixels, |_| LINE_HEIGHT)
    }

    /// `room` is the length that a tick's text takes along the axis.
    fn around(
        values: &[f64],
        &Axis { log, range, clip, .. }: &Axis,
        pixels: (f64, f64),
        room: fn(&str) -> f64,
    ) -> Self {
        /// Smaller values are drawn as zero.
        const TINY: f64 = 1e-200;
        /// How far an axis goes on behind the last value that there can be, so that markers there are whole.
        const BEHIND: f64 = 0.03;
        let transformed = values.iter().map(|&value| {
            let value = value.clamp(clip.0, clip.1);
            if log { log10(value) } else { value }
        });
        let (least, most) = transformed
            .fold((f64::INFINITY, f64::NEG_INFINITY), |(a, b), value| (a.min(value), b.max(value)));
        let size = least.abs().max(most.abs());
        let span = most - least;
        let (low, high) = if span > 1e-9 * size && span > TINY {
            let behind = BEHIND * span;
            let margin = 0.05 * span;
            let ends = if log { Axis::ALL } else { range };
            ((least - margin).max(ends.0 - behind), (most + margin).min(ends.1 + behind))
        } else if log {
            (least - 0.3, most + 0.3)
        } else if least == range.0 {
            (least - BEHIND, least + 1.0)
        } else if most == range.1 {
            (most - 1.0, most + BEHIND)
        } else {
            let margin = if size > TINY { 0.1 * size } else { 1.0 };
            (least - margin, most + margin)
        };
        let mut scale = Self { low, high, log, pixels, ticks: Vec::new() };
        for wanted in [6, 5, 4, 3, 2] {
            scale.ticks =
                if log { log_ticks(low, high, wanted) } else { linear_ticks(low, high, wanted) };
            scale.ticks.retain(|&(value, _)| (range.0..=range.1).contains(&value));
            if scale.fit(&scale.ticks, room) {
                return scale;
            }
        }
        // Unevenly spaced ones: those that are free of the last one kept.
        let mut kept: Vec<(f64, String)> = Vec::new();
        for tick in std::mem::take(&mut scale.ticks) {
            if kept.last().is_none_or(|last| scale.apart(last, &tick, room)) {
                kept.push(tick);
            }
        }
        scale.ticks = kept;
        scale
    }

    /// Whether the texts of two ticks do not meet.
    fn apart(&self, a: &(f64, String), b: &(f64, String), room: fn(&str) -> f64) -> bool {
        (self.position(b.0) - self.position(a.0)).abs() >= (room(&a.1) + room(&b.1)) / 2.0
    }

    fn fit(&self, ticks: &[(f64, String)], room: fn(&str) -> f64) -> bool {
        ticks.windows(2).all(|pair| self.apart(&pair[0], &pair[1], room))
    }

    /// The pixel of a value; of one outside the axis, the nearer end.
    pub fn position(&self, value: f64) -> f64 {
        self.pixel(self.share(value).clamp(0.0, 1.0))
    }

    /// The pixel of a value, also of one outside the axis. Those very far outside are nearer.
    pub fn beyond(&self, value: f64) -> f64 {
        self.pixel(self.share(value).clamp(-1e3, 1e3))
    }

    /// The pixels of its ticks with their texts.
    pub fn placed(&self) -> impl Iterator<Item = (f64, &str)> {
        self.ticks.iter().map(|(value, text)| (self.position(*value), text.as_str()))
    }

    fn pixel(&self, share: f64) -> f64 {
        self.pixels.0 + share * (self.pixels.1 - self.pixels.0)
    }

    /// Where a value lies between the ends, from 0 to 1.
    fn share(&self, value: f64) -> f64 {
        let value = match (self.log, value > 0.0) {
            (true, true) => log10(value),
            (true, false) => self.low,
            (false, _) => value,
        };
        (value - self.low) / (self.high - self.low)
    }

    /// Puts the ticks of a horizontal axis at the values themselves, if they are few and their
    /// texts do not meet: a sweep's own points read better than round numbers.
    #[must_use]
    pub fn with_ticks_at(mut self, values: &[f64]) -> Self {
        const MOST: usize = 8;
        let mut values: Vec<f64> = values.iter().copied().filter(|&v| drawable(v)).collect();
        values.sort_by(f64::total_cmp);
        values.dedup();
        if values.len() > MOST {
            return self;
        }
        let ticks = texted(values);
        if self.fit(&ticks, |text| text_width(text, TEXT) + 10.0) {
            self.ticks = ticks;
        }
        self
    }
}

/// Round multiples of 1, 2 or 5 times a power of ten.
fn linear_ticks(low: f64, high: f64, wanted: i32) -> Vec<(f64, String)> {
    let rough = (high - low) / f64::from(wanted);
    let exponent = log10(rough).floor();
    let (factor, exponent) = match rough / pow(10.0, exponent) {
        mantissa if mantissa < 1.5 => (1.0, exponent),
        mantissa if mantissa < 3.5 => (2.0, exponent),
        mantissa if mantissa < 7.5 => (5.0, exponent),
        _ => (1.0, exponent + 1.0),
    };
    let step = factor * pow(10.0, exponent);
    let (first, last) = ((low / step).ceil() as i64, (high / step).floor() as i64);
    let values: Vec<f64> = (first..=last).map(|i| i as f64 * step).collect();
    let largest = values.iter().fold(0.0_f64, |largest, value| largest.max(value.abs()));
    let decimals = (-exponent).max(0.0) as usize;
    let text = |value: f64| {
        if largest >= 1e6 || decimals > 5 {
            let digits = log10(largest).floor() - exponent;
            scientific(value, digits.clamp(0.0, 15.0) as usize)
        } else {
            minus(format!("{value:.decimals$}"))
        }
    };
    values.into_iter().map(|value| (value, text(value))).collect()
}

/// Powers of ten, with 2 and 5 times them or all digits between when those are too few.
fn log_ticks(low: f64, high: f64, wanted: i32) -> Vec<(f64, String)> {
    let (first, last) = (low.floor() as i32, high.floor() as i32);
    let every = ((high - low) / f64::from(wanted)).ceil().max(1.0) as i32;
    let digits: [&[f64]; 3] =
        [&[1.0], &[1.0, 2.0, 5.0], &[1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0]];
    for digits in digits {
        let ticks: Vec<f64> = (first..=last)
            .filter(|decade| decade.rem_euclid(every) == 0)
            .flat_map(|decade| digits.iter().map(move |digit| digit * pow(10.0, f64::from(decade))))
            .filter(|&value| (low..=high).contains(&log10(value)))
            .collect();
        if ticks.len() >= 3 {
            return texted(ticks);
        }
    }
    // Less than a few tenths of a decade: nearly linear.
    linear_ticks(pow(10.0, low), pow(10.0, high), wanted)
}

/// The number of a value that is cut off, to three digits.
pub fn cut_text(mark: &Mark) -> String {
    tick_text(significant(mark.value, 3))
}

/// Values with their texts: all as they are, or all with powers of ten.
fn texted(values: Vec<f64>) -> Vec<(f64, String)> {
    let powers = values.iter().any(|&value| is_power(six_digits(value)));
    let text = |value: f64| match powers {
        true => scientific(six_digits(value), 5),
        false => tick_text(value),
    };
    values.into_iter().map(|value| (value, text(value))).collect()
}

/// A single value to six digits: as it is, or with a power of ten.
pub fn tick_text(value: f64) -> String {
    let rounded = six_digits(value);
    if is_power(rounded) { scientific(rounded, 5) } else { minus(grouped(real(rounded))) }
}

/// Powers of ten from logarithms may be off in their last bit.
fn six_digits(value: f64) -> f64 {
    format!("{value:.5e}").parse().unwrap_or(value)
}

/// Whether a value is written with a power of ten.
fn is_power(value: f64) -> bool {
    value != 0.0 && !(1e-3..1e6).contains(&value.abs())
}

/// Whole numbers from 10,000 on with a comma before the last three digits.
fn grouped(text: String) -> String {
    let digits = text.trim_start_matches('-').len();
    match text.contains('.') || digits < 5 {
        true => text,
        false => format!("{},{}", &text[..text.len() - 3], &text[text.len() - 3..]),
    }
}

/// `1.25×10⁻⁷`, with at most so many decimals.
fn scientific(value: f64, decimals: usize) -> String {
    const SUPERSCRIPTS: [char; 10] = ['⁰', '¹', '²', '³', '⁴', '⁵', '⁶', '⁷', '⁸', '⁹'];
    if value == 0.0 {
        return "0".to_owned();
    }
    let text = format!("{value:.decimals$e}");
    let (mantissa, exponent) = text.split_once('e').unwrap_or((&text, "0"));
    if exponent == "0" {
        return minus(real(value));
    }
    let mantissa = if mantissa.contains('.') {
        mantissa.trim_end_matches('0').trim_end_matches('.')
    } else {
        mantissa
    };
    let exponent: String = exponent
        .chars()
        .map(|c| c.to_digit(10).map_or('⁻', |digit| SUPERSCRIPTS[digit as usize]))
        .collect();
    match mantissa {
        "1" => format!("10{exponent}"),
        "-1" => format!("−10{exponent}"),
        _ => minus(format!("{mantissa}×10{exponent}")),
    }
}

/// With a minus sign as wide as a plus, and none before zero.
fn minus(text: String) -> String {
    match text.strip_prefix('-') {
        Some(size) if size.chars().all(|c| c == '0' || c == '.') => size.to_owned(),
        Some(size) => format!("−{size}"),
        None => text,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(values: &[f64], log: bool) -> Vec<String> {
        let scale = Scale::horizontal(values, &Axis::all(String::new(), log), (0.0, 400.0));
        scale.ticks.into_iter().map(|(_, text)| text).collect()
    }

    #[test]
    fn linear_ticks_are_round() {
        assert_eq!(
            texts(&[-160.0, -6.0], false),
            ["−160", "−140", "−120", "−100", "−80", "−60", "−40", "−20", "0"]
        );
        assert_eq!(texts(&[0.0, 1.0], false), ["0.0", "0.2", "0.4", "0.6", "0.8", "1.0"]);
        assert_eq!(
            texts(&[0.5012, 0.5034], false),
            ["0.5015", "0.5020", "0.5025", "0.5030", "0.5035"]
        );
        assert_eq!(
            texts(&[0.0, 3e6], false),
            ["0", "5×10⁵", "10⁶", "1.5×10⁶", "2×10⁶", "2.5×10⁶", "3×10⁶"]
        );
        assert_eq!(texts(&[1e-9, 4e-9], false), ["10⁻⁹", "2×10⁻⁹", "3×10⁻⁹", "4×10⁻⁹"]);
    }

    #[test]
    fn one_value_has_an_axis_around_it() {
        for (value, log) in [(0.0, false), (-6.04, false), (1e-140, false), (20.0, true)] {
            let scale = Scale::horizontal(&[value], &Axis::all(String::new(), log), (0.0, 400.0));
            assert!(scale.ticks.len() >= 2, "{value}: {:?}", scale.ticks);
            assert!((scale.position(value) - 200.0).abs() < 1e-6, "{value}");
        }
    }

    #[test]
    fn log_ticks_suit_the_range() {
        assert_eq!(texts(&[0.001, 100.0], true), ["0.001", "0.01", "0.1", "1", "10", "100"]);
        assert_eq!(texts(&[3.0, 60.0], true), ["5", "10", "20", "50"]);
        assert_eq!(texts(&[10.0, 12.0], true), ["10.0", "10.5", "11.0", "11.5", "12.0"]);
        assert_eq!(texts(&[1e-12, 1e12], true), ["10⁻¹⁰", "10⁻⁵", "1", "10⁵", "10¹⁰"]);
    }

    #[test]
    fn positions_are_monotonic_and_stay_on_the_axis() {
        let scale = Scale::vertical(&[1.0, 1000.0], &Axis::all(String::new(), true), (400.0, 0.0));
        let positions = [1.0, 10.0, 100.0, 1000.0].map(|v| scale.position(v));
        assert!(positions.windows(2).all(|p| p[1] < p[0]));
        assert_eq!(scale.position(-1.0), 400.0);
        assert_eq!(scale.position(1e9), 0.0);
    }

    #[test]
    fn texts_are_short() {
        for (value, text) in [
            (-12.75, "−12.75"),
            (0.0, "0"),
            (0.1 + 0.2, "0.3"),
            (9_999.0, "9999"),
            (250_000.0, "250,000"),
            (-12_345.0, "−12,345"),
            (2_500_000.0, "2.5×10⁶"),
            (-1e-7, "−10⁻⁷"),
        ] {
            assert_eq!(tick_text(value), text);
        }
    }

    #[test]
    fn the_ticks_of_an_axis_are_written_in_one_way() {
        assert_eq!(texts(&[50.0, 2e6], true), ["10²", "10³", "10⁴", "10⁵", "10⁶"]);
        assert_eq!(texts(&[50.0, 2e5], true), ["100", "1000", "10,000", "100,000"]);
    }

    #[test]
    fn an_axis_ends_where_values_do() {
        let shares = Axis::all(String::new(), false).within(Some((0.0, 1.0)), None);
        let ends = |values: &[f64]| {
            let scale = Scale::horizontal(values, &shares, (0.0, 400.0));
            (scale.low, scale.high, scale.ticks.first().unwrap().0, scale.ticks.last().unwrap().0)
        };
        assert_eq!(ends(&[0.0, 1.0]), (-0.03, 1.03, 0.0, 1.0));
        assert_eq!(ends(&[0.0, 0.0]), (-0.03, 1.0, 0.0, 1.0));
        assert_eq!(ends(&[1.0]), (0.0, 1.03, 0.0, 1.0));
        let (low, high, ..) = ends(&[0.4, 0.5]);
        assert!((0.39..0.4).contains(&low) && (0.5..0.51).contains(&high));
    }

    #[test]
    fn an_axis_is_cut() {
        let cut = Axis { clip: (-1.0, 1.0), ..Axis::all(String::new(), false) };
        let scale = Scale::horizontal(&[-0.5, 0.5, 27.0], &cut, (0.0, 100.0));
        assert!(scale.position(27.0) == 100.0 && scale.position(0.5) < 70.0);
        assert!(scale.beyond(27.0) > 1000.0 && scale.beyond(1e100).is_finite());
        assert!(cut.cuts(27.0) && !cut.cuts(1.0));
    }

    #[test]
    fn ticks_never_meet() {
        // One decade, where the digits 6 to 9 lie close together.
        for axis in [Scale::horizontal, Scale::vertical] {
            let scale = axis(&[150.0, 900.0], &Axis::all(String::new(), true), (0.0, 160.0));
            assert!(scale.ticks.len() >= 3);
            let positions: Vec<f64> = scale.ticks.iter().map(|&(v, _)| scale.position(v)).collect();
            assert!(positions.windows(2).all(|p| p[1] - p[0] >= LINE_HEIGHT), "{positions:?}");
        }
    }

    #[test]
    fn ticks_go_to_the_values_where_they_fit() {
        let at = |values: &[f64], log| {
            let scale = Scale::horizontal(values, &Axis::all(String::new(), log), (0.0, 400.0))
                .with_ticks_at(values);
            scale.ticks.into_iter().map(|(value, _)| value).collect::<Vec<f64>>()
        };
        assert_eq!(at(&[5.0, 15.0, 50.0], true), [5.0, 15.0, 50.0]);
        assert_eq!(at(&[0.01, 0.1, 1000.0], false), [0.0, 200.0, 400.0, 600.0, 800.0, 1000.0]);
    }
}
