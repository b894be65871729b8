"""The docs page of the rules: ``python -m voltfix.report.rulepage > docs/rules.md``."""

from __future__ import annotations

import re
from collections.abc import Iterator
from textwrap import dedent

from voltfix.rulebook import all_rules
from voltfix.rules import RuleText


def page() -> str:
    """``docs/rules.md``: what ``voltfix rule`` says of each rule, on one page."""
    return "\n".join(_lines())


def _lines() -> Iterator[str]:
    yield "# Rules\n"
    yield "<!-- made by: python -m voltfix.report.rulepage > docs/rules.md -->\n"
    yield "The same text is shown by `voltfix rule CODE`. Rules are chosen by code or prefix with `--select`"
    yield "and `--ignore`; the longest prefix that fits wins. VF1xx are the migration,"
    yield "VF2xx finish it.\n"
    yield "| code | | on by default |\n|---|---|---|"
    for text in all_rules():
        yield f"| [{text.code}](#{_anchor(text)}) | {text.name} | {'yes' if text.default else 'no'} |"
    yield ""
    for text in all_rules():
        yield from _rule(text)


def _anchor(text: RuleText) -> str:
    """The anchor that MkDocs gives the heading."""
    plain = re.sub(r"[^\w\s-]", "", f"{text.code} {text.name}".lower())
    return re.sub(r"[\s-]+", "-", plain).strip("-")


def _rule(text: RuleText) -> Iterator[str]:
    yield f"## {text.code} {text.name}\n"
    yield f"{_prose(text.what)}\n"
    yield f"**Why.** {_prose(text.why)}\n"
    yield f'```python title="before"\n{_code(text.before)}\n```\n'
    yield f'```python title="after"\n{_code(text.after)}\n```\n'
    yield f"**Fix safety.** {_prose(text.safety)}\n"
    if text.refusals:
        yield "**Refuses:** " + ", ".join(f"[{word}](refusals.md#{word})" for word in text.refusals) + ".\n"
    if text.references:
        yield "**References:** " + ", ".join(_linked(reference) for reference in text.references) + ".\n"


def _prose(text: str) -> str:
    return dedent(text).strip()


def _code(text: str) -> str:
    return dedent(text).strip("\n").rstrip()


def _linked(reference: str) -> str:
    return f"<{reference}>" if reference.startswith("http") else reference


if __name__ == "__main__":
    print(page(), end="")
