"""Carries out edits: text in, text out, and every character that no edit speaks of stays.

All edits become splices of the text: ranges and insertions, found with ast and the lexer. So they nest and
compose, no layout is ever printed anew, and no depth of nesting can crash a printer.
"""

from __future__ import annotations

from voltfix.edit.applying import apply
from voltfix.edit.errors import EditError
from voltfix.edit.outline import forget

__all__ = ["EditError", "apply", "forget"]
