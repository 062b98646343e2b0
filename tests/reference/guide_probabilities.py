"""scikit-learn on Anneal, in the folds of OpenML's task 1: beside experiments/guide/probabilities.toml.

    python tests/reference/guide_probabilities.py MIRROR

reads the ARFF files of the mirror by itself, fills and encodes the training part of each fold as `missing = "category"`
and `standardised = true` say, and prints for each method the mean over the folds of accuracy, balanced accuracy,
macro F1, log-loss, Brier score and calibration error. scikit-learn 1.9.1, NumPy 2.4.6.
"""

import pathlib
import re
import sys
import warnings

import numpy as np
from class_metrics import ece
from sklearn.dummy import DummyClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import accuracy_score, balanced_accuracy_score, f1_score, log_loss
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier

FOLDER = "raw.githubusercontent.com/openml/openml-python/c62bf514af6911ad91c0b7647bb70f9a4caa15ee/tests/files/org/openml/test"


def data(path):
    """Types and rows. Values of Anneal hold neither quotes nor commas."""
    lines = [line.strip() for line in path.read_text().splitlines()]
    start = [line.lower() for line in lines].index("@data")
    types = [re.sub(r"^@attribute\s+('[^']*'|\S+)\s+", "", line) for line in lines if line.startswith("@attribute")]
    return types, [line.split(",") for line in lines[start + 1 :] if line and not line.startswith("%")]


def columns(types, rows, train):
    made = []
    for at, of in enumerate(types[:-1]):
        values = np.array([row[at] for row in rows])
        missing = values == "?"
        if of == "real":
            numbers = np.where(missing, "nan", values).astype(float)
            numbers[missing] = np.nanmedian(numbers[train])
            sd = numbers[train].std()
            made.append((numbers - numbers[train].mean()) / (sd if sd > 0 else 1))
            if missing[train].any():
                made.append(missing.astype(float))
        else:
            made += [(values == name).astype(float) for name in sorted(set(values[train]))]
    return np.array(made).T


def main(mirror):
    warnings.simplefilter("ignore")
    types, rows = data(pathlib.Path(mirror) / FOLDER / "datasets/2/dataset.arff")
    _, splits = data(pathlib.Path(mirror) / FOLDER / "tasks/1/datasplits.arff")
    fold_of = np.empty(len(rows), int)
    for kind, row, _, fold in splits:
        if kind == "TEST":
            fold_of[int(row)] = int(fold)
    names = sorted({row[-1] for row in rows})
    y = np.array([names.index(row[-1]) for row in rows])
    for name, model in [
        ("majority", DummyClassifier(strategy="prior")),
        ("GNB", GaussianNB()),
        ("logistic", LogisticRegression(C=1.0, tol=1e-10, max_iter=10_000)),
        ("5-NN", KNeighborsClassifier(5, algorithm="brute")),
    ]:
        found = []
        for fold in range(10):
            train, test = np.flatnonzero(fold_of != fold), np.flatnonzero(fold_of == fold)
            x = columns(types, rows, train)
            p = model.fit(x[train], y[train]).predict_proba(x[test])
            truth, predicted = y[test], p.argmax(axis=1)
            brier = ((p - np.eye(5)[truth]) ** 2).sum(axis=1).mean()
            own = log_loss(truth, p, labels=range(5))
            f1 = f1_score(truth, predicted, average="macro")
            balanced = balanced_accuracy_score(truth, predicted)
            found.append([accuracy_score(truth, predicted), balanced, f1, own, brier, ece(p, truth)])
        print(name, *(f"{value:.6f}" for value in np.mean(found, axis=0)))


if __name__ == "__main__":
    main(sys.argv[1])
