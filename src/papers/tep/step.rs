//! The step likelihood and what it makes of a Student-t distribution: equations (40)-(47).
//!
//! The escort of the tilted distribution is p^t l^t, so the likelihood enters to the power t. In the
//! direction of its input it depends on one number, u = x'w, whose distribution before is
//! St(v, m, s); the moments of its escort distribution afterwards are functions of z = y m / sqrt(s).

use contract::parameter::{Real, settings};
use math::normal;
use math::special::{exp, ln, ln_1p, pow};
use math::student_t::StudentT;

/// Below its negative 1 - shrink has lost three digits where no label is wrong.
const FAR: f64 = 30.0;

settings! {
    pub EPS eps: Real::within(0.0..=0.499, 0.01),
        "probability of a wrong label, eps of the likelihood eps + (1 - 2 eps) Theta(y f)";
}

/// Degrees of freedom, v > 0, or the Gaussian limit.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Dof {
    /// 1 / v; zero is the Gaussian limit.
    inverse: f64,
}

impl Dof {
    /// The Gaussian limit.
    pub const GAUSSIAN: Self = Self { inverse: 0.0 };

    /// v degrees of freedom.
    pub fn new(v: f64) -> Self {
        Self { inverse: 1.0 / v }
    }

    /// 1 / v.
    pub fn inverse(self) -> f64 {
        self.inverse
    }

    /// t - 1 = 2 / (v + k) in k dimensions, equation (8).
    pub fn deformation(self, dimensions: usize) -> f64 {
        2.0 * self.inverse / (1.0 + dimensions as f64 * self.inverse)
    }
}

/// The likelihood eps + (1 - 2 eps) Theta(y u), to the power t.
#[derive(Debug, Clone, Copy)]
pub struct Step {
    inverse_dof: f64,
    /// eps^t.
    floor: f64,
    /// (1 - eps)^t - eps^t.
    rise: f64,
    tails: Tails,
}

#[derive(Debug, Clone, Copy)]
enum Tails {
    Gaussian,
    /// With v degrees of freedom, and with v + 2: those of the escort distribution.
    Student(StudentT, StudentT, f64),
}

/// The distribution after one likelihood factor, relative to that before.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Tilted {
    /// The logarithm of Z1, the integral of p l^t.
    pub log_z: f64,
    /// alpha sqrt(s): the mean of u moves by y times this times sqrt(s).
    pub shift: f64,
    /// r = Z1 / Z2, where Z2 is the integral of the normalised escort with l^t.
    pub ratio: f64,
    /// 1 - s'/s: the share of its variance that u loses; negative where the variance grows.
    pub shrink: f64,
    /// The logarithm of s'/s, also where so little is left that `shrink` is 1 to rounding.
    pub ln_left: f64,
}

impl Step {
    /// For v degrees of freedom in `dimensions` dimensions; 0 <= eps < 1/2.
    pub fn new(dof: Dof, dimensions: usize, eps: f64) -> Self {
        let t = 1.0 + dof.deformation(dimensions);
        Self::with_power(dof, t, eps)
    }

    /// With the power t given.
    pub fn with_power(dof: Dof, t: f64, eps: f64) -> Self {
        let floor = pow(eps, t);
        let v = 1.0 / dof.inverse;
        let tails = if dof == Dof::GAUSSIAN {
            Tails::Gaussian
        } else {
            Tails::Student(StudentT::new(v), StudentT::new(v + 2.0), ((v + 2.0) / v).sqrt())
        };
        Self { inverse_dof: dof.inverse, floor, rise: pow(1.0 - eps, t) - floor, tails }
    }

