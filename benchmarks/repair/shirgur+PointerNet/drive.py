import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
import stand

stand.work()
stand.run("Train.py", "--train_size", 8, "--batch_size", 4, "--nof_epoch", 2, "--embedding_size", 6, "--hiddens", 8)
