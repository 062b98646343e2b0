"""Accuracies of scikit-learn on Polarity, fold by fold, beside those of results/evm/table2.

    python tests/reference/polarity.py

reads the reviews from the mirror folder in REPRISE_MIRROR. Words are those of the training reviews of a fold, in
binary rows; settings are those of section 5.1 of the EVM paper: BernoulliNB(alpha=0.1), all else as it comes, the SVM
by dual coordinate descent for at most 1,000 epochs. docs/papers/evm-classification.md quotes the means.
"""

import csv
import os
import sys
import warnings

import numpy as np
import sklearn
from classification_data import load
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.naive_bayes import BernoulliNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.svm import LinearSVC
from sklearn.tree import DecisionTreeClassifier

METHODS = {
    "NB": lambda: BernoulliNB(alpha=0.1),
    "DT": lambda: DecisionTreeClassifier(random_state=0),
    "SVM": lambda: LinearSVC(dual=True, random_state=0),
    "5-NN": lambda: KNeighborsClassifier(n_neighbors=5, algorithm="brute"),
}


def ours():
    root = os.path.dirname(os.path.abspath(__file__))
    found = {method: [None] * 10 for method in METHODS}
    with open(os.path.join(root, "../../results/evm/table2/trials.csv")) as file:
        for row in csv.DictReader(file):
            if row["dataset"] == "polarity" and row["method"] in METHODS and not row["choice"]:
                found[row["method"]][int(row["fold"])] = float(row["test_accuracy"])
    return found


def main():
    warnings.simplefilter("ignore")
    documents, _, folds, _ = load("polarity")
    texts = np.array([text for _, text in documents], dtype=object)
    labels = np.array([label for label, _ in documents])
    folds = np.array(folds)
    accuracies = {method: [] for method in METHODS}
    for fold in range(10):
        train, test = folds != fold, folds == fold
        words = CountVectorizer(binary=True)
        rows, others = words.fit_transform(texts[train]), words.transform(texts[test])
        for method, make in METHODS.items():
            model = make().fit(rows, labels[train])
            accuracies[method].append(model.score(others, labels[test]))
    print(f"scikit-learn {sklearn.__version__}, NumPy {np.__version__}", file=sys.stderr)
    for method, mine in ours().items():
        print(f"{method}: scikit-learn {np.mean(accuracies[method]):.4f}, ours {np.mean(mine):.4f}")
        print("  " + " ".join(f"{value:.3f}" for value in accuracies[method]))
        print("  " + " ".join(f"{value:.3f}" for value in mine))


if __name__ == "__main__":
    main()
