import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
import numpy as np
import stand

stand.work()
os.makedirs("data/cora")
os.makedirs("here")
random = np.random.RandomState(0)
with open("data/cora/cora.content", "w") as handle:
    for node in range(1500):
        handle.write(
            "\t".join([str(node), *[str(bit) for bit in random.randint(0, 2, 6)], f"class{node % 3}"]) + "\n"
        )
with open("data/cora/cora.cites", "w") as handle:
    for node in range(1500):
        handle.write(f"{node}\t{random.randint(1500)}\n")
os.chdir("here")
stand.run("pygcn/train.py", "--epochs", 3, "--hidden", 4, "--no-cuda", path=[""])
