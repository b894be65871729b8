"""The version of voltfix, for those that may import nothing above them."""

__version__ = "0.1.0"
