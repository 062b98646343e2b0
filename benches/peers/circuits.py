"""Times circuits and mixtures of trees, and what stands beside them.

    REPRISE_MIRROR=... python benches/peers/circuits.py target/release/reprise [--times 5]

Each work is an experiment of one method on one data set, run anew with one thread; what is printed is the median of the
seconds of its fits. The pass of a hidden Chow-Liu tree stands beside the same pass by NumPy's BLAS, over the same distinct
rows, both in double precision; sides alternate. LearnSPN stands beside deeprob-kit's, whose clusters are k-means, where
that can be imported.
"""

import argparse
import csv
import importlib.util
import os
import statistics
import subprocess
import sys
import tempfile
import time

import peer
import numpy as np

PARSER = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
PARSER.add_argument("reprise", help="path of the program")
PARSER.add_argument("--times", type=int, default=5)

EXPERIMENT = """schema = 1
experiment = {{ id = "timed", title = "Timed", seed = 1 }}
task = {{ kind = "density", datasets = ["{dataset}"], split = "published", metrics = ["test_ll"] }}
method = [{{ id = "own", {method} }}]
"""
SPN = 'kind = "learn-spn", fewest = 4, cluster_penalty = '
STATES, PASSES = 64, 10
# The second of two trials of a path goes on where the first has ended.
PASS = f'kind = "hclt", states = {STATES}, batch_passes = 0, grid = {{ passes = [1, {1 + PASSES}] }}, select = "valid_ll"'
# What is done, the data set, the method, and the most seconds that it was to take.
WORKS = [
    ("LearnSPN, cluster penalty .8", "nltcs", SPN + "0.8", 0.5),
    ("LearnSPN, cluster penalty .2", "nltcs", SPN + "0.2", 10),
    ("LearnSPN, cluster penalty .6", "plants", SPN + "0.6", 1.5),
    ("ACMN, cost of an edge .1", "nltcs", 'kind = "acmn", edge_cost = 0.1, l1 = 1.0, split_cost = 0.5', 4),
    ("mixture of 20 trees", "plants", 'kind = "mixture-of-trees", components = 20, restarts = 1, tolerance = 1e-4', 3),
]


