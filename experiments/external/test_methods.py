"""Tests of the methods of this folder: `python experiments/external/test_methods.py`.

Those of scikit-learn need what requirements.txt lists, those of densities what requirements-density.txt lists.
"""

import importlib.util
import itertools
import json
import os
import sys
import tempfile
import unittest

import numpy as np

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.join(HERE, "../../clients")]

from fake_harness import HandOver, Method  # noqa: E402

NEEDS = {"sklearn": "requirements.txt", "deeprob": "requirements-density.txt"}
MISSING = {name: file for name, file in NEEDS.items() if importlib.util.find_spec(name) is None}


class Case(unittest.TestCase):
    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.folder = temporary.name

    def start(self, script, *arguments, **named):
        folder = tempfile.mkdtemp(dir=self.folder)
        hand_over = HandOver(os.path.join(folder, "data"), *arguments, **named)
        return Method([sys.executable, os.path.join(HERE, script)], hand_over, folder)


def drawn(variables, share):
    """Rows of three classes, which a few variables tell apart."""
    random = np.random.default_rng(5)
    x, y = {}, {}
    for batch, rows in (("train", 150), ("valid", 40), ("test", 60)):
        y[batch] = random.integers(0, 3, rows)
        shares = np.full((rows, variables), share)
        for c in range(3):
            shares[np.ix_(y[batch] == c, range(4 * c, 4 * c + 4))] = 0.9
        x[batch] = (random.random((rows, variables)) < shares).astype("u1")
    return x, y


@unittest.skipIf("sklearn" in MISSING, "no scikit-learn")
class Classifiers(Case):
    FEW = {"random-forest": {"n_estimators": 10}, "gradient-boosting": {"n_estimators": 5}, "knn": {"n_neighbors": 5}}

    def model(self, algorithm, parameters, seed):
        import sklearn_method

        model = sklearn_method.ALGORITHMS[algorithm](**parameters)
        return model.set_params(random_state=seed) if "random_state" in model.get_params() else model

    def test_answers_are_those_of_scikit_learn(self):
        import sklearn_method
        from scipy.sparse import csr_matrix

        for sparse, (x, y) in ((False, drawn(20, 0.3)), (True, drawn(100, 0.03))):
            options = {"classes": "abc", "sparse": sparse}
            with self.start("sklearn_method.py", x, y, **options) as labels, self.start(
                "sklearn_method.py", x, y, gives="probabilities", **options
            ) as probabilities:
                for algorithm in sklearn_method.ALGORITHMS:
                    with self.subTest(algorithm, sparse=sparse):
                        own = self.FEW.get(algorithm, {})
                        asked = {"parameters": {"algorithm": algorithm, **own}, "seed": 11}
                        rows = {batch: values.astype(float) for batch, values in x.items()}
                        if sparse and algorithm != "gaussian-nb":
                            rows = {batch: csr_matrix(values) for batch, values in rows.items()}
                        model = self.model(algorithm, own, 11).fit(rows["train"], y["train"])
                        found = labels.answers(**asked)["test"]
                        np.testing.assert_array_equal(found, model.predict(rows["test"]))
                        self.assertGreater((found == y["test"]).mean(), 0.6)
                        if algorithm == "linear-svm":
                            continue
                        found = probabilities.answers(**asked)["test"]
                        np.testing.assert_array_equal(found, model.predict_proba(rows["test"]))

    def test_naive_bayes_is_that_of_the_counts(self):
        (x, y), alpha = drawn(20, 0.3), 0.1
        with self.start("sklearn_method.py", x, y, classes="abc", gives="probabilities") as method:
            found = method.answers({"algorithm": "bernoulli-nb", "alpha": alpha})["test"]
        scores = []
        for c in range(3):
            rows = x["train"][y["train"] == c].astype(float)
            share = (rows.sum(axis=0) + alpha) / (len(rows) + 2 * alpha)
            logs = np.where(x["test"] == 1, np.log(share), np.log(1 - share))
            scores.append(np.log(len(rows) / 150) + logs.sum(axis=1))
        scores = np.array(scores).T
        expected = np.exp(scores - np.logaddexp.reduce(scores, axis=1, keepdims=True))
        np.testing.assert_allclose(found, expected, rtol=1e-9)

    def test_a_class_without_training_rows_is_impossible(self):
        x, y = drawn(20, 0.3)
        classes = "abcd"
        y = {batch: labels + (labels > 0) for batch, labels in y.items()}
        for gives in ("labels", "probabilities"):
            with self.start("sklearn_method.py", x, y, classes=classes, gives=gives) as method:
                found = method.answers({"algorithm": "bernoulli-nb"})["test"]
            if gives == "labels":
                self.assertEqual(set(found), {0, 2, 3})
            else:
                np.testing.assert_array_equal(found[:, 1], 0)

    def test_errors_and_counts(self):
        x, y = drawn(20, 0.3)
        with self.start("sklearn_method.py", x, y, classes="abc") as method:
            for parameters, word in [
                ({"algorithm": "forest"}, "algorithm is one of bernoulli-nb, "),
                ({"algorithm": "knn", "k": 5}, "unexpected keyword argument 'k'"),
                ({}, "'algorithm'"),
            ]:
                self.assertIn(word, method.ask(parameters)[0]["error"])
            for algorithm, name in [("decision-tree", "nodes"), ("linear-svm", "epochs")]:
                _, out = method.ask({"algorithm": algorithm})
                with open(os.path.join(out, "metrics.json"), encoding="utf-8") as file:
                    self.assertGreater(json.load(file)[name], 1)


