//! `[[claim]]`: sentences of the paper, and what the numbers say of them.

use std::fmt;
use std::ops::Not;
use std::sync::Arc;

use base::text::first_of;
use base::words;
use base::words::Words;
use contract::parameter::Domain;
use contract::{DatasetId, MethodId, Metric, PartId};
use derive_more::Deref;
use document::{
    Count, Form, Id, Key, MANY, Node, ReadTable as _, Real, Section as _, Spanned, Table, Text,
    Whole, Word, holds, reads, section,
};
use stats::Power;

use super::evidence::{Evidence, PairBy, Says};
use super::kind::{Kind, declared, variants};
use super::over::Over;
use super::refer::{Datasets, OnePart};
use super::scope::{Claimed, Named, Tested};
use super::test::{Comparisons, TestSpec};

/// One `[[claim]]`: a sentence of the paper that the results can support or refute.
#[derive(Debug, Clone)]
pub struct ClaimSpec {
    /// Id.
    pub id: String,
    /// The sentence.
    pub text: String,
    /// Whose it is.
    pub source: Source,
    /// The part whose trials count; none if all do.
    pub part: Option<PartId>,
    /// What the paper finds, and why that is known, where its numbers can't be quoted.
    pub printed: Option<(Verdict, String)>,
    /// How it is judged.
    pub check: Arc<dyn Check>,
}

/// Whose a claim is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Source {
    /// The paper's, said there.
    Place(String),
    /// That of whoever compares the paper's methods with later ones.
    Rivals,
}

/// What files call claims about later methods.
const RIVALS: &str = "today's rivals";

impl From<String> for Source {
    fn from(text: String) -> Self {
        if text == RIVALS { Self::Rivals } else { Self::Place(text) }
    }
}

impl Source {
    /// For files and for people.
    pub fn text(&self) -> &str {
        match self {
            Self::Place(text) => text,
            Self::Rivals => RIVALS,
        }
    }
}

/// A form of claim with what it says. Values are per dataset, averaged over problems, folds and repeats, at full
/// precision unless a form says that values equal at the paper's rounding count as ties.
pub trait Check: fmt::Debug + Send + Sync {
    /// Judges it on one basis. `comparisons` are those of all tests.
    fn judge(&self, evidence: &dyn Evidence, comparisons: &Comparisons) -> Finding;

    /// What it rests on.
    fn about(&self) -> About<'_>;
}

/// What a claim rests on.
#[derive(Debug, Clone, Default)]
pub struct About<'c> {
    /// The metric, unless it is that of a test.
    pub metric: Option<&'static Metric>,
    /// The id of the test behind it, if there is one.
    pub test: Option<&'c str>,
    /// The methods whose values count.
    pub methods: Vec<&'c MethodId>,
    /// The datasets on which the test is asked; none if on all of its own.
    pub datasets: &'c [DatasetId],
    /// Whether the test's p-value counts as it is corrected, so that the others of its family do too.
    pub corrected: bool,
    /// The swept parameter along which they count, if there is one.
    pub along: Option<&'c str>,
}

impl<'c> About<'c> {
    /// Values of a metric that methods have.
    pub fn values(
        metric: &'static Metric,
        methods: impl IntoIterator<Item = &'c MethodId>,
    ) -> Self {
        Self { metric: Some(metric), methods: methods.into_iter().collect(), ..Self::default() }
    }
}

impl ClaimSpec {
    /// Whether it reads a clock; `tests` are those of the experiment.
    pub fn reads_clock(&self, tests: &[TestSpec]) -> bool {
        let About { metric, test, .. } = self.check.about();
        let test = tests.iter().find(|known| Some(known.id.as_str()) == test);
        metric.into_iter().chain(test.map(|test| test.metric)).any(Metric::is_time)
    }
}

words! {
    /// What the numbers say of a claim.
    #[derive(PartialOrd, Ord)]
    pub enum Verdict {
        Holds = "holds", "the numbers support it: of a claim by a test, the test shows it";
        Fails = "fails", "the numbers refute it: of a claim by a test, the test shows the opposite";
        NotShown = "not-shown", "the test shows neither it nor the opposite";
        NoEvidence = "no-evidence", "values are missing that would decide";
    }
}

