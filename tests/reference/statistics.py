"""Numbers that the tests of `src/stats` compare with: SciPy, statsmodels, baycomp, and definitions by brute force.

    pip install scipy==1.17.1 statsmodels baycomp==1.0.3
    python tests/reference/statistics.py
"""

import itertools

import baycomp
import numpy as np
import scipy
import statsmodels
import statsmodels.api
from scipy import optimize, stats
from statsmodels.stats import contingency_tables, proportion, weightstats

print("SciPy", scipy.__version__, "statsmodels", statsmodels.__version__)
D = np.array([0.012, -0.004, 0.031, 0.008, 0.017, -0.001, 0.022, 0.009])

# Table 5 of "Exchangeable Variable Models".
MEVM = np.array([-6.04, -6.23, -2.13, -14.86, -40.63, -53.22, -57.84, -9.96, -34.63, -157.21, -86.98, -152.69])
NB = np.array([-6.04, -6.71, -2.15, -15.10, -40.69, -53.19, -57.87, -9.96, -34.80, -158.01, -87.32, -152.78])
T5 = np.round(MEVM - NB, 2)


def title(text):
    print(f"\n# {text}")


title("mean difference: stats.t.interval; corrected with test/train = 100/335")
n, s = len(D), D.std(ddof=1)
print(stats.t.interval(0.95, n - 1, D.mean(), s / n**0.5))
print(stats.t.interval(0.95, n - 1, D.mean(), s * (1 / n + 100 / 335) ** 0.5))


title("clusters: OLS of a constant with cov_type=\"cluster\" and G - 1 degrees; two one-sided tests with margin .03")
clustered = statsmodels.api.OLS(D, np.ones((n, 1))).fit(
    cov_type="cluster", cov_kwds={"groups": np.array([0, 0, 1, 1, 1, 2, 2, 3])}, use_t=True)
print(clustered.tvalues[0], clustered.pvalues[0], clustered.conf_int(0.05)[0])
print(stats.t.cdf(-(0.03 - abs(D.mean())) / clustered.bse[0], 3))


title("what agreement with a paper allows: half a 95% interval of three seeds, and the half width of the prediction of one more, and of a mean of three more")
seeds = np.array([-6.05, -6.06, -6.07])
t, sd = stats.t.ppf(0.975, 2), seeds.std(ddof=1)
print(t * sd / 3**0.5, t * sd * (1 + 1 / 3) ** 0.5, t * sd * (1 / 3 + 1 / 3) ** 0.5)


title("Welch: ttest_ind(...).confidence_interval")
left, right = [3.1, 2.9, 4.0, 3.6, 3.3], [2.2, 4.8, 1.9, 2.6, 2.4, 3.0, 2.7]
found = stats.ttest_ind(left, right, equal_var=False)
print(np.mean(left) - np.mean(right), found.confidence_interval(0.95))


title("median with the interval of the sign test: quantile_test(d).confidence_interval")
sign = np.array([0.5, -0.5, 1.0, 1.25, 0.1, 2.0, -3.0, 0.2, 0.3, 4.0, 4.5, -1.0])
print(np.median(sign), stats.quantile_test(sign).confidence_interval(0.95))


title("Hodges and Lehmann: median of Walsh averages; all shifts that the exact test keeps, by bisection")


def inverted(d, level):
    walsh = np.sort([(d[i] + d[j]) / 2 for i in range(len(d)) for j in range(i, len(d))])
    ends = []
    for side in (1, -1):
        kept = [w for w in (walsh if side == 1 else walsh[::-1])
                if stats.wilcoxon(d - w + side * -1e-9, method="exact").pvalue > 1 - level]
        ends.append(kept[0])
    return np.median(walsh), ends


# Hollander and Wolfe, "Nonparametric Statistical Methods", table 3.1: estimate -0.46, 96% interval (-0.786, -0.010).
x = np.array([1.83, 0.50, 1.62, 2.48, 1.68, 1.88, 1.55, 3.06, 1.30])
y = np.array([0.878, 0.647, 0.598, 2.05, 1.06, 1.29, 1.06, 3.14, 1.29])
print(inverted(y - x, 0.96))
print(inverted(D, 0.95), inverted(D, 0.9))


