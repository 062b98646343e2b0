"""The Gibbs energy classifier computed independently of reprise, with the standard library alone.

    python tests/reference/gibbs.py

reads the UCI files from the mirror folder in REPRISE_MIRROR, trains on the examples whose place in the
file, counted from 0, is not divisible by 3 and predicts the others, and prints for each setting the
number of hits and the SHA-256 (first 12 digits) of the predicted classes, one digit each. Patterns are
dictionaries keyed by pairs of place and value; potentials are (8), weights (7). A pattern that never
occurs in the training records has potential -100 up to an order, and 0 above it. Two totals that differ
by less than 1e-9 would be printed as a tie, since their order could depend on rounding.
"""

import hashlib
import itertools
import math
import os

FOLDER = os.path.join(os.environ["REPRISE_MIRROR"], "archive.ics.uci.edu/ml/machine-learning-databases")


def load(path):
    with open(os.path.join(FOLDER, path)) as file:
        return [line.strip().split(",") for line in file if line.strip()]


def votes():
    return [(row[1:], row[0]) for row in load("voting-records/house-votes-84.data")]


def breast():
    return [(row[1:-1], row[-1]) for row in load("breast-cancer-wisconsin/breast-cancer-wisconsin.data")]


def count(records, most):
    counts = {}
    for values, label in records:
        items = list(enumerate(values)) + [("class", label)]
        for order in range(1, most + 1):
            for pattern in itertools.combinations(items, order):
                counts[pattern] = counts.get(pattern, 0) + 1
    return counts


def potential(counts, total, pattern, negative_order):
    if pattern not in counts:
        return -100.0 if len(pattern) <= negative_order else 0.0
    value = math.log(counts[pattern] / total)
    if len(pattern) > 1:
        parts = [pattern[:i] + pattern[i + 1 :] for i in range(len(pattern))]
        value -= sum(math.log(counts[part] / total) for part in parts) / (len(pattern) - 1)
    return value


def energy(counts, total, values, label, most, negative_order, skip):
    items = [item for item in enumerate(values) if not (skip and item[1] == "?")]
    n = len(items) + 1
    terms = []
    for order in range(1, min(most, n) + 1):
        for rest in itertools.combinations(items, order - 1):
            pattern = rest + (("class", label),)
            weight = 1 / math.comb(n - 1, order - 1)
            terms.append(weight * potential(counts, total, pattern, negative_order))
    return math.fsum(terms)


def run(name, records, most, negative_order, skip):
    train = [record for place, record in enumerate(records) if place % 3]
    test = [record for place, record in enumerate(records) if place % 3 == 0]
    labels = sorted({label for _, label in records})
    counts = count(train, most)
    hits, digits, ties = 0, "", 0
    for values, label in test:
        totals = [energy(counts, len(train), values, one, most, negative_order, skip) for one in labels]
        best = max(range(len(labels)), key=lambda one: totals[one])
        ties += sorted(totals)[-1] - sorted(totals)[-2] < 1e-9
        hits += labels[best] == label
        digits += str(best)
    digest = hashlib.sha256(digits.encode()).hexdigest()[:12]
    print(f'    ("{name}", {most}, {negative_order}, {str(skip).lower()}, {hits}, "{digest}"),', end="")
    print(f" # {ties} ties" if ties else "")


run("breast-cancer", breast(), 10, 10, False)
run("breast-cancer", breast(), 4, 2, False)
run("breast-cancer", breast(), 10, 10, True)
run("house-votes", votes(), 4, 4, False)
run("house-votes", votes(), 3, 2, True)
