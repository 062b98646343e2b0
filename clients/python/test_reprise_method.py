"""Tests of reprise_method.py: `python clients/python/test_reprise_method.py`. Only NumPy is needed."""

import importlib.util
import json
import os
import re
import subprocess
import sys
import tempfile
import textwrap
import unittest

import numpy as np

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.dirname(HERE)]

import reprise_method  # noqa: E402
from fake_harness import HandOver, Method  # noqa: E402

SCIPY = importlib.util.find_spec("scipy") is not None


def drawn(variables=5, share=0.5, sizes=(60, 20, 30)):
    """Rows and classes; the class shows in the first variable but for one row in ten."""
    random = np.random.default_rng(1)
    x, y = {}, {}
    for batch, rows in zip(("train", "valid", "test"), sizes):
        x[batch] = (random.random((rows, variables)) < share).astype("u1")
        y[batch] = x[batch][:, 0] ^ (random.random(rows) < 0.1)
    return x, y


class Case(unittest.TestCase):
    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.folder = temporary.name

    def hand_over(self, *arguments, **named):
        return HandOver(os.path.join(self.folder, "data"), *arguments, **named)

    def start(self, code, hand_over):
        path = os.path.join(self.folder, "method.py")
        with open(path, "w", encoding="utf-8") as file:
            file.write(f"import sys\nsys.path.insert(0, {HERE!r})\n")
            file.write("import numpy as np\nimport reprise_method\n" + textwrap.dedent(code))
        return Method([sys.executable, path], hand_over, self.folder)

    def error(self, method, *words, **asked):
        """Asks one trial that must fail, with an error of these words."""
        reply, out = method.ask(**asked)
        self.assertNotIn("done", reply)
        for word in words:
            self.assertIn(word, reply["error"])
        return out


CENTROID = re.search(r"\n\n    import numpy(?:.*\n)+?    reprise_method.run\(.*\n", reprise_method.__doc__)[0]

COUNTS = """
def fit(train, valid, parameters, seed):
    shares = np.bincount(train.y, minlength=len(train.classes)) / len(train)
    return lambda rows: np.tile(shares[:, None], len(rows)).T  # in Fortran's order
reprise_method.run(fit=fit)
"""


