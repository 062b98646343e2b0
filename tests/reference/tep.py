"""Expectation propagation computed independently of reprise, with NumPy and SciPy.

    python tests/reference/tep.py

prints for each setting the decision values (95) at three test inputs and the logarithm of Z_EP (39), as
`tests/it/tep_reference.rs` lists them. Nothing is shared with the Rust code: natural parameters are the
paper's own Psi K and Psi K mu with all their constants, cavities and posteriors are converted by
determinants (53)-(54) and matrix inverses, tilted moments are integrals by scipy.integrate.quad, the
precision of a site is found by scipy.optimize.brentq on the variance that the whole posterior then has,
and (39) is the sum of log-partition functions (36)-(39). The Gaussian runs use the formulas of the
ordinary exponential family throughout: kernel inverses, normalised Gaussian cavities, GPML (3.65).
"""

import numpy as np
from scipy.integrate import quad
from scipy.optimize import brentq
from scipy.special import gammaln
from scipy.stats import norm, t as student


def inputs(n):
    i = np.arange(n)
    x = np.column_stack([np.sin(1.3 * i) * 2, np.cos(0.7 * i * i) * 1.5])
    y = np.where(x[:, 0] + 0.5 * x[:, 1] > 0.1, 1.0, -1.0)
    y[::7] *= -1
    return x, y


TEST = np.array([[0.3, -0.4], [-1.0, 0.6], [1.5, 1.5]])


def kernel(a, b, length):
    d = ((a[:, None, :] - b[None, :, :]) ** 2).sum(-1)
    return np.exp(-0.5 * d / length**2)


def gaussian(k, y, eps, sweeps=400, damping=0.7):
    n = len(y)
    inverse = np.linalg.inv(k)
    tau, nu = np.zeros(n), np.zeros(n)
    for _ in range(sweeps):
        before = np.concatenate([tau, nu])
        for i in range(n):
            sigma = np.linalg.inv(inverse + np.diag(tau))
            mu = sigma @ nu
            tc = 1 / sigma[i, i] - tau[i]
            nc = mu[i] / sigma[i, i] - nu[i]
            m, s = nc / tc, 1 / tc
            r = np.sqrt(s)
            f = lambda u, p: u**p * norm.pdf(u, m, r)
            parts = []
            for p in range(3):
                lower = quad(f, m - 14 * r, 0, args=(p,), epsabs=1e-14, epsrel=1e-13)[0] if m - 14 * r < 0 else 0
                upper = quad(f, 0, m + 14 * r, args=(p,), epsabs=1e-14, epsrel=1e-13)[0] if m + 14 * r > 0 else 0
                parts.append((1 - eps) * (upper if y[i] > 0 else lower) + eps * (lower if y[i] > 0 else upper))
            mean = parts[1] / parts[0]
            var = parts[2] / parts[0] - mean**2
            tau[i] += damping * (1 / var - tc - tau[i])
            nu[i] += damping * (mean / var - nc - nu[i])
        if np.abs(np.concatenate([tau, nu]) - before).max() < 1e-11:
            break
    sigma = np.linalg.inv(inverse + np.diag(tau))
    mu = sigma @ nu
    # log Z: prior times sites Z_i N(f_i; m_i, s_i), with Z_i so that cavity times site has the mass of the tilted.
    partition = lambda precision, shift: 0.5 * (shift @ np.linalg.solve(precision, shift)) - 0.5 * np.linalg.slogdet(
        precision / (2 * np.pi)
    )[1]
    total = partition(inverse + np.diag(tau), nu) - partition(inverse, np.zeros(n))
    for i in range(n):
        tc = 1 / sigma[i, i] - tau[i]
        nc = mu[i] / sigma[i, i] - nu[i]
        z = y[i] * nc / tc * np.sqrt(tc)
        z1 = eps + (1 - 2 * eps) * norm.cdf(z)
        one = lambda a, b: partition(np.array([[a]]), np.array([b]))
        total += np.log(z1) - one(tc + tau[i], nc + nu[i]) + one(tc, nc)
    return inverse @ mu, total


