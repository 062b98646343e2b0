"""Tests of estimator.py: `python src/program/estimator/test_estimator.py`. They need what requirements.txt lists."""

import importlib.util
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

import numpy as np
import pandas as pd
from sklearn.compose import make_column_selector, make_column_transformer
from sklearn.dummy import DummyClassifier
from sklearn.ensemble import HistGradientBoostingClassifier, RandomForestClassifier
from sklearn.linear_model import ElasticNet, Lasso, LogisticRegression
from sklearn.naive_bayes import BernoulliNB, GaussianNB
from sklearn.neural_network import MLPClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler
from sklearn.svm import SVC, LinearSVC

HERE = os.path.dirname(os.path.abspath(__file__))
CLIENTS = os.path.join(HERE, "../../../clients")
sys.path.insert(0, CLIENTS)

from fake_harness import HandOver, Method  # noqa: E402

FOLDER = tempfile.TemporaryDirectory()
PROGRAM = os.path.join(FOLDER.name, "estimator.py")
# What `code` of a method names.
OWN = os.path.join(FOLDER.name, "own")
THREADS = """
import numpy as np
from sklearn.base import BaseEstimator, RegressorMixin


class Threads(RegressorMixin, BaseEstimator):
    def __init__(self, n_jobs=None):
        self.n_jobs = n_jobs

    def fit(self, x, y):
        return self

    def predict(self, x):
        return np.full(len(x), float(self.n_jobs))
"""


def setUpModule():
    shutil.copy(os.path.join(HERE, "estimator.py"), PROGRAM)
    shutil.copy(os.path.join(CLIENTS, "python/reprise_method.py"), FOLDER.name)
    os.mkdir(OWN)
    with open(os.path.join(OWN, "own.py"), "w", encoding="utf-8") as file:
        file.write(THREADS)
    subprocess.run([sys.executable, PROGRAM, "--names"], check=True)


def tearDownModule():
    FOLDER.cleanup()


def numbers():
    """Rows of numbers with their targets and their classes."""
    random = np.random.default_rng(7)
    x = {batch: random.normal(size=(rows, 4)) for batch, rows in (("train", 150), ("valid", 40), ("test", 60))}
    target = {batch: rows @ [1.0, -2.0, 0.5, 0.0] + random.normal(size=len(rows)) for batch, rows in x.items()}
    return x, target, {batch: np.digitize(values, [-1.0, 1.0]) for batch, values in target.items()}


def words(variables=100, share=0.05):
    """Sparse rows of 0 and 1 of three classes, which a few variables tell apart."""
    random = np.random.default_rng(5)
    x, y = {}, {}
    for batch, rows in (("train", 150), ("valid", 40), ("test", 60)):
        y[batch] = random.integers(0, 3, rows)
        shares = np.full((rows, variables), share)
        for c in range(3):
            shares[np.ix_(y[batch] == c, range(4 * c, 4 * c + 4))] = 0.9
        x[batch] = (random.random((rows, variables)) < shares).astype("u1")
    return x, y


class Case(unittest.TestCase):
    def start(self, source, *data, threads=1, code=None, **options):
        folder = tempfile.mkdtemp(dir=FOLDER.name)
        hand_over = HandOver(os.path.join(folder, "data"), *data, **options)
        return Method([sys.executable, PROGRAM, source], hand_over, folder, threads=threads, code=code)


