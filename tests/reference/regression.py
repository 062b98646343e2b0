"""What scikit-learn's regressions predict, for tests/it/regression_reference.rs.

    python tests/reference/regression.py

makes the same examples as the test by the same generator and prints, for each method, its predictions for the first two
test examples, and RMSE, MAE and R² over all of them. Of trees, which depend on a random state where splits are equally
good: the number of test examples about which fifty trees agree, and the mean of their predictions for these; a tree of
one column has no such ties. scikit-learn 1.9.1, NumPy 2.4.6.
"""

import numpy as np
import sklearn
from numeric_classifiers import XorShift
from sklearn.dummy import DummyRegressor
from sklearn.linear_model import Ridge
from sklearn.metrics import mean_absolute_error, r2_score, root_mean_squared_error
from sklearn.neighbors import KNeighborsRegressor
from sklearn.tree import DecisionTreeRegressor

TRAIN, TEST = 200, 300
COLUMNS = 4


def examples(columns):
    """Values on a grid that single precision holds; targets of two products, with noise."""
    random = XorShift(88172645463325252)
    rows, targets = [], []
    for _ in range(TRAIN + TEST):
        row = [np.floor(4096 * (4 * random.uniform() + column)) / 4096 for column in range(columns)]
        noise = random.uniform() + random.uniform() + random.uniform() - 1.5
        target = 3 * row[0] - row[1] * row[1] + row[2] * row[3] + 2 * noise
        rows.append(row)
        targets.append(np.floor(4096 * target) / 4096)
    return np.array(rows), np.array(targets)


def report(name, model, train, test):
    predicted = model.fit(*train).predict(test[0])
    rmse, mae = root_mean_squared_error(test[1], predicted), mean_absolute_error(test[1], predicted)
    numbers = [predicted[0], predicted[1], rmse, mae, r2_score(test[1], predicted)]
    print(name, *(repr(float(number)) for number in numbers))
    return model


if __name__ == "__main__":
    print(f"scikit-learn {sklearn.__version__}, NumPy {np.__version__}")
    x, y = examples(COLUMNS)
    train, test = (x[:TRAIN], y[:TRAIN]), (x[TRAIN:], y[TRAIN:])
    report("mean", DummyRegressor(), train, test)
    report("ridge 1", Ridge(alpha=1.0), train, test)
    report("ridge 100", Ridge(alpha=100.0), train, test)
    report("knn 5", KNeighborsRegressor(5, algorithm="brute"), train, test)
    report("knn 1", KNeighborsRegressor(1, algorithm="brute"), train, test)
    # More columns than training examples.
    wide, targets = examples(40)
    report("ridge wide", Ridge(alpha=2.0), (wide[:30], targets[:30]), (wide[TRAIN:], targets[TRAIN:]))
    first = (train[0][:, :1], train[1]), (test[0][:, :1], test[1])
    for least in (1, 7):
        tree = report(f"tree one column {least}", DecisionTreeRegressor(random_state=0, min_samples_leaf=least), *first)
        print(f"  {tree.tree_.node_count} {tree.get_depth()}")
    trees = [DecisionTreeRegressor(random_state=state).fit(*train) for state in range(50)]
    answers = np.array([tree.predict(test[0]) for tree in trees])
    agreed = np.ptp(answers, axis=0) < 1e-9
    print("trees agree", agreed.sum(), repr(float(answers[0][agreed].mean())))
