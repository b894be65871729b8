from __future__ import annotations

from alone import project
from voltfix.machine.outline import Outlines
from voltfix.program.imports import Index


def waiting(text: str) -> set[str]:
    code = project(main=text)
    trees, tables = {"main.py": code.tree("main.py")}, {"main.py": code.table("main.py")}
    return set(Outlines(trees, tables, Index(code.modules)).of("main.py").waiting)


def test_a_definition_that_is_bound_once_waits_and_one_that_is_bound_twice_does_not():
    assert waiting("def f(): pass\ndef g(): pass\ng = f\n") == {"f"}
