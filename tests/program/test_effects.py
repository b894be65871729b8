from __future__ import annotations

import pytest

from alone import node, project
from voltfix.program.effects import effectless


@pytest.mark.parametrize("text", ["not training", "len(xs) > 3", "x.size(0)", "flags['test']", "quiet(1)"])
def test_what_only_answers_may_go(text):
    code = project(main=f"def quiet(x): return x + 1\ny = {text}")
    assert effectless(code, "main.py", node(code, text))


@pytest.mark.parametrize("text", ["next(it)", "(yield)", "xs.pop()", "loud(1)", "(a := 1)"])
def test_what_does_something_beside_may_not(text):
    code = project(main=f"def loud(x):\n    print(x)\n    return x\ndef g():\n    y = {text}")
    value = next(n.value for n in code.nodes("main.py") if getattr(n, "targets", None))
    assert not effectless(code, "main.py", value)
