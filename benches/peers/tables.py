"""Times `data add` and `run` on tables of a size that users have, against pandas and scikit-learn on the same file.

    python benches/peers/tables.py target/release/reprise [--rows 1000000] [--columns 50] [--bits] [--times 5]
                                                          [--method knn] [--threads 2]

The table is drawn here, with a fixed seed: decimals and a class, or with --bits values 0 and 1. Sides alternate; what is
printed is the median of the seconds and of the most memory of each, and their ratio. The peer reads the file twice, fits
the method to four fifths of the rows and predicts the rest, as `data add` and `run` do. The last line is the fit and the
predictions alone.
"""

import argparse
import csv
import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time

PARSER = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
PARSER.add_argument("reprise", help="path of the program")
PARSER.add_argument("--rows", type=int, default=1_000_000)
PARSER.add_argument("--columns", type=int, default=50)
PARSER.add_argument("--bits", action="store_true")
PARSER.add_argument("--times", type=int, default=5)
PARSER.add_argument("--method", default="gaussian-nb")
PARSER.add_argument("--threads", type=int, default=1)

PEERS = {
    "gaussian-nb": "naive_bayes.GaussianNB()",
    "knn": "neighbors.KNeighborsClassifier()",
    "linear-svm": "svm.LinearSVC()",
    "logistic-regression": "linear_model.LogisticRegression()",
    "knn-regression": "neighbors.KNeighborsRegressor()",
    "ridge": "linear_model.Ridge()",
    "regression-tree": "tree.DecisionTreeRegressor()",
}
REGRESSIONS = ["knn-regression", "ridge", "regression-tree"]

EXPERIMENT = """schema = 1
experiment = {{ id = "wide", title = "Wide", seed = 1 }}
task = {{ kind = "{task}", datasets = ["table"], split = {{ share = {{ test = 0.2, repeats = 1 }} }} }}
method = [{{ id = "own", kind = "{method}" }}]
table = [{{ id = "t", rows = "dataset", columns = "method", metric = "{metric}", digits = 3 }}]
"""

PEER = """import pandas, time
from sklearn import linear_model, naive_bayes, neighbors, svm, tree
from sklearn.model_selection import train_test_split
for _ in range(2):
    table = pandas.read_csv("table.csv"{types})
x, y = table.drop(columns="class").to_numpy(), table["class"]
x, xt, y, yt = train_test_split(x, y, test_size=0.2, random_state=1)
begun = time.monotonic()
{estimator}.fit(x, y).predict(xt)
print(time.monotonic() - begun)
"""


def write(path, rows, columns, bits, numbers):
    import numpy

    random = numpy.random.default_rng(7)
    with open(path, "w") as file:
        file.write(",".join(f"x{at}" for at in range(columns)) + ",class\n")
        for start in range(0, rows, 10_000):
            count = min(10_000, rows - start)
            label = random.integers(0, 3, count)
            if bits:
                values = (random.random((count, columns)) < 0.3 + 0.2 * label[:, None]).astype(int)
                lines = (",".join(map(str, row)) for row in values)
            else:
                values = random.normal(0.3 * label[:, None], 1, (count, columns))
                lines = (",".join(f"{value:.6f}" for value in row) for row in values)
            targets = label + random.normal(size=count) if numbers else ["abc"[kind] for kind in label]
            file.writelines(f"{line},{target}\n" for line, target in zip(lines, targets))


def measured(command, folder, fits, threads):
    """Seconds of the command, its most memory in MB, and what `fits` says of what it printed."""
    before = time.monotonic()
    environment = {**os.environ, "OMP_NUM_THREADS": str(threads), "OPENBLAS_NUM_THREADS": str(threads)}
    process = subprocess.Popen(command, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, env=environment)
    output = process.stdout.read().decode()
    _, status, usage = os.wait4(process.pid, 0)
    seconds = time.monotonic() - before
    if status:
        sys.exit(f"{command}:\n{output}")
    return seconds, usage.ru_maxrss // 1024, fits(output)


def own_fits(folder):
    """Seconds of the fit and the predictions that `run` has sealed."""
    with open(os.path.join(folder, "results", "wide", "timing", "timings.csv")) as file:
        return sum(float(row["time:fit"]) + float(row["time:predict"]) for row in csv.DictReader(file))


def main():
    asked = PARSER.parse_args()
    program = os.path.abspath(asked.reprise)
    with tempfile.TemporaryDirectory() as folder:
        table = os.path.join(folder, "table.csv")
        numbers = asked.method in REGRESSIONS
        write(table, asked.rows, asked.columns, asked.bits, numbers)
        print(f"{asked.rows} x {asked.columns}: {os.path.getsize(table) >> 20} MB of text; {asked.method}, "
              f"threads: {asked.threads}")
        types = ", dtype={f'x{at}': 'uint8' for at in range(%d)}" % asked.columns if asked.bits else ""
        task, metric = ("regression", "rmse") if numbers else ("classification", "test_accuracy")
        own = EXPERIMENT.format(task=task, method=asked.method, metric=metric)
        peer = PEER.replace("{types}", types).replace("{estimator}", PEERS[asked.method])
        for name, text in [("experiment.toml", own), ("peer.py", peer)]:
            with open(os.path.join(folder, name), "w") as file:
                file.write(text)
        run, none = [program, "run", "experiment.toml", "--offline", f"--jobs={asked.threads}"], lambda _: 0.0
        commands = {
            "add": ([program, "data", "add", "table.csv", "--target", "class"], none),
            "run": (run, lambda _: own_fits(folder)),
            "plan": ([program, "plan", "experiment.toml", "--offline"], none),
            "peer": ([sys.executable, "peer.py"], lambda output: float(output.split()[-1])),
        }
        sides = {name: [] for name in commands}
        for at in range(asked.times):
            for name in ["datasets.toml", "results"]:
                subprocess.run(["rm", "-rf", os.path.join(folder, name)], check=True)
            for name, (command, fits) in commands.items():
                sides[name].append(measured(command, folder, fits, asked.threads))
        median = {side: [statistics.median(column) for column in zip(*found)] for side, found in sides.items()}
        for side, (seconds, memory, _) in median.items():
            print(f"{side:5} {seconds:8.2f} s {memory:8.0f} MB")
        own = median["add"][0] + median["run"][0]
        memory = max(median["add"][1], median["run"][1])
        print(f"add and run to peer: time {own / median['peer'][0]:.2f}, memory {memory / median['peer'][1]:.2f}")
        own, peer = median["run"][2], median["peer"][2]
        print(f"fit and predictions: {own:.3f} s, peer {peer:.3f} s, ratio {own / peer:.2f}")


if __name__ == "__main__":
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    main()
