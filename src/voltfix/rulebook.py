"""All rules of voltfix, wherever their texts stand: beside the code that carries them out."""

from __future__ import annotations

from voltfix.rules.text import RuleText


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
