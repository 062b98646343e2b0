"""scikit-learn's decision tree on drawn bits, in the single precision that it works in.

Prints for each number of examples the median milliseconds of cpu of a fit and the tree's nodes.
"""

import sys
import time

import peer
import numpy as np
import sklearn
from sklearn.tree import DecisionTreeClassifier

SAMPLES = 3


def main():
    print(f"scikit-learn {sklearn.__version__}, {peer.versions()}")
    for examples in sys.argv[1:] or ["2000", "20000"]:
        bits, classes = peer.drawn_bits(int(examples))
        x = bits.astype(np.float32)
        fit = lambda tree: tree.fit(x, classes)
        new = lambda: DecisionTreeClassifier(random_state=0)
        seconds = peer.median_seconds(new, fit, SAMPLES, time.process_time)
        print(examples, f"{seconds * 1e3:.3f}", fit(new()).tree_.node_count)


if __name__ == "__main__":
    main()
