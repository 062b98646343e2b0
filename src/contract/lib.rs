//! What data, tasks and methods agree on: rows of examples, parameters, metrics, and what it means to fit.
//!
//! Nothing here knows a dataset, a task or a method. A method takes [`Parameters`], examples and a [`Context`], and gives
//! a model of [`model`]; a task hands it the examples and measures the model; [`MethodEntry`] is what a method says
//! of itself.

mod assignment;
pub mod binary;
pub mod categorical;
mod context;
mod entry;
mod examples;
mod id;
mod joined;
pub mod joint;
pub mod latent_tree;
mod measure;
mod memory;
mod metric;
mod metrics;
pub mod model;
pub mod numeric;
pub mod packed;
pub mod parameter;
pub mod sampling;
mod shape;
pub mod table;
mod value;
mod variables;
pub use base::words;

pub use assignment::{Assignment, NotAnAssignment};
pub use binary::{BinaryRows, DistinctRows};
pub use context::{Carry, Context, FitError, Result, carried};
pub use entry::{Fit, FitClassifier, FitDensity, FitPartition, FitRegressor, Gives, MethodEntry};
pub use examples::{Binary, Examples, Labelled, Observed, Targeted};
pub use id::{ChoiceId, DatasetId, MethodId, PartId, ProblemId};
pub use joined::{count, joined};
pub use latent_tree::{LatentTree, breadth_first};
pub use measure::{ByMetric, Measure, Reported};
pub use memory::Memory;
pub use metric::{About, Basis, Direction, ITERATIONS, Metric, NOT_CONVERGED, PerExample, Work};
pub use metrics::Metrics;
pub use model::{Classifier, DensityModel, Partition, Prediction, Regressor};
pub use parameter::Parameters;
pub use shape::Shape;
pub use table::Table;
pub use value::{Preset, Scalar, Value};
pub use variables::Variables;
