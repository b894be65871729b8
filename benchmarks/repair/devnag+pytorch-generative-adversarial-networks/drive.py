import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
import stand
import torch.optim

stand.work()
stand.stop_after(torch.optim.Adam, "step", 420)
stand.run("gan_pytorch.py")
