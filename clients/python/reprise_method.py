"""Methods for reprise in Python: protocol 1 for a program that reprise starts. Python 3.9 and NumPy are enough.

Nearest centroid, whole:

    import numpy as np
    import reprise_method

    def fit(train, valid, parameters, seed):
        means = [train.x[train.y == c].mean(axis=0) for c in range(len(train.classes))]
        def predict(rows):
            squares = [((rows.x - mean) ** 2).sum(axis=1) for mean in means]
            return np.argmin(squares, axis=0)
        return predict

    reprise_method.run(fit=fit)

The answers are what the experiment's `gives` says, one for each row: `labels` are class indices; `probabilities` are
rows of one number a class, in the order of `classes`, as `scores` are; `log-likelihoods` are natural logarithms. An
answer must not depend on the rows that are asked with it: reprise asks some rows again.
"""

from __future__ import annotations

import importlib
import json
import math
import numbers
import os
import random
import sys
import time
import traceback
from dataclasses import dataclass
from typing import Any, BinaryIO, Callable, Dict, List, Optional, Tuple

import numpy as np
from numpy.typing import NDArray

PROTOCOL = 1

Array = NDArray[Any]
Task = Dict[str, Any]
Parameters = Dict[str, Any]


@dataclass(frozen=True)
class Batch:
    """Rows of the data; a batch is read anew for each call, and may be changed."""

    x: Any
    """Array of shape (rows, variables): bytes of 0 and 1 for binary variables, integers from 0 for categorical ones,
    doubles for numeric ones and for tables. With `run(sparse=True)`, a CSR array of SciPy where reprise hands over sparse
    rows."""
    y: Optional[NDArray[np.int32]]
    """The class of each row, an index into `classes`. None where the method may not see it, and for densities."""
    columns: Tuple[str, ...]
    kind: str
    """`binary`, `categorical`, `numeric` or `table`."""
    values: Optional[Tuple[int, ...]]
    """How many values each categorical variable has."""
    classes: Tuple[str, ...]
    gives: str
    """What the answers are: `labels`, `probabilities`, `scores`, `values` or `log-likelihoods`."""
    missing: Optional[float]
    """How a missing value is coded: -1, NaN, or None where none is missing."""
    categories: Optional[Tuple[Optional[Tuple[str, ...]], ...]] = None
    """Of a table: the names that the codes of each column stand for, None for a column of numbers."""

    def __len__(self) -> int:
        return int(self.x.shape[0])


Predict = Callable[[Batch], Any]
Fit = Callable[[Batch, Optional[Batch], Parameters, int], Predict]
FitPredict = Callable[[Batch, Optional[Batch], Batch, Parameters, int], Any]

_reported: Dict[str, float] = {}


def report(name: str, value: float) -> None:
    """Counts something of the running trial's: it becomes a metric. The last value of a name stands."""
    if not isinstance(value, numbers.Real) or not math.isfinite(value):
        raise ValueError(f"report({name!r}, …) takes a finite number, not {value!r}")
    _reported[str(name)] = int(value) if isinstance(value, numbers.Integral) else float(value)


def run(
    *, fit: Optional[Fit] = None, fit_predict: Optional[FitPredict] = None, sparse: bool = False
) -> None:
    """Answers trials until reprise has no more.

    Give one of the two. `fit(train, valid, parameters, seed)` returns a function `predict(rows)`, which returns the
    answers. `fit_predict(train, valid, test, parameters, seed)` returns the answers itself; it is called anew, and fits
    anew, for every batch of rows that reprise asks about.

    `valid` is None where there are no validation rows. The global generators of `random` and of NumPy start from the
    seed in every trial. An exception ends its trial only.

    # Errors
    TypeError without exactly one of the two; ImportError if `sparse` is asked without SciPy.
    """
    if (fit is None) == (fit_predict is None):
        raise TypeError("run takes one of fit and fit_predict")
    if sparse:
        importlib.import_module("scipy.sparse")
    requests, replies = _channels()
    _send(replies, {"ready": PROTOCOL})
    for line in requests:
        if not line.endswith(b"\n"):
            break
        request = json.loads(line)
        try:
            seconds = _answer(request, fit, fit_predict, sparse)
        except (Exception, SystemExit) as error:
            traceback.print_exc()
            sys.stderr.flush()
            last = traceback.format_exception_only(type(error), error)[-1].strip()
            _send(replies, {"trial": request["trial"], "error": last[:2000]})
        else:
            times = {"seconds": seconds} if seconds else {}
            _send(replies, {"trial": request["trial"], "done": True, **times})


def _channels() -> Tuple[BinaryIO, BinaryIO]:
    """Requests and replies, out of reach of what the method reads, writes and starts."""
    descriptor = os.environ.get("REPRISE_REPLY_FD")
    if descriptor is None:
        sys.exit("this program is a method: reprise starts it, as the command of an experiment's [[method]]")
    if os.environ.get("REPRISE_PROTOCOL", str(PROTOCOL)) != str(PROTOCOL):
        sys.exit(f"reprise speaks protocol {os.environ['REPRISE_PROTOCOL']}, reprise_method.py protocol {PROTOCOL}")
    os.set_inheritable(int(descriptor), False)
    replies = os.fdopen(int(descriptor), "wb")
    requests = os.fdopen(os.dup(0), "rb")
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.close(nothing)
    return requests, replies


def _send(replies: BinaryIO, message: Dict[str, Any]) -> None:
    replies.write(json.dumps(message).encode() + b"\n")
    replies.flush()


