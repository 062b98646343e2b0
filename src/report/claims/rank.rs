//! A method ranks high among others.

use contract::{DatasetId, MethodId};
use document::{Count, Flag, Spanned, section};
use spec::{
    About, Bold, Check, Claimed, Comparisons, Counted, Directed, Evidence, Finding, HowMany, Lack,
    Methods, OneMethod,
};

use super::margin::{Margin, above, flip};
use super::measured::Measured;
use super::procedure::ByProcedure;
use super::statement::{Answer, Known, by_values};

section! {
    in Claimed;
    /// A rank is 1 plus the number of those that are better:
    pub struct Rank: "rank" => "`method` ranks at `rank` or better on so many datasets" {
        method: OneMethod => "the method";
        among: Spanned<Methods>, else "all methods"
            => "the methods that are ranked, this one included";
        metric: Directed => "what is compared";
        /// Where.
        on: Counted;
        rank: Spanned<Count> = 1 => "the worst rank that counts";
        tied: Flag = false => "ties at the paper's rounding share the better rank";
        significant: Option<Bold>, else "whoever is better ranks before it"
            => "only those that this test finds better at this level rank before it; by the paper's procedure";
    }
    check(scope, _table) {
        if let (Some(method), Some(among)) = (&method, &among)
            && !among.contains(method)
        {
            let message = format!("`{method}` is not among the ranked");
            let fault = scope.fault(&among.span, message, "without it");
            fault.help(format!("add \"{method}\""));
        }
        if let (Some(rank), Some(among)) = (&rank, &among)
            && rank.value >= among.len()
        {
            let message = format!("rank {} of {} always holds", rank.value, among.len());
            scope.fault(&rank.span, message, format!("expected less than {}", among.len()));
        }
        if let Some(Some(bold)) = &significant {
            scope.procedure(bold);
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
        let bold = self.significant.as_ref();
        let test = bold.map(|bold| ByProcedure::of(evidence, comparisons, bold));
        let by = test.as_ref().map_or_else(by_values, ByProcedure::by);
        let place = match self.rank.value {
            1 => "is first".to_owned(),
            rank => format!("is among the first {rank}"),
        };
        let (label, of, name) =
            (measured.label(&self.method), self.among.len(), measured.metric.noun());
        let significantly = if test.is_some() { "significantly different " } else { "" };
        let says = format!("{label} {place} of {of} methods by {significantly}{name}");
        measured.on(&self.on, says, by, &self.among.value, |dataset| {
            self.on_one(&measured, test.as_ref(), dataset)
        })
    }

    fn about(&self) -> About<'_> {
        About::values(self.metric, self.significant.as_ref().map(|bold| &**bold.test))
    }
}

impl Rank {
    /// Whether the rank is good enough: so many others at most rank before the method.
    fn on_one(
        &self,
        measured: &Measured<'_>,
        test: Option<&ByProcedure<'_>>,
        dataset: &DatasetId,
    ) -> Answer {
        measured.directed()?;
        let own = measured.value(dataset, &self.method)?;
        let (mut before, mut unknown, mut rivals) = (Vec::new(), Vec::new(), Vec::new());
        let mut names = Vec::new();
        for other in self.among.iter().filter(|other| **other != self.method) {
            let ranked = measured.value(dataset, other).and_then(|value| {
                Ok((value, self.before(measured, test, (dataset, other), value, own)?))
            });
            match ranked {
                Err(why) => unknown.push(why.to_string()),
                Ok((value, (ahead, margin))) => {
                    if ahead {
                        before.push(format!("{other} {}", measured.rounding.text(value)));
                    }
                    rivals.push((ahead, margin));
                    names.push(other);
                }
            }
        }
        let (rank, place) = (self.rank.value, 1 + before.len());
        if place <= rank && place + unknown.len() > rank {
            return Err(Lack::Open(unknown.join(", ")));
        }
        let numbers = match before.as_slice() {
            [] => String::new(),
            before => {
                let own = measured.rounding.text(own);
                format!("{own}, rank {place} after {}", before.join(", "))
            }
        };
        let last = flip(&rivals, HowMany::AtMost(rank - 1)).and_then(|flip| flip.last);
        let margin = last.map(|(_, margin)| margin);
        let effect =
            last.and_then(|(at, _)| measured.difference(dataset, [&self.method, names[at]]));
        Ok(Known::of(place <= rank, numbers, margin, effect))
    }

    /// Whether another method ranks before this one, by values or by the test, and how far that is from the opposite.
    fn before(
        &self,
        measured: &Measured<'_>,
        test: Option<&ByProcedure<'_>>,
        (dataset, other): (&DatasetId, &MethodId),
        value: f64,
        own: f64,
    ) -> Result<(bool, Option<Margin>), Lack> {
        let lead = measured.advantage(value, own);
        let (ahead, margin) = above(lead, 0.0);
        if self.tied && measured.rounding.tied(value, own) {
            return Ok((false, margin));
        }
        match test {
            None => Ok((ahead, margin)),
            Some(test) => Ok((test.finds_better([other, &self.method], dataset)?.0, None)),
        }
    }
}
