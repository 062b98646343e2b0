"""An estimator of scikit-learn as a method: what `estimator` of an experiment file says is its one argument.

The expression is parsed by `ast` and never evaluated as code: it calls estimators, and holds literals. With `--names` this
file lists beside itself which names scikit-learn's estimators have.
"""

import ast
import difflib
import importlib
import inspect
import json
import os
import sys
import warnings

import numpy as np

LISTED = os.path.join(os.path.dirname(os.path.abspath(__file__)), "names.json")
COMPOSE = dict.fromkeys(["make_column_selector", "make_column_transformer"], "sklearn.compose")
FUNCTIONS = {"make_pipeline": "sklearn.pipeline", **COMPOSE}


class EstimatorError(Exception):
    """What is wrong with an estimator, and what was expected."""


def listed():
    """Writes the modules of scikit-learn's public estimators, by their names."""
    from sklearn.utils import all_estimators

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        modules = {name: of.__module__ for name, of in all_estimators()}
    with open(LISTED, "w", encoding="utf-8") as file:
        json.dump({**modules, **FUNCTIONS}, file, indent=0, sort_keys=True)


def nearest(name, names):
    near = difflib.get_close_matches(name, names, 1)
    return f"; did you mean `{near[0]}`?" if near else ""


class Reader:
    """Makes what an expression says."""

    def __init__(self, source):
        self.source = source.strip()
        try:
            with open(LISTED, encoding="utf-8") as file:
                self.modules = json.load(file)
            self.body = ast.parse(self.source, mode="eval").body
        except SyntaxError as error:
            place = ast.Constant(None, lineno=error.lineno or 1, col_offset=max((error.offset or 1) - 1, 0))
            self.wrong(f"`estimator` is no expression of Python: {error.msg}", place)

    def wrong(self, message, node):
        """Refuses a part of the expression, with a caret below it."""
        line = self.source.splitlines()[node.lineno - 1] if self.source else ""
        column = len(line.encode()[: node.col_offset].decode(errors="replace"))
        raise EstimatorError(f"{message}\n  {line}\n  {' ' * column}^")

    def estimator(self):
        """A new estimator."""
        made = self.made(self.body)
        if not hasattr(made, "get_params"):
            self.wrong("this is no estimator: write a call such as `SVC()`", self.body)
        return made

    def made(self, node):
        if isinstance(node, ast.Constant) and isinstance(node.value, (bool, int, float, str, type(None))):
            return node.value
        if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub) and isinstance(node.operand, ast.Constant):
            if type(node.operand.value) in (int, float):
                return -node.operand.value
        if isinstance(node, ast.List):
            return [self.made(item) for item in node.elts]
        if isinstance(node, ast.Tuple):
            return tuple(self.made(item) for item in node.elts)
        if isinstance(node, ast.Dict) and None not in node.keys:
            return {self.made(key): self.made(value) for key, value in zip(node.keys, node.values)}
        if isinstance(node, ast.Call):
            return self.called(node)
        if isinstance(node, (ast.Name, ast.Attribute)):
            self.found(node)
            self.wrong(f"`{ast.unparse(node)}` is not called: write `{ast.unparse(node)}()`", node)
        kinds = "calls of estimators, numbers, texts, True, False, None, lists, tuples and dictionaries"
        return self.wrong(f"this can't stand in `estimator`: {kinds} can", node)

    def called(self, node):
        of, name = self.found(node.func), ast.unparse(node.func)
        taken = inspect.signature(of).parameters
        closed = all(one.kind != one.VAR_KEYWORD for one in taken.values())
        for keyword in node.keywords:
            if keyword.arg is None:
                self.wrong("`**` can't stand in `estimator`: write `name=value`", keyword.value)
            if closed and keyword.arg not in taken:
                self.wrong(f"`{name}` has no parameter `{keyword.arg}`{nearest(keyword.arg, taken)}", keyword)
        arguments = [self.made(argument) for argument in node.args]
        named = {keyword.arg: self.made(keyword.value) for keyword in node.keywords}
        try:
            return of(*arguments, **named)
        except Exception as error:
            return self.wrong(f"`{name}` can't be made: {error}", node)

    def found(self, node):
        """The estimator of a name, or of the full path of a class."""
        path = ast.unparse(node)
        if not all(part.isidentifier() for part in path.split(".")):
            self.wrong("only estimators can be called, by their names", node)
        module, _, name = path.rpartition(".")
        module = module or self.modules.get(name)
        if module is None:
            others = "a class of another package is written with its module, as `lightgbm.LGBMClassifier`"
            self.wrong(f"scikit-learn has no `{name}` ({others}){nearest(name, self.modules)}", node)
        try:
            of = getattr(importlib.import_module(module), name)
        except (ImportError, AttributeError) as error:
            has = "in the environment and the `code` of the method"
            return self.wrong(f"there is no `{path}` {has}: {error}", node)
        is_estimator = inspect.isclass(of) and hasattr(of, "get_params") and hasattr(of, "fit")
        if not is_estimator and FUNCTIONS.get(name) != module:
            self.wrong(f"`{path}` is no estimator: a class with `fit`, `get_params` and `set_params` is one", node)
        return of


