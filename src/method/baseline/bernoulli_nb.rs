//! Naive Bayes for binary variables: given the class, they are independent.

use crate::metrics::PARAMETERS;
use crate::shared::by_class::{ByClass, Row, highest_scores, posteriors};
use contract::parameter::{Real, parameters, settings};
use contract::{
    Classifier, Context, Examples, Fit, Labelled, Measure, MethodEntry, Prediction, Reported,
    Result,
};
use math::special::ln;
use ndarray::Array2;

settings! {
    SMOOTHING smoothing: Real::positive(0.1),
        "added to the count of each value of each variable, given the class (scikit-learn's alpha)";
}

/// The registry's entry.
pub static BERNOULLI_NB: MethodEntry = MethodEntry {
    kind: "bernoulli-nb",
    summary: "naive Bayes with Bernoulli variables; the priors are the classes' shares",
    source: "Domingos and Pazzani 1997; as scikit-learn's BernoulliNB",
    parameters: parameters![SMOOTHING],
    reports: &[&PARAMETERS],
    probabilities: true,
    cost: |_, shape| 1e-8 * shape.entries as f64,
    fits: &[Fit::Classification(|parameters, train, context, _| {
        Ok(Box::new(BernoulliNb::learn(train, parameters.get(&SMOOTHING), context)?))
    })],
    ..MethodEntry::PLAIN
};

/// A fitted naive Bayes classifier. Scoring an example takes O(k ones); memory is 8 k n bytes.
#[derive(Debug, Clone)]
pub struct BernoulliNb {
    /// For each class, ln P(y, no ones at all). A class without examples has probability 0.
    base: Vec<f64>,
    /// For each variable, for each class, the logarithm of the odds of a one.
    odds: Vec<f64>,
}

impl BernoulliNb {
    /// Counts, and smooths by adding `smoothing` to each count.
    ///
    /// # Errors
    /// If there are no examples, the deadline passes or the user interrupts.
    pub fn learn(train: &Labelled, smoothing: f64, context: &Context) -> Result<Self> {
        let by_class = ByClass::new(train)?;
        let (k, n) = (by_class.classes(), by_class.variables());
        let mut base = Vec::with_capacity(k);
        let mut odds = vec![0.0; n * k];
        for class in 0..k {
            let total = by_class.total(class) as f64;
            let norm = ln(total + 2.0 * smoothing);
            let mut no_ones = ln(total / train.labels.len() as f64);
            let counts = by_class.column_counts(class, context)?;
            for (variable, ones) in counts.into_iter().map(f64::from).enumerate() {
                let zero = ln((total - ones) + smoothing);
                no_ones += zero - norm;
                odds[variable * k + class] = ln(ones + smoothing) - zero;
            }
            base.push(no_ones);
        }
        Ok(Self { base, odds })
    }

    /// Writes ln P(y, x) of each class y. The ones are added in ascending order in both layouts.
    fn log_joint(&self, row: Row<'_>, out: &mut [f64]) {
        let k = self.base.len();
        out.copy_from_slice(&self.base);
        row.each_one(|one| {
            let odds = &self.odds[one as usize * k..][..k];
            out.iter_mut().zip(odds).for_each(|(score, odds)| *score += odds);
        });
    }
}

impl Classifier for BernoulliNb {
    fn predict(&self, examples: &Examples, context: &Context) -> Result<Prediction> {
        let score = |(): &mut (), row: Row<'_>, out: &mut [f64]| self.log_joint(row, out);
        Ok(highest_scores(examples, self.base.len(), context, || (), score)?.into())
    }

    fn probabilities(&self, examples: &Examples, context: &Context) -> Result<Option<Array2<f64>>> {
        let score = |(): &mut (), row: Row<'_>, out: &mut [f64]| self.log_joint(row, out);
        Ok(Some(posteriors(examples, self.base.len(), context, || (), score)?))
    }

    fn measures(&self) -> Reported {
        let free = self.base.len() - 1 + self.odds.len();
        vec![(&PARAMETERS, Measure::Scalar(free as f64))]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use base::digest::Digest;
    use math::special::exp;
    use testing::{all_states, context, labelled, rows_of};

    #[test]
    fn probabilities_are_those_of_the_smoothed_counts() {
        let train = labelled(&rows_of(&["110", "010", "011", "100"]), &[0, 0, 0, 2], 3);
        let model = BernoulliNb::learn(&train, 0.5, &context(Digest::of(b"nb"), 0)).unwrap();
        let mut out = [0.0; 3];
        model.log_joint(Row::Ones(&[0, 2]), &mut out);
        // Class 0: 3/4 · (1 + .5)/4 · (0 + .5)/4 · (1 + .5)/4; class 2: 1/4 · 1.5/2 · 1.5/2 · .5/2.
        let expected = [0.75 * 0.375 * 0.125 * 0.375, 0.0, 0.25 * 0.75 * 0.75 * 0.25];
        for (found, expected) in out.into_iter().zip(expected) {
            assert!((exp(found) - expected).abs() < 1e-15, "{} {expected}", exp(found));
        }
    }

    #[test]
    fn joint_probabilities_sum_to_one() {
        let rows = all_states(5).select((0..60).map(|i| i * i % 29));
        let labels: Vec<u32> = (0..60).map(|i| i % 7 / 3).collect();
        let train = labelled(&rows, &labels, 4);
        let model = BernoulliNb::learn(&train, 0.1, &context(Digest::of(b"nb"), 0)).unwrap();
        let mut out = [0.0; 4];
        let mut total = 0.0;
        for row in all_states(5).iter() {
            model.log_joint(Row::Ones(row), &mut out);
            total += out.iter().map(|&log| exp(log)).sum::<f64>();
        }
        assert!((total - 1.0).abs() < 1e-12, "{total}");
    }

    #[test]
    fn equal_scores_go_to_the_lowest_class_that_has_examples() {
        let train = labelled(&rows_of(&["10", "10"]), &[1, 2], 3);
        let context = context(Digest::of(b"nb"), 0);
        let model = BernoulliNb::learn(&train, 0.1, &context).unwrap();
        let examples = Examples::Binary(rows_of(&["10", "01", "00"]));
        assert_eq!(model.predict(&examples, &context).unwrap().classes, [1, 1, 1]);
        assert_eq!(model.measures(), [(&PARAMETERS, Measure::Scalar(8.0))]);
    }

    #[test]
    fn no_examples_are_an_error() {
        let train = labelled(&rows_of(&["10"]).select(0..0), &[], 2);
        let error = BernoulliNb::learn(&train, 0.1, &context(Digest::of(b"nb"), 0)).unwrap_err();
        assert_eq!(error.to_string(), "there are no training examples");
    }
}
