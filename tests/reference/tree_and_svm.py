"""Accuracies of scikit-learn's decision tree and linear SVM, and the SVM's objectives.

    python tests/reference/tree_and_svm.py

prints for each set below the mean test accuracy of `DecisionTreeClassifier(random_state=0..19)`,
the test accuracy of `LinearSVC(dual=True, random_state=0)` with its other defaults, and the primal
objective of each of its problems, there and with a tolerance of 1e-10.
`tests/it/tree_and_svm_reference.rs` draws the same sets.
"""

import numpy as np
import scipy.sparse
import sklearn
from sklearn.svm import LinearSVC
from sklearn.tree import DecisionTreeClassifier

TRAIN, TEST, TREES = 1500, 4000, 20


def uniform(stream, rows, columns):
    """Number i of a stream is SplitMix64 of stream * 2^32 + i, as a real in [0, 1)."""
    index = np.arange(rows * columns, dtype=np.uint64) + np.uint64(stream << 32)
    with np.errstate(over="ignore"):
        z = (index + np.uint64(1)) * np.uint64(0x9E3779B97F4A7C15)
        z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
        z = z ^ (z >> np.uint64(31))
    return ((z >> np.uint64(11)) * 2.0**-53).reshape(rows, columns)


def threshold():
    """Two classes: whether 6 of the first 11 of 60 fair bits are ones, a tenth of them wrong."""
    x = uniform(1, TRAIN + TEST, 60) < 0.5
    y = x[:, :11].sum(axis=1) >= 6
    return x, np.where(uniform(2, TRAIN + TEST, 1)[:, 0] < 0.1, ~y, y).astype(int), 2


def rare():
    """Two classes, the second rare: at least two of the first four of 80 rare bits, a few wrong."""
    x = uniform(3, TRAIN + TEST, 80) < 0.12
    y = x[:, :4].sum(axis=1) >= 2
    return x, np.where(uniform(4, TRAIN + TEST, 1)[:, 0] < 0.03, ~y, y).astype(int), 2


def prototypes():
    """Five classes: each of 50 bits is likely or unlikely in a class."""
    y = (uniform(5, TRAIN + TEST, 1)[:, 0] * 5).astype(int)
    likely = uniform(6, 5, 50) < 0.5
    x = uniform(7, TRAIN + TEST, 50) < np.where(likely[y], 0.6, 0.3)
    return x, y, 5


def words():
    """Three topics: 60 words of 8000, the frequent ones first, a sixth of them of the topic."""
    n, length, vocabulary = TRAIN + TEST, 60, 8000
    y = (uniform(8, n, 1)[:, 0] * 3).astype(int)
    u = uniform(9, n, length)
    frequent = u * u * u * u
    common = (frequent * vocabulary).astype(int)
    of_topic = (frequent * 900).astype(int) * 3 + y[:, None]
    word = np.where(uniform(10, n, length) < 0.17, of_topic, common)
    ones = np.ones(n * length)
    entries = (ones, (np.repeat(np.arange(n), length), word.ravel()))
    x = scipy.sparse.csr_matrix(entries, (n, vocabulary))
    x.data[:] = 1
    return x, y, 3


def objective(machine, x, y, classes):
    """|w|²/2 + sum of max(0, 1 - y f(x))² of each problem, the bias among the weights."""
    values = machine.decision_function(x).reshape(len(y), -1)
    positive = [1] if classes == 2 else range(classes)
    result = []
    for k, c in enumerate(positive):
        loss = np.maximum(0, 1 - np.where(y == c, 1, -1) * values[:, k])
        w = np.append(machine.coef_[k], machine.intercept_[k])
        result.append(0.5 * w @ w + loss @ loss)
    return result


def main():
    print(f"scikit-learn {sklearn.__version__}, NumPy {np.__version__}")
    for draw in (threshold, rare, prototypes, words):
        x, y, classes = draw()
        x = x if scipy.sparse.issparse(x) else x.astype(np.float64)
        train, test = slice(0, TRAIN), slice(TRAIN, None)
        accuracies = [
            DecisionTreeClassifier(random_state=seed).fit(x[train], y[train]).score(x[test], y[test])
            for seed in range(TREES)
        ]
        machine = LinearSVC(dual=True, random_state=0).fit(x[train], y[train])
        exact = LinearSVC(dual=True, random_state=0, tol=1e-10, max_iter=10**7)
        exact.fit(x[train], y[train])
        print(
            draw.__name__,
            f"ones {int(x.sum())}, label sum {int(y.sum())}",
            f"tree {np.mean(accuracies):.5f} (sd {np.std(accuracies, ddof=1):.5f})",
            f"svm {machine.score(x[test], y[test]):.5f}, {machine.n_iter_} epochs, objectives",
            *(f"{value:.4f}" for value in objective(machine, x[train], y[train], classes)),
            "to 1e-10:",
            *(f"{value:.4f}" for value in objective(exact, x[train], y[train], classes)),
        )


if __name__ == "__main__":
    main()
