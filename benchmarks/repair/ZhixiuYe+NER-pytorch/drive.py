import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
import shutil

import matplotlib
import stand

matplotlib.use("Agg")


class Visdom:
    """Draws nothing, and ends the program at the ninth loss."""

    drawn = 0

    def line(self, *args, **options):
        Visdom.drawn += 1
        if Visdom.drawn > 9:
            raise stand.Stop

    def text(self, *args, **options):
        pass


stand.work()
stand.module("visdom", Visdom=Visdom)
shutil.copytree(os.path.join(stand.TREE, "evaluation"), "evaluation")
os.makedirs("models")
for name in ("train", "dev", "test", "again"):
    with open(name, "w") as handle:
        for line in range(12):
            for word in range(3 + line % 3):
                tag = ("B-PER", "O", "B-LOC")[(line + word) % 3]
                handle.write(f"Word{(line + word) % 7} NN {tag}\n")
            handle.write("\n")
with open("vectors", "w") as handle:
    for word in range(7):
        handle.write(f"word{word} {' '.join(['0.1'] * 100)}\n")
stand.run("train.py", "-T", "train", "-d", "dev", "-t", "test", "--test_train", "again", "-p", "vectors", "-g", 0)