class Answers(Case):
    def test_the_example_of_the_documentation(self):
        x, y = drawn()
        with self.start(CENTROID, self.hand_over(x, y)) as method:
            self.assertEqual(method.ready, {"ready": 1})
            answers = method.answers()
        self.assertEqual(method.exit, 0)
        means = np.stack([x["train"][y["train"] == c].mean(axis=0) for c in (0, 1)])
        for batch in ("valid", "test"):
            squares = ((x[batch][:, None, :] - means) ** 2).sum(axis=2)
            np.testing.assert_array_equal(answers[batch], squares.argmin(axis=1))
            self.assertGreater((answers[batch] == y[batch]).mean(), 0.7)

    def test_sparse_rows_as_an_array(self):
        x, y = drawn(variables=80, share=0.1)
        x["train"][3] = x["test"][0] = 0
        with self.start(CENTROID, self.hand_over(x, y, sparse=True)) as method:
            sparse = method.answers()
        self.folder = os.path.join(self.folder, "dense")
        os.mkdir(self.folder)
        with self.start(CENTROID, self.hand_over(x, y)) as method:
            dense = method.answers()
        for batch in sparse:
            np.testing.assert_array_equal(sparse[batch], dense[batch])

    @unittest.skipUnless(SCIPY, "no SciPy")
    def test_sparse_rows_as_csr(self):
        x, y = drawn(variables=80, share=0.1)
        x["train"][3] = x["test"][0] = 0
        code = """
        import scipy.sparse
        def fit(train, valid, parameters, seed):
            assert isinstance(train.x, scipy.sparse.csr_array) and train.x.dtype == np.uint8, train.x
            assert train.x.indices.dtype == train.x.indptr.dtype == np.int32, train.x
            counts = train.x.sum(axis=0, dtype=np.int64)
            return lambda rows: (rows.x @ counts % 2).astype(int)
        reprise_method.run(fit=fit, sparse=True)
        """
        with self.start(code, self.hand_over(x, y, sparse=True)) as method:
            answers = method.answers()
        expected = x["test"] @ x["train"].sum(axis=0, dtype=int) % 2
        np.testing.assert_array_equal(answers["test"], expected)

    def test_probabilities(self):
        x, y = drawn()
        with self.start(COUNTS, self.hand_over(x, y, gives="probabilities")) as method:
            answers = method.answers(answer=("test", "train"))
        share = y["train"].mean()
        np.testing.assert_array_equal(answers["test"], np.tile([1 - share, share], (30, 1)))
        self.assertEqual(answers["train"].shape, (60, 2))

    def test_values_of_a_regression(self):
        random = np.random.default_rng(5)
        x = {batch: random.normal(size=(rows, 2)) for batch, rows in (("train", 40), ("test", 9))}
        y = {"train": x["train"] @ [2.0, -1.0] + 0.5}
        code = """
        import numpy as np
        def fit(train, valid, parameters, seed):
            assert train.y.dtype == np.float64 and train.classes == () and train.gives == "values", train
            weights = np.linalg.lstsq(np.c_[train.x, np.ones(len(train))], train.y, rcond=None)[0]
            return lambda rows: np.array([row @ weights[:2] + weights[2] for row in rows.x])
        reprise_method.run(fit=fit)
        """
        with self.start(code, self.hand_over(x, y, kind="numeric", gives="values")) as method:
            answers = method.answers(answer=("test", "again"))
        np.testing.assert_allclose(answers["test"], x["test"] @ [2.0, -1.0] + 0.5, atol=1e-12)

    def test_log_likelihoods_of_numeric_rows(self):
        x = {batch: np.random.default_rng(2).normal(size=(rows, 3)) for batch, rows in (("train", 50), ("test", 9))}
        x["test"][4, 1] = np.nan
        code = """
        def fit(train, valid, parameters, seed):
            assert valid is None and train.y is None and train.classes == () and np.isnan(train.missing)
            mean, sd = train.x.mean(axis=0), train.x.std(axis=0)
            def predict(rows):
                logs = -((rows.x - mean) / sd) ** 2 / 2 - np.log(sd) - np.log(2 * np.pi) / 2
                return np.nansum(logs, axis=1)
            return predict
        reprise_method.run(fit=fit)
        """
        hand_over = self.hand_over(x, kind="numeric", gives="log-likelihoods", task={"missing": "nan"})
        with self.start(code, hand_over) as method:
            answers = method.answers(answer=("test", "again"))
        self.assertEqual(answers["test"].shape, (9,))

    def test_categorical_rows_and_what_is_known_of_them(self):
        random = np.random.default_rng(3)
        x = {batch: random.integers(-1, 3, size=(12, 2)) for batch in ("train", "valid", "test")}
        y = {batch: rows[:, 0] % 3 for batch, rows in x.items()}
        code = """
        def fit(train, valid, parameters, seed):
            assert (train.kind, train.values, train.missing) == ("categorical", (3, 3), -1), train
            assert train.columns == ("height", "größe") and train.gives == valid.gives == "labels", train
            assert train.classes == ("ja", "nein", "weiß nicht"), train
            assert train.x.dtype == np.int32 and train.y.dtype == np.int32 and valid.y is None
            return lambda rows: rows.x[:, 0] % 3
        reprise_method.run(fit=fit)
        """
        task = {"values": [3, 3], "missing": -1, "columns": ["height", "größe"]}
        hand_over = self.hand_over(x, y, kind="categorical", classes=("ja", "nein", "weiß nicht"), task=task)
        with self.start(code, hand_over) as method:
            np.testing.assert_array_equal(method.answers()["test"], y["test"])

    def test_fit_predict_sees_labels_of_training_rows_only(self):
        x, y = drawn()
        code = """
        def fit_predict(train, valid, test, parameters, seed):
            assert train.y is not None and valid.y is None and test.y is None
            return np.full(len(test), np.bincount(train.y).argmax())
        reprise_method.run(fit_predict=fit_predict)
        """
        with self.start(code, self.hand_over(x, y)) as method:
            answers = method.answers(answer=("valid", "test", "again", "train"))
            self.assertEqual(method.ask()[0], {"trial": "2", "done": True})
        self.assertEqual(set(answers["train"]), {np.bincount(y["train"]).argmax()})

    def test_labels_of_validation_rows_where_they_may_be_seen(self):
        x, y = drawn()
        code = """
        def fit(train, valid, parameters, seed):
            best = np.bincount(valid.y).argmax()
            return lambda rows: np.full(len(rows), best)
        reprise_method.run(fit=fit)
        """
        with self.start(code, self.hand_over(x, y, sees_valid=True)) as method:
            self.assertEqual(set(method.answers()["valid"]), {np.bincount(y["valid"]).argmax()})

    def test_metrics_and_seconds(self):
        x, y = drawn()
        code = """
        def fit(train, valid, parameters, seed):
            if parameters["count"]:
                reprise_method.report("leaves", np.int64(3))
                reprise_method.report("share", np.float32(0.5))
            return lambda rows: np.zeros(len(rows), int)
        reprise_method.run(fit=fit)
        """
        with self.start(code, self.hand_over(x, y)) as method:
            reply, out = method.ask({"count": True})
            self.assertEqual(set(reply["seconds"]), {"fit", "predict"})
            with open(os.path.join(out, "metrics.json"), encoding="utf-8") as file:
                self.assertEqual(json.load(file), {"leaves": 3, "share": 0.5})
            _, out = method.ask({"count": False})
            self.assertFalse(os.path.exists(os.path.join(out, "metrics.json")))


