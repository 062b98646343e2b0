//! Elementary and special functions in pure Rust, so that no system library decides a result. This is the one door
//! to `libm`.
#![allow(clippy::disallowed_methods, reason = "what others are to call instead")]

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

/// The sine of an angle in radians.
pub fn sin(x: f64) -> f64 {
    libm::sin(x)
}

/// The cosine of an angle in radians.
pub fn cos(x: f64) -> f64 {
    libm::cos(x)
}

/// The angle in [-π/2, π/2] whose sine is x.
pub fn asin(x: f64) -> f64 {
    libm::asin(x)
}

/// The angle of the point (x, y) from the x axis, in (-π, π].
pub fn atan2(y: f64, x: f64) -> f64 {
    libm::atan2(y, x)
}

/// The complementary error function 1 - erf(x), with its relative digits in the upper tail.
pub fn erfc(x: f64) -> f64 {
    libm::erfc(x)
}

/// Natural logarithm of the gamma function, x > 0.
pub fn ln_gamma(x: f64) -> f64 {
    libm::lgamma(x)
}
