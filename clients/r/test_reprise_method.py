"""Tests of reprise_method.R: `python clients/r/test_reprise_method.py`. They need Rscript, and NumPy."""

import json
import os
import shutil
import sys
import tempfile
import textwrap
import unittest

import numpy as np

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.dirname(HERE))

from fake_harness import HandOver, Method  # noqa: E402

RSCRIPT = shutil.which("Rscript")

NEAREST = """
reprise_run(fit = function(train, valid, parameters, seed) {
  means <- sapply(train$classes, function(class) colMeans(train$x[train$y == class, , drop = FALSE]))
  function(rows) {
    squares <- apply(means, 2, function(mean) colSums((t(rows$x) - mean)^2))
    train$classes[max.col(-squares, "first")]
  }
})
"""

FREQUENT = """
reprise_run(fit = function(train, valid, parameters, seed) {
  shares <- as.vector(table(train$y)) / nrow(train$x)
  function(rows) matrix(shares, nrow(rows$x), length(shares), byrow = TRUE)
})
"""


def drawn(classes=2, sizes=(60, 20, 30)):
    random = np.random.default_rng(1)
    x, y = {}, {}
    for batch, rows in zip(("train", "valid", "test"), sizes):
        x[batch] = random.integers(0, 2, size=(rows, 5))
        y[batch] = (x[batch][:, 0] + random.integers(0, 2, rows)) % classes
    return x, y


