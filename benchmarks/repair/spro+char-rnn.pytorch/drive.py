import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
import stand

stand.work()
with open("text.txt", "w") as handle:
    handle.write("What the Whale sang, A. And so it went on. " * 5)
stand.run(
    "train.py",
    "text.txt",
    "--n_epochs",
    4,
    "--print_every",
    2,
    "--chunk_len",
    10,
    "--batch_size",
    3,
    "--hidden_size",
    5,
)
stand.run("generate.py", "text.pt", "-l", 10)
