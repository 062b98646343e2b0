//! The marginal likelihood of a factorisation, equations (36)-(39), for a prior of location zero.
//!
//! In the Gaussian limit it is the usual approximation of the evidence by expectation propagation. For
//! finite v it is a quantity of the q-algebra that the paper calls so: for a constant likelihood c of N
//! examples it decays like a power of N where the evidence is c^N, so models must not be compared by it.

use math::special::{exp_m1, ln, ln_1p};

use super::site::{Along, Site};
use super::step::Dof;
use contract::metrics;

metrics! {
    pub LOG_EVIDENCE: Training = "log_evidence", "Log evidence",
        "logarithm of the evidence: of a Gaussian model by expectation propagation, or exact".higher().unit("nats");
    pub Q_LOG_EVIDENCE: Training = "q_log_evidence", "Log evidence in the q-algebra",
        "the logarithm of equation (39) of the t-exponential EP paper, which for finite degrees of freedom is no estimate of the evidence".unit("nats");
}

/// A site at the end of a run.
#[derive(Debug, Clone, Copy)]
pub struct Term {
    /// The site.
    pub site: Site,
    /// The posterior along its direction, the site included.
    pub along: Along,
    /// The logarithm of its Z_i: in the paper that of the integral of the cavity with the likelihood to
    /// the power t.
    pub log_z: f64,
}

/// The logarithm of Z_EP, equation (39), in a form free of the constants that cancel: with log_ratio =
/// log |A| / |Sigma0|, psi = exp(log_ratio / v), rho = sum nu_i x_i and cavities marked by i
///
/// ```text
/// q   = psi + rho' A rho / v                    q_i = psi d_i^{-1/v} + rho_i' A_i rho_i / v
/// log Z = -(v/2) log(1 + sum_i (Z_i^{-2/v} - 1) + (sum_i (q - q_i) + 1 - q) / psi)
/// ```
///
/// None where a cavity is no distribution, or the sum is not positive, where (39) is infinite.
pub fn log_evidence(dof: Dof, log_ratio: f64, terms: &[Term]) -> Option<f64> {
    let inverse = dof.inverse();
    // All times v: of the sites, of q - 1, of the powers of Z_i.
    let (mut of_sites, mut square, mut of_z) = (0.0, 0.0, 0.0);
    for Term { site, along, log_z } in terms {
        let determinant = 1.0 - site.tau * along.variance;
        if determinant.is_nan() || determinant <= 0.0 {
            return None;
        }
        let apart = along.mean - site.nu * along.variance;
        square += site.nu * along.mean;
        of_sites += 2.0 * site.nu * along.mean
            - site.nu * site.nu * along.variance
            - site.tau / determinant * apart * apart;
        of_sites -= along.psi * scaled_exp_m1(-ln(determinant), inverse);
        of_z += scaled_exp_m1(-2.0 * log_z, inverse);
    }
    let of_q = scaled_exp_m1(log_ratio, inverse) + square;
    let psi = 1.0 + inverse * scaled_exp_m1(log_ratio, inverse);
    let inside = of_z + (of_sites - of_q) / psi;
    let log_z =
        if inverse == 0.0 { -0.5 * inside } else { -0.5 / inverse * ln_1p(inverse * inside) };
    log_z.is_finite().then_some(log_z)
}

/// v (e^{x/v} - 1), which is x in the Gaussian limit.
fn scaled_exp_m1(x: f64, inverse_dof: f64) -> f64 {
    if inverse_dof == 0.0 { x } else { exp_m1(x * inverse_dof) / inverse_dof }
}
