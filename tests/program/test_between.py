"""What ran or bound something last before a place."""

from __future__ import annotations

import ast
import textwrap

import pytest

from alone import project
from voltfix.program.between import bound_just_before


def bound(body: str) -> str | None:
    """What ``x`` surely stands for where it is shown."""
    code = project(main="def f(a, b):\n" + textwrap.indent(textwrap.dedent(body), "    "))
    name = next(each.args[0] for each in code.nodes("main.py")
                if isinstance(each, ast.Call) and ast.unparse(each.func) == "show")
    assert isinstance(name, ast.Name)
    found = bound_just_before(code, "main.py", name)
    return None if found is None else ast.unparse(found)


@pytest.mark.parametrize("body", [
    "x = a\nx = b\nshow(x)",
    "if a:\n    x = a\nelse:\n    x = 1\nx = b\nif a:\n    y = 2\nshow(x)",
    "x = a\nx = b\nwith a as y:\n    show(x)",
    "x = a\nx = b\nif a:\n    show(x)\nx = 3",
    "while a:\n    x = a\n    x = b\n    show(x)",
    "try:\n    x = a\n    x = b\n    show(x)\nexcept IOError:\n    pass",
    "x = b\nif show(x):\n    x = a",
])
def test_the_last_statement_before_that_binds_a_name_says_what_it_is(body):
    assert bound(body) == "b"


@pytest.mark.parametrize("body", [
    "show(x)",
    "x = a\nif a:\n    x = b\nshow(x)",
    "x = b\nfor _ in a:\n    show(x)\n    x = a",
    "x = b\nwhile show(x):\n    x = a",
    "x = b\ntry:\n    x = a\n    x = b\nexcept IOError:\n    show(x)",
    "x = b\ntry:\n    x = a\nfinally:\n    show(x)",
    "x = b\ntry:\n    x = a\nexcept IOError:\n    pass\nelse:\n    show(x)",
    "x = b\nwith a as x:\n    show(x)",
    "x = b\nwith a as (x, y):\n    pass\nshow(x)",
    "x = b\nfor x in a:\n    pass\nshow(x)",
    "x = b\nx, y = a\nshow(x)",
    "x = y = b\nshow(x)",
    "x = b\nx += a\nshow(x)",
    "x = b\ndel x\nshow(x)",
    "x = b\nimport x\nshow(x)",
    "x = b\nimport x.y\nshow(x)",
    "x = b\nfrom a import y as x\nshow(x)",
    "x = b\ndef x(): pass\nshow(x)",
    "x = b\nclass x: pass\nshow(x)",
    "x = b\ntry:\n    pass\nexcept IOError as x:\n    pass\nshow(x)",
    "x = b\nif (x := a):\n    show(x)",
    "x = b\ndef g():\n    nonlocal x\n    x = a\ng()\nshow(x)",
    "global x\nx = b\nshow(x)",
    "x = b\nreturn lambda: show(x)",
    "x = b\nreturn [show(x) for x in a]",
    "x = b\nmatch a:\n    case [x]:\n        show(x)",
    "x = b\nmatch a:\n    case {'a': 1, **x}:\n        pass\nshow(x)",
])
def test_it_is_not_sure_where_something_else_may_have_bound_it(body):
    assert bound(body) is None
