"""Helpers that every script of this project uses."""
import torch
from torch.autograd import Variable


def to_var(x, volatile=False):
    """Wrap a tensor, on the GPU if there is one."""
    if torch.cuda.is_available():
        x = x.cuda()
    return Variable(x, volatile=volatile)


class AverageMeter(object):
    """Keeps a running average."""

    def __init__(self):
        self.sum = 0.0
        self.count = 0

    def update(self, value, n=1):
        self.sum += value * n
        self.count += n

    @property
    def avg(self):
        return self.sum / max(self.count, 1)
