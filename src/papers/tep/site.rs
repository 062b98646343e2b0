//! One site of expectation propagation: cavity, moments, new site. Sections 3 and D.2 of the paper.
//!
//! Everything is in units in which the prior's Psi / v is 1: with A = (Sigma0⁻¹ + sum tau_i x_i x_i')⁻¹
//! and psi = (|A| / |Sigma0|)^{1/v} the posterior is St(v, A (sum nu_i x_i), psi A). The site's own
//! tau~ of the paper, Psi~ K~, is tau times the prior's Psi / v.
//!
//! Equations (55) and (56) ask for sites whose difference to the cavity is the matched distribution. For
//! finite v no site does that in more than one dimension. [`Rule::Consistent`] is the projection on the
//! distributions that a site can reach: it minimises the t-divergence over (tau, nu), and matches the
//! escort mean and variance of u = x'w, and the escort mean of w.

use math::special::{exp, exp_m1, ln, ln_gamma, pow};

use super::step::{Dof, Step};

const LN_PI: f64 = 1.144_729_885_849_400_2;

/// Natural parameters of a site.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Site {
    /// Precision along the site's direction; may be negative.
    pub tau: f64,
    /// Precision times location.
    pub nu: f64,
}

/// The present posterior along a site's direction: u has location `mean` and scale psi `variance`.
#[derive(Debug, Clone, Copy)]
pub struct Along {
    /// x'mu.
    pub mean: f64,
    /// x'A x.
    pub variance: f64,
    /// psi.
    pub psi: f64,
}

/// How the new site is found.
#[derive(Debug, Clone, Copy)]
pub enum Rule {
    /// The projection on what a site can reach.
    Consistent(Step),
    /// The same with negative precisions set to zero; the mean is still matched.
    Clipped(Step),
    /// Equations (78)-(89) as they stand.
    Literal(Literal),
}

/// The literal update of appendix E: the marginal of u is given v~ = v + N - 1 degrees of freedom in
/// place of its v, (78)-(79), and its natural parameters, found in one dimension, are added to those of
/// N dimensions.
#[derive(Debug, Clone, Copy)]
pub struct Literal {
    step: Step,
    /// v~.
    dof: f64,
    /// The logarithm of c1 of (82).
    ln_c1: f64,
    /// Psi / v of the prior.
    unit: f64,
}

impl Literal {
    /// For v degrees of freedom, `n` latent values and a kernel matrix with this logarithm of its
    /// determinant.
    pub fn new(v: f64, n: usize, eps: f64, log_determinant: f64) -> Self {
        let dof = v + n as f64 - 1.0;
        let (own, of_prior) = (Dof::new(dof), ln_ratio(v, n as f64));
        Self {
            step: Step::with_power(own, 1.0 + own.deformation(1), eps),
            dof,
            ln_c1: ln_ratio(dof, 1.0),
            unit: exp(of_prior + log_determinant / (v + n as f64)),
        }
    }

    /// Psi K in one dimension, (82), in units of the prior's Psi / v.
    fn precision(&self, variance: f64) -> f64 {
        exp(self.ln_c1 - self.dof / (self.dof + 1.0) * ln(variance)) / self.unit
    }

    /// (83).
    fn variance(&self, precision: f64) -> f64 {
        exp((self.ln_c1 - ln(precision * self.unit)) * (self.dof + 1.0) / self.dof)
    }

    fn update(&self, site: Site, along: Along, y: f64) -> Option<(Site, f64)> {
        // (80), (81)
        let precision = self.precision(along.psi * along.variance);
        let tau = precision - site.tau;
        let nu = precision * along.mean - site.nu;
        if tau.is_nan() || tau <= 0.0 {
            return None;
        }
        // (83), (84), then (41)-(47) in one dimension
        let (variance, mean) = (self.variance(tau), nu / tau);
        let root = variance.sqrt();
        let tilted = self.step.tilt(y * mean / root);
        let precision = self.precision(variance * (1.0 - tilted.shrink));
        let location = mean + y * tilted.shift * root;
        // (85), (86)
        Some((Site { tau: precision - tau, nu: precision * location - nu }, tilted.log_z))
    }
}

/// The cavity of a site: what is left when the site is divided out, equations (51) and (52).
#[derive(Debug, Clone, Copy)]
pub struct Cavity {
    /// Location of u.
    pub mean: f64,
    /// x'A x without the site.
    pub variance: f64,
    /// Scale of u.
    pub scale: f64,
}

impl Cavity {
    /// The cavity; none if it is no distribution.
    pub fn new(site: Site, along: Along, dof: Dof) -> Option<Self> {
        let determinant = 1.0 - site.tau * along.variance;
        if determinant.is_nan() || determinant <= 0.0 {
            return None;
        }
        let growth = if dof == Dof::GAUSSIAN { 1.0 } else { pow(determinant, -dof.inverse()) };
        let variance = along.variance / determinant;
        Some(Self {
            mean: (along.mean - along.variance * site.nu) / determinant,
            variance,
            scale: along.psi * growth * variance,
        })
    }
}

impl Rule {
    /// The logarithm of Z1 of an input of zeros. Its u is 0, on the border between the classes, where each has half
    /// of its likelihood on either side: whatever the weights are, both labels are as likely.
    pub fn ln_undecided(&self) -> f64 {
        let (Self::Consistent(step) | Self::Clipped(step) | Self::Literal(Literal { step, .. })) =
            self;
        step.tilt(0.0).log_z
    }

    /// The new site of a label y, 1 or -1, and the logarithm of its Z1; none if the cavity is no
    /// distribution or the new one would have no variance.
    pub fn update(&self, site: Site, along: Along, dof: Dof, y: f64) -> Option<(Site, f64)> {
        let (step, clipped) = match self {
            Self::Consistent(step) => (step, false),
            Self::Clipped(step) => (step, true),
            Self::Literal(literal) => return literal.update(site, along, y),
        };
        let cavity = Cavity::new(site, along, dof)?;
        let root = cavity.scale.sqrt();
        let tilted = step.tilt(y * cavity.mean / root);
        let mean = cavity.mean + y * tilted.shift * root;
        // (s / s')^{v/(v+1)} = 1 + tau h
        let gain = exp_m1(-tilted.ln_left / (1.0 + dof.inverse()));
        let tau = gain / cavity.variance;
        let tau = if clipped && tau < 0.0 { 0.0 } else { tau };
        let nu = mean * tau + (mean - cavity.mean) / cavity.variance;
        (tau.is_finite() && nu.is_finite()).then_some((Site { tau, nu }, tilted.log_z))
    }
}

/// The logarithm of Gamma((v+k)/2) / ((pi v)^{k/2} Gamma(v/2)).
pub fn ln_constant(dof: f64, k: f64) -> f64 {
    ln_gamma(0.5 * (dof + k)) - ln_gamma(0.5 * dof) - 0.5 * k * (LN_PI + ln(dof))
}

/// The logarithm of c of (53), that constant to the power 1 - t, over v, in k dimensions.
pub fn ln_ratio(dof: f64, k: f64) -> f64 {
    -2.0 / (dof + k) * ln_constant(dof, k) - ln(dof)
}
