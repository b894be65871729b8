"""Trees of the project: walked and placed as ``ast`` does it; every statement can tell that it runs."""

from __future__ import annotations

import ast

import pytest

pytest.importorskip("torch")

from voltfix.verify.symbolic import rewrite, walking

TEXT = """
import os
from a import b as c
@decorated
class A(B, key=1):
    x: int = 1
    def f(self, *args, y=2, **kwargs):
        global z
        with open(x) as g, h:
            a, (b, *c) = [d for d in e if d is None]
        try:
            f(*args, **kwargs)
        except (ValueError, OSError) as error:
            raise
        else:
            del a[1:2]
        finally:
            '%s' % a
        while True:
            yield lambda q: f"{q!r:>{w}}"
        return not a if b and c else ~d
async def g():
    async for x in y:
        await z
if a < b < c:
    x += 1
elif d:
    assert e
else:
    pass
for a, b in c:
    continue
"""
IDLE = (ast.expr_context, ast.operator, ast.unaryop, ast.boolop, ast.cmpop)


def test_a_walk_goes_as_that_of_ast_without_operators_and_contexts() -> None:
    tree = ast.parse(TEXT)
    assert walking.walk(tree) == [node for node in ast.walk(tree) if not isinstance(node, IDLE)]


def test_nodes_that_were_made_are_where_ast_puts_them() -> None:
    def bare() -> ast.Module:
        tree = ast.parse(TEXT)
        for node in ast.walk(tree):
            if isinstance(node, (ast.Call, ast.Name, ast.Tuple, ast.Expr)) and node.col_offset % 3:
                for name in ("lineno", "col_offset", "end_lineno", "end_col_offset"):
                    delattr(node, name)
        return tree

    ours, theirs = bare(), bare()
    walking.locate(ours)
    ast.fix_missing_locations(theirs)
    assert ast.dump(ours, include_attributes=True) == ast.dump(theirs, include_attributes=True)


def test_a_rewritten_tree_has_places_everywhere() -> None:
    made = compile(rewrite.prepare(ast.parse(TEXT), "a.py"), "vf:a.py", "exec")
    assert made.co_filename == "vf:a.py"


def test_every_marked_statement_tells_once_that_it_runs() -> None:
    text = "n = 0\nwhile n < 2:\n    n += 1\ntry:\n    n = 5\nexcept ValueError:\n    n = 6\nfinally:\n    m = n\n"
    places = {
        (node.lineno, node.col_offset)
        for node in ast.walk(ast.parse(text))
        if isinstance(node, ast.stmt) and node.lineno != 3
    }
    tree = rewrite.prepare(ast.parse(text), "a.py")
    rewrite.mark(tree, "a.py", places)
    told: list[tuple[str, int, int]] = []
    scope = {
        "__vf_at__": told.append,
        "__vf_counter__": lambda: None,
        "__vf_while__": lambda counter, test, endless: test,
        "__vf_try__": lambda kinds: None,
        "__vf_caught__": lambda kinds: kinds,
    }
    exec(compile(tree, "vf:a.py", "exec"), scope)
    assert scope["m"] == 5
    assert [line for _, line, _ in told] == [1, 2, 4, 5, 9]


def test_the_tree_that_is_rewritten_leaves_the_one_that_was_parsed_as_it_is():
    plain = ast.parse(TEXT)
    before = ast.dump(plain, include_attributes=True)
    tree = rewrite.prepare(plain, "a.py")
    rewrite.mark(tree, "a.py", [(node.lineno, node.col_offset) for node in plain.body])
    assert ast.dump(plain, include_attributes=True) == before
    assert ast.dump(tree) != ast.dump(plain)


# --- what is rewritten later --------------------------------------------------------------------------------------

LATER = """
import a
def f(x):
    k, (l, m) = x
    while k is None:
        k = l[m]
    return k
class C(a.B):
    flag = False
    def g(self, x):
        global STATE
        STATE = x
        for p, q in x:
            print(p)
        return p in q
STATE = None
async def h(x):
    y, z = x
"""


def test_a_function_that_is_rewritten_later_is_what_it_would_have_been_at_once():
    plain = ast.parse(LATER)
    at_once, later = rewrite.prepare(plain, "a.py"), rewrite.prepare(plain, "a.py", later=True)
    places = {(4, 4), (12, 8), (14, 12), (16, 0)}
    assert "__vf_unpack__" not in ast.unparse(later.body[1])
    for tree in (at_once, later):
        rewrite.mark(tree, "a.py", places)
    rewrite.finish(later.body)
    assert ast.dump(later, include_attributes=True) == ast.dump(at_once, include_attributes=True)
    assert ast.unparse(at_once).count("__vf_at__") == len(places)
    assert "__vf_" not in ast.unparse(plain)


def test_a_text_that_may_be_refused_is_rewritten_at_once():
    assert rewrite.may_wait(LATER)
    assert not rewrite.may_wait("def f(x):\n    x.__globals__ = 1\n")
    with pytest.raises(rewrite.ForbiddenCodeError):
        rewrite.prepare(ast.parse("def f(x):\n    x.__globals__ = 1\n"), "a.py", later=False)
