"""scikit-learn's five nearest neighbours on drawn bits, a dense array of doubles: 20,000 training rows.

Prints the median milliseconds of cpu of a fit and the predictions of 2,000 queries, the number of queries
without a tie at the boundary, and how many of those are predicted to be of the second class.
"""

import time

import peer
import numpy as np
import sklearn
from sklearn.neighbors import KNeighborsClassifier

TRAIN, QUERIES, K, SAMPLES = 20_000, 2_000, 5, 3


def main():
    print(f"scikit-learn {sklearn.__version__}, {peer.versions()}")
    bits, classes = peer.drawn_bits(TRAIN + QUERIES)
    x = bits.astype(np.float64)
    train, test, labels = x[:TRAIN], x[TRAIN:], classes[:TRAIN]
    vote = lambda knn: knn.fit(train, labels).predict(test)
    new = lambda: KNeighborsClassifier(n_neighbors=K)
    seconds = peer.median_seconds(new, vote, SAMPLES, time.process_time)
    squares = test.sum(axis=1)[:, None] + train.sum(axis=1)[None, :] - 2.0 * (test @ train.T)
    nearest = np.partition(squares, (K - 1, K), axis=1)
    untied = nearest[:, K] > nearest[:, K - 1]
    print("knn", f"{seconds * 1e3:.3f}", np.sum(untied), np.sum(vote(new())[untied]))


if __name__ == "__main__":
    main()
