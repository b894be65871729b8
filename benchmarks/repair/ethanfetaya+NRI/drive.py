import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
import numpy as np
import stand

stand.work()
os.makedirs("data")
os.makedirs("logs")
random = np.random.RandomState(0)
for split, length in (("train", 20), ("valid", 20), ("test", 41)):
    for part in ("loc", "vel"):
        np.save(f"data/{part}_{split}_springs3.npy", random.randn(6, length, 2, 3))
    np.save(f"data/edges_{split}_springs3.npy", random.randint(0, 2, (6, 3, 3)) * 2 - 1.0)
sizes = ["--no-cuda", "--epochs", 2, "--batch-size", 2, "--suffix", "_springs3", "--num-atoms", 3, "--timesteps", 20]
stand.run("train.py", *sizes, "--encoder-hidden", 4, "--decoder-hidden", 4, "--decoder", "rnn")
stand.run("train_enc.py", *sizes, "--hidden", 4, "--save-folder", "logs", "--encoder", "cnn")
