//! The advantage of one method over another grows from pair to pair.

use contract::MethodId;
use document::{NotNegative, Spanned, section};
use spec::{
    About, Check, Claimed, Comparisons, Counted, Directed, Evidence, Finding, Lack, Methods,
};

use super::margin::{Margin, turning_step};
use super::measured::Measured;
use super::reading::number;
use super::tally::Known;

section! {
    in Claimed;
    /// The advantage of `left` over `right` grows from each pair of them to the next, on so many datasets.
    pub struct Widens {
        left: Methods => "the methods said to be better";
        right: Spanned<Methods> => "as many other methods";
        metric: Directed => "what is compared";
        margin: NotNegative = 0.0
            => "the advantage must grow by more than this from pair to pair, in the metric's unit";
        /// Where.
        on: Counted;
    }
    check(scope, _table) {
        if let (Some(left), Some(right)) = (&left, &right)
            && (left.len() != right.len() || left.len() < 2)
        {
            let message = "`left` and `right` make no two pairs of methods";
            let label = format!("{} methods beside {}", right.len(), left.len());
            scope.fault(&right.span, message, label);
        }
    }
}

impl Check for Widens {
    fn judge(&self, evidence: &dyn Evidence, _: &Comparisons) -> Finding {
        let measured = Measured::new(evidence, self.metric);
        let (left, right) = (measured.labels(&self.left), measured.labels(&self.right.value));
        let says = format!(
            "the advantage in {} of {left} over {right} grows from pair to pair",
            measured.metric.noun()
        );
        measured.tally(&self.on, says, self.left.iter().chain(&self.right.value), |dataset| {
            let advantage = |(one, other): (&MethodId, &MethodId)| {
                let (one, other) = (measured.value(dataset, one)?, measured.value(dataset, other)?);
                Ok(measured.advantage(one, other))
            };
            let pairs = self.left.iter().zip(&self.right.value);
            let found = pairs.map(advantage).collect::<Result<Vec<f64>, Lack>>()?;
            let steps: Vec<(bool, Option<Margin>)> = found
                .windows(2)
                .map(|step| step[1] - step[0])
                .map(|step| (step > self.margin, Some(Margin::between(step, self.margin))))
                .collect();
            let margin = turning_step(&steps).map(|(_, margin)| margin);
            let holds = steps.iter().all(|(widens, _)| *widens);
            let texts: Vec<String> = found.into_iter().map(number).collect();
            Ok(Known::of(holds, texts.join(", "), margin, None))
        })
    }

    fn about(&self) -> About<'_> {
        About::values(self.metric, None)
    }
}
