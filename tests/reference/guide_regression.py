"""scikit-learn on the splits of experiments/guide/regression.toml, beside this program's own numbers.

    python tests/reference/guide_regression.py target/release/reprise

adds scikit-learn's regressions to the experiment as programs, which meet the same training and test rows after the same
preprocessing, runs it into a temporary folder, and prints for each data set and method the mean RMSE of both and the
largest relative difference over the ten folds of the first division (a program starts anew for each). It fails where
ridge or the mean differ by more than 1e-9, the mean of k-NN by more than 0.5% (of equally far rows scikit-learn takes
others), or that of the tree by more than 2% (of equally good splits it takes others). The Python that runs it needs
scikit-learn. Mean RMSE here and by scikit-learn 1.9.1 (NumPy 2.4.6):

    abalone     mean 3.22128, 3.22128   ridge 2.20973, 2.20973   5-NN 2.29791, 2.29791   tree 2.54765, 2.55537
    automobile  mean 7634.54, 7634.54   ridge 2075.48, 2075.48   5-NN 3260.11, 3254.07   tree 2756.82, 2756.57
"""

import csv
import pathlib
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
# Native id, scikit-learn's, and how far apart each fold and the mean may be.
METHODS = [
    ("mean", "DummyRegressor()", 1e-9, 1e-9),
    ("ridge", "Ridge(alpha=1.0)", 1e-9, 1e-9),
    ("5-NN", 'KNeighborsRegressor(5, algorithm="brute")', 1e-1, 5e-3),
    ("tree", "DecisionTreeRegressor(min_samples_leaf=5, random_state=seed)", 1.0, 2e-2),
]
PROGRAM = """
import reprise_method
from sklearn.dummy import DummyRegressor
from sklearn.linear_model import Ridge
from sklearn.neighbors import KNeighborsRegressor
from sklearn.tree import DecisionTreeRegressor

def fit(train, valid, parameters, seed):
    model = {model}.fit(train.x, train.y)
    return lambda rows: model.predict(rows.x)

reprise_method.run(fit=fit)
"""


def main(reprise):
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        text = (ROOT / "experiments/guide/regression.toml").read_text().replace("repeats = 5", "repeats = 1")
        text = text[: text.index("# Do the methods differ")]
        (folder / "reprise_method.py").write_text((ROOT / "clients/python/reprise_method.py").read_text())
        for place, (_, model, *_) in enumerate(METHODS):
            (folder / f"own{place}.py").write_text(PROGRAM.replace("{model}", model))
            text += f"""
[[method]]
id = "sklearn-{place}"
kind = "command"
gives = "values"
command = ["{sys.executable}", "own{place}.py"]
code = ["own{place}.py", "reprise_method.py"]
readable = ["{sys.prefix}"]
"""
        (folder / "regression.toml").write_text(text)
        command = [reprise, "run", str(folder / "regression.toml"), "--results", str(folder / "results")]
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
        with open(folder / "results/guide/regression/trials.csv", newline="") as file:
            rows = list(csv.DictReader(file))
    value = {(r["dataset"], r["method"], r["repeat"], r["fold"]): float(r["rmse"]) for r in rows}
    failed = False
    for dataset in ("abalone", "automobile"):
        for place, (native, _, of_fold, of_mean) in enumerate(METHODS):
            pairs = [
                (rmse, value[dataset, f"sklearn-{place}", *fold])
                for (of, method, *fold), rmse in value.items()
                if (of, method) == (dataset, native)
            ]
            assert len(pairs) == 10
            apart = max(abs(own - other) / other for own, other in pairs)
            own, other = (sum(side) / 10 for side in zip(*pairs))
            print(f"{dataset} {native}: {own!r} {other!r}, folds at most {apart:.1e} apart")
            failed |= apart > of_fold or abs(own - other) / other > of_mean
    sys.exit(failed)


if __name__ == "__main__":
    main(sys.argv[1])
