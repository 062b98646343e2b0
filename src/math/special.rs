//! Elementary and special functions in pure Rust, so that no system library decides a result. This is the one door
//! to `libm`: no other room lists it.

pub use libm::{
    asin, atan2, cos, erfc, exp, expm1 as exp_m1, lgamma as ln_gamma, log as ln, log1p as ln_1p,
    log10, pow, sin,
};
