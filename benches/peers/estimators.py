"""Seconds of CPU of estimators by their names beside plain scikit-learn's: `python benches/peers/estimators.py`.

Both sides are processes of this Python, which has what src/program/estimator/requirements.txt lists. A process that fits many
times less one that fits once is what a trial costs; one that fits once is a start. Sides alternate; medians of three.
"""

import os
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile

import numpy as np

TOP = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../..")
sys.path.insert(0, os.path.join(TOP, "clients"))

from fake_harness import HandOver, Method  # noqa: E402

PLAIN = """
import numpy as np
from sklearn.ensemble import HistGradientBoostingClassifier, RandomForestClassifier
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC
rows = np.load({rows!r})
for _ in range({fits}):
    {source}.fit(rows["train"], rows["labels"]).predict(rows["test"])
"""
ESTIMATORS = [
    ("GaussianNB()", 200),
    ("make_pipeline(StandardScaler(), SVC())", 100),
    ("RandomForestClassifier()", 20),
    ("HistGradientBoostingClassifier()", 20),
]


def cpu():
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def by_name(folder, x, y, source, fits):
    own = tempfile.mkdtemp(dir=folder)
    hand_over, before = HandOver(os.path.join(own, "data"), x, y, kind="numeric"), cpu()
    with Method([sys.executable, os.path.join(folder, "estimator.py"), source], hand_over, own) as method:
        for _ in range(fits):
            reply, _ = method.ask(answer=("test", "again"))
            assert reply.get("done"), reply
    return cpu() - before


def plain(folder, source, fits):
    code, before = PLAIN.format(rows=os.path.join(folder, "rows.npz"), source=source, fits=fits), cpu()
    subprocess.run([sys.executable, "-c", code], check=True, env={"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"})
    return cpu() - before


def main(folder):
    for file in ("src/program/estimator/estimator.py", "clients/python/reprise_method.py"):
        shutil.copy(os.path.join(TOP, file), folder)
    subprocess.run([sys.executable, os.path.join(folder, "estimator.py"), "--names"], check=True)
    random = np.random.default_rng(1)
    x = {"train": random.normal(size=(1235, 4)), "test": random.normal(size=(137, 4))}
    y = {batch: (rows @ [2, -1, 1, 0] + random.normal(size=len(rows)) > 0).astype(int) for batch, rows in x.items()}
    np.savez(os.path.join(folder, "rows.npz"), train=x["train"], labels=y["train"], test=x["test"])
    print("estimator, start and trial: by name, plain [s of CPU]")
    for source, fits in ESTIMATORS:
        rounds = []
        for _ in range(3):
            one, many = (by_name(folder, x, y, source, count) for count in (1, fits + 1))
            plain_one, plain_many = (plain(folder, source, count) for count in (1, fits + 1))
            rounds.append((one, plain_one, (many - one) / fits, (plain_many - plain_one) / fits))
        print(source, *(f"{statistics.median(of):.4f}" for of in zip(*rounds)), flush=True)


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        main(folder)