@unittest.skipUnless(RSCRIPT, "no Rscript")
class Client(unittest.TestCase):
    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.folder = temporary.name

    def hand_over(self, *arguments, **named):
        return HandOver(os.path.join(self.folder, "data"), *arguments, **{"form": "csv", **named})

    def start(self, code, hand_over):
        path = os.path.join(self.folder, "method.R")
        with open(path, "w", encoding="utf-8") as file:
            file.write(f"source({json.dumps(os.path.join(HERE, 'reprise_method.R'))})\n" + textwrap.dedent(code))
        return Method([RSCRIPT, "--vanilla", path], hand_over, self.folder)

    def error(self, method, *words, **asked):
        reply, _ = method.ask(**asked)
        for word in words:
            self.assertIn(word, reply["error"])

    def test_labels(self):
        x, y = drawn()
        with self.start(NEAREST, self.hand_over(x, y)) as method:
            self.assertEqual(method.ready, {"ready": 1})
            answers = method.answers(answer=("test", "again", "train", "valid"))
        self.assertEqual((method.exit, method.output()), (0, ""))
        means = np.stack([x["train"][y["train"] == c].mean(axis=0) for c in (0, 1)])
        squares = ((x["test"][:, None, :] - means) ** 2).sum(axis=2)
        np.testing.assert_array_equal(answers["test"], squares.argmin(axis=1))

    def test_probabilities_to_the_last_bit(self):
        x, y = drawn(classes=3)
        classes = ("ja", 'nein, "nie"', "weiß nicht 😀")
        with self.start(FREQUENT, self.hand_over(x, y, gives="probabilities", classes=classes)) as method:
            answers = method.answers()
        shares = np.bincount(y["train"], minlength=3) / 60
        np.testing.assert_array_equal(answers["test"], np.tile(shares, (30, 1)))

    def test_log_likelihoods_of_numeric_rows(self):
        x = {batch: np.random.default_rng(2).normal(size=(rows, 3)) for batch, rows in (("train", 50), ("test", 9))}
        x["test"][4, 1] = np.nan
        code = """
        reprise_run(fit = function(train, valid, parameters, seed) {
          stopifnot(is.null(valid), is.null(train$y), is.null(train$classes), is.double(train$x))
          function(rows) rowSums(rows$x, na.rm = TRUE) + 10 * is.na(rows$x[, 2])
        })
        """
        hand_over = self.hand_over(x, kind="numeric", gives="log-likelihoods", task={"missing": "nan"})
        with self.start(code, hand_over) as method:
            answers = method.answers(answer=("test", "again"))
        expected = np.nansum(x["test"], axis=1) + 10 * np.isnan(x["test"][:, 1])
        np.testing.assert_allclose(answers["test"], expected, rtol=1e-14)

    def test_values_of_a_regression(self):
        random = np.random.default_rng(5)
        x = {batch: random.normal(size=(rows, 2)) for batch, rows in (("train", 40), ("test", 9))}
        y = {"train": x["train"] @ [2.0, -1.0] + 0.5}
        code = """
        reprise_run(fit = function(train, valid, parameters, seed) {
          stopifnot(is.double(train$y), is.null(train$classes), train$gives == "values")
          weights <- qr.solve(cbind(1, train$x), train$y)
          function(rows) weights[1] + weights[2] * rows$x[, 1] + weights[3] * rows$x[, 2]
        })
        """
        with self.start(code, self.hand_over(x, y, kind="numeric", gives="values")) as method:
            answers = method.answers(answer=("test", "again"))
        np.testing.assert_allclose(answers["test"], x["test"] @ [2.0, -1.0] + 0.5, atol=1e-12)

    def test_categorical_rows_and_what_is_known_of_them(self):
        random = np.random.default_rng(3)
        x = {batch: random.integers(-1, 3, size=(12, 2)) for batch in ("train", "valid", "test")}
        y = {batch: rows[:, 0] % 3 for batch, rows in x.items()}
        code = """
        reprise_run(fit = function(train, valid, parameters, seed) {
          stopifnot(train$kind == "categorical", train$gives == "labels")
          stopifnot(train$values == c(3, 3), is.integer(train$x), is.null(valid$y))
          stopifnot(colnames(train$x) == c("height", "gr\\u00f6\\u00dfe"), levels(train$y) == c("a", "b", "c"))
          function(rows) ifelse(is.na(rows$x[, 1]), "c", c("a", "b", "c")[rows$x[, 1] + 1])
        })
        """
        task = {"values": [3, 3], "missing": -1, "columns": ["height", "größe"]}
        hand_over = self.hand_over(x, y, kind="categorical", classes=("a", "b", "c"), task=task)
        with self.start(code, hand_over) as method:
            np.testing.assert_array_equal(method.answers()["test"], y["test"])

    def test_fit_predict_parameters_and_metrics(self):
        x, y = drawn()
        code = """
        reprise_run(fit_predict = function(train, valid, test, parameters, seed) {
          stopifnot(identical(parameters$word, "a \\"b\\" \\\\ \\u00e9"), parameters$flag, seed == 5, !is.null(valid$y))
          reprise_report("depth", parameters$depth)
          reprise_report("draw", runif(1))
          factor(rep("b", nrow(test$x)), levels = test$classes)
        })
        """
        parameters = {"word": 'a "b" \\ é', "flag": True, "depth": 8}
        with self.start(code, self.hand_over(x, y, sees_valid=True)) as method:
            metrics = []
            for _ in range(2):
                reply, out = method.ask(parameters, seed=5)
                self.assertTrue(reply.get("done"), (reply, method.output()))
                with open(os.path.join(out, "metrics.json"), encoding="utf-8") as file:
                    metrics.append(json.load(file))
            self.assertEqual(set(method.answers(parameters, seed=5)["valid"]), {1})
        self.assertEqual(metrics[0], metrics[1])
        self.assertEqual(metrics[0]["depth"], 8)

    def test_a_trial_that_fails_is_the_only_one(self):
        x, y = drawn()
        code = """
        returns <- list(
          good = function(n) rep("a", n), few = function(n) rep("a", n - 1),
          numbers = function(n) rep(0, n), unknown = function(n) rep("zebra", n),
          missing = function(n) factor(rep(NA, n)), raise = function(n) stop("no \\"luck\\"\\n\\ttoday")
        )
        reprise_run(fit = function(train, valid, parameters, seed) {
          if (parameters$returns == "no function") return(3)
          function(rows) returns[[parameters$returns]](nrow(rows$x))
        })
        """
        with self.start(code, self.hand_over(x, y)) as method:
            for returns, *words in [
                ("few", "labels of 20 rows must be a vector of as many, not character of length 19"),
                ("numbers", "labels must be a factor or names of classes"),
                ("unknown", "no class of row 1's name: zebra"),
                ("missing", "no class of row 1's name: NA"),
                ("raise", 'no "luck"\n', "today"),
                ("no function", "fit must return a function of rows, not numeric"),
            ]:
                with self.subTest(returns):
                    self.error(method, *words, parameters={"returns": returns})
                    method.answers({"returns": "good"})
            self.assertIn("Error: no \"luck\"", method.output())
        self.assertEqual(method.exit, 0)

    def test_probabilities_are_checked(self):
        x, y = drawn()
        code = """
        reprise_run(fit = function(train, valid, parameters, seed) {
          function(rows) {
            answers <- matrix(0.5, nrow(rows$x), 2)
            if (parameters$wrong == "names") colnames(answers) <- c("b", "a")
            if (parameters$wrong == "finite") answers[6, 2] <- NaN
            if (parameters$wrong == "shape") answers[, 1] else answers
          }
        })
        """
        with self.start(code, self.hand_over(x, y, gives="probabilities")) as method:
            self.error(method, "in the order of the classes: a, b", parameters={"wrong": "names"})
            self.error(method, "must be finite: row 6 has NaN", parameters={"wrong": "finite"})
            self.error(method, "a matrix of 2 columns, not numeric of length 20", parameters={"wrong": "shape"})

    def test_npy_is_refused(self):
        x, y = drawn()
        with self.start(NEAREST, self.hand_over(x, y, form="npy")) as method:
            self.error(method, 'say data = "csv"')

    def test_wide_rows_and_many_trials(self):
        random = np.random.default_rng(4)
        x = {batch: random.integers(0, 2, size=(30, 2000)) for batch in ("train", "test")}
        y = {batch: rows[:, 0] for batch, rows in x.items()}
        with self.start(FREQUENT, self.hand_over(x, y, gives="probabilities")) as method:
            for _ in range(20):
                method.answers(answer=("test", "again"))

    def test_started_by_hand_it_says_what_it_is(self):
        with self.assertRaisesRegex(EOFError, "one of fit and fit_predict"):
            self.start("reprise_run()", self.hand_over(*drawn()))


if __name__ == "__main__":
    if not RSCRIPT:
        print("SKIPPED: no Rscript, so reprise_method.R is not tested", file=sys.stderr)
    unittest.main()
