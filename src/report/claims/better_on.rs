//! Methods have better values on one dataset than on another.

use contract::Metric;
use document::{NotNegative, Spanned, section};
use spec::{
    Check, Comparisons, Directed, Evidence, Finding, HowOften, Kind, Methods, OneDataset, Scope,
};

use super::measured::Measured;
use super::tally::{Answer, Tally};

pub(super) const KIND: Kind<dyn Check> = Kind::<dyn Check>::of::<BetterOn>(
    "better_on",
    "so many methods have better values on one dataset than on another",
);

section! {
    in Scope;
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
            let values =
                (measured.value(&self.dataset, method), measured.value(&self.than, method));
            let answer = match values {
                (Err(why), _) | (_, Err(why)) => Answer::Unknown(why),
                (Ok(one), Ok(other)) => match measured.advantage(one, other) {
                    advantage if advantage > self.margin => Answer::Yes(Some(advantage)),
                    _ => Answer::No(measured.against(one, other)),
                },
            };
            tally.push(method, answer);
        }
        measured.judge(&tally, self.how_many.value, "methods", &self.methods)
    }

    fn metric(&self) -> Option<&'static Metric> {
        Some(self.metric)
    }
}