title("Vargha and Delaney: pairs without ties by Wilson's interval (with ties: Tango's below); two samples by Newcombe's method 5")
print(proportion.proportion_confint(8, 12, method="wilson"), proportion.proportion_confint(12, 12, method="wilson"))
print(proportion.proportion_confint(143, 150, method="wilson"))


def newcombe(left, right, level):
    a = np.mean([[(l > r) + 0.5 * (l == r) for r in right] for l in left])
    m, n = len(left), len(right)
    z, star = stats.norm.ppf((1 + level) / 2), (m + n) / 2 - 1

    def score(t):
        return (a - t) ** 2 - z**2 * t * (1 - t) / (m * n) * (1 + star * (1 - t) / (2 - t) + star * t / (1 + t))

    low = optimize.brentq(score, 0, a, xtol=1e-15) if a > 0 else 0.0
    high = optimize.brentq(score, a, 1, xtol=1e-15) if a < 1 else 1.0
    return a, low, high


print(newcombe(left, right, 0.95))
print(newcombe([1, 2, 2], [2, 3, 3, 4], 0.9))


title("difference of two paired proportions, Tango: the likelihood maximised under each difference by brute force")


def tango(b, c, n, level):
    """All differences that the score test keeps; its variance by maximising the restricted likelihood numerically."""
    z2 = stats.chi2.ppf(level, 1)

    def score(d):
        def loss(p):
            return -(b * np.log(p + d) + c * np.log(p) + (n - b - c) * np.log(1 - 2 * p - d))

        low, high = max(0, -d) + 1e-12, (1 - d) / 2 - 1e-12
        p = optimize.minimize_scalar(loss, bounds=(low, high), method="bounded", options={"xatol": 1e-14}).x
        return (b - c - n * d) ** 2 / (n * (2 * p + d * (1 - d))) - z2

    d = (b - c) / n
    return d, optimize.brentq(score, -1 + 1e-9, d), optimize.brentq(score, d, 1 - 1e-9)


print(tango(12, 3, 44, 0.95), tango(10, 25, 200, 0.95))
print("A12 of 12 wins, 3 losses and 29 ties:", [0.5 + end / 2 for end in tango(12, 3, 44, 0.95)])


title("Fieller: all ratios that a t-test of left - ratio * right keeps, by bisection; pairs, overlapping ones, two samples")


def fieller(x, y, level, overlap):
    """`overlap` is the ratio of test to training examples; None of two independent samples."""
    x, y = np.array(x), np.array(y)
    ratio = x.mean() / y.mean()

    def kept(r):
        if overlap is None:
            errors = x.var(ddof=1) / len(x), ratio**2 * y.var(ddof=1) / len(y)
            df = sum(errors) ** 2 / (errors[0] ** 2 / (len(x) - 1) + errors[1] ** 2 / (len(y) - 1))
            error = (errors[0] + r**2 * y.var(ddof=1) / len(y)) ** 0.5
        else:
            df = len(x) - 1
            error = (x - r * y).std(ddof=1) * (1 / len(x) + overlap) ** 0.5
        return abs(x.mean() - r * y.mean()) / error - stats.t.ppf((1 + level) / 2, df)

    return ratio, optimize.brentq(kept, ratio / 10, ratio), optimize.brentq(kept, ratio, ratio * 10)


for overlap in (0.0, 0.25, None):
    print(overlap, fieller([3.1, 2.9, 4.0, 3.6, 3.3], [2.0, 2.2, 1.9, 2.1, 2.6], 0.95, overlap))


