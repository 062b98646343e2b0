//! What tests, figures and claims ask for, from what holds the values.

use contract::{DatasetId, MethodId, Metric};
use run::Status;
use run::outcome::Outcome;
use spec::number::Rounding;
use spec::{
    Blocks, Evidence, FigureDesign, Grid, GridAxes, Lack, MethodSpec, Pairs, Panel, Pictured,
    Place, Quantity, SdOver, Size, TestDesign, Whose,
};
use task::picture::Picture;
use task::predictions::Predictions;

use super::cells::lack;
use super::pairs::OfTest;
use super::sizes::OnDataset;
use super::values::Values;
use super::{grid, panels};

impl<'a> Values<'a> {
    /// Those of a test's part, where it names one.
    fn of_test(self, test: &'a TestDesign) -> OfTest<'a> {
        OfTest { test, values: Values { part: test.part.as_ref().or(self.part), ..self } }
    }
}

impl Evidence for Values<'_> {
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

    fn value(&self, dataset: &DatasetId, at: Place<'_>, metric: &Metric) -> Result<f64, Lack> {
        Values::value(self, dataset, at, metric).map_err(|status| lack(at.method, status))
    }

    /// The paper's numbers have none.
    fn deviation(
        &self,
        dataset: &DatasetId,
        method: &MethodId,
        metric: &Metric,
    ) -> Result<f64, Lack> {
        if self.of_paper(method) {
            return Err(lack(method, Status::PublishedOnly));
        }
        let cell = self.cells.cell(&self.selection(dataset, method), metric, SdOver::Repeat);
        cell.value.ok_or_else(|| lack(method, cell.status))?;
        cell.sd.ok_or_else(|| Lack::Deviation(method.to_owned()))
    }

    fn size(&self, dataset: &DatasetId, of: Quantity<'_>, metric: &Metric) -> Option<Size> {
        OnDataset { values: *self, dataset, metric }.size(of)
    }

    fn test_sample_error(
        &self,
        dataset: &DatasetId,
        (left, right): (&MethodId, &MethodId),
        metric: &Metric,
    ) -> Option<f64> {
        let on = OnDataset { values: *self, dataset, metric };
        on.test_sample_error([left.into(), right.into()])
    }

    fn pairs(
        &self,
        test: &TestDesign,
        (left, right): (&MethodId, &MethodId),
        dataset: Option<&DatasetId>,
    ) -> Result<Pairs, Lack> {
        self.of_test(test).pairs([left, right], dataset)
    }

    fn blocks(&self, test: &TestDesign, dataset: Option<&DatasetId>) -> Result<Blocks, Lack> {
        self.of_test(test).blocks(dataset)
    }

    fn grid(&self, figure: &FigureDesign, axes: &GridAxes<'_>) -> Grid {
        grid::grid(figure, axes, *self)
    }

    fn panels(&self, figure: &FigureDesign, pictured: Pictured) -> Vec<Panel> {
        let joined = |all: Vec<&Picture>| Picture::joined(all).ok_or("no picture of them all");
        panels::panels(figure, pictured, *self, |outcome| outcome.picture.as_deref(), joined)
    }

    fn predictions<'a>(&'a self, figure: &'a FigureDesign) -> Vec<Panel<Vec<&'a Predictions>>> {
        panels::panels(figure, Pictured::All, *self, |outcome| outcome.predictions.as_deref(), Ok)
    }

    fn spread(&self, figure: &FigureDesign) -> Vec<Panel<Vec<f64>>> {
        let value = |outcome: &Outcome| outcome.value(figure.y?);
        panels::panels(figure, Pictured::All, *self, value, Ok)
    }
}
