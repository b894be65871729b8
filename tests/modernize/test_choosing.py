"""Which rules are on, and which are not even imported."""

from __future__ import annotations

import subprocess
import sys

from voltfix.model import Options
from voltfix.modernize.choosing import rules
from voltfix.modernize.registry import RULES


def test_what_is_on_by_default_is_what_the_rules_say_of_themselves() -> None:
    assert rules(Options()) == tuple(rule for rule in RULES if rule.text.default)


def test_all_rules_may_act_where_they_are_asked_for() -> None:
    assert rules(Options(modernize=True)) == RULES
    assert rules(Options(select=("VF202",))) == RULES


def test_rules_that_are_off_are_not_imported() -> None:
    code = """
import sys
from voltfix import core
head = b"import torch\\nfrom torch.autograd import Variable\\n"
result = core.migrate({"a.py": head + b"x = Variable(t.cuda(async=True), volatile=True)\\nprint(net(x))\\n"})
assert [row.code for row in result.modernized] == ["VF203"], result.modernized
assert "voltfix.modernize.vf203_async" in sys.modules
assert "voltfix.modernize.vf206_names" not in sys.modules
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
