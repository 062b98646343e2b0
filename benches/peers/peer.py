"""What the peers' scripts share: one BLAS thread, the data, timing."""

import os

for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[name] = "1"

import gzip
import time

import numpy as np

FOLDER = (
    "raw.githubusercontent.com/nicoladimauro/dcsn/"
    "dd0f7a43f5fededeeaf37905f48f918a25b8c2c7/data/generative"
)


def load(name):
    """The training examples of a set in the mirror folder REPRISE_MIRROR, as a 0/1 matrix."""
    path = os.path.join(os.environ["REPRISE_MIRROR"], FOLDER, f"{name}.ts.data.gz")
    with gzip.open(path) as file:
        text = np.frombuffer(file.read(), dtype=np.uint8)
    digits = text[(text == 48) | (text == 49)] - 48
    return digits.reshape(np.count_nonzero(text == 10), -1)


def versions():
    blas = np.show_config(mode="dicts")["Build Dependencies"]["blas"]
    return f"NumPy {np.__version__}, {blas['name']} {blas['version']}, one thread"


def median_seconds(prepare, work, samples):
    """Median time of work(prepare()), the preparation not counted."""
    seconds = []
    for _ in range(samples):
        state = prepare()
        start = time.perf_counter()
        work(state)
        seconds.append(time.perf_counter() - start)
    return float(np.median(seconds))
