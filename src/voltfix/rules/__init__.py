"""The text of every rule and of every reason for a refusal: one source for commands, documents and
reports."""

from __future__ import annotations

from voltfix.rules.reasons import OBSTACLES, REASONS
from voltfix.rules.text import RuleText

__all__ = ["OBSTACLES", "REASONS", "RuleText"]