title("two one-sided tests: ttost_paired; Wilcoxon by its definition")
for margin in (0.0205, 0.03):  # no ties, which SciPy's exact form does not know
    print(margin, weightstats.ttost_paired(D, 0 * D, -margin, margin)[0],
          max(stats.wilcoxon(D + margin, alternative="greater", method="exact").pvalue,
              stats.wilcoxon(D - margin, alternative="less", method="exact").pvalue),
          max(stats.wilcoxon(D + margin, alternative="greater", method="asymptotic").pvalue,
              stats.wilcoxon(D - margin, alternative="less", method="asymptotic").pvalue))
corrected = s * (1 / n + 100 / 335) ** 0.5
print(0.03, max(stats.t.sf((D.mean() + 0.03) / corrected, n - 1), stats.t.cdf((D.mean() - 0.03) / corrected, n - 1)))


title("mid-p: binomtest minus half of both tails' last term")
for count, of in ((2, 10), (5, 10), (10, 35), (6, 65), (0, 3)):
    exact = stats.binomtest(count, of).pvalue
    print(count, of, 2 * (stats.binom.cdf(count, of, 0.5) - 0.5 * stats.binom.pmf(count, of, 0.5)), exact)


title("Cochran's Q: cochrans_q")
table = np.array([[1, 1, 0], [1, 0, 0], [1, 1, 1], [0, 1, 0], [1, 0, 0], [1, 1, 0], [0, 0, 0], [1, 1, 1], [1, 1, 0], [1, 0, 1]])
found = contingency_tables.cochrans_q(table)
print(found.statistic, found.pvalue, found.statistic / (10 * 2))


title("BCa: z0, the acceleration and the quantiles of all 4^4 resamples of [1, 2, 4, 9], in NumPy")
values = np.array([1.0, 2.0, 4.0, 9.0])
means = np.sort([np.mean(draw) for draw in itertools.product(values, repeat=4)])
share = (np.sum(means < values.mean()) + np.sum(means <= values.mean())) / (2 * len(means))
z0 = stats.norm.ppf(share)
jack = np.array([np.delete(values, i).mean() for i in range(4)])
u = jack.mean() - jack
a = np.sum(u**3) / (6 * np.sum(u**2) ** 1.5)
for level in (0.9, 0.95):
    z = stats.norm.ppf([(1 - level) / 2, (1 + level) / 2])
    at = stats.norm.cdf(z0 + (z0 + z) / (1 - a * (z0 + z)))
    print(level, np.quantile(means, at))


title("SciPy's BCa of 100,000 resamples, seeds 0, 1, 2")
sample = np.array([0.1, 1.7, 5.3, 2.9, 9.2, 4.1, 7.7, 3.6])
for seed in range(3):
    print(stats.bootstrap((sample,), np.mean, n_resamples=100_000, rng=seed).confidence_interval)


title("Bayesian signed-rank: baycomp, left, region, right, 400,000 samples; table 5, then D")
for difference, region in ((T5, 0.05), (T5, 0.0), (D, 0.01)):
    posterior = baycomp.multiple.SignedRankTest(difference, 0 * difference, region, nsamples=400_000, random_state=1)
    print(region, posterior.probs(True))


title("Bayesian correlated t: baycomp, ten folds; then the posterior for test/train = 100/335 by stats.t")
ten = np.append(D, [0.004, 0.013])
print(repr(ten), baycomp.single.CorrelatedTTest.probs(ten, 0 * ten, 0.01))
print(stats.t.interval(0.95, 9, ten.mean(), ten.std(ddof=1) * (1 / 10 + 1 / 9) ** 0.5))

# Wilson's interval of the mean of proportions, with the sample size that their variance amounts to.
for values in ([0.9, 0.95, 1.0, 0.85, 0.95], [0.02, 0.0, 0.01]):
    values = np.array(values)
    p, error = values.mean(), values.std(ddof=1) / np.sqrt(len(values))
    n, t = p * (1 - p) / error**2, stats.t.ppf(0.975, len(values) - 1)
    print("proportions", *map(repr, map(float, proportion.proportion_confint(p * n, n, 2 * stats.norm.sf(t), "wilson"))))