impl Verdict {
    /// For people.
    pub fn text(self) -> String {
        self.word().replace('-', " ")
    }

    /// Of two statements together.
    fn and(self, other: Self) -> Self {
        let weight = |verdict| match verdict {
            Self::Holds => 0,
            Self::NotShown => 1,
            Self::NoEvidence => 2,
            Self::Fails => 3,
        };
        if weight(self) < weight(other) { other } else { self }
    }
}

impl Not for Verdict {
    type Output = Self;

    /// Of the negation.
    fn not(self) -> Self {
        match self {
            Self::Holds => Self::Fails,
            Self::Fails => Self::Holds,
            open @ (Self::NotShown | Self::NoEvidence) => open,
        }
    }
}

words! {
    /// What decides a claim.
    pub enum Basis {
        Test = "by a test", "a test decides at its level: there are four verdicts";
        Procedure = "by the paper's procedure", "each p-value is compared with the level, as the paper does: what is said is whether that procedure finds something, which shows nothing where it does not";
        Values = "by values", "the numbers of the table decide, without a test";
    }
}

/// A verdict with the numbers behind it.
#[derive(Debug, Clone, PartialEq)]
pub struct Finding {
    /// The verdict.
    pub verdict: Verdict,
    /// What decided.
    pub basis: Basis,
    /// Whether, by values, less than half of the interval beside it would turn it, or less than one unit of the last
    /// digit that the paper prints.
    pub narrowly: bool,
    /// What was found, in a sentence.
    pub sentence: String,
    /// The numbers behind it.
    pub evidence: Vec<Phrase>,
    /// Of a claim by a test: what that could have shown on each data set.
    pub power: Vec<CouldShow>,
    /// The number that it hangs on, if it is known.
    pub strength: Option<Strength>,
}

/// What a verdict hangs on. By values: how far the answer that would turn it is from its opposite, positive where the
/// claim holds. By a test: how large the difference is that decides, positive on the claim's side.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Strength {
    /// In the unit of what is compared.
    pub value: f64,
    /// Its interval.
    pub interval: Option<(f64, f64)>,
}

/// What a test could have shown on a data set.
#[derive(Debug, Clone, PartialEq)]
pub struct CouldShow {
    /// The data set; nothing if it is over all.
    pub on: String,
    /// What it is over.
    pub over: Over,
    /// By its differences; none where that is not known of the kind of test.
    pub power: Option<Power>,
    /// An advantage up to this does not matter, in the metric's unit; below 0, what is worse by less than that.
    pub matters: f64,
    /// The largest difference of two values of the metric.
    pub most: f64,
}

impl CouldShow {
    /// The smallest advantage, in the metric's unit, that would be shown on this data set alone to be larger than what
    /// matters, infinite where none that is possible would; none where that is not known of the kind of test.
    pub fn smallest(&self) -> Option<f64> {
        let smallest = self.matters + self.power?.smallest();
        Some(if smallest > self.most { f64::INFINITY } else { smallest })
    }

    /// How many units would show an advantage of twice what matters, or none where something worse still does not; none of
    /// these if nothing matters.
    pub fn needed(&self) -> Option<Option<usize>> {
        let power = self.power.filter(|_| self.matters != 0.0)?;
        Some(power.needed(self.matters.abs()))
    }
}

impl Finding {
    /// Of which one thing is known.
    pub fn of(verdict: Verdict, basis: Basis, known: &str) -> Self {
        let (sentence, evidence) = (format!("{known}."), vec![known.into()]);
        let (power, strength) = (Vec::new(), None);
        Self { verdict, basis, narrowly: false, sentence, evidence, power, strength }
    }

    /// The numbers, in a sentence without its full stop.
    pub fn numbers(&self) -> String {
        self.evidence.iter().map(Phrase::to_string).collect::<Vec<_>>().join("; ")
    }

    /// With a remark in its sentence and its numbers.
    #[must_use]
    pub fn adding(mut self, remark: &str) -> Self {
        self.sentence = format!("{} ({remark}).", self.sentence.trim_end_matches('.'));
        self.evidence.push(remark.into());
        self
    }