class Errors(Case):
    def test_what_a_method_returns_is_checked(self):
        x, y = drawn()
        code = """
        RETURNS = {
            "few": lambda n: np.zeros(n - 1, int),
            "square": lambda n: np.zeros((n, 2), int),
            "real": lambda n: np.zeros(n),
            "names": lambda n: ["a"] * n,
            "unknown": lambda n: np.arange(n),
            "negative": lambda n: np.full(n, -1),
            "nothing": lambda n: None,
        }
        def fit(train, valid, parameters, seed):
            return lambda rows: RETURNS[parameters["returns"]](len(rows))
        reprise_method.run(fit=fit)
        """
        with self.start(code, self.hand_over(x, y)) as method:
            for returns, *words in [
                ("few", "labels of 20 rows must have the shape (20,), not (19,)"),
                ("square", "not (20, 2)"),
                ("real", "labels must be integers", "float64"),
                ("names", "labels must be integers, indices into classes", "<U1"),
                ("unknown", "labels must be 0 to 1", "row 2 has 2 (18 such values)"),
                ("negative", "row 0 has -1"),
                ("nothing", "not ()"),
            ]:
                with self.subTest(returns):
                    self.assertEqual(os.listdir(self.error(method, *words, parameters={"returns": returns})), [])

    def test_probabilities_are_checked(self):
        x, y = drawn()
        code = """
        def fit(train, valid, parameters, seed):
            def predict(rows):
                answers = np.full((len(rows), 2), 0.5)
                answers[5, 1] = np.nan
                return answers if parameters["square"] else answers[:, 1]
            return predict
        reprise_method.run(fit=fit)
        """
        with self.start(code, self.hand_over(x, y, gives="probabilities")) as method:
            self.error(method, "shape (20, 2), not (20,)", parameters={"square": False})
            self.error(method, "probabilities must be finite: row 5 has nan", parameters={"square": True})

    def test_a_trial_that_fails_is_the_only_one(self):
        x, y = drawn()
        code = """
        def fit(train, valid, parameters, seed):
            if parameters.get("raise"):
                raise ValueError("first line\\nlast line, of " + "many " * 1000)
            if parameters.get("exit"):
                sys.exit(3)
            return np.zeros if parameters.get("wrong") else lambda rows: np.zeros(len(rows), int)
        reprise_method.run(fit=fit)
        """
        with self.start(code, self.hand_over(x, y)) as method:
            method.answers()
            self.error(method, "ValueError: first line", parameters={"raise": True})
            self.error(method, "SystemExit: 3", parameters={"exit": True})
            self.error(method, "TypeError", parameters={"wrong": True})
            method.answers()
            self.assertIn("Traceback", method.output())
            self.assertIn("in fit", method.output())
        self.assertEqual(method.exit, 0)

    def test_fit_must_return_a_function(self):
        x, y = drawn()
        code = "reprise_method.run(fit=lambda train, valid, parameters, seed: 3)"
        with self.start(code, self.hand_over(x, y)) as method:
            self.error(method, "fit must return a function predict(rows), not int")

    def test_csv_is_refused(self):
        x, y = drawn()
        with self.start(COUNTS, self.hand_over(x, y, form="csv")) as method:
            self.error(method, 'leave out form = "csv"')

    def test_pickled_arrays_are_refused(self):
        x, y = drawn()
        hand_over = self.hand_over(x, y)
        pickled = np.array([{"a": 1}] * 60, dtype=object)
        np.save(os.path.join(hand_over.folder, "train.x.npy"), pickled, allow_pickle=True)
        with self.start(COUNTS, hand_over) as method:
            self.error(method, "allow_pickle=False")

    def test_an_error_of_an_import_comes_before_ready(self):
        x, y = drawn()
        with self.assertRaisesRegex(EOFError, "No module named 'no_such_module'"):
            self.start("import no_such_module\n" + COUNTS, self.hand_over(x, y))

    def test_run_takes_one_function(self):
        for functions in ({}, {"fit": len, "fit_predict": len}):
            with self.assertRaisesRegex(TypeError, "one of fit and fit_predict"):
                reprise_method.run(**functions)

    def test_reports_are_finite_numbers(self):
        for value in (float("nan"), float("inf"), "3", None):
            with self.assertRaisesRegex(ValueError, "finite number"):
                reprise_method.report("leaves", value)

    def test_started_by_hand_it_says_what_it_is(self):
        code = "import reprise_method; reprise_method.run(fit=len)"
        environment = {name: value for name, value in os.environ.items() if not name.startswith("REPRISE_")}
        done = subprocess.run(
            [sys.executable, "-c", code], cwd=HERE, env=environment, capture_output=True, text=True, check=False
        )
        self.assertEqual((done.returncode, done.stdout), (1, ""))
        self.assertIn("this program is a method", done.stderr)


