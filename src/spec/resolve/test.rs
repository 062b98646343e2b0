//! `[[test]]`.

use super::Resolver;
use crate::{PairBy, TestKind, TestSpec};
use document::Table;
use stats::{Correction, Zeros};

impl Resolver<'_> {
    pub(super) fn test(&mut self, table: &Table) -> Option<TestSpec> {
        let metric = self.metric(table, "metric");
        if let (Some(metric), Some(node)) = (metric, table.get("metric"))
            && metric.is_time()
        {
            self.faults
                .at(&node.span, "a test can't be about a time", "reads a clock")
                .help("`tests.csv` has the same bytes on every machine; use a claim");
        }
        let reference = self.one_method(table, "reference");
        let methods = self.some_methods(table);
        if let (Some(reference), Some(node)) = (&reference, table.get("methods"))
            && !methods.contains(reference)
        {
            let message = format!("the reference `{reference}` does not take part");
            self.faults
                .at(&node.span, message, "without the reference")
                .help(format!("add \"{reference}\""));
        }
        if methods.len() < 2 && !self.method_ids.is_empty() {
            let span = table.get("methods").map_or(&table.span, |node| &node.span);
            self.faults.at(span, "a test compares at least two methods", "fewer than two");
        }
        let kind = self.test_kind(table)?;
        Some(TestSpec {
            id: table.string("id")?,
            kind,
            metric: metric?,
            correction: correction(table, kind, reference.is_some())?,
            reference,
            methods,
            datasets: self.some_datasets(table),
            pair_by: pair_by(table)?,
        })
    }

    fn test_kind(&mut self, table: &Table) -> Option<TestKind> {
        let exact = table.text("p_value").map(|word| word == "exact");
        if exact == Some(true)
            && table.flag("continuity") == Some(true)
            && let Some(entry) = table.entry("continuity")
        {
            self.faults
                .at(&entry.key_span, "an exact p-value has no continuity correction", "no effect")
                .help("remove this key, or choose another `p_value`");
        }
        Some(match table.text("kind")? {
            "paired-t" => TestKind::PairedT,
            "welch-t" => TestKind::WelchT,
            "wilcoxon-signed-rank" => TestKind::WilcoxonSignedRank {
                exact: exact?,
                zeros: match table.text("zeros")? {
                    "drop" => Zeros::Drop,
                    "pratt" => Zeros::Pratt,
                    "split" => Zeros::Split,
                    _ => return None,
                },
                continuity: table.flag("continuity")?,
            },
            "sign" => TestKind::Sign,
            "mcnemar" => TestKind::McNemar { exact: exact?, continuity: table.flag("continuity")? },
            "friedman" => TestKind::Friedman,
            "corrected-resampled-t" => TestKind::CorrectedResampledT,
            "bootstrap" => TestKind::Bootstrap {
                resamples: table.count("resamples")?,
                level: table.real("level")?,
            },
            _ => return None,
        })
    }
}

fn pair_by(table: &Table) -> Option<PairBy> {
    Some(match table.text("pair_by")? {
        "dataset" => PairBy::Dataset,
        "problem" => PairBy::Problem,
        "fold" => PairBy::Fold,
        "repeat" => PairBy::Repeat,
        "example" => PairBy::Example,
        "auto" => PairBy::Auto,
        _ => return None,
    })
}

/// Friedman's test brings its own correction: Holm's against a reference. An interval has none.
fn correction(table: &Table, kind: TestKind, has_reference: bool) -> Option<Correction> {
    if kind == TestKind::Friedman {
        return Some(if has_reference { Correction::Holm } else { Correction::None });
    }
    if matches!(kind, TestKind::Bootstrap { .. }) {
        return Some(Correction::None);
    }
    Some(match table.text("correction")? {
        "none" => Correction::None,
        "bonferroni" => Correction::Bonferroni,
        "holm" => Correction::Holm,
        "benjamini-hochberg" => Correction::BenjaminiHochberg,
        _ => return None,
    })
}
