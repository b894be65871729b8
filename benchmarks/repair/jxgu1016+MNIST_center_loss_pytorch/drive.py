import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
import stand
import torch.optim

stand.work()
stand.torchvision((1, 28, 28), 256, 8)
os.makedirs("images")
stand.stop_after(torch.optim.SGD, "step", 10)
stand.run("MNIST_with_centerloss.py")
