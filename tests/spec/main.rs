//! Experiment files: what they mean, and how a person learns what is wrong with them.

mod errors;
mod files;
mod kinds;
mod random;
mod reference;
mod schema;
mod support;
