//! Experiment files: TOML in, a validated [`Experiment`] out, with errors that point at the line.
//!
//! [`load`] parses the file into a tree whose keys and values know their places, checks its shape
//! against the descriptors of all keys, then reads what the keys refer to. Every error of the
//! file, of its profiles and of the published values beside it is reported at once, before any
//! data is looked for. Each section is declared once, by [`section!`](document::section), in the file of its name; the
//! same declarations give the JSON Schema ([`json_schema`]) and the reference in `docs/reference` ([`sections`]).
//!
//! Kinds of tests, figures and claims are declared where they are computed, drawn and judged, and reach the loader as
//! [`Kinds`]; what they may ask for is [`Evidence`].

mod catalogue;
mod choice;
mod claim;
mod command;
mod comparison;
mod dependent;
mod design;
mod difference;
mod evidence;
pub mod experiment;
mod figure;
mod file;
mod foreseen;
mod idle;
mod kind;
mod known;
mod lack;
mod leak;
mod leak_check;
mod limits;
mod load;
mod method;
pub mod number;
mod over;
mod overlay;
pub mod papers;
mod patterns;
mod place;
mod profile;
mod published;
mod refer;
mod resolve;
mod schema;
mod scope;
mod source;
mod table;
mod task;
mod tasks;
mod test;
mod universes;

pub use catalogue::Catalogue;
pub use claim::{
    About, Basis, Check, ClaimSpec, CouldShow, Counted, CountedDatasets, Finding, HowMany,
    HowOften, Phrase, Range, Source, Strength, Verdict,
};
pub use command::{bytes as bytes_of_size, estimator_keys, keys_of};
pub use comparison::{Adjustment, Behind, Comparison, Correcting, FamilyOf, Found};
pub use design::{
    Axis, AxisRef, Choice, LabelsMet, MethodSpec, Part, PublishedFile, PublishedValue, SourceFile,
    Subject, crossed,
};
pub use difference::{Difference, MovesTo, Shows, Why};
pub use evidence::{
    Blocks, Evidence, FigureDesign, Grid, GridAxes, Mark, PairBy, Pairs, Panel, Pictured, Place,
    Position, Quantity, Says, Series, Size, TestDesign, Whose,
};
pub use experiment::Experiment;
pub use figure::{Drawn, FigureSpec, Numbers, Plot};
pub use file::{OfKind, Section, sections};
pub use kind::{Kind, Kinded};
pub use known::{Kinds, Known, Lists};
pub use lack::Lack;
pub use leak_check::{Accepted, CheckedPart, LeakCheck, LeakKeys};
pub use load::load;
pub use over::{Dependent, Over, Per};
pub use overlay::{NotASetting, NotAnOverlay, Overlay};
pub use place::{at, at_dataset};
pub use refer::{
    Axis as OneAxis, Bold, Datasets, Directed, Equivalence, Methods, OneClaim, OneDataset,
    OneMethod, OneTest, Procedure, Published, Reported,
};
pub use schema::json_schema;
pub use scope::{Claimed, Designed, Foreseen, KnownDataset, KnownTest, Plotted, Shown};
pub use source::Header;
pub use table::{Along, Best, SdOver, TableSpec};
pub use test::{Asks, Comparisons, Made, Test, TestSpec, pairwise};
pub use universes::{Origin, Universe, Universes, conjunctions};
