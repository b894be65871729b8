"""The text of every rule and of every reason for a refusal: one source for commands, documents and
reports."""

from __future__ import annotations

from voltfix.rules.reasons import REASONS
from voltfix.rules.text import RuleText

__all__ = ["REASONS", "RuleText", "all_rules", "rule"]


def all_rules() -> tuple[RuleText, ...]:
    """The texts of all rules, ordered by code."""
    from voltfix.modernize.registry import RULES
    from voltfix.repair.rules import RULES as REPAIRS
    from voltfix.rules import volatile

    texts = (*volatile.RULES, *(found.text for found in RULES), *REPAIRS)
    return tuple(sorted(texts, key=lambda text: text.code))


def rule(code: str) -> RuleText | None:
    """The text of a rule; None if there is none of that code."""
    return next((text for text in all_rules() if text.code == code.upper()), None)
