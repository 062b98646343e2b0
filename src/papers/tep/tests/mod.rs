//! The t-exponential family, against which the updates are held.

pub mod deformed;
pub mod member;
