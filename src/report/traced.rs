//! Which values a claim asks for.

use std::collections::BTreeSet;
use std::sync::Mutex;

use contract::{Metric, Value};
use spec::number::Rounding;
use spec::{
    Blocks, Evidence, FigureDesign, Grid, GridAxes, Lack, MethodSpec, Pairs, Panel, Pictured,
    Place, Size, TestDesign, Whose,
};

use base::parallel::{lock, unwrap_mutex};

/// Evidence that remembers the datasets and methods that it is asked for.
pub struct Traced<'e> {
    evidence: &'e dyn Evidence,
    asked: Mutex<BTreeSet<(String, String)>>,
}

impl<'e> Traced<'e> {
    /// Over this evidence.
    pub fn new(evidence: &'e dyn Evidence) -> Self {
        Self { evidence, asked: Mutex::default() }
    }

    /// The datasets, each with a method.
    pub fn asked(self) -> BTreeSet<(String, String)> {
        unwrap_mutex(self.asked)
    }

    fn ask<'n>(&self, dataset: &str, methods: impl IntoIterator<Item = &'n str>) {
        let pairs = methods.into_iter().map(|method| (dataset.to_owned(), method.to_owned()));
        lock(&self.asked).extend(pairs);
    }

    fn ask_test<'n>(
        &self,
        test: &TestDesign,
        methods: impl IntoIterator<Item = &'n str> + Clone,
        dataset: Option<&str>,
    ) {
        let all = test.datasets.iter().map(String::as_str);
        for id in all.filter(|id| dataset.is_none_or(|dataset| dataset == *id)) {
            self.ask(id, methods.clone());
        }
    }
}

impl Evidence for Traced<'_> {
    fn seed(&self) -> u64 {
        self.evidence.seed()
    }

    fn method(&self, id: &str) -> Option<&MethodSpec> {
        self.evidence.method(id)
    }

    fn rounding(&self, metric: &Metric) -> Rounding {
        self.evidence.rounding(metric)
    }

    fn whose(&self) -> Whose {
        self.evidence.whose()
    }

    fn title(&self, dataset: &str) -> String {
        self.evidence.title(dataset)
    }

    fn value(
        &self,
        dataset: &str,
        method: &str,
        metric: &Metric,
        sweep: &[(&str, &Value)],
    ) -> Result<f64, Lack> {
        self.ask(dataset, [method]);
        self.evidence.value(dataset, method, metric, sweep)
    }

    fn deviation(&self, dataset: &str, method: &str, metric: &Metric) -> Result<f64, Lack> {
        self.ask(dataset, [method]);
        self.evidence.deviation(dataset, method, metric)
    }

    fn difference(
        &self,
        dataset: &str,
        left: Place<'_>,
        right: Place<'_>,
        metric: &Metric,
    ) -> Option<Size> {
        self.ask(dataset, [left.method, right.method]);
        self.evidence.difference(dataset, left, right, metric)
    }

    fn around(&self, dataset: &str, method: &str, metric: &Metric) -> Option<Size> {
        self.ask(dataset, [method]);
        self.evidence.around(dataset, method, metric)
    }

    fn ratio(&self, dataset: &str, left: &str, right: &str, metric: &Metric) -> Option<Size> {
        self.ask(dataset, [left, right]);
        self.evidence.ratio(dataset, left, right, metric)
    }

    fn test_sample_error(
        &self,
        dataset: &str,
        left: &str,
        right: &str,
        metric: &Metric,
    ) -> Option<f64> {
        self.ask(dataset, [left, right]);
        self.evidence.test_sample_error(dataset, left, right, metric)
    }

    fn pairs(
        &self,
        test: &TestDesign,
        left: &str,
        right: &str,
        dataset: Option<&str>,
    ) -> Result<Pairs, Lack> {
        self.ask_test(test, [left, right], dataset);
        self.evidence.pairs(test, left, right, dataset)
    }

    fn blocks(&self, test: &TestDesign, dataset: Option<&str>) -> Result<Blocks, Lack> {
        self.ask_test(test, test.methods.iter().map(String::as_str), dataset);
        self.evidence.blocks(test, dataset)
    }

    fn grid(&self, figure: &FigureDesign, axes: &GridAxes<'_>) -> Grid {
        for dataset in &figure.datasets {
            self.ask(dataset, figure.methods.iter().map(String::as_str));
        }
        self.evidence.grid(figure, axes)
    }

    fn panels(&self, figure: &FigureDesign, pictured: Pictured) -> Vec<Panel> {
        for dataset in &figure.datasets {
            self.ask(dataset, figure.methods.iter().map(String::as_str));
        }
        self.evidence.panels(figure, pictured)
    }
}