class Answers(Case):
    """Each answer is plain scikit-learn's on the same rows, to the last bit."""

    def same(self, source, model, parameters=None, gives="labels"):
        x, target, label = numbers()
        y = target if gives == "values" else label
        model.set_params(**parameters or {})
        seeded = {name: 11 for name, value in model.get_params().items() if name.endswith("random_state") and value is None}
        model.set_params(**seeded).fit(x["train"], y["train"])
        with self.start(source, x, y, classes="abc", kind="numeric", gives=gives) as method:
            found = method.answers(parameters, seed=11)["test"]
        predict = {"probabilities": "predict_proba", "scores": "decision_function"}.get(gives, "predict")
        expected = getattr(model, predict)(x["test"])
        np.testing.assert_array_equal(found, expected)
        return expected

    def test_classifiers(self):
        self.same("RandomForestClassifier(n_estimators=20)", RandomForestClassifier(n_estimators=20))
        self.same("RandomForestClassifier(20)", RandomForestClassifier(20), gives="probabilities")
        boosting = HistGradientBoostingClassifier(max_iter=20)
        self.same("HistGradientBoostingClassifier(max_iter=20)", boosting, {"learning_rate": 0.2}, "probabilities")
        self.same("SVC()", SVC(), {"C": 10, "gamma": "scale"})
        self.same("SVC(probability=True)", SVC(probability=True), {"gamma": 0.01}, "probabilities")
        self.same("MLPClassifier((8,), max_iter=50)", MLPClassifier((8,), max_iter=50), {"alpha": 0.01})
        self.same("sklearn.linear_model.LogisticRegression(C=-1)", LogisticRegression(), {"C": 2.0})
        self.same("GaussianNB()", GaussianNB())

    def test_scores_are_decision_values_where_there_are_no_probabilities(self):
        self.same("SVC()", SVC(), {"C": 10}, "scores")
        self.same("make_pipeline(StandardScaler(), LinearSVC())", make_pipeline(StandardScaler(), LinearSVC()), gives="scores")
        x, _, y = numbers()
        forest = RandomForestClassifier(5, random_state=1).fit(x["train"], y["train"])
        with self.start("RandomForestClassifier(5)", x, y, classes="abc", kind="numeric", gives="scores") as method:
            np.testing.assert_array_equal(method.answers()["test"], forest.predict_proba(x["test"]))

    def test_scores_of_two_classes_and_of_one_without_training_rows(self):
        x, _, y = numbers()
        y = {batch: 2 * (labels > 0) for batch, labels in y.items()}
        of_two = LinearSVC(random_state=1).fit(x["train"], y["train"]).decision_function(x["test"])
        with self.start("LinearSVC()", x, y, classes="abc", kind="numeric", gives="scores") as method:
            found = method.answers()["test"]
        np.testing.assert_array_equal(found[:, [0, 2]], np.stack([-of_two, of_two], axis=1))
        self.assertTrue((found[:, 1] < found.min(axis=1, initial=0, where=[True, False, True])).all())

    def test_regressors(self):
        self.same("Lasso(alpha=0.1)", Lasso(alpha=0.1), gives="values")
        self.same("ElasticNet(selection='random')", ElasticNet(selection="random"), {"l1_ratio": 0.3}, "values")

    def test_pipelines(self):
        parameters = {"svc__C": 10, "svc__gamma": "scale"}
        self.same("make_pipeline(StandardScaler(), SVC())", make_pipeline(StandardScaler(), SVC()), parameters)
        forest = make_pipeline(StandardScaler(), RandomForestClassifier(5))
        self.same(" make_pipeline(\nStandardScaler(), RandomForestClassifier(5))", forest, gives="probabilities")

    @unittest.skipUnless(importlib.util.find_spec("lightgbm"), "no lightgbm")
    def test_another_package(self):
        from lightgbm import LGBMClassifier

        self.same("lightgbm.LGBMClassifier(n_estimators=10)", LGBMClassifier(n_estimators=10, n_jobs=1), {"num_leaves": 7})

    def test_a_class_of_ones_own_files_gets_the_threads_of_the_method(self):
        x, y, _ = numbers()
        for threads in (1, 3):
            with self.start("own.Threads()", x, y, kind="numeric", gives="values", threads=threads, code=OWN) as method:
                self.assertEqual(set(method.answers()["test"]), {threads})
        within = "make_pipeline(StandardScaler(), own.Threads(n_jobs=2))"
        with self.start(within, x, y, kind="numeric", gives="values", threads=4, code=OWN) as method:
            self.assertEqual(set(method.answers()["test"]), {4})

    def test_sparse_rows(self):
        from scipy.sparse import csr_array

        x, y = words()
        rows = {batch: csr_array(values).astype(float) for batch, values in x.items()}
        for source, model, takes in [
            ("BernoulliNB()", BernoulliNB(), True),
            ("LinearSVC()", LinearSVC(random_state=3), True),
            ("GaussianNB()", GaussianNB(), False),
        ]:
            with self.subTest(source), self.start(source, x, y, classes="abc", sparse=True) as method:
                given = {batch: values if takes else values.toarray() for batch, values in rows.items()}
                expected = model.fit(given["train"], y["train"]).predict(given["test"])
                np.testing.assert_array_equal(method.answers({}, seed=3)["test"], expected)

    def test_names_are_one_hot(self):
        random = np.random.default_rng(2)
        x = {batch: random.integers(-1, 3, (rows, 2)) for batch, rows in (("train", 90), ("valid", 5), ("test", 20))}
        y = {batch: (rows[:, 0] == rows[:, 1]).astype(int) for batch, rows in x.items()}
        hot = {b: np.hstack([rows[:, [i]] == [0, 1, 2, -1] for i in range(2)]).astype(float) for b, rows in x.items()}
        task = {"values": [3, 3], "missing": -1}
        with self.start("SVC()", x, y, kind="categorical", task=task) as method:
            expected = SVC().fit(hot["train"], y["train"]).predict(hot["test"])
            np.testing.assert_array_equal(method.answers()["test"], expected)

    def test_a_frame_has_the_names_the_categories_and_the_gaps_of_the_table(self):
        random = np.random.default_rng(4)
        names, rows = ["aft", "mid", "fore"], (("train", 90), ("valid", 5), ("test", 20))
        x = {b: np.stack([random.integers(0, 2, n), random.normal(size=n)], axis=1) for b, n in rows}
        y = {batch: (rows[:, 0] > (rows[:, 1] > 0)).astype(int) for batch, rows in x.items()}
        for rows in x.values():
            rows[::5, 0] = rows[1::5, 1] = np.nan
        # A row that is tested has a name that none has that trains.
        x["test"][2, 0] = 2

        def frame(rows):
            deck = pd.Series([None if np.isnan(code) else names[int(code)] for code in rows[:, 0]])
            return pd.DataFrame({"deck": deck.astype(pd.CategoricalDtype(names)), "age, in years": rows[:, 1]})

        columns = make_column_transformer(
            (OneHotEncoder(handle_unknown="ignore"), ["deck"]),
            (StandardScaler(), make_column_selector(dtype_include="number")),
        )
        by_name = make_pipeline(columns, HistGradientBoostingClassifier(random_state=1))
        task = {"columns": ["deck", "age, in years"], "categories": [names, None]}
        for source, model in [
            ("HistGradientBoostingClassifier()", HistGradientBoostingClassifier(random_state=1)),
            (
                "make_pipeline(make_column_transformer((OneHotEncoder(handle_unknown='ignore'), ['deck']), "
                "(StandardScaler(), make_column_selector(dtype_include='number'))), HistGradientBoostingClassifier())",
                by_name,
            ),
        ]:
            model.fit(frame(x["train"]), y["train"])
            expected = model.predict_proba(frame(x["test"]))
            with self.start(source, x, y, kind="table", gives="probabilities", task=task) as method:
                np.testing.assert_array_equal(method.answers()["test"], expected)

    def test_a_class_without_training_rows_is_impossible(self):
        x, y = words()
        y = {batch: labels + (labels > 0) for batch, labels in y.items()}
        with self.start("BernoulliNB()", x, y, classes="abcd", gives="probabilities") as method:
            found = method.answers()["test"]
        np.testing.assert_array_equal(found[:, 1], 0)


