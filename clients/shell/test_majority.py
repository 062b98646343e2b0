"""Tests of majority.sh: `python clients/shell/test_majority.py`. They need NumPy."""

import os
import sys
import tempfile
import unittest

import numpy as np

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.dirname(HERE))

from fake_harness import HandOver, Method  # noqa: E402


class Majority(unittest.TestCase):
    def majority(self, train, classes):
        """What majority.sh answers for training rows of these classes."""
        x = {"train": np.zeros((len(train), 3)), "valid": np.ones((4, 3)), "test": np.ones((11, 3))}
        with tempfile.TemporaryDirectory() as folder:
            data = os.path.join(folder, "data of a set")
            hand_over = HandOver(data, x, {"train": np.array(train)}, form="csv", classes=classes)
            with Method([os.path.join(HERE, "majority.sh")], hand_over, folder) as method:
                self.assertEqual(method.ready, {"ready": 1})
                found = [method.answers(answer=("valid", "test", "again")) for _ in range(5)]
            self.assertEqual((method.exit, method.output()), (0, ""))
        return {int(answer) for answers in found for batch in answers.values() for answer in batch}

    def test_the_most_frequent_class(self):
        self.assertEqual(self.majority([0, 2, 1, 2, 0, 2], "abc"), {2})
        self.assertEqual(self.majority([10, 2, 10, 9], "abcdefghijkl"), {10})

    def test_the_first_of_equally_frequent_classes(self):
        self.assertEqual(self.majority([10, 2, 10, 2], "abcdefghijkl"), {2})


if __name__ == "__main__":
    unittest.main()