    /// What decided, and how narrowly.
    pub fn by(&self) -> String {
        format!("{}{}", self.basis.word(), if self.narrowly { ", narrowly" } else { "" })
    }
}

/// One thing that an evidence says, without its full stop.
#[derive(Debug, Clone, PartialEq)]
pub enum Phrase {
    /// How often a statement is true.
    Count {
        /// So often,
        yes: usize,
        /// of so many
        total: usize,
        /// of these, such as `data sets`.
        of: &'static str,
        /// How often it must be.
        needed: HowMany,
    },
    /// Where it is false: names with the numbers there.
    Not(Vec<(String, String)>),
    /// Where it is not known: names with the reasons.
    Unknown(Vec<(String, String)>),
    /// Anything else.
    Words(String),
}

impl<W: Into<String>> From<W> for Phrase {
    fn from(words: W) -> Self {
        Self::Words(words.into())
    }
}

/// How many names a phrase lists.
const NAMED: usize = 6;

impl fmt::Display for Phrase {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (head, names) = match self {
            Self::Count { yes, total, of, needed } => {
                return write!(f, "{yes} of {total} {of}{needed}");
            }
            Self::Words(words) => return f.write_str(words),
            Self::Not(names) => ("not", names),
            Self::Unknown(names) => ("unknown", names),
        };
        // A test over all data sets has no name.
        let names = names.iter().map(|(name, why)| format!("{name} ({why})").trim().to_owned());
        write!(f, "{head} {}", first_of(names, NAMED, ", "))
    }
}

/// How often a statement must hold.
/// It displays as it stands behind a count.
#[derive(Debug, Clone, Copy, PartialEq, Eq, derive_more::Display)]
pub enum HowMany {
    /// Every time.
    #[display("")]
    All,
    /// At least so often.
    #[display(", at least {_0} needed")]
    AtLeast(usize),
    /// At most so often.
    #[display(", at most {_0} allowed")]
    AtMost(usize),
    /// Exactly so often.
    #[display(", exactly {_0} expected")]
    Exactly(usize),
}

impl HowMany {
    /// How often, if not every time.
    pub fn count(self) -> Option<usize> {
        match self {
            Self::All => None,
            Self::AtLeast(count) | Self::AtMost(count) | Self::Exactly(count) => Some(count),
        }
    }

    /// The verdict on it for so many answers, from those on "at least so many are true".
    pub fn judged(self, of: usize, at_least: impl Fn(usize) -> Verdict) -> Verdict {
        match self {
            _ if of == 0 => Verdict::NoEvidence,
            Self::All => at_least(of),
            Self::AtLeast(count) => at_least(count),
            Self::AtMost(count) => !at_least(count + 1),
            Self::Exactly(count) => at_least(count).and(!at_least(count + 1)),
        }
    }
}

declared!(Check in Claimed);

section! {
    in Tested;
    /// What the paper finds.
    pub(crate) struct PrintedKeys {
        verdict: Word<Verdict> => "the verdict";
        why: Text => "how it is known, such as where the paper says so";
    }
}

section! {
    in Tested;
    pub(crate) struct ClaimKeys: "claim" => "A sentence of the paper that the results can support or refute. It is judged on our numbers and on the published ones." {
        id: Id => "its id";
        text: Text => "the sentence";
        source: Text => "where the paper says it; `today's rivals` of what is said about methods that came after it";
        part: Option<Spanned<OnePart>>, else "all parts"
            => "the part whose trials count; a dataset that is in several parts has a value in each";
        printed: Option<PrintedKeys>, else "what its published numbers say"
            => "what the paper finds; for where its published numbers can't be quoted, so that nothing is judged by them";
    }
}

/// The key of a claim's form.
const CHECK: &str = "check";

/// Keys of `[[claim]]`.
pub(crate) fn keys(forms: &[Kind<dyn Check>]) -> Vec<Key> {
    let form = Form::OneOf(variants(forms));
    let absent = document::Absent::Required;
    let check = Key { name: CHECK, form, absent, meaning: "how it is judged" };
    [ClaimKeys::keys(), vec![check]].concat()
}

