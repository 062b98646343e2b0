//! What tests, figures and claims ask for, from our cells and from the paper's tables.

use base::parallel::lock;
use contract::{DatasetId, MethodId, Metric, Value};
use spec::number::Rounding;
use spec::{
    Blocks, Evidence, FigureDesign, Grid, GridAxes, Lack, MethodSpec, Pairs, Panel, Pictured,
    Place, Size, TestDesign, Whose,
};

use super::values::{Values, lack};
use super::{grid, pairs, panels, sizes};

impl Values<'_> {
    fn ask<'n>(&self, dataset: &DatasetId, methods: impl IntoIterator<Item = &'n MethodId>) {
        if let Some(asked) = self.asked {
            let pairs = methods.into_iter().map(|method| (dataset.clone(), method.clone()));
            lock(asked).extend(pairs);
        }
    }

    fn ask_test<'n>(
        &self,
        test: &TestDesign,
        methods: impl IntoIterator<Item = &'n MethodId> + Clone,
        dataset: Option<&DatasetId>,
    ) {
        let asked = |id: &&DatasetId| dataset.is_none_or(|dataset| dataset == *id);
        test.datasets.iter().filter(asked).for_each(|id| self.ask(id, methods.clone()));
    }

    fn ask_figure(&self, figure: &FigureDesign) {
        figure.datasets.iter().for_each(|dataset| self.ask(dataset, &figure.methods));
    }
}

impl Evidence for Values<'_> {
    fn seed(&self) -> u64 {
        self.experiment.seed
    }

    fn method(&self, id: &MethodId) -> Option<&MethodSpec> {
        self.experiment.method(id)
    }

    fn rounding(&self, metric: &Metric) -> Rounding {
        self.experiment.rounding(metric)
    }

    fn whose(&self) -> Whose {
        self.whose
    }

    fn title(&self, dataset: &DatasetId) -> String {
        (self.titles)(dataset)
    }

    fn value(
        &self,
        dataset: &DatasetId,
        method: &MethodId,
        metric: &Metric,
        sweep: &[(&str, &Value)],
    ) -> Result<f64, Lack> {
        self.ask(dataset, [method]);
        Values::value(self, dataset, method, metric, sweep).map_err(|status| lack(method, status))
    }

    fn deviation(
        &self,
        dataset: &DatasetId,
        method: &MethodId,
        metric: &Metric,
    ) -> Result<f64, Lack> {
        self.ask(dataset, [method]);
        Values::deviation(self, dataset, method, metric)
            .map_err(|status| lack(method, status))?
            .ok_or_else(|| Lack::Deviation(method.to_owned()))
    }

    fn test_sample_error(
        &self,
        dataset: &DatasetId,
        left: &MethodId,
        right: &MethodId,
        metric: &Metric,
    ) -> Option<f64> {
        self.ask(dataset, [left, right]);
        sizes::test_sample_error(*self, dataset, left, right, metric)
    }

    fn difference(
        &self,
        dataset: &DatasetId,
        left: Place<'_>,
        right: Place<'_>,
        metric: &Metric,
    ) -> Option<Size> {
        self.ask(dataset, [left.method, right.method]);
        sizes::difference(*self, dataset, (left, right), metric)
    }

    fn around(&self, dataset: &DatasetId, method: &MethodId, metric: &Metric) -> Option<Size> {
        self.ask(dataset, [method]);
        sizes::around(*self, dataset, method, metric)
    }

    fn ratio(
        &self,
        dataset: &DatasetId,
        left: &MethodId,
        right: &MethodId,
        metric: &Metric,
    ) -> Option<Size> {
        self.ask(dataset, [left, right]);
        sizes::ratio(*self, dataset, (Place::of(left), Place::of(right)), metric)
    }

    fn pairs(
        &self,
        test: &TestDesign,
        left: &MethodId,
        right: &MethodId,
        dataset: Option<&DatasetId>,
    ) -> Result<Pairs, Lack> {
        self.ask_test(test, [left, right], dataset);
        match dataset {
            None => pairs::over_datasets(test, *self, left, right),
            Some(dataset) => pairs::within(test, *self, left, right, dataset),
        }
    }

    fn blocks(&self, test: &TestDesign, dataset: Option<&DatasetId>) -> Result<Blocks, Lack> {
        self.ask_test(test, &test.methods, dataset);
        match dataset {
            None => pairs::blocks_over_datasets(test, *self),
            Some(dataset) => pairs::blocks_within(test, *self, dataset),
        }
    }

    fn grid(&self, figure: &FigureDesign, axes: &GridAxes<'_>) -> Grid {
        self.ask_figure(figure);
        grid::grid(figure, axes, *self)
    }

    fn panels(&self, figure: &FigureDesign, pictured: Pictured) -> Vec<Panel> {
        self.ask_figure(figure);
        panels::panels(figure, pictured, *self)
    }
}
