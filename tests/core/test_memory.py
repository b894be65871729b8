"""What a project leaves behind in memory: nothing, once it is let go of."""

import ast
import gc
import weakref

import pytest

from voltfix import core
from voltfix.domains.conditions import Algebra, Formula
from voltfix.edit import apply
from voltfix.edit.outline import Outline, Statement
from voltfix.machine.state import Machine
from voltfix.model import DropArgument, Module, Options, Span, WrapStatements
from voltfix.program import resolve
from voltfix.sources.syntax import claim

PROGRAM = """
import torch
from torch.autograd import Variable

def wrapped(x, volatile=False):
    return Variable(x, volatile=volatile)

def test(model, loader, a, b, c):
    total = 0
    for x in loader:
        if a:
            total = total + model(wrapped(x, volatile=True)).data.sum()
        while b:
            if c:
                total = total + 1
            x = x + 1
    return total
"""


def formulas() -> int:
    return sum(type(thing) is Formula for thing in gc.get_objects())


def test_trees_of_a_project_that_is_let_go_of_are_gone():
    core.migrate({"a.py": PROGRAM.encode()}, Options())
    tree = weakref.ref(resolve._latest["a.py"][1])
    core.forget()
    gc.collect()
    assert tree() is None


def test_a_function_that_is_too_complex_leaves_no_formulas_to_the_garbage_collector(monkeypatch):
    monkeypatch.setattr(Machine, "NODES", 100)
    arms = "".join(f"    if a == {n}:\n        x = x + {n}\n" for n in range(100))
    program = "from torch.autograd import Variable\ndef f(x, a):\n    x = Variable(x, volatile=True)\n" + arms
    core.forget()
    gc.collect()
    before = formulas()
    gc.disable()
    try:
        done = core.migrate({"a.py": (program + "    return x\n").encode()}, Options())
        assert [row.reason for row in done.sites] == ["too-complex"]
        assert formulas() < before + 100
    finally:
        gc.enable()


@pytest.mark.parametrize("atoms", [2, 12])
def test_formulas_of_an_algebra_that_is_cleared_are_gone_without_a_collection(atoms):
    gc.collect()
    before = formulas()
    gc.disable()
    try:
        algebra = Algebra()
        made = algebra.false
        for _ in range(atoms):
            made = ~(made | algebra.atom(algebra.fresh())) & algebra.atom(algebra.fresh())
        assert formulas() > before + atoms
        algebra.clear()
        del made
        assert formulas() == before + 2  # true and false
    finally:
        gc.enable()


def test_edits_read_the_tree_that_the_analysis_has():
    tree = claim(PROGRAM)
    assert Outline(PROGRAM).tree is tree


def test_texts_between_two_edits_leave_no_statements_to_the_garbage_collector():
    module = Module("a.py", PROGRAM)
    first, last = PROGRAM.index("import torch"), PROGRAM.index("import torch") + len("import torch")
    flag = PROGRAM.index("volatile=volatile")
    call = PROGRAM.index("Variable(x")
    edits = [
        DropArgument(Span(call, PROGRAM.index(")", flag) + 1), Span(flag, flag + len("volatile=volatile"))),
        WrapStatements(Span(first, last), Span(first, last), "torch.no_grad()"),
    ]
    statements = sum(isinstance(node, ast.stmt) for node in ast.walk(ast.parse(PROGRAM)))
    core.forget()
    gc.collect()
    gc.disable()
    try:
        made = apply(module, edits)
        core.forget()
        left = sum(type(thing) is Statement for thing in gc.get_objects())
    finally:
        gc.enable()
    assert "with torch.no_grad():\n    import torch" in made
    assert "return Variable(x)" in made
    assert left == statements  # those of the original, which others may ask for, too
