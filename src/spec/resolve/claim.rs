//! `[[claim]]`.

use super::Resolver;
use super::output::Scope;
use crate::{Check, ClaimSpec, HowMany, PairBy};
use document::{Span, Table};

impl Resolver<'_> {
    pub(super) fn claim(&mut self, table: &Table, scope: Scope<'_>) -> Option<ClaimSpec> {
        let check = table.table("check").and_then(|check| {
            let entry = check.entries.first()?;
            self.check(&entry.key, entry.node.table()?, scope)
        });
        Some(ClaimSpec {
            id: table.string("id")?,
            text: table.string("text")?,
            source: table.string("source")?,
            check: check?,
        })
    }

    fn check(&mut self, form: &str, table: &Table, scope: Scope<'_>) -> Option<Check> {
        match form {
            "wins" => self.wins(table, scope),
            "rank" => self.rank(table, scope),
            "p_value" => self.p_value(table, scope),
            "value_near" => self.value_near(table),
            "trend" => self.trend(table),
            "best_at" => self.best_at(table),
            "ratio" => self.ratio(table),
            "widens" => self.widens(table),
            "spread" => self.spread(table),
            "counts" => self.counts(table),
            "equivalent" => self.equivalent(table),
            _ => None,
        }
    }

    fn wins(&mut self, table: &Table, scope: Scope<'_>) -> Option<Check> {
        let metric = self.directed_metric(table, "metric");
        let left = self.one_method(table, "left");
        let right = match table.text("right") {
            Some("others") => {
                let others = self.method_ids.iter().filter(|id| Some(*id) != left.as_ref());
                others.cloned().collect()
            }
            _ => self.refer_all(table.get("right"), "method", &self.method_ids.clone()),
        };
        self.apart(table, left.as_ref(), &right);
        let datasets = self.counted_datasets(table);
        let significant = self.bold(table.get("significant"), metric.as_slice(), scope);
        let how_many = self.how_many(table, datasets.len(), "datasets")?;
        Some(Check::Wins {
            left: left?,
            right,
            metric: metric?,
            datasets,
            how_many,
            or_tied: table.flag("or_tied")?,
            margin: table.real("margin")?,
            significant,
        })
    }

    fn rank(&mut self, table: &Table, scope: Scope<'_>) -> Option<Check> {
        let metric = self.directed_metric(table, "metric");
        let method = self.one_method(table, "method");
        let among = self.refer_all(table.get("among"), "method", &self.method_ids.clone());
        if let (Some(method), Some(node)) = (&method, table.get("among"))
            && !among.contains(method)
        {
            self.faults
                .at(&node.span, format!("`{method}` is not among the ranked"), "without it")
                .help(format!("add \"{method}\""));
        }
        let rank = table.count("rank")?;
        if rank >= among.len()
            && let Some(node) = table.get("rank")
        {
            let message = format!("rank {rank} of {} always holds", among.len());
            self.faults.at(&node.span, message, format!("expected less than {}", among.len()));
        }
        let datasets = self.counted_datasets(table);
        let how_many = self.how_many(table, datasets.len(), "datasets")?;
        Some(Check::Rank {
            method: method?,
            among,
            metric: metric?,
            datasets,
            rank,
            how_many,
            tied: table.flag("tied")?,
            significant: self.bold(table.get("significant"), metric.as_slice(), scope),
        })
    }

    fn p_value(&mut self, table: &Table, scope: Scope<'_>) -> Option<Check> {
        let id = self.refer(table.get("test"), "test", scope.test_ids);
        let (left, right) = self.both(table);
        let (below, equals) = (table.real("below"), table.real("equals"));
        if table.get("below").is_none() && table.get("equals").is_none() {
            self.lacks(table, "p_value", "`below` or `equals`");
        }
        match (table.get("equals"), table.entry("within")) {
            (Some(_), None) => self.lacks(table, "p_value", "`within`"),
            (None, Some(entry)) => {
                let message = "`within` is a distance from `equals`";
                self.faults.at(&entry.key_span, message, "without `equals`");
            }
            _ => {}
        }
        if let (Some(test), Some(node)) =
            (id.as_deref().and_then(|id| scope.test(id)), table.get("test"))
        {
            let (left, right) =
                (left.clone().unwrap_or_default(), right.clone().unwrap_or_default());
            let sides = [&left, &right];
            let absent = sides.iter().find(|id| !id.is_empty() && !test.methods.contains(id));
            if let Some(absent) = absent {
                let message = format!("test `{}` does not compare `{absent}`", test.id);
                self.faults
                    .at(&node.span, message, "without this method")
                    .help(format!("add \"{absent}\" to the `methods` of the test"));
            } else if let Some(reference) = &test.reference
                && !sides.contains(&reference)
            {
                let message = format!("test `{}` compares with `{reference}` only", test.id);
                self.faults.at(&node.span, message, "neither `left` nor `right`");
            }
            if test.pair_by != PairBy::Dataset && test.datasets.len() > 1 {
                let message = format!("test `{}` has a p-value for each dataset", test.id);
                self.faults
                    .at(&node.span, message, "which one is meant?")
                    .help("give the test one dataset, or pair_by = \"dataset\"");
            }
        }
        Some(Check::PValue {
            test: id?,
            left: left?,
            right: right?,
            below,
            equals,
            within: table.real("within").unwrap_or(0.0),
        })
    }

    fn value_near(&mut self, table: &Table) -> Option<Check> {
        let metric = self.metric(table, "metric");
        let method = self.one_method(table, "method");
        // A dataset that the profile drops stays: the claim is then undecided.
        let mut datasets = self.datasets.clone();
        datasets.extend(self.dropped.iter().cloned());
        let dataset = self.refer(table.get("dataset"), "dataset in this experiment", &datasets);
        Some(Check::ValueNear {
            method: method?,
            dataset: dataset?,
            metric: metric?,
            value: table.real("value")?,
            within: table.real("within")?,
        })
    }

    fn trend(&mut self, table: &Table) -> Option<Check> {
        let metric = self.metric(table, "metric");
        let (method, along) = self.swept(table);
        let datasets = self.counted_datasets(table);
        let how_many = self.how_many(table, datasets.len(), "datasets")?;
        Some(Check::Trend {
            method: method?,
            metric: metric?,
            along: along?,
            rising: table.text("direction")? == "rising",
            datasets,
            how_many,
        })
    }

    fn best_at(&mut self, table: &Table) -> Option<Check> {
        let metric = self.directed_metric(table, "metric");
        let (method, along) = self.swept(table);
        let (least, most) = self.range(table, "best_at");
        let datasets = self.counted_datasets(table);
        let how_many = self.how_many(table, datasets.len(), "datasets")?;
        Some(Check::BestAt {
            method: method?,
            metric: metric?,
            along: along?,
            datasets,
            least,
            most,
            how_many,
        })
    }

    /// A method and a parameter that it sweeps.
    fn swept(&mut self, table: &Table) -> (Option<String>, Option<String>) {
        let method = self.one_method(table, "method");
        let swept: Vec<String> = self
            .methods
            .iter()
            .filter(|known| Some(&known.id) == method.as_ref())
            .flat_map(|method| method.sweep.iter().map(|axis| axis.name.clone()))
            .collect();
        let along = self.refer(table.get("along"), "swept parameter", &swept);
        (method, along)
    }

    fn ratio(&mut self, table: &Table) -> Option<Check> {
        let metric = self.metric(table, "metric");
        let (left, right) = self.both(table);
        let (least, most) = self.range(table, "ratio");
        let datasets = self.counted_datasets(table);
        let how_many = self.how_many(table, datasets.len(), "datasets")?;
        Some(Check::Ratio {
            left: left?,
            right: right?,
            metric: metric?,
            datasets,
            least,
            most,
            how_many,
        })
    }

    fn widens(&mut self, table: &Table) -> Option<Check> {
        let metric = self.directed_metric(table, "metric");
        let ids = self.method_ids.clone();
        let [left, right] =
            ["left", "right"].map(|key| self.refer_all(table.get(key), "method", &ids));
        if (left.len() != right.len() || left.len() < 2)
            && let Some(node) = table.get("right")
        {
            let message = "`left` and `right` make no two pairs of methods";
            let label = format!("{} methods beside {}", right.len(), left.len());
            self.faults.at(&node.span, message, label);
        }
        let datasets = self.counted_datasets(table);
        let how_many = self.how_many(table, datasets.len(), "datasets")?;
        let margin = table.real("margin")?;
        Some(Check::Widens { left, right, metric: metric?, margin, datasets, how_many })
    }

    fn spread(&mut self, table: &Table) -> Option<Check> {
        let metric = self.metric(table, "metric");
        let method = self.one_method(table, "method");
        let than = self.one_method(table, "than");
        if let (Some(method), Some(node)) = (&method, table.get("than"))
            && than.as_ref() == Some(method)
        {
            let message = format!("`{method}` is compared with itself");
            self.faults.at(&node.span, message, "also `method`");
        }
        let (least, most) = self.range(table, "spread");
        let datasets = self.counted_datasets(table);
        let how_many = self.how_many(table, datasets.len(), "datasets")?;
        Some(Check::Spread {
            method: method?,
            than,
            metric: metric?,
            datasets,
            least,
            most,
            how_many,
        })
    }

    fn counts(&mut self, table: &Table) -> Option<Check> {
        let metric = self.metric(table, "metric");
        let methods = self.some_methods(table);
        let (least, most) = self.range(table, "counts");
        let datasets = self.counted_datasets(table);
        let how_many = self.how_many(table, methods.len() * datasets.len(), "cells")?;
        Some(Check::Counts { methods, metric: metric?, datasets, least, most, how_many })
    }

    fn equivalent(&mut self, table: &Table) -> Option<Check> {
        let metric = self.metric(table, "metric");
        let (left, right) = self.both(table);
        let datasets = self.counted_datasets(table);
        let how_many = self.how_many(table, datasets.len(), "datasets")?;
        Some(Check::Equivalent {
            left: left?,
            right: right?,
            metric: metric?,
            datasets,
            margin: table.real("margin")?,
            how_many,
        })
    }

    /// The two methods that are compared.
    fn both(&mut self, table: &Table) -> (Option<String>, Option<String>) {
        let left = self.one_method(table, "left");
        let right = self.one_method(table, "right");
        self.apart(table, left.as_ref(), right.as_slice());
        (left, right)
    }

    /// No method is compared with itself.
    fn apart(&mut self, table: &Table, left: Option<&String>, right: &[String]) {
        let (Some(left), Some(node)) = (left, table.get("right")) else { return };
        if right.contains(left) {
            self.faults.at(&node.span, format!("`{left}` is compared with itself"), "also `left`");
        }
    }

    /// The datasets that count: `datasets`, or all but `except`.
    fn counted_datasets(&mut self, table: &Table) -> Vec<String> {
        let Some(except) = table.entry("except") else { return self.some_datasets(table) };
        if table.get("datasets").is_some() {
            self.faults
                .at(
                    &except.key_span,
                    "`except` and `datasets` exclude each other",
                    "also `datasets`",
                )
                .help("remove one of them");
        }
        let excluded = self.refer_datasets(Some(&except.node));
        let left: Vec<String> =
            self.datasets.iter().filter(|id| !excluded.contains(id)).cloned().collect();
        if left.is_empty() && !self.narrowed && !self.datasets.is_empty() {
            self.faults.at(&except.node.span, "no dataset is left", "all are excluded");
        }
        left
    }

    /// The range that values must lie in.
    fn range(&mut self, table: &Table, form: &str) -> (Option<f64>, Option<f64>) {
        if table.get("least").is_none() && table.get("most").is_none() {
            self.lacks(table, form, "`least` or `most`");
        }
        let (least, most) = (table.real("least"), table.real("most"));
        if let (Some(low), Some(high), Some(node)) = (least, most, table.get("least"))
            && low > high
        {
            self.faults.at(&node.span, "the range is empty", "`least` is above `most`");
        }
        (least, most)
    }

    /// How often a claim must hold, out of `of`.
    fn how_many(&mut self, table: &Table, of: usize, noun: &str) -> Option<HowMany> {
        let given: Vec<_> =
            ["at_least", "at_most", "exactly"].iter().filter_map(|key| table.entry(key)).collect();
        if let [first, second, ..] = &given[..] {
            let message = format!("`{}` and `{}` exclude each other", first.key, second.key);
            self.faults.at(&second.key_span, message, format!("also `{}`", first.key));
        }
        let Some(entry) = given.first() else { return Some(HowMany::All) };
        if entry.node.text() == Some("all") {
            return Some(HowMany::All);
        }
        let count = entry.node.count()?;
        self.possible(count, of, noun, &entry.node.span);
        Some(match entry.key.as_str() {
            "at_least" => HowMany::AtLeast(count),
            "at_most" => HowMany::AtMost(count),
            _ => HowMany::Exactly(count),
        })
    }

    /// Under a profile there may be fewer than the claim counts on.
    fn possible(&mut self, count: usize, of: usize, noun: &str, span: &Span) {
        if count > of && !self.narrowed && of > 0 {
            let message = format!("there are only {of} {noun}");
            self.faults.at(span, message, format!("expected at most {of}"));
        }
    }

    fn lacks(&mut self, table: &Table, form: &str, keys: &str) {
        self.faults.at(&table.span, format!("`{form}` lacks {keys}"), "missing here");
    }
}