def fits(program, dataset, method):
    """Seconds of the fits of an experiment, by the values of what is swept."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "timed.toml")
        with open(path, "w") as file:
            file.write(EXPERIMENT.format(dataset=dataset, method=method))
        command = [program, "run", path, "--results", folder, "--jobs", "1"]
        done = subprocess.run(command, capture_output=True, text=True)
        if done.returncode:
            sys.exit(done.stdout + done.stderr)
        with open(os.path.join(folder, "timed", "timing", "timings.csv")) as file:
            seconds = {row["key"]: float(row["time:fit"]) for row in csv.DictReader(file)}
        with open(os.path.join(folder, "timed", "trials.csv")) as file:
            return {row.get("passes"): seconds[row["key"]] for row in csv.DictReader(file)}


class Tree:
    """A hidden Chow-Liu tree, and full passes of EM over weighted rows by BLAS."""

    def __init__(self, name):
        self.rows, counts = np.unique(peer.load(name), axis=0, return_counts=True)
        self.counts = counts.astype(float)
        parents = self.chow_liu()
        self.inner = [v for v in range(len(parents)) if v in parents]
        # Parents stand before their children.
        depth = {v: 0 for v, parent in enumerate(parents) if parent < 0}
        while len(depth) < len(parents):
            depth.update({v: depth[p] + 1 for v, p in enumerate(parents) if p in depth})
        self.inner.sort(key=depth.get)
        self.parent = parents
        random = np.random.default_rng(1)
        self.step = {v: self.normal(random.random((STATES, STATES))) for v in self.inner}
        self.leaf = random.random((len(parents), STATES)) * 0.8 + 0.1
        # The variable of an inner node depends on its hidden one, another on that of its parent.
        self.owner = [v if v in self.inner else parents[v] for v in range(len(parents))]

    def chow_liu(self):
        x, share = self.rows.astype(float), self.counts / self.counts.sum()
        both, ones = (x * share[:, None]).T @ x, share @ x
        information = np.zeros_like(both)
        for a in (0, 1):
            for b in (0, 1):
                left, right = (ones if a else 1 - ones)[:, None], (ones if b else 1 - ones)[None, :]
                joint = [[1 - ones[:, None] - ones[None, :] + both, ones[None, :] - both], [ones[:, None] - both, both]][a][b]
                with np.errstate(divide="ignore", invalid="ignore"):
                    information += np.nan_to_num(joint * np.log(joint / (left * right)))
        variables = len(ones)
        parents, best, within = [-1] * variables, np.full(variables, -np.inf), {0}
        nearest = np.zeros(variables, dtype=int)
        at = 0
        while len(within) < variables:
            better = information[at] > best
            best[better], nearest[better] = information[at][better], at
            best[list(within)] = -np.inf
            at = int(np.argmax(best))
            parents[at] = int(nearest[at])
            within.add(at)
        return parents

    @staticmethod
    def normal(table):
        return table / table.sum(axis=1, keepdims=True)

    def emit(self, variable):
        one = self.rows[:, variable, None] == 1
        return np.where(one, self.leaf[variable], 1 - self.leaf[variable])

    def full_pass(self):
        up = {v: np.ones((len(self.rows), STATES)) for v in self.inner}
        for variable, owner in enumerate(self.owner):
            up[owner] *= self.emit(variable)
        sent, scale = {}, np.zeros(len(self.rows))
        for v in reversed(self.inner):
            top = up[v].max(axis=1)
            up[v] /= top[:, None]
            scale += np.log(top)
            if self.parent[v] >= 0:
                sent[v] = up[v] @ self.step[v].T
                up[self.parent[v]] *= sent[v]
        root = self.inner[0]
        evidence = up[root] @ self.step[root][0]
        down = {root: self.step[root][0] * (self.counts / evidence)[:, None]}
        for v in self.inner:
            posterior = down[v] * up[v]
            for variable, owner in enumerate(self.owner):
                if owner == v:
                    ones = self.rows[:, variable] @ posterior
                    self.leaf[variable] = (ones + 0.05) / (posterior.sum(axis=0) + 0.1)
            for child in self.inner:
                if self.parent[child] == v:
                    above = posterior / sent[child]
                    counts = self.step[child] * (above.T @ up[child])
                    down[child] = above @ self.step[child]
                    self.step[child] = self.normal(counts + 0.1 / STATES)
        self.step[root] = np.tile(self.normal((down[root] * up[root]).sum(axis=0)[None, :]), (STATES, 1))
        return self.counts @ (np.log(evidence) + scale) / self.counts.sum()

    def operations(self):
        """Those of three products of matrices for each hidden variable that has a parent."""
        return 3 * 2 * (len(self.inner) - 1) * len(self.rows) * STATES**2


def passes(program, times):
    tree, own, other = Tree("plants"), [], []
    before = -np.inf
    for _ in range(times):
        seconds = fits(program, "plants", PASS)
        own.append(seconds[str(1 + PASSES)] / PASSES)
        begun = time.perf_counter()
        after = tree.full_pass()
        other.append(time.perf_counter() - begun)
        assert after > before, "EM does not fall"
        before = after
    own, other = statistics.median(own), statistics.median(other)
    speed = tree.operations() / own / 1e9
    print(f"a full pass of HCLT, {STATES} states, Plants: {own:.3f} s, {speed:.0f} billion operations a second; "
          f"NumPy {other:.3f} s, ratio {own / other:.2f}")


def deeprob(dataset):
    from deeprob.spn.learning.learnspn import learn_spn
    from deeprob.spn.structure.leaf import Bernoulli

    rows = peer.load(dataset).astype(np.float32)
    leaves, states = [Bernoulli] * rows.shape[1], [[0, 1]] * rows.shape[1]
    begun = time.perf_counter()
    learn_spn(rows, leaves, states, learn_leaf="mle", split_rows="kmeans", split_cols="gvs", random_state=1, verbose=False)
    return time.perf_counter() - begun


def main():
    asked = PARSER.parse_args()
    program = os.path.abspath(asked.reprise)
    print(peer.versions())
    for what, dataset, method, most in WORKS:
        seconds = statistics.median(sum(fits(program, dataset, method).values()) for _ in range(asked.times))
        print(f"{what}, {dataset}: {seconds:.2f} s, target {most} s")
    if importlib.util.find_spec("deeprob"):
        for dataset in ("nltcs", "plants"):
            seconds = statistics.median(deeprob(dataset) for _ in range(asked.times))
            print(f"LearnSPN of deeprob-kit, {dataset}: {seconds:.2f} s")
    passes(program, asked.times)


if __name__ == "__main__":
    main()
