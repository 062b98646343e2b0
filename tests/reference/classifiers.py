"""Predictions of scikit-learn's naive Bayes and nearest neighbours for tests/it/classifiers_reference.rs.

    python tests/reference/classifiers.py

makes the same examples as the test by the same generator and prints, for each set of examples, one line a
method: a checksum of the predictions (for neighbours: of the queries without a tie at the boundary),
its accuracy and, for neighbours, how many queries have such a tie. scikit-learn 1.9.1, NumPy 2.4.6.
"""

import numpy as np
import sklearn
from sklearn.naive_bayes import BernoulliNB
from sklearn.neighbors import KNeighborsClassifier

MASK = (1 << 64) - 1
TRAIN, TEST = 400, 300
# Name, variables, classes, the share of ones at the lowest and the highest level.
SETS = [
    ("dense", 60, 2, 0.30, 0.70),
    ("classes", 100, 7, 0.05, 0.50),
    ("wide", 3000, 4, 0.001, 0.02),
    ("few", 12, 3, 0.20, 0.80),
    ("long", 2000, 3, 0.45, 0.55),
]


class XorShift:
    """Marsaglia's xorshift64*, with the multiplier 2685821657736338717."""

    def __init__(self, seed):
        self.state = seed

    def uniform(self):
        x = self.state
        x ^= x >> 12
        x = (x ^ (x << 25)) & MASK
        x ^= x >> 27
        self.state = x
        return ((x * 2685821657736338717 & MASK) >> 11) / 2.0**53


def examples(variables, classes, low, high):
    """Each class has a level for each variable; a third of the labels are drawn anew."""
    random = XorShift(88172645463325252)
    levels = [
        [low + (high - low) * random.uniform() for _ in range(variables)] for _ in range(classes)
    ]
    rows, labels = [], []
    for _ in range(TRAIN + TEST):
        label = int(random.uniform() * classes)
        rows.append([random.uniform() < level for level in levels[label]])
        anew = random.uniform() < 1 / 3
        labels.append(int(random.uniform() * classes) if anew else label)
    return np.array(rows, dtype=np.float64), np.array(labels)


def checksum(values):
    """FNV-1a over the values as bytes."""
    total = 14695981039346656037
    for value in values:
        total = (total ^ int(value)) * 1099511628211 & MASK
    return f"{total:016x}"


def main():
    print(f"scikit-learn {sklearn.__version__}, NumPy {np.__version__}")
    for name, variables, classes, low, high in SETS:
        x, y = examples(variables, classes, low, high)
        train, labels, test, truth = x[:TRAIN], y[:TRAIN], x[TRAIN:], y[TRAIN:]
        for alpha in (1.0, 0.1, 0.01):
            found = BernoulliNB(alpha=alpha).fit(train, labels).predict(test)
            print(name, f"alpha={alpha}", checksum(found), f"{np.sum(found == truth)}")
        for k in (5, 1):
            found = KNeighborsClassifier(n_neighbors=k).fit(train, labels).predict(test)
            distances = np.sort((test[:, None, :] != train[None, :, :]).sum(axis=2), axis=1)
            tied = distances[:, k] == distances[:, k - 1]
            print(name, f"k={k}", checksum(found[~tied]), f"{np.sum((found == truth)[~tied])}",
                  f"ties={np.sum(tied)}")


if __name__ == "__main__":
    main()
