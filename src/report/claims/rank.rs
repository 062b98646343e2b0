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
use super::statement::{Answer, Known};

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
                scope.compares(&bold.test, (method, &others.cloned().collect::<Vec<_>>()));
            }
        }
    }
}

impl Check for Rank {
    fn judge(&self, evidence: &dyn Evidence, comparisons: &Comparisons) -> Finding {
        let measured = Measured::new(evidence, self.metric, self);
        let bold = self.significant.as_ref();
        let by = ByProcedure { measured: &measured, comparisons, bold };
        let place = match self.rank.value {
            1 => "is first".to_owned(),
            rank => format!("is among the first {rank}"),
        };
        let (label, of, name) =
            (measured.label(&self.method), self.among.len(), measured.metric.noun());
        let significantly =
            if self.significant.is_some() { "significantly different " } else { "" };
        let says = format!("{label} {place} of {of} methods by {significantly}{name}");
        measured.on(&self.on, says, by.by(), |on| self.on_one(by, on))
    }

    fn about(&self) -> About<'_> {
        let test = self.significant.as_ref().map(|bold| &**bold.test);
        About { test, datasets: &self.on.datasets, ..About::values(self.metric, &self.among.value) }
    }
}

impl Rank {
    /// Whether the rank is good enough: so many others at most rank before the method.
    fn on_one(&self, by: ByProcedure<'_>, dataset: &DatasetId) -> Answer {
        let measured = by.measured;
        measured.directed()?;
        let own = measured.value(dataset, &self.method)?;
        let (mut before, mut unknown, mut rivals) = (Vec::new(), Vec::new(), Vec::new());
        let mut equal = Vec::new();
        let mut names = Vec::new();
        for other in self.among.iter().filter(|other| **other != self.method) {
            let ranked = measured
                .value(dataset, other)
                .and_then(|value| Ok((value, self.before(by, (dataset, other), [value, own])?)));
            match ranked {
                Err(why) => unknown.push(why.to_string()),
                Ok((value, (ahead, margin))) => {
                    if ahead {
                        let label = measured.label(other);
                        before.push(format!("{label} {}", measured.rounding.text(value)));
                    } else if value == own {
                        equal.push(measured.label(other));
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
        let own = measured.rounding.text(own);
        let numbers = match (before.as_slice(), equal.as_slice()) {
            ([], []) => String::new(),
            ([], equal) => format!("{own}, tied with {}", equal.join(", ")),
            (before, _) => format!("{own}, rank {place} after {}", before.join(", ")),
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
        by: ByProcedure<'_>,
        (dataset, other): (&DatasetId, &MethodId),
        [value, own]: [f64; 2],
    ) -> Result<(bool, Option<Margin>), Lack> {
        let measured = by.measured;
        let (ahead, margin) = above(measured.advantage(value, own), 0.0);
        if self.tied && measured.rounding.tied(value, own) {
            return Ok((false, margin));
        }
        let found = by.finds_better([other, &self.method], dataset)?;
        Ok(found.map_or((ahead, margin), |(found, _)| (found, None)))
    }
}
