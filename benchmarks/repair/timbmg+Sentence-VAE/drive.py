import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
import glob

import stand

stand.work()
stand.module("tensorboardX")
os.makedirs("data")
for split in ("train", "valid"):
    stand.words(f"data/ptb.{split}.txt", 10)
small = ["--embedding_size", 4, "--hidden_size", 5, "--latent_size", 3]
stand.run("train.py", "--create_data", "--epochs", 2, "--batch_size", 4, "--print_every", 1, *small)
stand.run("inference.py", "--load_checkpoint", *glob.glob("bin/*/E1.pytorch"), "--num_samples", 2, *small)
