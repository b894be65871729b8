from __future__ import annotations

import ast

from alone import START, project
from voltfix.flags.sites import find
from voltfix.model import Options
from voltfix.solver.case import Case, torch_alias

CODE = project(main=START + "def f(x):\n    return Variable(x, volatile=True)")
SITE = find(CODE)[0]


def test_a_site_has_its_node_and_a_refusal_stays_the_first():
    case = Case(CODE, [SITE], Options())
    assert ast.unparse(case.node_of(SITE)) == "Variable(x, volatile=True)"
    case.refuse(SITE, "held", "one")
    case.refuse(SITE, "held-together", "two")
    assert case.refusals[SITE].reason == "held"
    assert list(case.open_sites(set())) == []


def test_torch_under_another_name():
    assert torch_alias(ast.parse("import torch as t")) == "t"
    assert torch_alias(ast.parse("import numpy")) is None
