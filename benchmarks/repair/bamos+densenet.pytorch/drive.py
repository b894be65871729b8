import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
import stand

stand.work()
stand.torchvision((3, 32, 32), 4, 4)
stand.module("setproctitle")
stand.module("graphviz")
stand.run("train.py", "--batchSz", 2, "--nEpochs", 1, "--no-cuda", "--save", "out")
