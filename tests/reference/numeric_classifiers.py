"""What scikit-learn's classifiers of numbers predict, for tests/it/numeric_reference.rs.

    python tests/reference/numeric_classifiers.py

makes the same examples as the test by the same generator and prints, for each set, one line a method: a checksum of
the predictions, the number of right ones and, of two classes, the decision function at the first test example. Of
trees, which depend on a random state where splits are equally good: the number of test examples about which fifty
trees agree, and the checksum and the number of right ones among these; a tree of one column has no such ties.
`balanced` ones have `class_weight = "balanced"`, and of the first class every fourth training example alone.
scikit-learn 1.9.1, NumPy 2.4.6; 1.7.2 and 2.2.6 print the same, and the balanced ones are theirs.
"""

import numpy as np
import sklearn
from sklearn.dummy import DummyClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier, NearestCentroid
from sklearn.svm import LinearSVC
from sklearn.tree import DecisionTreeClassifier

MASK = (1 << 64) - 1
TRAIN, TEST = 200, 300
# Name, columns, classes.
SETS = [("two", 3, 2), ("four", 5, 4)]


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


def examples(columns, classes):
    """Values around a centre a class, on a grid that single precision holds; a fifth of the labels are drawn anew."""
    random = XorShift(88172645463325252)
    centres = [[4 * random.uniform() for _ in range(columns)] for _ in range(classes)]
    rows, labels = [], []
    for _ in range(TRAIN + TEST):
        label = int(random.uniform() * classes)
        row = []
        for centre in centres[label]:
            noise = random.uniform() + random.uniform() + random.uniform() - 1.5
            row.append(np.floor(4096 * (centre + 1.5 * noise)) / 4096)
        rows.append(row)
        anew = random.uniform() < 0.2
        labels.append(int(random.uniform() * classes) if anew else label)
    return np.array(rows), np.array(labels)


def checksum(values):
    """FNV-1a over the values as bytes."""
    total = 14695981039346656037
    for value in values:
        total = (total ^ int(value)) * 1099511628211 & MASK
    return total


def main():
    print(f"scikit-learn {sklearn.__version__}, NumPy {np.__version__}")
    for name, columns, classes in SETS:
        x, y = examples(columns, classes)
        train, test = (x[:TRAIN], y[:TRAIN]), (x[TRAIN:], y[TRAIN:])
        kept = (train[1] != 0) | (np.arange(TRAIN) % 4 == 0)
        for method, model in [
            ("knn", KNeighborsClassifier(5, algorithm="brute")),
            ("linear-svm", LinearSVC(C=1.0, tol=1e-10, max_iter=1_000_000)),
            ("gaussian-nb", GaussianNB()),
            ("logistic-regression", LogisticRegression(C=1.0, tol=1e-12, max_iter=10_000)),
            ("nearest-centroid", NearestCentroid()),
            ("majority", DummyClassifier(strategy="most_frequent")),
            ("linear-svm balanced", LinearSVC(class_weight="balanced", tol=1e-10, max_iter=1_000_000)),
            ("logistic-regression balanced", LogisticRegression(class_weight="balanced", tol=1e-12, max_iter=10_000)),
        ]:
            given = (train[0][kept], train[1][kept]) if "balanced" in method else train
            predicted = model.fit(*given).predict(test[0])
            line = f"{name} {method} {checksum(predicted):#018x} {(predicted == test[1]).sum()}"
            if classes == 2 and method.startswith(("linear-svm", "logistic-regression")):
                line += f" {float(model.decision_function(test[0])[0])!r}"
            if classes == 2 and method == "gaussian-nb":
                joint = model.predict_joint_log_proba(test[0])[0]
                line += f" {float(joint[1] - joint[0])!r}"
            print(line)
        trees = [DecisionTreeClassifier(random_state=state).fit(*train) for state in range(50)]
        answers = np.array([tree.predict(test[0]) for tree in trees])
        agreed = (answers == answers[0]).all(axis=0)
        predicted = answers[0][agreed]
        right = (predicted == test[1][agreed]).sum()
        print(f"{name} decision-tree {agreed.sum()} {checksum(predicted):#018x} {right}")
        tree = DecisionTreeClassifier(random_state=0).fit(train[0][:, :1], train[1])
        predicted = tree.predict(test[0][:, :1])
        right = (predicted == test[1]).sum()
        print(f"{name} decision-tree one column {checksum(predicted):#018x} {right} {tree.tree_.node_count} {tree.get_depth()}")


if __name__ == "__main__":
    main()
