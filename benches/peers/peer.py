"""What the peers' scripts share: one thread, the data, timing."""

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


def split_mix(i):
    z = (i + np.uint64(1)) * np.uint64(0x9E3779B97F4A7C15)
    z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return z ^ (z >> np.uint64(31))


def drawn_bits(examples):
    """Rows of 1,000 bits, 0/1 bytes, and their classes: those of `drawn_bits` in benches/methods.rs."""
    words = split_mix(np.arange(examples * 16, dtype=np.uint64)).reshape(examples, 16)
    bits = np.unpackbits(words.view(np.uint8), axis=1, bitorder="little")[:, :1000]
    noisy = split_mix(words[:, 0]) % np.uint64(8) == 0
    return bits, bits[:, :3].sum(axis=1) % 2 ^ noisy


def versions():
    blas = np.show_config(mode="dicts")["Build Dependencies"]["blas"]
    return f"NumPy {np.__version__}, {blas['name']} {blas['version']}, one thread"


def median_seconds(prepare, work, samples, clock=time.perf_counter):
    """Median time of work(prepare()) by a clock, the preparation not counted."""
    seconds = []
    for _ in range(samples):
        state = prepare()
        start = clock()
        work(state)
        seconds.append(clock() - start)
    return float(np.median(seconds))
