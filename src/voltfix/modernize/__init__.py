"""The VF2xx rules: what besides volatile keeps a file from today's torch."""

from __future__ import annotations

from voltfix.modernize.finding import Finding
from voltfix.modernize.run import run

__all__ = ["Finding", "run"]
