//! The report: tables, tests, claims, choices and figures from the records of trials. It never
//! trains and never reads a clock.

mod axis;
mod cells;
mod choices;
mod claims;
mod csv;
mod friedman;
mod number;
mod pairs;
mod published;
mod significance;
mod table;
mod values;
