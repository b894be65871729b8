"""The text of a rule for reports, out of the registry (``voltfix.rules``)."""

from __future__ import annotations

from typing import NamedTuple


class RuleHelp(NamedTuple):
    """What a report says of a rule; ``markdown`` is empty where there is no text."""

    name: str
    summary: str
    markdown: str


def rule_help(code: str) -> RuleHelp:
    """The help for a code; one that the registry does not know has its own name alone."""
    from voltfix.rulebook import rule

    text = rule(code)
    if text is None:
        return RuleHelp(code.lower(), code, "")
    return RuleHelp(text.name, " ".join(text.what.split()), text.markdown())


def codes() -> list[str]:
    """All codes, in order."""
    from voltfix.rulebook import all_rules

    return [text.code for text in all_rules()]