    /// What the factor of a label makes of u; `z` is y m / sqrt(s). Z1 is equation (43), Z2 (44), alpha
    /// (45)-(47); Z2 is computed from its own tail, which eps = 0 and z far below zero need.
    pub fn tilt(&self, z: f64) -> Tilted {
        let (log_z, shift, ratio) = match &self.tails {
            Tails::Gaussian if self.floor == 0.0 => {
                (ln(self.rise) + normal::ln_cdf(z), normal::inverse_mills(z), 1.0)
            }
            Tails::Gaussian => {
                let mass = self.floor + self.rise * normal::cdf(z);
                (ln(mass), self.rise * normal::density(z) / mass, 1.0)
            }
            Tails::Student(own, escort, widen) if self.floor == 0.0 => {
                let (ln_own, ln_escort) = (own.ln_cdf(z), escort.ln_cdf(z * widen));
                let shift = exp(own.ln_density(z) - ln_escort);
                (ln(self.rise) + ln_own, shift, exp(ln_own - ln_escort))
            }
            Tails::Student(own, escort, widen) => {
                let mass = self.floor + self.rise * own.cdf(z);
                let escort_mass = self.floor + self.rise * escort.cdf(z * widen);
                let shift = self.rise * exp(own.ln_density(z)) / escort_mass;
                (ln(mass), shift, mass / escort_mass)
            }
        };
        let shrink = shift * (shift + z * (1.0 + self.inverse_dof));
        let ln_left = match &self.tails {
            Tails::Gaussian if self.floor == 0.0 && z < -FAR => ln(normal::far_tail(-z).1),
            _ => ln_1p(-shrink),
        };
        Tilted { log_z, shift, ratio, shrink, ln_left }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use math::quadrature::gauss_legendre_on;

    /// The integral over the real line of a function that is smooth on both sides of 0.
    fn integral(f: impl Fn(f64) -> f64) -> f64 {
        let rule = gauss_legendre_on(400, 0.0, 1.0);
        // u = ± x / (1 - x)
        let side = |sign: f64| -> f64 {
            let term = |&(x, weight): &(f64, f64)| {
                let rest = 1.0 - x;
                weight * f(sign * x / rest) / (rest * rest)
            };
            rule.iter().map(term).sum()
        };
        side(1.0) + side(-1.0)
    }

    fn ln_density(dof: Dof, z: f64) -> f64 {
        if dof == Dof::GAUSSIAN {
            ln(normal::density(z))
        } else {
            StudentT::new(1.0 / dof.inverse()).ln_density(z)
        }
    }

    /// In one dimension the escort density is p^t, so everything is an integral over u.
    #[test]
    fn moments_in_one_dimension_equal_quadrature() {
        for dof in [Dof::new(3.0), Dof::new(10.0), Dof::GAUSSIAN] {
            let t = 1.0 + dof.deformation(1);
            for eps in [0.0, 0.01, 0.3] {
                for z in [-2.5, -0.4, 0.0, 1.7] {
                    // St(v, m, s) with s = 2.25 and y = -1.
                    let (root, y) = (1.5, -1.0);
                    let mean = y * z * root;
                    let likelihood = |u: f64| if y * u > 0.0 { 1.0 - eps } else { eps };
                    let density = |u: f64| exp(ln_density(dof, (u - mean) / root)) / root;
                    let z1 = integral(|u| density(u) * pow(likelihood(u), t));
                    let escort = |u: f64| pow(density(u), t);
                    let z2u = integral(|u| escort(u) * pow(likelihood(u), t));
                    let moment = |power: i32| {
                        integral(|u| {
                            let l = pow(likelihood(u), t);
                            escort(u) * l * if power == 1 { u } else { u * u }
                        }) / z2u
                    };
                    let (first, second) = (moment(1), moment(2));
                    let tilted = Step::new(dof, 1, eps).tilt(z);
                    let ratio = z1 / z2u * integral(escort);
                    let near = |found: f64, expected: f64| {
                        assert!(
                            (found - expected).abs() < 1e-8,
                            "{dof:?} eps {eps} z {z}: {found} for {expected}"
                        );
                    };
                    near(tilted.log_z, ln(z1));
                    near(tilted.ratio, ratio);
                    near(mean + y * tilted.shift * root, first);
                    near(root * root * (1.0 - tilted.shrink), second - first * first);
                }
            }
        }
    }

    /// r = 1 - a z / v, for every number of dimensions.
    #[test]
    fn the_two_masses_keep_their_relation() {
        for v in [1.0, 3.0, 10.0, 1e4] {
            for dimensions in [1, 2, 50] {
                for eps in [0.0, 0.05] {
                    for z in [-40.0, -3.0, 0.2, 5.0] {
                        let tilted = Step::new(Dof::new(v), dimensions, eps).tilt(z);
                        let expected = 1.0 - tilted.shift * z / v;
                        assert!((tilted.ratio / expected - 1.0).abs() < 1e-10, "v {v} z {z}");
                    }
                }
            }
        }
    }

    #[test]
    fn far_tails_stay_finite() {
        for dof in [Dof::new(3.0), Dof::new(100.0), Dof::GAUSSIAN] {
            for z in [-1e3, -1e8] {
                let tilted = Step::new(dof, 1, 0.0).tilt(z);
                assert!(tilted.log_z.is_finite() && tilted.log_z < -10.0, "{dof:?} {tilted:?}");
                assert!(tilted.shift > 0.0 && tilted.shift.is_finite(), "{dof:?} {tilted:?}");
                if dof == Dof::GAUSSIAN {
                    // 1/z² - 6/z⁴ of the variance is left.
                    let left = exp(tilted.ln_left) * z * z;
                    assert!((left - (1.0 - 6.0 / (z * z))).abs() < 1e-9, "{tilted:?}");
                }
                let floor = Step::new(dof, 1, 0.01).tilt(z);
                assert!((floor.log_z - ln(0.01) * (1.0 + dof.deformation(1))).abs() < 1e-3);
            }
        }
    }

    #[test]
    fn many_degrees_of_freedom_are_the_gaussian_limit() {
        for z in [-3.0, 0.5] {
            let student = Step::new(Dof::new(1e7), 3, 0.02).tilt(z);
            let gaussian = Step::new(Dof::GAUSSIAN, 3, 0.02).tilt(z);
            assert!((student.log_z - gaussian.log_z).abs() < 1e-5);
            assert!((student.shift - gaussian.shift).abs() < 1e-5);
            assert!((student.shrink - gaussian.shrink).abs() < 1e-5);
        }
    }
}