def set_up(reader, parameters, seed, threads):
    """An estimator with the trial's parameters, its seed and its threads."""
    model = reader.estimator()
    known = model.get_params(deep=True)
    for name in parameters:
        if name not in known:
            others = nearest(name, known) or f": it has {', '.join(sorted(known))}"
            raise EstimatorError(f"`{reader.source}` has no parameter `{name}`{others}")
    model.set_params(**parameters)
    further = {}
    for name, value in model.get_params(deep=True).items():
        last = name.rpartition("__")[2]
        if last == "random_state" and value is None:
            further[name] = seed
        elif last == "n_jobs":
            further[name] = threads
    return model.set_params(**further)


def check(model, source, gives):
    """Refuses an estimator that can't do the task, and values that its parameters can't have."""
    from sklearn.base import is_classifier, is_regressor

    is_one, what = (is_regressor, "regressor") if gives == "values" else (is_classifier, "classifier")
    if not is_one(model):
        raise EstimatorError(f"`{source}` is no {what}, which the task needs")
    parameters = model.get_params(deep=True)
    if gives in ("probabilities", "scores") and not hasattr(model, "predict_proba"):
        if gives == "probabilities":
            metrics = "`log_loss`, `brier` and `ece`"
            raise EstimatorError(f"`{source}` gives no probabilities of classes, which {metrics} are measured by")
        if not hasattr(model, "decision_function"):
            has = "has neither `predict_proba` nor `decision_function`"
            raise EstimatorError(f"`{source}` {has}, which `auc` and `pr_auc` are measured by")
        for name, value in parameters.items():
            if name.rpartition("__")[2] == "decision_function_shape" and value == "ovo":
                raise EstimatorError(f'`{name}` of `{source}` is "ovo": `auc` and `pr_auc` need a value a class, "ovr"')
    for part in [model, *parameters.values()]:
        # Classes of other packages are made without scikit-learn's constraints.
        if hasattr(part, "_parameter_constraints") and not inspect.isclass(part):
            try:
                part._validate_params()
            except ValueError as error:
                raise EstimatorError(str(error)) from None


def values(rows, sparse):
    """The rows in double precision: names one-hot, and dense where the estimator takes nothing else; a table as a frame."""
    x = rows.x
    if rows.kind == "table":
        return frame(rows)
    if rows.kind == "categorical":
        missing = [] if rows.missing is None else [int(rows.missing)]
        codes = [[*range(count), *missing] for count in rows.values]
        x = np.concatenate([x[:, [i]] == codes_of for i, codes_of in enumerate(codes)], axis=1)
    return (x if sparse or isinstance(x, np.ndarray) else x.toarray()).astype(np.float64)


def frame(rows):
    """The columns of a table: names as categories, all of the table's, and missing values as NaN."""
    import pandas as pd

    def column(values, names):
        codes = np.where(np.isnan(values), -1, values)
        return values if names is None else pd.Categorical.from_codes(codes.astype(int), list(names))

    columns = enumerate(map(column, rows.x.T, rows.categories))
    return pd.DataFrame(dict(columns)).set_axis(rows.columns, axis=1)


def of_classes(model, x, rows):
    """A number a class for each row: its probability, where the estimator has one, else its decision value."""
    if hasattr(model, "predict_proba"):
        found, least = model.predict_proba(x), 0.0
    else:
        found, least = model.decision_function(x), np.finfo(np.float64).min
        found = found if found.ndim == 2 else np.stack([-found, found], axis=1)
    # A class without training rows has no column of the estimator's.
    table = np.full((len(rows), len(rows.classes)), least)
    table[:, model.classes_] = found
    return table


def takes_sparse(model):
    try:
        from sklearn.utils import get_tags
    except ImportError:
        return False
    return get_tags(model).input_tags.sparse


def main(source):
    import reprise_method

    sys.path.append(os.getcwd())
    threads = int(os.environ["OMP_NUM_THREADS"])

    def fit(train, valid, parameters, seed):
        reader = Reader(source)
        model = set_up(reader, parameters, seed, threads)
        # No rows: reprise asks whether it could be.
        if len(train) == 0:
            check(model, reader.source, train.gives)
            return values
        sparse = takes_sparse(model)
        model.fit(values(train, sparse), train.y)

        def predict(rows):
            x = values(rows, sparse)
            return of_classes(model, x, rows) if rows.gives in ("probabilities", "scores") else model.predict(x)

        return predict

    try:
        # What it stands on is imported before the first trial, whose time it would take.
        Reader(source).estimator()
    except Exception:
        # The trial says so.
        pass
    reprise_method.run(fit=fit, sparse=True)


if __name__ == "__main__":
    if sys.argv[1:] == ["--names"]:
        listed()
    else:
        main(sys.argv[1])
