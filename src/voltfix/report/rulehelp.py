"""The text of a rule for reports: the registry's (``voltfix.rules``) where it has one."""

from __future__ import annotations

from typing import NamedTuple

RULES = {
    "VF101": ("volatile-argument", "A volatile argument of torch's Variable has no effect on today's torch."),
    "VF102": ("volatile-wrapper", "An argument is handed on as the volatile flag of torch's Variable."),
    "VF103": ("volatile-read", "A read of .volatile is always False on today's torch."),
    "VF104": ("volatile-write", "A write of .volatile does nothing on today's torch."),
}


class RuleHelp(NamedTuple):
    """What a report says of a rule; ``markdown`` is empty where there is no longer text."""

    name: str
    summary: str
    markdown: str


def rule_help(code: str) -> RuleHelp:
    """The help for a code; unknown codes get their own name."""
    name, summary = RULES.get(code, (code.lower(), f"voltfix rule {code}"))
    return RuleHelp(name, summary, "")
