//! Whether methods stand in the order in which the paper has them: what agreement, cell by cell, does not say.

/// A value of ours beside the one that the paper prints.
#[derive(Debug, Clone, Copy)]
pub struct Pair {
    /// Ours.
    pub ours: f64,
    /// Half the width of its 95% interval, if it varies.
    pub noise: Option<f64>,
    /// The paper's.
    pub paper: f64,
    /// One unit of the last digit of the paper's.
    pub unit: f64,
}

/// The orderings of two cells that the paper's numbers show beyond their rounding, and how ours come out.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, derive_more::Add, derive_more::Sum)]
pub struct Orderings {
    /// How many the paper's numbers show: the two differ by more than half a unit of each.
    pub printed: usize,
    /// How many of these have the same sign in ours.
    pub same: usize,
    /// How many of those are apart by more than the 95% intervals of both, the root of the sum of their squares; where
    /// neither varies nothing is known.
    pub shown: usize,
    /// How many of the printed ones have the other sign in ours.
    pub reversed: usize,
    /// How many pairs of ours are not equal, whatever the paper prints.
    pub unequal: usize,
}

impl Orderings {
    /// Of cells that are compared with each other: those of a row or of a column, of one metric.
    pub fn of(line: &[Pair]) -> Self {
        let after =
            |at: usize| line[at + 1..].iter().map(move |other| Self::of_two(line[at], *other));
        (0..line.len()).flat_map(after).sum()
    }

    fn of_two(one: Pair, other: Pair) -> Self {
        let (ours, paper) = (one.ours - other.ours, one.paper - other.paper);
        let printed = !super::agreement::within(paper.abs(), (one.unit + other.unit) / 2.0);
        let same = printed && ours * paper > 0.0;
        let noise = [one.noise, other.noise]
            .into_iter()
            .flatten()
            .reduce(|one, two| (one * one + two * two).sqrt());
        let count = usize::from;
        Self {
            printed: count(printed),
            same: count(same),
            shown: count(same && noise.is_some_and(|noise| ours.abs() > noise)),
            reversed: count(printed && ours * paper < 0.0),
            unequal: count(ours != 0.0),
        }
    }

    /// Kendall's tau-b of ours and the paper's within lines, where what the paper's rounding hides is a tie; none
    /// without an ordering on either side.
    pub fn tau(self) -> Option<f64> {
        let all = (self.printed as f64 * self.unequal as f64).sqrt();
        (all > 0.0).then(|| (self.same as f64 - self.reversed as f64) / all)
    }

    /// A sentence; none if the paper's numbers show no ordering.
    pub fn text(self) -> Option<String> {
        let Self { printed, same, shown, reversed, .. } = self;
        (printed > 0).then(|| {
            format!(
                "Of {printed} orderings that print shows {same} have the same sign here, {shown} of them beyond noise, and {reversed} are reversed"
            )
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pair(ours: f64, noise: Option<f64>, paper: f64) -> Pair {
        Pair { ours, noise, paper, unit: 0.1 }
    }

    #[test]
    fn orderings_are_counted_that_print_shows() {
        // 0.2 and 0.3 differ by one unit, no more than half of each: a tie.
        let line = [
            pair(1.0, Some(0.3), 0.2),
            pair(2.0, Some(0.4), 0.3),
            pair(1.6, None, 0.5),
            pair(1.4, None, 0.9),
        ];
        let found = Orderings::of(&line);
        // Five of six are printed. 1 < 3 and 1 < 4 are so here, the first by .6 > .3, the second by .4 > .3; 2 < 3,
        // 2 < 4 and 3 < 4 are not.
        let expected = Orderings { printed: 5, same: 2, shown: 2, reversed: 3, unequal: 6 };
        assert_eq!(found, expected);
        let wide = [pair(1.0, Some(0.3), 0.2), pair(1.45, Some(0.4), 0.5)];
        assert_eq!(Orderings::of(&wide).shown, 0, "apart by .45, which is less than .5");
        let still = [pair(1.0, None, 0.2), pair(2.0, None, 0.5)];
        assert_eq!((Orderings::of(&still).same, Orderings::of(&still).shown), (1, 0));
    }

    #[test]
    fn tau_is_kendalls() {
        // The example of the documentation of scipy.stats.kendalltau.
        let line = [(12.0, 1.0), (2.0, 4.0), (1.0, 7.0), (12.0, 1.0), (2.0, 0.0)];
        let line = line.map(|(ours, paper)| Pair { ours, noise: None, paper, unit: 1e-6 });
        let tau = Orderings::of(&line).tau().unwrap();
        assert!((tau - -0.471_404_520_791_031_73).abs() < 1e-12, "{tau}");
        assert_eq!(Orderings::of(&line[..1]).tau(), None);
        assert_eq!(Orderings::of(&line[..1]).text(), None);
    }
}
