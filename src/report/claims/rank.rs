//! A method ranks high among others.

use contract::Metric;
use document::{Count, Flag, Spanned, section};
use spec::{
    Bold, Check, Comparisons, Counted, Directed, Evidence, Finding, Kind, Methods, OneMethod, Scope,
};

use super::measured::Measured;
use super::tally::Answer;

pub(super) const KIND: Kind<dyn Check> =
    Kind::<dyn Check>::of::<Rank>("rank", "`method` ranks at `rank` or better on so many datasets");

section! {
    in Scope;
    /// `method` ranks at `rank` or better on so many datasets: 1 plus the number of those that are better.
    pub struct Rank {
        method: OneMethod => "the method";
        among: Spanned<Methods>, else "all methods"
            => "the methods that are ranked, this one included";
        metric: Directed => "what is compared";
        /// Where.
        on: Counted;
        rank: Spanned<Count> = 1 => "the worst rank that counts";
        tied: Flag = false => "ties at the paper's rounding share the better rank";
        significant: Option<Bold>, else "whoever is better ranks before it"
            => "only those that are better by this test at this level rank before it";
    }
    check(scope, _table) {
        if let (Some(method), Some(among)) = (&method, &among)
            && !among.contains(method)
        {
            let message = format!("`{method}` is not among the ranked");
            let fault = scope.faults.at(&among.span, message, "without it");
            fault.help(format!("add \"{method}\""));
        }
        if let (Some(rank), Some(among)) = (&rank, &among)
            && rank.value >= among.len()
        {
            let message = format!("rank {} of {} always holds", rank.value, among.len());
            scope.faults.at(&rank.span, message, format!("expected less than {}", among.len()));
        }
        if let Some(Some(bold)) = &significant {
            scope.about(&bold.test, metric.as_slice());
            if let (Some(method), Some(among)) = (&method, &among) {
                let others = among.iter().filter(|other| *other != method);
                scope.compares(&bold.test, method, &others.cloned().collect::<Vec<_>>());
            }
        }
    }
}

impl Check for Rank {
    fn judge(&self, evidence: &dyn Evidence, comparisons: &Comparisons) -> Finding {
        let measured = Measured::new(evidence, self.metric);
        measured.tally(&self.on, &self.among.value, |dataset| {
            self.on_one(&measured, comparisons, dataset)
        })
    }

    fn metric(&self) -> Option<&'static Metric> {
        Some(self.metric)
    }

    fn test(&self) -> Option<&str> {
        self.significant.as_ref().map(|bold| bold.test.as_str())
    }
}

impl Rank {
    /// Whether the rank is good enough.
    fn on_one(&self, measured: &Measured<'_>, comparisons: &Comparisons, dataset: &str) -> Answer {
        if let Some(answer) = measured.undirected() {
            return answer;
        }
        let rank = self.rank.value;
        let own = match measured.value(dataset, &self.method) {
            Ok(own) => own,
            Err(why) => return Answer::Unknown(why),
        };
        let (mut better, mut unknown) = (Vec::new(), Vec::new());
        for other in self.among.iter().filter(|other| **other != self.method) {
            let value = match measured.value(dataset, other) {
                Ok(value) => value,
                Err(why) => {
                    unknown.push(why);
                    continue;
                }
            };
            let ahead = measured.advantage(value, own) > 0.0;
            if !ahead || self.tied && measured.rounding.tied(value, own) {
                continue;
            }
            match self.significantly(measured, comparisons, dataset, other) {
                Ok(true) => better.push(format!("{other} {}", measured.rounding.text(value))),
                Ok(false) => {}
                Err(why) => unknown.push(why),
            }
        }
        if 1 + better.len() > rank {
            let (own, place) = (measured.rounding.text(own), 1 + better.len());
            return Answer::No(format!("{own}, rank {place} after {}", better.join(", ")));
        }
        if 1 + better.len() + unknown.len() > rank {
            return Answer::Unknown(unknown.join(", "));
        }
        Answer::Yes(None)
    }

    /// Whether the difference from another method passes the test, if there is one.
    fn significantly(
        &self,
        measured: &Measured<'_>,
        comparisons: &Comparisons,
        dataset: &str,
        other: &str,
    ) -> Result<bool, String> {
        let Some(bold) = &self.significant else { return Ok(true) };
        let whose = measured.evidence.whose();
        let row = comparisons.on(&bold.test, whose, &self.method, other, Some(dataset));
        match row.map(|row| &row.found) {
            None => Err(format!("{} does not compare with {other}", bold.test.value)),
            Some(Err(why)) => Err(why.clone()),
            Some(Ok(found)) => Ok(found.significant(*bold.alpha)),
        }
    }
}
