"""voltfix moves PyTorch code of the volatile era onto today's torch, and proves that it did."""

__version__ = "0.1.0"
