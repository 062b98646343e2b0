"""`reprise` from Python: run an experiment, and read what it sealed as pandas frames.

    import reprise_harness as reprise

    results = reprise.run("experiment.toml")   # in a notebook the page is shown
    results.claims()[["id", "verdict", "sentence"]]
    results.trials().groupby(["dataset", "method"]).test_accuracy.mean()
"""

import html
import re
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Union

from ._binary import NotFound, binary

if TYPE_CHECKING:
    import pandas

__all__ = ["Failed", "NotFound", "Results", "binary", "cells", "claims", "predictions", "run", "tests", "trials"]

Folder = Union[str, "Path", "Results"]


class Failed(RuntimeError):
    """`reprise` ended with a code other than 0.

    `code` is 1 if a check failed, 2 if the command or the experiment is wrong, 3 if data is unavailable, 4 if trials
    failed, 5 if results can't be written. `message` is what it printed to standard error.
    """

    def __init__(self, code: int, message: str) -> None:
        super().__init__(f"reprise ended with {code}\n{message}".rstrip())
        self.code = code
        self.message = message


class Results:
    """A folder of sealed results. In a notebook it is shown as its page."""

    def __init__(self, folder: Folder) -> None:
        self.folder = _path(folder)

    def __fspath__(self) -> str:
        return str(self.folder)

    def __repr__(self) -> str:
        return f"Results({str(self.folder)!r})"

    def _repr_html_(self) -> str:
        page = html.escape((self.folder / "report.html").read_text(encoding="utf-8"))
        return f'<iframe srcdoc="{page}" sandbox="allow-scripts" width="100%" height="700"></iframe>'

    def trials(self, selected: bool = True) -> "pandas.DataFrame":
        """As `trials`."""
        return trials(self, selected)

    def cells(self, table: str) -> "pandas.DataFrame":
        """As `cells`."""
        return cells(self, table)

    def tests(self) -> "pandas.DataFrame":
        """As `tests`."""
        return tests(self)

    def claims(self) -> "pandas.DataFrame":
        """As `claims`."""
        return claims(self)

    def predictions(self, dataset: str) -> "pandas.DataFrame":
        """As `predictions`."""
        return predictions(self, dataset)


def run(experiment: Union[str, Path], *arguments: str, results: Union[str, Path] = "results") -> Results:
    """Runs an experiment file, or a built-in one by its id, to its sealed results.

    `arguments` are those of `reprise run`, such as `"--profile", "smoke"`. What is printed goes to this process's
    standard error. Raises `Failed` where `reprise` ends with another code than 0.
    """
    command = [binary(), "run", str(experiment), "--results", str(results), *arguments]
    ended = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, encoding="utf-8", check=False)
    sys.stderr.write(ended.stdout)
    if ended.returncode != 0:
        raise Failed(ended.returncode, ended.stderr)
    sealed = re.findall(r"sealed in (.+?)(?:; --fresh recomputes)?$", ended.stdout, flags=re.MULTILINE)
    return Results(sealed[-1])


def trials(results: Folder, selected: bool = True) -> "pandas.DataFrame":
    """The trials, a row each: ids are categories, metrics and parameters columns of their own.

    With `selected` those that tables are made of: which ended well, at the selected point of each grid, without the
    options of choices.
    """
    frame = _read(results, "trials.csv")
    if selected:
        frame = frame[(frame["status"] == "ok") & frame["selected"].fillna(True).astype(bool) & frame["choice"].isna()]
    return frame


def cells(results: Folder, table: str) -> "pandas.DataFrame":
    """The cells of the table of this id: values, published ones, and how they agree."""
    return _read(results, f"tables/{table}.csv")


def tests(results: Folder) -> "pandas.DataFrame":
    """The significance tests: p-values, effects and their intervals."""
    return _read(results, "tests.csv")


def claims(results: Folder) -> "pandas.DataFrame":
    """The claims, with their verdicts and the sentences that say why."""
    return _read(results, "claims.csv")


def predictions(results: Folder, dataset: str) -> "pandas.DataFrame":
    """What the models answered to the test examples of a dataset, where the experiment has `keep = "predictions"`.

    A row each: the key of the trial, the place of the example in the dataset, its target (`truth`), what it was taken
    for (`predicted`), and where methods give them the probability or score of each class, as `score:CLASS`.
    """
    import numpy
    import pandas

    folder = _path(results) / "predictions"
    if not folder.exists():
        raise FileNotFoundError(f'{folder} is not there: the task of the experiment needs keep = "predictions"')
    named = pandas.read_csv(folder / "trials.csv", dtype="string", keep_default_na=False)
    named = named[named["dataset"] == dataset].astype({"trial": "int64"})
    named["class"] = named["class"].map(_of_prose)
    array = numpy.load(folder / f"{dataset}.npy")
    keys = named.groupby("trial")["key"].first()
    frame = pandas.DataFrame({"key": pandas.Categorical(keys.loc[array["trial"]]), "row": array["row"]})
    classes = named.groupby("trial")["class"].agg(list)
    for target in ("truth", "predicted"):
        frame[target] = array[target]
    if not (named["class"] == "").all():
        names = classes.loc[array["trial"]].array
        for target in ("truth", "predicted"):
            frame[target] = pandas.Categorical([of[number] for of, number in zip(names, array[target])])
        if "scores" in array.dtype.names:
            for name in named["class"].unique():
                at = numpy.array([of.index(name) if name in of else -1 for of in names])
                scores = numpy.take_along_axis(array["scores"], at.clip(0)[:, None], axis=1)[:, 0]
                frame[f"score:{name}"] = numpy.where(at >= 0, scores, numpy.nan)
    return frame


def _of_prose(cell: str) -> str:
    """The text of a cell: before one that a spreadsheet would compute stands an apostrophe."""
    computed = cell.lstrip("'").startswith(("=", "+", "-", "@", "\t", "\r"))
    return cell[1:] if computed and cell.startswith("'") else cell


# Columns whose few words stand in many rows.
_WORDS = {
    "trials.csv": ["dataset", "part", "problem", "method", "status", "choice"],
    "tests.csv": ["id", "kind", "metric", "left", "right", "dataset", "correction", "family", "effect", "over"],
    "claims.csv": ["verdict", "published_verdict", "by"],
    "tables": ["row", "column", "metric", "status", "agreement"],
}


def _path(results: Folder) -> Path:
    return results.folder if isinstance(results, Results) else Path(results)


def _read(results: Folder, name: str) -> "pandas.DataFrame":
    import pandas

    path = _path(results) / name
    words = _WORDS.get(name, _WORDS["tables"])
    frame = pandas.read_csv(path, dtype={word: "string" for word in words}, low_memory=False)
    return frame.astype({word: "category" for word in words if word in frame.columns})
