//! Elementary and special functions in pure Rust, so that no system library decides a result.

/// e to the x.
pub fn exp(x: f64) -> f64 {
    libm::exp(x)
}

/// e to the x, minus one.
pub fn exp_m1(x: f64) -> f64 {
    libm::expm1(x)
}

/// Natural logarithm.
pub fn ln(x: f64) -> f64 {
    libm::log(x)
}

/// Natural logarithm of 1 + x.
pub fn ln_1p(x: f64) -> f64 {
    libm::log1p(x)
}

/// Decimal logarithm.
pub fn log10(x: f64) -> f64 {
    libm::log10(x)
}

/// x to the y.
pub fn pow(x: f64, y: f64) -> f64 {
    libm::pow(x, y)
}

/// The angle of the point (x, y) from the x axis, in (-π, π].
pub fn atan2(y: f64, x: f64) -> f64 {
    libm::atan2(y, x)
}

/// Natural logarithm of the gamma function, x > 0.
pub fn ln_gamma(x: f64) -> f64 {
    libm::lgamma(x)
}