/// A claim of one of these forms.
pub(crate) fn claim(
    forms: &'static [Kind<dyn Check>],
    table: &Table,
    scope: &mut Tested<'_>,
) -> Option<ClaimSpec> {
    let keys = ClaimKeys::read_table(table, scope);
    let entry = table.table(CHECK)?.entries.first()?;
    let form = forms.iter().find(|form| form.word == entry.key)?;
    let said = entry.node.table()?;
    let mut counted = scope.outline.datasets.clone();
    let metric = said.text("metric").and_then(|name| scope.known.metrics.get(name));
    let parts: Vec<PartId> = match keys.as_ref().and_then(|keys| keys.part.as_deref()) {
        Some(part) => vec![part.clone()],
        None => {
            let reporting =
                scope.parts.iter().filter(|part| metric.is_some_and(|m| part.reports(m)));
            reporting.map(|part| part.id.clone()).collect()
        }
    };
    if !parts.is_empty() {
        scope.leave_used(table, &parts, &mut counted);
    }
    let check = (form.read)(said, &mut scope.claimed(form.word, &counted));
    let ClaimKeys { id, text, source, part, printed } = keys?;
    let check = check?;
    let About { metric, test, methods, along, .. } = check.about();
    // What a test compares is said of the test.
    if let (Some(metric), None) = (metric, test) {
        scope.one_value_each(said, &methods, along, metric);
        let part = part.as_ref().map(|part| &part.value);
        scope.run_somewhere(said, &methods, part, metric);
    }
    let of_test = test.and_then(|id| scope.test(id)).and_then(|test| test.part.clone());
    if let (Some(part), Some(test)) = (&part, test)
        && of_test.as_ref() != Some(&part.value)
    {
        let over = of_test.as_ref().map_or("all parts".to_owned(), |own| format!("part `{own}`"));
        let message = format!("`{}` judges the test `{test}`, which is over {over}", form.word);
        let fault = scope.fault(&part.key, message, "narrows nothing");
        fault.help("remove this key, or let the test name this `part`");
    }
    let part = part.map(|part| part.value).or(of_test);
    let printed = printed.map(|PrintedKeys { verdict, why }| (verdict, why));
    Some(ClaimSpec { id, text, source: source.into(), part, printed, check })
}

holds! {
    /// `"all"`, or a number.
    AtLeast: HowMany = Form::Either(vec![Form::One(Domain::Word(&Words(&[("all", (), "every time")]))), Count::form()]), |node: &Node| {
        Some(if node.text().is_some() { HowMany::All } else { HowMany::AtLeast(node.count()?) })
    };
    /// The most.
    AtMost: HowMany = Whole::<0, MANY>::form(), |node: &Node| node.count().map(HowMany::AtMost);
    /// The number itself.
    Exactly: HowMany = Whole::<0, MANY>::form(), |node: &Node| node.count().map(HowMany::Exactly);
}

section! {
    in Claimed;
    /// How often a statement must hold: one of three keys, or every time.
    pub struct HowOften {
        at_least: Option<Spanned<AtLeast>>, else "\"all\", unless `at_most` or `exactly` is given"
            => "how often it must hold";
        at_most: Option<Spanned<AtMost>>, else "no limit" => "how often it may hold";
        exactly: Option<Spanned<Exactly>>, else "any number"
            => "how often it must hold, neither more nor less";
    }
    check(scope, _table) {
        let keys = [("at_least", &at_least), ("at_most", &at_most), ("exactly", &exactly)];
        let mut given = keys.into_iter().filter_map(|(key, said)| Some((key, said.as_ref()?.as_ref()?)));
        if let (Some((first, _)), Some((second, other))) = (given.next(), given.next()) {
            let message = format!("`{first}` and `{second}` exclude each other");
            scope.fault(&other.key, message, format!("also `{first}`"));
        }
    }
}

impl HowOften {
    /// What the key says; without one, every time.
    pub fn said(&self) -> Spanned<HowMany> {
        let keys = [&self.at_least, &self.at_most, &self.exactly];
        keys.into_iter().flatten().next().cloned().unwrap_or(HowMany::All.into())
    }
}

reads! {
    in Claimed;
    /// Datasets; without the key all that count.
    pub CountedOnes: Vec<DatasetId> = Datasets::form(), |node, scope| Datasets::read(node, scope),
        absent |scope| scope.counted.to_vec();
}

