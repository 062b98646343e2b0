"""Densities of binary variables by deeprob-kit: Chow-Liu trees and LearnSPN.

`alpha` is the package's: added to each of the four counts of a pair of variables. The trees and circuits are learned by
the package; the likelihoods of circuits are computed here, since the package rounds them to single precision.
"""

import numpy as np
from deeprob.spn.algorithms.structure import prune
from deeprob.spn.learning.learnspn import learn_spn
from deeprob.spn.structure.cltree import BinaryCLT
from deeprob.spn.structure.leaf import Bernoulli
from deeprob.spn.structure.node import Product, Sum
from scipy.special import logsumexp

import reprise_method

STATES = [0, 1]


def chow_liu(x, seed, alpha):
    tree = BinaryCLT(list(range(x.shape[1])))
    tree.fit(x, [STATES] * x.shape[1], alpha=alpha, random_state=seed)
    return tree


def learned_spn(x, seed, alpha, min_rows_slice=256, p=5.0, learn_leaf="mle"):
    """LearnSPN: k-means splits rows, G-tests of threshold `p` split columns."""
    root = learn_spn(
        x,
        [Bernoulli] * x.shape[1],
        [STATES] * x.shape[1],
        learn_leaf=learn_leaf,
        split_rows="kmeans",
        split_cols="gvs",
        learn_leaf_kwargs={"alpha": alpha},
        split_cols_kwargs={"p": p},
        min_rows_slice=min_rows_slice,
        random_state=seed,
        verbose=False,
    )
    return prune(root, copy=False)


ALGORITHMS = {"chow-liu": chow_liu, "learn-spn": learned_spn}


def log_likelihoods(node, x):
    """The natural logarithm of the probability of each row."""
    if isinstance(node, Product):
        return sum(log_likelihoods(child, x) for child in node.children)
    if isinstance(node, Sum):
        # Single precision, so their sum is not quite 1.
        weights = np.asarray(node.weights, dtype=np.float64)
        children = np.stack([log_likelihoods(child, x) for child in node.children])
        return logsumexp(children, axis=0, b=(weights / weights.sum())[:, None])
    if isinstance(node, Bernoulli):
        return np.where(x[:, node.scope[0]] == 1, np.log(node.p), np.log1p(-node.p))
    return node.log_likelihood(x[:, node.scope])[:, 0]


def nodes(node):
    return 1 + sum(nodes(child) for child in node.children)


def fit(train, valid, parameters, seed):
    if train.kind != "binary":
        raise ValueError(f"variables must be binary, not {train.kind}")
    algorithm = parameters.pop("algorithm")
    if algorithm not in ALGORITHMS:
        raise ValueError(f"algorithm is one of {', '.join(ALGORITHMS)}, not {algorithm}")
    # The package keeps double precision where it gets it.
    model = ALGORITHMS[algorithm](train.x.astype(np.float64), seed, **parameters)
    reprise_method.report("nodes", nodes(model))
    return lambda rows: log_likelihoods(model, rows.x.astype(np.float64))


if __name__ == "__main__":
    reprise_method.run(fit=fit)