class Mistakes(Case):
    """No rows: reprise asks whether an estimator could be."""

    def says(self, source, parameters=None, gives="labels"):
        x = {"train": np.empty((0, 1))}
        y = {"train": np.empty(0)}
        with self.start(source, x, y, classes="ab", kind="numeric", gives=gives) as method:
            reply, _ = method.ask(parameters, answer=())
        return reply.get("error", "fine").removeprefix("EstimatorError: ")

    def test_what_is_fine(self):
        for source in ["SVC()", "HistGradientBoostingClassifier(categorical_features=[0])", "SVC(degree=3, coef0=-1.5)"]:
            self.assertEqual(self.says(source), "fine", source)
        columns = "make_pipeline(make_column_transformer((StandardScaler(), [0]), remainder='drop'), SVC())"
        self.assertEqual(self.says(columns, {"svc__C": 2, "columntransformer__n_jobs": 1}), "fine")
        self.assertEqual(self.says("SVC(class_weight={0: 1.0, 1: 2.0}, C=1)"), "fine")
        if importlib.util.find_spec("lightgbm"):
            self.assertEqual(self.says("lightgbm.LGBMClassifier(n_estimators=10)", gives="probabilities"), "fine")

    def test_every_mistake_says_what_was_expected(self):
        said = [
            f"{source} {parameters or ''}{gives if gives != 'labels' else ''}\n{self.says(source, parameters, gives)}\n"
            for source, parameters, gives in MISTAKES
        ]
        # scikit-learn lists what is allowed in an order of its own each time.
        in_order = lambda words: "{" + ", ".join(sorted(words[1].split(", "))) + "}"
        said = [re.sub(r"\{([^{}]*)\}", in_order, text) for text in said]
        path = os.path.join(HERE, "mistakes.txt")
        if os.environ.get("REPRISE_UPDATE_GOLDEN"):
            with open(path, "w", encoding="utf-8") as file:
                file.write("\n".join(said))
        with open(path, encoding="utf-8") as file:
            self.assertEqual("\n".join(said), file.read())

    def test_nothing_is_evaluated(self):
        left = os.path.join(FOLDER.name, "left")
        for source in [f"open({left!r}, 'w')", f"os.mkdir({left!r})", f"__import__('os').mkdir({left!r})"]:
            self.assertNotEqual(self.says(source), "fine")
            self.assertFalse(os.path.exists(left))


