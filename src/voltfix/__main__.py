"""``python -m voltfix``."""

from voltfix.cli.main import entry

entry()
