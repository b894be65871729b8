"""Reports: one module for each format, found through ``FORMATS``; each has ``render(report) -> str``."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from voltfix.report.data import Report

# The formats of --output-format. `html` is the page that --report writes.
FORMATS = ("text", "concise", "json", "sarif", "github")
PAGE = "html"


def render(report: Report, name: str) -> str:
    """The report in the format ``name``; the format's module is imported only now."""
    text: str = import_module(f"voltfix.report.{name}").render(report)
    return text