section! {
    in Claimed;
    /// The datasets that count: those that are named, or all but those.
    #[derive(Deref)]
    pub struct CountedDatasets {
        #[deref]
        datasets: CountedOnes, else "those of the part, where the claim names one; else all"
            => "the datasets that count";
        except: Option<Spanned<Datasets>>, else "none"
            => "instead of `datasets`: all of them but these count";
    }
    check(scope, table) {
        if let Some(Some(except)) = &except {
            if table.get("datasets").is_some() {
                scope.fault(&except.key, "`except` and `datasets` exclude each other", "also `datasets`")
                    .help("remove one of them");
            }
            let left: Vec<_> = scope.counted.iter().filter(|id| !except.contains(id)).cloned().collect();
            if left.is_empty() && !scope.outline.narrowed && !scope.outline.datasets.is_empty() {
                scope.fault(&except.span, "no dataset is left", "all are excluded");
            }
            datasets = Some(left);
        }
    }
}

section! {
    in Claimed;
    /// On how many of which datasets a statement must hold.
    pub struct Counted {
        /// The datasets that count.
        datasets: CountedDatasets;
        /// On how many of them it must hold.
        how_many: HowOften;
    }
    check(scope, _table) {
        if let (Some(datasets), Some(how_many)) = (&datasets, how_many.as_ref().map(HowOften::said)) {
            scope.possible(how_many.count(), datasets.len(), "datasets", &how_many.span);
        }
    }
}

impl Tested<'_> {
    /// A test of all data sets together is no count of them, and says nothing of some of them alone.
    pub fn one_of_all(&mut self, named: &Spanned<String>, on: &Counted) {
        let Some(test) = self.test(named) else { return };
        let how_many = on.how_many.said();
        let other = |id: &&DatasetId| test.datasets.contains(id) != on.datasets.contains(id);
        if test.pair_by == PairBy::Dataset
            && let Some(other) = test.datasets.iter().chain(on.datasets.iter()).find(other)
        {
            let [counts, not] = match test.datasets.contains(other) {
                true => ["test", "claim"],
                false => ["claim", "test"],
            };
            let message = format!("test `{}` is over other datasets than the claim", test.id);
            let label = format!("`{other}` counts in the {counts}, and not in the {not}");
            self.fault(&named.span, message, label).help(
                "name a test with a p-value on each dataset, or one of the claim's `datasets`",
            );
            return;
        }
        let by_interval = matches!(test.says, Says::Interval(_));
        let message = match how_many.value {
            HowMany::All => return,
            _ if test.pair_by == PairBy::Dataset => "has one p-value for all datasets",
            _ if by_interval => "has intervals, which have no p-value to count by",
            _ => return,
        };
        self.fault(&how_many.key, format!("test `{}` {message}", test.id), "nothing to count")
            .help("remove this key, or name a test with a p-value on each dataset");
    }
}

section! {
    in Named;
    /// A range, open at the ends that the file does not give.
    pub struct Range {
        least: Option<Spanned<Real>>, else "no limit" => "smallest value that counts";
        most: Option<Real>, else "no limit" => "largest value that counts";
    }
    check(scope, table) {
        match (&least, &most) {
            (Some(None), Some(None)) => {
                let message = "a range lacks `least` or `most`";
                scope.fault(&table.span, message, "missing here");
            }
            (Some(Some(least)), Some(Some(most))) if least.value > *most => {
                scope.fault(&least.span, "the range is empty", "`least` is above `most`");
            }
            _ => {}
        }
    }
}

impl Range {
    /// For reading, by what makes a text of an end.
    pub fn text(&self, end: impl Fn(f64) -> String) -> String {
        match (self.least.as_ref().map(|least| end(least.value)), self.most.map(&end)) {
            (Some(least), Some(most)) if least == most => least,
            (Some(least), Some(most)) => format!("between {least} and {most}"),
            (Some(least), None) => format!("at least {least}"),
            (None, most) => format!("at most {}", most.unwrap_or_default()),
        }
    }

    /// Whether a value lies in it.
    pub fn holds(&self, value: f64) -> bool {
        self.least.as_ref().is_none_or(|least| value >= least.value)
            && self.most.is_none_or(|most| value <= most)
    }
}
