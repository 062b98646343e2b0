"""What scikit-learn measures of classes and their probabilities, for the tests of src/task/probabilities.rs,
src/task/confusion.rs and tests/it/class_metrics.rs.

    python tests/reference/class_metrics.py

prints the metrics of small tables, then, for the examples of numeric_classifiers.py, those of each classifier.
scikit-learn 1.9.1, NumPy 2.4.6.
"""

import numpy as np
import sklearn
from numeric_classifiers import SETS, TRAIN, examples
from sklearn.dummy import DummyClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import average_precision_score, balanced_accuracy_score, brier_score_loss, cohen_kappa_score
from sklearn.metrics import f1_score, log_loss, matthews_corrcoef, roc_auc_score
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.tree import DecisionTreeClassifier

BINS = 15


def ece(p, y):
    """Guo, Pleiss, Sun and Weinberger 2017, equation (3); the intervals are open below and closed above."""
    confidence, right = p.max(axis=1), p.argmax(axis=1) == y
    total = 0.0
    for low in range(BINS):
        inside = (confidence > low / BINS) & (confidence <= (low + 1) / BINS)
        if inside.any():
            total += inside.mean() * abs(confidence[inside].mean() - right[inside].mean())
    return total


def of_probabilities(p, y):
    p, y = np.asarray(p), np.asarray(y)
    two = p.shape[1] == 2
    area = roc_auc_score(y, p[:, 1]) if two else roc_auc_score(y, p, multi_class="ovr", average="macro")
    brier = brier_score_loss(y, p[:, 1]) if two else brier_score_loss(y, p)
    ap = average_precision_score(y, p[:, 1]) if two else average_precision_score(np.eye(p.shape[1])[y], p, average="macro")
    return [log_loss(y, p), brier, ece(p, y), area, ap]


def of_classes(y, predicted):
    return [balanced_accuracy_score(y, predicted), f1_score(y, predicted, average="macro"),
            matthews_corrcoef(y, predicted), cohen_kappa_score(y, predicted)]


def show(name, numbers):
    print(name, *(repr(float(number)) for number in numbers))


if __name__ == "__main__":
    print(f"scikit-learn {sklearn.__version__}, NumPy {np.__version__}")
    show("classes", of_classes([0, 0, 1, 1, 1], [0, 1, 1, 1, 3]))
    p = [[0.9, 0.1], [0.4, 0.6], [0.35, 0.65], [0.2, 0.8], [0.4, 0.6], [1.0, 0.0]]
    show("two", of_probabilities(p, [0, 1, 0, 1, 0, 1]))
    p = [[0.5, 0.25, 0.25], [0.1, 0.7, 0.2], [0.3, 0.3, 0.4], [0.6, 0.3, 0.1], [0.2, 0.2, 0.6], [0.25, 0.5, 0.25]]
    show("three", of_probabilities(p, [0, 1, 2, 1, 2, 0]))
    for name, columns, classes in SETS:
        x, y = examples(columns, classes)
        train, test = (x[:TRAIN], y[:TRAIN]), (x[TRAIN:], y[TRAIN:])
        for method, model in [
            ("majority", DummyClassifier(strategy="prior")),
            ("gaussian-nb", GaussianNB()),
            ("logistic-regression", LogisticRegression(C=1.0, tol=1e-12, max_iter=10_000)),
            ("knn", KNeighborsClassifier(5, algorithm="brute")),
        ]:
            p = model.fit(*train).predict_proba(test[0])
            predicted = model.predict(test[0])
            show(f"{name} {method}", of_probabilities(p, test[1]) + of_classes(test[1], predicted))
        tree = DecisionTreeClassifier(random_state=0).fit(train[0][:, :1], train[1])
        p, predicted = tree.predict_proba(test[0][:, :1]), tree.predict(test[0][:, :1])
        show(f"{name} decision-tree one column", of_probabilities(p, test[1]) + of_classes(test[1], predicted))