def _answer(
    request: Dict[str, Any], fit: Optional[Fit], fit_predict: Optional[FitPredict], sparse: bool
) -> Dict[str, float]:
    """One trial; returns its seconds, where fit and predict are told apart."""
    folder, out, seed = request["data"], request["out"], request["seed"]
    with open(os.path.join(folder, "task.json"), encoding="utf-8") as file:
        task: Task = json.load(file)
    if task["form"] != "npy":
        raise ValueError('reprise_method.py reads NPY: leave out form = "csv"')
    _reported.clear()

    def rows(name: str) -> Batch:
        return _read(folder, task, name, False, sparse)

    def seen() -> Tuple[Batch, Optional[Batch], Parameters, int]:
        """What a method fits to, read anew so that no fit finds what another one changed."""
        random.seed(seed)
        np.random.seed(seed)
        some = task["batches"].get("valid", {}).get("rows", 0) > 0
        valid = _read(folder, task, "valid", True, sparse) if some else None
        return _read(folder, task, "train", True, sparse), valid, dict(request["parameters"]), seed

    seconds: Dict[str, float] = {}
    predict: Optional[Predict] = None
    if fit is not None:
        arguments = seen()
        start = time.perf_counter()
        predict = fit(*arguments)
        seconds = {"fit": time.perf_counter() - start, "predict": 0.0}
        if not callable(predict):
            raise TypeError(f"fit must return a function predict(rows), not {type(predict).__name__}")
    for name in request["answer"]:
        batch = rows(name)
        count = len(batch)
        if predict is not None:
            start = time.perf_counter()
            answers = predict(batch)
            seconds["predict"] += time.perf_counter() - start
        else:
            assert fit_predict is not None
            train, valid, parameters, _ = seen()
            answers = fit_predict(train, valid, batch, parameters, seed)
        checked = _checked(answers, count, task)
        _save(os.path.join(out, f"{name}.token.npy"), _load(folder, f"{name}.token"))
        _save(os.path.join(out, f"{name}.npy"), checked)
    if _reported:
        _replace(os.path.join(out, "metrics.json"), lambda file: file.write(json.dumps(_reported).encode()))
    return seconds


def _read(folder: str, task: Task, name: str, labelled: bool, sparse: bool) -> Batch:
    rows = task["batches"][name]
    missing = task["missing"]
    values, categories = task.get("values"), task.get("categories")
    return Batch(
        x=_csr(folder, task, name, sparse) if task["sparse"] else _load(folder, f"{name}.x"),
        y=_load(folder, f"{name}.y") if labelled and rows["labels"] else None,
        columns=tuple(task["columns"]),
        kind=task["kind"],
        values=None if values is None else tuple(values),
        classes=tuple(task.get("classes") or ()),
        gives=task["gives"],
        missing=None if missing is None else float(missing),
        categories=None if categories is None else tuple(names and tuple(names) for names in categories),
    )


def _csr(folder: str, task: Task, name: str, sparse: bool) -> Any:
    indptr, indices, data = (_load(folder, f"{name}.x.{part}") for part in ("indptr", "indices", "data"))
    shape = (len(indptr) - 1, int(task["variables"]))
    if sparse:
        # Many libraries take no wider indices.
        indptr = indptr.astype(np.int32) if len(indices) < 2**31 else indptr
        return importlib.import_module("scipy.sparse").csr_array((data, indices, indptr), shape=shape)
    dense = np.zeros(shape, dtype=data.dtype)
    dense[np.repeat(np.arange(shape[0]), np.diff(indptr)), indices] = data
    return dense


def _load(folder: str, name: str) -> Array:
    array: Array = np.load(os.path.join(folder, f"{name}.npy"), allow_pickle=False)
    return array


def _checked(answers: Any, rows: int, task: Task) -> Array:
    """The answers as reprise reads them.

    # Errors
    TypeError or ValueError that says what is wrong with what the method returned.
    """
    gives, classes = task["gives"], len(task.get("classes") or ())
    found: Array = np.asarray(answers)
    shape = (rows, classes) if gives in ("probabilities", "scores") else (rows,)
    if found.shape != shape:
        raise ValueError(f"{gives} of {rows} rows must have the shape {shape}, not {found.shape}")
    if gives == "labels":
        if found.dtype.kind not in "iu":
            raise TypeError(f"labels must be integers, indices into classes, not {found.dtype}")
        _refuse((found < 0) | (found >= classes), found, f"labels must be 0 to {classes - 1}")
        return np.ascontiguousarray(found, dtype=np.int32)
    if found.dtype.kind not in "fiu":
        raise TypeError(f"{gives} must be numbers, not {found.dtype}")
    _refuse(~np.isfinite(found), found, f"{gives} must be finite")
    return np.ascontiguousarray(found, dtype=np.float64)


def _refuse(wrong: Array, found: Array, must: str) -> None:
    places: List[Any] = np.argwhere(wrong).tolist()
    if places:
        place = tuple(places[0])
        raise ValueError(f"{must}: row {place[0]} has {found[place]} ({len(places)} such values)")


def _save(path: str, array: Array) -> None:
    _replace(path, lambda file: np.save(file, array, allow_pickle=False))


def _replace(path: str, write: Callable[[BinaryIO], Any]) -> None:
    """Writes under another name and renames, so that no reader meets a half of a file."""
    partial = path + ".partial"
    with open(partial, "wb") as file:
        write(file)
    os.replace(partial, path)
