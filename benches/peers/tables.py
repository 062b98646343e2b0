"""Times `data add` and `run` on tables of a size that users have, against pandas and scikit-learn on the same file.

    python benches/peers/tables.py target/release/reprise [--rows 1000000] [--columns 50] [--bits] [--times 5]

The table is drawn here, with a fixed seed: decimals and a class, or with --bits values 0 and 1. Sides alternate; what is
printed is the median of the seconds and of the most memory of each, and their ratio. The peer reads the file twice and
fits naive Bayes, as `data add` and `run` do.
"""

import argparse
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

EXPERIMENT = """schema = 1
experiment = { id = "wide", title = "Wide", seed = 1 }
task = { kind = "classification", datasets = ["table"], split = { share = { test = 0.2, repeats = 1 } } }
method = [{ id = "bayes", kind = "gaussian-nb" }]
table = [{ id = "t", rows = "dataset", columns = "method", metric = "test_accuracy", digits = 3 }]
"""

PEER = """import pandas, resource, sys
from sklearn.model_selection import train_test_split
from sklearn.naive_bayes import GaussianNB
for _ in range(2):
    table = pandas.read_csv("table.csv"{types})
x, y = table.drop(columns="class"), table["class"]
x, xt, y, yt = train_test_split(x, y, test_size=0.2, random_state=1)
print(GaussianNB().fit(x, y).score(xt, yt))
"""


def write(path, rows, columns, bits):
    import numpy

    random = numpy.random.default_rng(7)
    with open(path, "w") as file:
        file.write(",".join(f"x{at}" for at in range(columns)) + ",class\n")
        for start in range(0, rows, 10_000):
            count = min(10_000, rows - start)
            label = random.integers(0, 2, count)
            if bits:
                values = (random.random((count, columns)) < 0.4 + 0.2 * label[:, None]).astype(int)
                lines = (",".join(map(str, row)) for row in values)
            else:
                values = random.normal(0.3 * label[:, None], 1, (count, columns))
                lines = (",".join(f"{value:.6f}" for value in row) for row in values)
            file.writelines(f"{line},{'ab'[kind]}\n" for line, kind in zip(lines, label))


def measured(commands, folder):
    """Seconds of the commands, and the most memory of one of them in MB."""
    seconds, most = 0.0, 0
    for command in commands:
        before = time.monotonic()
        process = subprocess.Popen(command, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        output = process.stdout.read()
        _, status, usage = os.wait4(process.pid, 0)
        seconds += time.monotonic() - before
        most = max(most, usage.ru_maxrss // 1024)
        if status:
            sys.exit(f"{command}:\n{output.decode()}")
    return seconds, most


def main():
    asked = PARSER.parse_args()
    program = os.path.abspath(asked.reprise)
    with tempfile.TemporaryDirectory() as folder:
        table = os.path.join(folder, "table.csv")
        write(table, asked.rows, asked.columns, asked.bits)
        print(f"{asked.rows} x {asked.columns}: {os.path.getsize(table) >> 20} MB of text")
        types = ", dtype={f'x{at}': 'uint8' for at in range(%d)}" % asked.columns if asked.bits else ""
        for name, text in [("experiment.toml", EXPERIMENT), ("peer.py", PEER.replace("{types}", types))]:
            with open(os.path.join(folder, name), "w") as file:
                file.write(text)
        sides = {"add": [], "run": [], "plan": [], "peer": []}
        for at in range(asked.times):
            for name in ["datasets.toml", "results"]:
                subprocess.run(["rm", "-rf", os.path.join(folder, name)], check=True)
            sides["add"].append(measured([[program, "data", "add", "table.csv", "--target", "class"]], folder))
            sides["run"].append(measured([[program, "run", "experiment.toml", "--offline"]], folder))
            sides["plan"].append(measured([[program, "plan", "experiment.toml", "--offline"]], folder))
            sides["peer"].append(measured([[sys.executable, "peer.py"]], folder))
        median = {side: [statistics.median(column) for column in zip(*found)] for side, found in sides.items()}
        for side, (seconds, memory) in median.items():
            print(f"{side:5} {seconds:8.2f} s {memory:8.0f} MB")
        own = median["add"][0] + median["run"][0]
        memory = max(median["add"][1], median["run"][1])
        print(f"add and run to peer: time {own / median['peer'][0]:.2f}, memory {memory / median['peer'][1]:.2f}")


if __name__ == "__main__":
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    main()
