//! Methods have better values on one dataset than on another.

use document::{NotNegative, Spanned, section};
use spec::{
    About, Check, Claimed, Comparisons, Directed, Evidence, Finding, HowOften, Methods, OneDataset,
};

use super::margin::Margin;
use super::measured::{Measured, by_values};
use super::statement::{Items, Statement};
use super::tally::{Known, Tally};

section! {
    in Claimed;
    /// So many methods have better values on one dataset than on another.
    pub struct BetterOn {
        methods: Methods, else "all methods" => "the methods that count";
        metric: Directed => "what is compared";
        dataset: OneDataset => "where values are said to be better";
        than: Spanned<OneDataset> => "the other dataset";
        margin: NotNegative = 0.0 => "an advantage must be larger than this, in the metric's unit";
        /// For how many methods.
        how_many: HowOften;
    }
    check(scope, _table) {
        if let Some(than) = &than {
            scope.apart(dataset.as_ref(), std::slice::from_ref(&than.value), &than.span);
        }
        if let (Some(methods), Some(how_many)) = (&methods, &how_many) {
            scope.possible(how_many.count(), methods.len(), "methods", &how_many.span);
        }
    }
}

impl Check for BetterOn {
    fn judge(&self, evidence: &dyn Evidence, _: &Comparisons) -> Finding {
        let measured = Measured::new(evidence, self.metric);
        let mut tally = Tally::default();
        for method in &self.methods {
            let values = measured.both((&self.dataset, method), (&self.than, method));
            let answer = values.map(|(one, other)| {
                let advantage = measured.advantage(one, other);
                Known {
                    holds: advantage > self.margin,
                    numbers: measured.against(one, other),
                    margin: Some(Margin::between(advantage, self.margin)),
                    effect: None,
                    advantage: Some(advantage),
                }
            });
            tally.push(method.as_str(), answer);
        }
        let (dataset, than) = (evidence.title(&self.dataset), evidence.title(&self.than.value));
        let says = format!("{} is better on {dataset} than on {than}", measured.metric.noun());
        let statement = Statement { says, of: Items::Methods, how_many: self.how_many.value };
        measured.judge(&tally, &statement, by_values(), &self.methods)
    }

    fn about(&self) -> About<'_> {
        About::values(self.metric, None)
    }
}
