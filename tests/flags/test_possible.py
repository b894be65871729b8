from __future__ import annotations

import pytest

from alone import START, node, project
from voltfix.flags.possible import may_be_variable


@pytest.mark.parametrize("text", ["make or Variable", "{'v': Variable}['v']", "getattr(torch.autograd, 'Variable')"])
def test_what_may_be_variable(text):
    code = project(main=START + f"y = {text}")
    value = next(n.value for n in code.nodes("main.py") if getattr(n, "targets", None))
    assert may_be_variable(code, "main.py", value)


def test_a_definition_of_the_project_is_its_own():
    code = project(main="class Variable: pass\ny = a or Variable")
    assert not may_be_variable(code, "main.py", node(code, "a or Variable"))
