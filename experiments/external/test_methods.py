"""Tests of density_method.py: `python experiments/external/test_methods.py`. They need what requirements-density.txt lists."""

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


@unittest.skipUnless(importlib.util.find_spec("deeprob"), "no deeprob-kit: see requirements-density.txt")
class Densities(unittest.TestCase):
    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.folder = temporary.name

    def start(self, *arguments, **named):
        folder = tempfile.mkdtemp(dir=self.folder)
        hand_over = HandOver(os.path.join(folder, "data"), *arguments, **named)
        return Method([sys.executable, os.path.join(HERE, "density_method.py")], hand_over, folder)

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
        with self.start(x, gives="log-likelihoods") as method:
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
        with self.start(x, kind="numeric", gives="log-likelihoods") as method:
            reply, _ = method.ask({"algorithm": "chow-liu", "alpha": 1.0}, answer=("test",))
            self.assertIn("variables must be binary, not numeric", reply["error"])


if __name__ == "__main__":
    unittest.main()
