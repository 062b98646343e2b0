"""Chow-Liu trees computed independently of reprise, with NumPy alone.

    python tests/reference/chow_liu.py [NAME...]         default: plants baudio

reads the published splits from the mirror folder in REPRISE_MIRROR and prints the average
log-likelihood (nats per example) of the test, validation and training examples. The tree is the
maximum spanning tree of the empirical mutual informations; its parameters are the counts with
SMOOTHING pseudo-examples spread evenly over all states, as in `chow-liu` with smoothing = 1e-3.
"""

import gzip
import os
import sys

import numpy as np

SMOOTHING = 1e-3
FOLDER = (
    "raw.githubusercontent.com/nicoladimauro/dcsn/"
    "dd0f7a43f5fededeeaf37905f48f918a25b8c2c7/data/generative"
)


def load(name, part):
    path = os.path.join(os.environ["REPRISE_MIRROR"], FOLDER, f"{name}.{part}.data.gz")
    with gzip.open(path) as file:
        text = np.frombuffer(file.read(), dtype=np.uint8)
    digits = text[(text == 48) | (text == 49)] - 48
    return digits.reshape(np.count_nonzero(text == 10), -1).astype(np.float64)


def pair_tables(train, smoothing):
    """P(x_i = a, x_j = b) for all i, j as four n x n matrices."""
    n_examples = len(train)
    both = train.T @ train
    ones = np.diag(both)
    cells = {
        (1, 1): both,
        (1, 0): ones[:, None] - both,
        (0, 1): ones[None, :] - both,
        (0, 0): n_examples - ones[:, None] - ones[None, :] + both,
    }
    return {k: (c + smoothing / 4) / (n_examples + smoothing) for k, c in cells.items()}


def mutual_information(train):
    joint = pair_tables(train, 0.0)
    p1 = train.mean(axis=0)
    p = {1: p1, 0: 1 - p1}
    total = np.zeros((train.shape[1],) * 2)
    for (a, b), q in joint.items():
        with np.errstate(divide="ignore", invalid="ignore"):
            term = q * np.log(q / np.outer(p[a], p[b]))
        total += np.where(q > 0, term, 0.0)
    return total


def spanning_tree(weights):
    """Kruskal with union-find; edges by weight, then by index pair."""
    n = len(weights)
    i, j = np.triu_indices(n, 1)
    order = np.lexsort((j, i, -weights[i, j]))
    root = list(range(n))

    def find(v):
        while root[v] != v:
            root[v] = root[root[v]]
            v = root[v]
        return v

    edges = []
    for e in order:
        a, b = find(i[e]), find(j[e])
        if a != b:
            root[a] = b
            edges.append((int(i[e]), int(j[e])))
    return edges


def log_likelihood(rows, edges, train, smoothing):
    """Product of the edges' pair marginals over the inner marginals (no root, no direction)."""
    joint = pair_tables(train, smoothing)
    p1 = (train.sum(axis=0) + smoothing / 2) / (len(train) + smoothing)
    log_p = np.where(rows == 1, np.log(p1), np.log1p(-p1))
    degree = np.zeros(rows.shape[1])
    total = np.zeros(len(rows))
    for a, b in edges:
        degree[[a, b]] += 1
        for (x, y), q in joint.items():
            total += np.where((rows[:, a] == x) & (rows[:, b] == y), np.log(q[a, b]), 0.0)
    return total + log_p @ (1 - degree)


def main():
    print(f"NumPy {np.__version__}, smoothing {SMOOTHING}")
    for name in sys.argv[1:] or ["plants", "baudio"]:
        train, valid, test = (load(name, part) for part in ("ts", "valid", "test"))
        edges = spanning_tree(mutual_information(train))
        values = [
            log_likelihood(rows, edges, train, SMOOTHING).mean() for rows in (test, valid, train)
        ]
        print(name, *(f"{value:.10f}" for value in values))


if __name__ == "__main__":
    main()
