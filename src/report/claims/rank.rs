//! A method ranks high among others.

use contract::{DatasetId, MethodId, Metric};
use document::{Count, Flag, Spanned, section};
use spec::{
    Bold, Check, Claimed, Comparison, Comparisons, Counted, Directed, Evidence, Finding, HowMany,
    Kind, Methods, OneMethod, Size,
};

use super::margin::{Margin, flip};
use super::measured::{BY_MEANS, Measured, by_test};
use super::tally::{Answer, Known};

pub(super) const KIND: Kind<dyn Check> =
    Kind::<dyn Check>::of::<Rank>("rank", "`method` ranks at `rank` or better on so many datasets");

section! {
    in Claimed;
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
        let by_test = self.significant.as_ref().map(|bold| by_test(&bold.test, *bold.alpha));
        let basis = by_test.as_deref().or(BY_MEANS);
        let answer = |dataset: &DatasetId| self.on_one(&measured, comparisons, dataset);
        measured.tally(&self.on, basis, &self.among.value, answer)
    }

    fn metric(&self) -> Option<&'static Metric> {
        Some(self.metric)
    }

    fn test(&self) -> Option<&str> {
        self.significant.as_ref().map(|bold| bold.test.as_str())
    }
}

impl Rank {
    /// Whether the rank is good enough: so many others at most rank before the method.
    fn on_one(
        &self,
        measured: &Measured<'_>,
        comparisons: &Comparisons,
        dataset: &DatasetId,
    ) -> Answer {
        if let Some(answer) = measured.undirected() {
            return answer;
        }
        let own = match measured.value(dataset, &self.method) {
            Ok(own) => own,
            Err(why) => return Answer::Unknown(why),
        };
        let (mut before, mut unknown, mut rivals) = (Vec::new(), Vec::new(), Vec::new());
        let mut names = Vec::new();
        for other in self.among.iter().filter(|other| **other != self.method) {
            let ranked = measured.value(dataset, other).and_then(|value| {
                Ok((value, self.before(measured, comparisons, (dataset, other), value, own)?))
            });
            match ranked {
                Err(why) => unknown.push(why),
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
            return Answer::Unknown(unknown.join(", "));
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
            last.and_then(|(at, _)| self.effect(measured, comparisons, dataset, names[at]));
        let holds = place <= rank;
        Answer::Known(Known { holds, numbers, margin, effect, advantage: None })
    }

    /// Whether another method ranks before this one, by means or by the test, and how far that is from the opposite.
    fn before(
        &self,
        measured: &Measured<'_>,
        comparisons: &Comparisons,
        (dataset, other): (&DatasetId, &MethodId),
        value: f64,
        own: f64,
    ) -> Result<(bool, Option<Margin>), String> {
        let lead = measured.advantage(value, own);
        let margin = Some(Margin::between(lead, 0.0));
        if self.tied && measured.rounding.tied(value, own) {
            return Ok((false, margin));
        }
        let Some(bold) = &self.significant else { return Ok((lead > 0.0, margin)) };
        let row = self.row(bold, measured, comparisons, dataset, other);
        let row =
            row.ok_or_else(|| format!("{} does not compare with {other}", bold.test.value))?;
        let significant = row.significant(*bold.alpha).map_err(|why| why.to_string())?;
        let ahead = significant && row.favours(other);
        Ok((ahead, Margin::of_test(row, other, *bold.alpha)))
    }

    fn row<'c>(
        &self,
        bold: &Bold,
        measured: &Measured<'_>,
        comparisons: &'c Comparisons,
        dataset: &DatasetId,
        other: &MethodId,
    ) -> Option<&'c Comparison> {
        let whose = measured.evidence.whose();
        comparisons.on(&bold.test, whose, &self.method, other, Some(dataset))
    }

    /// The difference from the rival that decides.
    fn effect(
        &self,
        measured: &Measured<'_>,
        comparisons: &Comparisons,
        dataset: &DatasetId,
        other: &MethodId,
    ) -> Option<Size> {
        match &self.significant {
            None => measured.difference(dataset, &self.method, other),
            Some(bold) => {
                self.row(bold, measured, comparisons, dataset, other)?.size_of(&self.method)
            }
        }
    }
}
