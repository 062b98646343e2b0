"""Paths of L1-regularised logistic regressions by scikit-learn's LIBLINEAR, as `l1_path` of benches/apt.rs.

    python benches/peers/l1_path.py MIRROR [plants dna]

The first ten variables of a set on all others, 30 penalties from the largest useful one down, each nine
tenths of the one before, to the same violation of the optimality conditions: 1e-3 of the penalty. LIBLINEAR
penalises the intercept too; a scaling of 1000 makes that negligible. Prints for each set the median seconds
of cpu and the largest violation that it leaves.
"""

import gzip
import os
import sys
import time
import warnings

import numpy as np
import sklearn
from scipy import sparse
from sklearn.linear_model import LogisticRegression

URL = "raw.githubusercontent.com/nicoladimauro/dcsn/dd0f7a43f5fededeeaf37905f48f918a25b8c2c7/data/generative"
STEPS, RATIO, SAMPLES, TOLERANCE, SCALING = 30, 0.9, 3, 1e-3, 1e3


def path(x, y):
    rows = len(y)
    share = y.mean()
    largest = np.abs(x.T @ (share - y) / rows).max()
    worst, penalty = 0.0, largest
    model = LogisticRegression(
        l1_ratio=1, solver="liblinear", intercept_scaling=SCALING, warm_start=True, max_iter=10_000
    )
    for _ in range(STEPS):
        penalty *= RATIO
        tolerance = 1e-3
        while True:
            model.set_params(C=1 / (rows * penalty), tol=tolerance)
            model.fit(x, y)
            weights = model.coef_[0]
            odds = x @ weights + model.intercept_[0]
            error = 1 / (1 + np.exp(-odds)) - y
            slopes = x.T @ error / rows
            zero = weights == 0
            violations = np.where(
                zero, np.maximum(np.abs(slopes) - penalty, 0), np.abs(slopes + penalty * np.sign(weights))
            )
            violation = violations.max() / penalty
            if violation <= TOLERANCE or tolerance < 1e-9:
                break
            tolerance /= 10
        worst = max(worst, violation)
    return worst


def main():
    warnings.simplefilter("ignore")
    mirror, *sets = sys.argv[1:]
    print(f"scikit-learn {sklearn.__version__}, NumPy {np.__version__}")
    for name in sets or ["plants", "dna"]:
        with gzip.open(os.path.join(mirror, URL, f"{name}.ts.data.gz"), "rt") as file:
            data = np.loadtxt(file, delimiter=",")
        seconds, worst = [], 0.0
        for _ in range(SAMPLES):
            start = time.process_time()
            for target in range(10):
                if data[:, target].min() == data[:, target].max():
                    continue
                x = sparse.csr_matrix(np.delete(data, target, axis=1))
                worst = max(worst, path(x, data[:, target]))
            seconds.append(time.process_time() - start)
        print(name, f"{sorted(seconds)[SAMPLES // 2]:.3f} s, violation {worst:.1e}", flush=True)


if __name__ == "__main__":
    main()
