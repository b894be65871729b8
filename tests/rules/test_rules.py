"""Every rule has a text whose example is true, every reason is explained, and ``voltfix rule`` shows both."""

from __future__ import annotations

import ast
import json
import re
from pathlib import Path
from textwrap import dedent

import pytest

from helpers import Run
from voltfix.rulebook import all_rules, rule
from voltfix.rules import REASONS

RULES = all_rules()
SOURCE = Path(__file__).parents[2] / "src" / "voltfix"


def test_codes_are_unique_and_in_order() -> None:
    codes = [text.code for text in RULES]
    assert codes == sorted(set(codes))
    assert {"VF101", "VF102", "VF103", "VF104", "VF201", "VF210"} <= set(codes)


@pytest.mark.parametrize("text", RULES, ids=lambda text: text.code)
def test_a_text_is_complete(text) -> None:
    for part in (text.name, text.what, text.why, text.before, text.after, text.safety):
        assert part.strip()
    assert text.references
    ast.parse(dedent(text.after))
    assert dedent(text.before) != dedent(text.after)
    assert set(text.refusals) <= set(REASONS)


def test_every_reason_in_the_code_of_the_rules_is_explained() -> None:
    found = set()
    for file in (SOURCE / "modernize").rglob("*.py"):
        found |= set(re.findall(r'Refusal\(\s*"([a-z-]+)"', file.read_text()))
    assert len(found) > 5
    assert found <= set(REASONS)


def test_a_code_is_found_in_any_case() -> None:
    assert rule("vf203") is rule("VF203") is not None
    assert rule("VF999") is None


def test_the_command_lists_and_explains(voltfix: Run) -> None:
    listed = voltfix("rule")
    assert listed.returncode == 0
    assert all(text.code.encode() in listed.stdout for text in RULES)
    shown = voltfix("rule", "VF203").stdout.decode()
    assert shown.startswith("# VF203: ")
    assert "## Fix safety" in shown
    assert "    target = target.cuda(non_blocking=True)" in shown
    assert b"Given by: VF202" in voltfix("rule", "unknown-shape").stdout
    assert b"Given by: voltfix doctor" in voltfix("rule", "python-2").stdout
    assert json.loads(voltfix("rule", "VF203", "--output-format", "json").stdout)["code"] == "VF203"
    rows = json.loads(voltfix("rule", "--output-format", "json").stdout)
    assert [row["code"] for row in rows] == [text.code for text in RULES]


def test_the_command_knows_no_other_code(voltfix: Run) -> None:
    done = voltfix("rule", "VF999")
    assert (done.returncode, done.stdout) == (2, b"")
    assert b"VF999" in done.stderr


def test_a_reason_says_what_to_do() -> None:
    from voltfix.cli.rule import _reason
    from voltfix.rules.refusals import REFUSALS

    for reason, text in REFUSALS.items():
        assert text.todo in _reason(reason)