class Student:
    """The paper's natural parameters P1 = Psi K mu and P2 = Psi K of k dimensions."""

    def __init__(self, v, k):
        self.v, self.k, self.t = v, k, 1 + 2 / (v + k)
        constant = gammaln((v + k) / 2) - 0.5 * k * np.log(np.pi * v) - gammaln(v / 2)
        self.ln_c = (1 - self.t) * constant - np.log(v)

    def natural(self, mu, sigma):
        psi = np.exp(self.ln_c + np.log(self.v) + np.linalg.slogdet(sigma)[1] / (self.v + self.k))
        p2 = psi * np.linalg.inv(self.v * sigma)
        return p2 @ mu, p2

    def moments(self, p1, p2):
        v, k = self.v, self.k
        logdet = (k * self.ln_c - np.linalg.slogdet(p2)[1]) * (v + k) / v
        psi = v * np.exp(self.ln_c + logdet / (v + k))
        return np.linalg.solve(p2, p1), psi / v * np.linalg.inv(p2), psi

    def partition(self, p1, p2):
        """g_t of (11)."""
        mu, _, psi = self.moments(p1, p2)
        return (1 - mu @ p2 @ mu - psi) / (1 - self.t)

    def ln_t(self, x):
        return (x ** (1 - self.t) - 1) / (1 - self.t)


def student_t(k, y, eps, v, sweeps=400, damping=0.7):
    n = len(y)
    family = Student(v, n)
    t = family.t
    prior1, prior2 = family.natural(np.zeros(n), k)
    tau, nu = np.zeros(n), np.zeros(n)
    likelihood = lambda u, label: 1 - eps if u * label > 0 else eps

    def tilted(i, p1, p2):
        mu, sigma, _ = family.moments(p1, p2)
        m, s = mu[i], sigma[i, i]
        # Marginal of the escort distribution of the whole: v + 2 degrees of freedom.
        r = np.sqrt(v * s / (v + 2))
        f = lambda u, p: u**p * student.pdf(u, v + 2, m, r)
        parts = []
        for p in range(3):
            lower = quad(f, -np.inf, 0, args=(p,), epsabs=1e-13, epsrel=1e-12)[0]
            upper = quad(f, 0, np.inf, args=(p,), epsabs=1e-13, epsrel=1e-12)[0]
            parts.append(lower * likelihood(-1, y[i]) ** t + upper * likelihood(1, y[i]) ** t)
        mean = parts[1] / parts[0]
        own = student.cdf(0, v, m, np.sqrt(s))
        z1 = own * likelihood(-1, y[i]) ** t + (1 - own) * likelihood(1, y[i]) ** t
        return mean, parts[2] / parts[0] - mean**2, z1

    for _ in range(sweeps):
        before = np.concatenate([tau, nu])
        for i in range(n):
            e = np.zeros(n)
            e[i] = 1
            cavity1 = prior1 + nu - nu[i] * e
            cavity2 = prior2 + np.diag(tau) - tau[i] * np.outer(e, e)
            mean, var, _ = tilted(i, cavity1, cavity2)
            scale = 1 / np.linalg.inv(cavity2)[i, i]
            of = lambda a: family.moments(cavity1, cavity2 + a * np.outer(e, e))[1][i, i] - var
            found = brentq(of, -0.999 * scale, 1e4 * scale, xtol=1e-16, rtol=1e-14)
            column = np.linalg.inv(cavity2 + found * np.outer(e, e))
            shift = (mean - (column @ cavity1)[i]) / column[i, i]
            tau[i] += damping * (found - tau[i])
            nu[i] += damping * (shift - nu[i])
        if np.abs(np.concatenate([tau, nu]) - before).max() < 1e-11:
            break
    mu, _, psi = family.moments(prior1 + nu, prior2 + np.diag(tau))
    whole = family.partition(prior1 + nu, prior2 + np.diag(tau))
    total = whole - family.partition(prior1, prior2)
    for i in range(n):
        e = np.zeros(n)
        e[i] = 1
        cavity1 = prior1 + nu - nu[i] * e
        cavity2 = prior2 + np.diag(tau) - tau[i] * np.outer(e, e)
        z1 = tilted(i, cavity1, cavity2)[2]
        total += psi * family.ln_t(z1 ** ((v + n) / v)) - whole + family.partition(cavity1, cavity2)
    x = total / psi
    log_z = v / (v + n) * np.log1p((1 - t) * x) / (1 - t)
    return np.linalg.solve(k, mu), log_z


def show(name, n, length, eps, jitter, v=None):
    x, y = inputs(n)
    k = kernel(x, x, length) + jitter * np.eye(n)
    weights, log_z = gaussian(k, y, eps) if v is None else student_t(k, y, eps, v)
    values = kernel(TEST, x, length) @ weights
    v = 0.0 if v is None else v
    print(f"    ({n}, {length}, {eps}, {jitter}, {v}, {[float(f'{value:.12g}') for value in values]}, {log_z:.12g}),", flush=True)


show("gaussian", 16, 1.2, 0.05, 1e-3)
show("gaussian", 12, 0.8, 0.0, 1e-2)
show("student-t", 6, 1.2, 0.05, 1e-2, 10.0)
show("student-t", 6, 0.8, 0.01, 1e-2, 3.0)
