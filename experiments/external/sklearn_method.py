"""Classifiers of scikit-learn. `algorithm` names one; all other parameters are scikit-learn's own, by its names."""

import numpy as np
from sklearn.ensemble import GradientBoostingClassifier, RandomForestClassifier
from sklearn.naive_bayes import BernoulliNB, GaussianNB, MultinomialNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.svm import LinearSVC
from sklearn.tree import DecisionTreeClassifier

import reprise_method

ALGORITHMS = {
    "bernoulli-nb": BernoulliNB,
    "multinomial-nb": MultinomialNB,
    "gaussian-nb": GaussianNB,
    "linear-svm": LinearSVC,
    "decision-tree": DecisionTreeClassifier,
    "knn": KNeighborsClassifier,
    "random-forest": RandomForestClassifier,
    "gradient-boosting": GradientBoostingClassifier,
}


def values(rows, model):
    """The rows in double precision, dense where the model takes nothing else."""
    if rows.kind == "categorical":
        raise ValueError("codes of categorical values are no numbers")
    dense = isinstance(model, GaussianNB) and not isinstance(rows.x, np.ndarray)
    return (rows.x.toarray() if dense else rows.x).astype(np.float64)


def fit(train, valid, parameters, seed):
    algorithm = parameters.pop("algorithm")
    if algorithm not in ALGORITHMS:
        raise ValueError(f"algorithm is one of {', '.join(ALGORITHMS)}, not {algorithm}")
    model = ALGORITHMS[algorithm](**parameters)
    if "random_state" in model.get_params():
        model.set_params(random_state=seed)
    model.fit(values(train, model), train.y)
    if hasattr(model, "tree_"):
        reprise_method.report("nodes", model.tree_.node_count)
    if isinstance(model, LinearSVC):
        reprise_method.report("epochs", int(np.max(model.n_iter_)))

    def predict(rows):
        if rows.gives == "labels":
            return model.predict(values(rows, model))
        # A class without training rows has no column of scikit-learn's.
        probabilities = np.zeros((len(rows), len(rows.classes)))
        probabilities[:, model.classes_] = model.predict_proba(values(rows, model))
        return probabilities

    return predict


if __name__ == "__main__":
    reprise_method.run(fit=fit, sparse=True)