class Workers(Case):
    def test_a_worker_keeps_no_state(self):
        x, y = drawn()
        code = """
        import random
        def fit(train, valid, parameters, seed):
            draws = [random.random(), np.random.rand()]
            total = int(train.x.sum()) + int(valid.x.sum()) + int(train.y.sum())
            train.x[:], valid.x[:], train.y[:] = 0, 0, 0
            parameters["new"] = 1
            reprise_method.report("total", total)
            reprise_method.report("draws", sum(draws))
            def predict(rows):
                answers = rows.x[:, 0].astype(int)
                rows.x[:] = 7
                return answers
            return predict
        reprise_method.run(fit=fit)
        """
        metrics = {}
        with self.start(code, self.hand_over(x, y)) as method:
            for trial in range(200):
                reply, out = method.ask(seed=trial % 3)
                self.assertTrue(reply.get("done"), reply)
                with open(os.path.join(out, "metrics.json"), encoding="utf-8") as file:
                    metrics.setdefault(trial % 3, set()).add(file.read())
            np.testing.assert_array_equal(method.answers()["test"], x["test"][:, 0])
        self.assertEqual([len(found) for found in metrics.values()], [1, 1, 1])
        self.assertEqual(len(set.union(*metrics.values())), 3)

    def test_a_refit_sees_what_the_first_fit_saw(self):
        x, y = drawn()
        code = """
        def fit_predict(train, valid, test, parameters, seed):
            majority = np.bincount(train.y).argmax() ^ int(np.random.rand() < 0.5)
            train.y[:] = 1 - majority
            return np.full(len(test), majority)
        reprise_method.run(fit_predict=fit_predict)
        """
        with self.start(code, self.hand_over(x, y)) as method:
            for seed in range(8):
                answers = method.answers(seed=seed)
                self.assertEqual(len(set(np.concatenate(list(answers.values())))), 1)

    def test_output_input_and_children_of_a_method_leave_the_dialogue_alone(self):
        x, y = drawn()
        code = """
        import os, subprocess
        def fit(train, valid, parameters, seed):
            print('{"trial": "1", "done": true}')
            subprocess.run(["cat"], check=True)
            sys.stdin.read()
            if os.fork() == 0:
                os.execvp("sh", ["sh", "-c", "echo garbage >&3"])
            os.wait()
            return lambda rows: np.zeros(len(rows), int)
        reprise_method.run(fit=fit)
        """
        with self.start(code, self.hand_over(x, y)) as method:
            method.answers()
            method.answers()
        self.assertEqual(method.waiting, b"")

    def test_it_ends_with_its_input(self):
        x, y = drawn()
        with self.start(COUNTS, self.hand_over(x, y)) as method:
            pass
        self.assertEqual((method.exit, method.output()), (0, ""))
        with self.start(COUNTS, method.hand_over) as method:
            method.process.stdin.write(b'{"trial": "1", "data": ')
        self.assertEqual((method.exit, method.output()), (0, ""))


if __name__ == "__main__":
    unittest.main()
