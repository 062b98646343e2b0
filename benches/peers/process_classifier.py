"""Gaussian process classification of Pima by scikit-learn's Laplace approximation, as `process_by_evidence` of
benches/tep.rs.

    python benches/peers/process_classifier.py MIRROR

Ten folds, example i in fold i mod 10, columns standardised by the training examples, one length scale and an
amplitude that are climbed to by the gradient of the approximate evidence. Prints the seconds of cpu of all fits
and the error.
"""

import os
import sys
import time
import warnings

import peer
import numpy as np
import sklearn
from sklearn.gaussian_process import GaussianProcessClassifier
from sklearn.gaussian_process.kernels import RBF, ConstantKernel

URL = (
    "raw.githubusercontent.com/nebiljabari/Pima-Indian-Diabetes-Study/"
    "644641bcb55ac6bf7750c4ab54a26b5e8e922925/pima-indians-diabetes.data"
)
FOLDS = 10


def main():
    warnings.simplefilter("ignore")
    print(f"scikit-learn {sklearn.__version__}, {peer.versions()}")
    data = np.loadtxt(os.path.join(sys.argv[1], URL), delimiter=",")
    x, y = data[:, :-1], data[:, -1]
    fold = np.arange(len(y)) % FOLDS
    seconds, wrong = 0.0, 0
    for test in range(FOLDS):
        train = fold != test
        scaled = (x - x[train].mean(0)) / x[train].std(0)
        start = time.process_time()
        model = GaussianProcessClassifier(ConstantKernel() * RBF()).fit(scaled[train], y[train])
        seconds += time.process_time() - start
        wrong += (model.predict(scaled[~train]) != y[~train]).sum()
    print(f"{seconds:.2f} s, error {wrong / len(y):.4f}")


if __name__ == "__main__":
    main()
