import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
import stand
import torch

stand.work()
stand.torchvision((1, 28, 28), 16, 8)
stand.module("visdom")
os.makedirs("data/processed")
os.makedirs("here")
for name, count in (("training", 30), ("test", 20)):
    torch.save(
        (torch.randint(0, 255, (count, 28, 28)).byte(), torch.arange(count) % 10), f"data/processed/{name}.pt"
    )
for name in ("train", "test"):
    with open(f"data/processed/{name}_triplets.txt", "w") as handle:
        for number in range(12):
            handle.write(f"{number} {number + 1} {(number + 10) % 20}\n")
os.chdir("here")
stand.run("train.py", "--batch-size", 4, "--test-batch-size", 4, "--epochs", 2, "--no-cuda", "--log-interval", 2)