def trees(n):
    """The edges of each tree on n nodes, by its Prüfer sequence."""
    for sequence in itertools.product(range(n), repeat=n - 2):
        degrees = np.bincount(sequence, minlength=n) + 1
        edges = []
        for node in sequence:
            leaf = int(np.flatnonzero(degrees == 1)[0])
            edges.append((leaf, node))
            degrees[[leaf, node]] -= 1
        yield [*edges, tuple(np.flatnonzero(degrees == 1).tolist())]


def tree_logs(edges, weights, states):
    """Logarithms of the probabilities of all states in a tree whose pairs have the shares of `weights`."""

    def shares(variables):
        logs = np.empty(len(states))
        for values in itertools.product((0, 1), repeat=len(variables)):
            rows = (states[:, variables] == values).all(axis=1)
            logs[rows] = np.log(weights[rows].sum() / weights.sum())
        return logs

    neighbours = np.bincount(np.ravel(edges), minlength=states.shape[1])
    logs = sum(shares(list(edge)) for edge in edges)
    return logs - sum((count - 1) * shares([v]) for v, count in enumerate(neighbours))


@unittest.skipIf("deeprob" in MISSING, "no deeprob-kit")
class Densities(Case):
    def dependent(self, variables, rows=400):
        """Rows of a mixture of two chains, and all states as the test rows."""
        random = np.random.default_rng(6)
        x = np.empty((rows, variables), "u1")
        x[:, 0] = random.random(rows) < 0.4
        kind = random.random(rows) < 0.5
        for v in range(1, variables):
            x[:, v] = x[:, v - 1] ^ (random.random(rows) < np.where(kind, 0.1, 0.6))
        states = np.array(list(itertools.product((0, 1), repeat=variables)), "u1")
        return {"train": x, "test": states}

    def answers(self, x, parameters, seed=1):
        with self.start("density_method.py", x, gives="log-likelihoods") as method:
            return method.answers(parameters, seed=seed, answer=("test", "again"))["test"]

    def test_the_chow_liu_tree_is_the_best_of_all_trees(self):
        x, alpha = self.dependent(5), 0.25
        states = x["test"]
        # alpha for each state of a pair is a pseudo-example of 4 alpha, spread over all states.
        weights = np.array([(x["train"] == state).all(axis=1).sum() for state in states]) + 4 * alpha / len(states)
        found = self.answers(x, {"algorithm": "chow-liu", "alpha": alpha})
        every = [tree_logs(edges, weights, states) for edges in trees(5)]
        self.assertEqual(len(every), 125)
        best = max(every, key=lambda logs: weights @ logs)
        np.testing.assert_allclose(found, best, rtol=0, atol=1e-12)
        self.assertAlmostEqual(np.exp(found).sum(), 1, delta=1e-12)
        np.testing.assert_allclose(found, self.answers(x, {"algorithm": "chow-liu", "alpha": alpha}, 9), atol=1e-12)

    def test_circuits_sum_to_one_and_beat_independence(self):
        x = self.dependent(10)
        shares = np.where(x["test"] == 1, x["train"].mean(axis=0), 1 - x["train"].mean(axis=0))
        counts = np.array([(x["train"] == state).all(axis=1).sum() for state in x["test"]])
        independent = counts @ np.log(shares).sum(axis=1)
        for leaf in ("mle", "binary-clt"):
            parameters = {"algorithm": "learn-spn", "alpha": 0.1, "min_rows_slice": 50, "learn_leaf": leaf}
            found = self.answers(x, parameters)
            self.assertAlmostEqual(np.exp(found).sum(), 1, delta=1e-12)
            self.assertGreater(counts @ found, independent)
            np.testing.assert_array_equal(found, self.answers(x, parameters))

    def test_circuits_are_those_of_the_package(self):
        import density_method
        from deeprob.spn.algorithms.inference import log_likelihood

        x = self.dependent(10)
        for leaf in ("mle", "binary-clt"):
            root = density_method.learned_spn(x["train"].astype(float), 1, 0.1, min_rows_slice=50, learn_leaf=leaf)
            self.assertGreater(density_method.nodes(root), 20)
            found = density_method.log_likelihoods(root, x["test"].astype(float))
            np.testing.assert_allclose(found, log_likelihood(root, x["test"].astype(float)), rtol=1e-5)

    def test_other_rows_are_refused(self):
        x = {batch: np.zeros((9, 3)) for batch in ("train", "test")}
        with self.start("density_method.py", x, kind="numeric", gives="log-likelihoods") as method:
            reply, _ = method.ask({"algorithm": "chow-liu", "alpha": 1.0}, answer=("test",))
            self.assertIn("variables must be binary, not numeric", reply["error"])


if __name__ == "__main__":
    for name, file in MISSING.items():
        print(f"SKIPPED: no {name}, see {file}", file=sys.stderr)
    unittest.main()
