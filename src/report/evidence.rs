//! What tests, figures and claims ask for, from our cells and from the paper's tables.

use contract::{Metric, Value};
use spec::number::Rounding;
use spec::{
    Blocks, Evidence, FigureDesign, Grid, GridAxes, Lack, MethodSpec, Pairs, Panel, Pictured,
    Place, Size, TestDesign, Whose,
};

use super::values::{Values, lack};
use super::{grid, pairs, panels, sizes};

impl Evidence for Values<'_> {
    fn seed(&self) -> u64 {
        self.experiment.seed
    }

    fn method(&self, id: &str) -> Option<&MethodSpec> {
        self.experiment.method(id)
    }

    fn rounding(&self, metric: &Metric) -> Rounding {
        self.experiment.rounding(metric)
    }

    fn whose(&self) -> Whose {
        self.whose
    }

    fn title(&self, dataset: &str) -> String {
        (self.titles)(dataset)
    }

    fn value(
        &self,
        dataset: &str,
        method: &str,
        metric: &Metric,
        sweep: &[(&str, &Value)],
    ) -> Result<f64, Lack> {
        Values::value(self, dataset, method, metric, sweep).map_err(|status| lack(method, status))
    }

    fn deviation(&self, dataset: &str, method: &str, metric: &Metric) -> Result<f64, Lack> {
        Values::deviation(self, dataset, method, metric)
            .map_err(|status| lack(method, status))?
            .ok_or_else(|| Lack::Deviation(method.to_owned()))
    }

    fn test_sample_error(
        &self,
        dataset: &str,
        left: &str,
        right: &str,
        metric: &Metric,
    ) -> Option<f64> {
        sizes::test_sample_error(*self, dataset, left, right, metric)
    }

    fn difference(
        &self,
        dataset: &str,
        left: Place<'_>,
        right: Place<'_>,
        metric: &Metric,
    ) -> Option<Size> {
        sizes::difference(*self, dataset, (left, right), metric)
    }

    fn around(&self, dataset: &str, method: &str, metric: &Metric) -> Option<Size> {
        sizes::around(*self, dataset, method, metric)
    }

    fn ratio(&self, dataset: &str, left: &str, right: &str, metric: &Metric) -> Option<Size> {
        sizes::ratio(*self, dataset, (Place::of(left), Place::of(right)), metric)
    }

    fn pairs(
        &self,
        test: &TestDesign,
        left: &str,
        right: &str,
        dataset: Option<&str>,
    ) -> Result<Pairs, Lack> {
        match dataset {
            None => pairs::over_datasets(test, *self, left, right),
            Some(dataset) => pairs::within(test, *self, left, right, dataset),
        }
    }

    fn blocks(&self, test: &TestDesign, dataset: Option<&str>) -> Result<Blocks, Lack> {
        match dataset {
            None => pairs::blocks_over_datasets(test, *self),
            Some(dataset) => pairs::blocks_within(test, *self, dataset),
        }
    }

    fn grid(&self, figure: &FigureDesign, axes: &GridAxes<'_>) -> Grid {
        grid::grid(figure, axes, *self)
    }

    fn panels(&self, figure: &FigureDesign, pictured: Pictured) -> Vec<Panel> {
        panels::panels(figure, pictured, *self)
    }
}