MISTAKES = [
    ("RandomForestClasifier()", None, "labels"),
    ("LGBMClassifier()", None, "labels"),
    ("lightgbmm.LGBMClassifier()", None, "labels"),
    ("sklearn.svm.SVM()", None, "labels"),
    ("lambda: SVC()", None, "labels"),
    ("__import__('os').system('ls')", None, "labels"),
    ("os.system('ls')", None, "labels"),
    ("collections.OrderedDict()", None, "labels"),
    ("SVC(kernel=f'{1}')", None, "labels"),
    ("SVC(C=2 ** 3)", None, "labels"),
    ("SVC(C=1", None, "labels"),
    ("SVC", None, "labels"),
    ("make_pipeline(StandardScaler, SVC())", None, "labels"),
    ("[SVC()]", None, "labels"),
    ("SVC(gama=1)", None, "labels"),
    ("SVC(**{'C': 1})", None, "labels"),
    ("SVC(1, 2)", None, "labels"),
    ("SVC()", {"n_estimators": 5}, "labels"),
    ("make_pipeline(StandardScaler(), SVC())", {"svm__C": 1}, "labels"),
    ("SVC()", {"C": -1.0}, "labels"),
    ("SVC()", {"kernel": "gauss"}, "labels"),
    ("Lasso()", None, "labels"),
    ("SVC()", None, "values"),
    ("KMeans()", None, "labels"),
    ("LinearSVC()", None, "probabilities"),
    ("NearestCentroid(metric='manhattan')", None, "scores"),
    ("SVC()", {"decision_function_shape": "ovo"}, "scores"),
    ("", None, "labels"),
]

if __name__ == "__main__":
    unittest.main()
