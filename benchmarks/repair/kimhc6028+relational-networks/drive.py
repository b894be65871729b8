import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
import pickle

import numpy as np
import stand

stand.work()
os.makedirs("data")
random = np.random.RandomState(0)


def scene():
    questions = [random.randint(0, 2, 11) for _ in range(4)]
    return random.rand(75, 75, 3), (questions, [1, 2, 3, 9]), (questions, [0, 5, 1, 8])


with open("data/sort-of-clevr.pickle", "wb") as handle:
    pickle.dump(([scene() for _ in range(3)], [scene() for _ in range(2)]), handle)
stand.run("main.py", "--batch-size", 4, "--epochs", 1, "--log-interval", 1)
stand.run("main.py", "--batch-size", 4, "--epochs", 1, "--model", "CNN_MLP", "--log-interval", 1)
