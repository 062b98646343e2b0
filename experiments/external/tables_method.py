"""Classifiers and regressions of scikit-learn for tables of numbers. `algorithm` names one; all other parameters are
scikit-learn's own, by its names."""

from sklearn.dummy import DummyClassifier, DummyRegressor
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier, KNeighborsRegressor, NearestCentroid
from sklearn.svm import LinearSVC
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

import reprise_method

ALGORITHMS = {
    "majority": DummyClassifier,
    "nearest-centroid": NearestCentroid,
    "gaussian-nb": GaussianNB,
    "logistic-regression": LogisticRegression,
    "linear-svm": LinearSVC,
    "knn": KNeighborsClassifier,
    "decision-tree": DecisionTreeClassifier,
    "mean": DummyRegressor,
    "ridge": Ridge,
    "knn-regression": KNeighborsRegressor,
    "regression-tree": DecisionTreeRegressor,
}


def fit(train, valid, parameters, seed):
    model = ALGORITHMS[parameters.pop("algorithm")](**parameters)
    if "random_state" in model.get_params():
        model.set_params(random_state=seed)
    model.fit(train.x, train.y)
    return lambda rows: model.predict(rows.x)


if __name__ == "__main__":
    reprise_method.run(fit=fit)
