"""Ten epochs of scikit-learn's linear SVM (LIBLINEAR) on drawn bits, in double precision.

Prints for each number of examples the median milliseconds of cpu of a fit, input checks included.
"""

import sys
import time
import warnings

import peer
import numpy as np
import sklearn
from sklearn.exceptions import ConvergenceWarning
from sklearn.svm import LinearSVC

SAMPLES, EPOCHS = 3, 10


def main():
    warnings.simplefilter("ignore", ConvergenceWarning)
    print(f"scikit-learn {sklearn.__version__}, {peer.versions()}")
    for examples in sys.argv[1:] or ["2000", "20000"]:
        bits, classes = peer.drawn_bits(int(examples))
        x = bits.astype(np.float64)
        new = lambda: LinearSVC(dual=True, max_iter=EPOCHS, random_state=0)
        fit = lambda machine: machine.fit(x, classes)
        seconds = peer.median_seconds(new, fit, SAMPLES, time.process_time)
        print(examples, f"{seconds * 1e3:.3f}")


if __name__ == "__main__":
    main()
