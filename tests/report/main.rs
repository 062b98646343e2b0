//! The report stage: what it makes of records, with experiments and records built by hand.

mod aggregation;
mod agreement;
mod answers;
mod axes;
mod build;
mod choices;
mod claims;
mod figures;
mod significance;
mod snapshots;
mod timing;
