from __future__ import annotations

from alone import project
from voltfix.program.imports import Index
from voltfix.program.rebound import Rebound


def rebound(code) -> Rebound:
    return Rebound(code, Index(code.modules))


def test_a_name_that_is_bound_twice_is_rebound_and_one_that_is_bound_once_is_not():
    found = rebound(project(main="A = 1\nB = 2\nB = 3\n"))
    assert "B" in found.several("main.py")
    assert "A" not in found.several("main.py")


def test_an_attribute_that_is_set_from_elsewhere_may_be_another():
    found = rebound(project(main="import cfg\ncfg.flag = True\ncfg.flag = False", cfg="flag = False"))
    assert found.attribute("flag", known=True)
    assert not found.attribute("other", known=True)
