from __future__ import annotations

import ast

from voltfix.program.scopes import Table, parameters_of


def table(text: str) -> Table:
    return Table(ast.parse(text))


def test_a_scope_has_what_it_binds_and_not_what_lies_below():
    found = table("import a\nb = 1\ndef c(d):\n    e = d")
    assert set(found.root.definitions) == {"a", "b", "c"}
    (inner,) = [scope for scope in found.scopes.values() if scope.qualname == "c"]
    assert set(inner.definitions) == {"d", "e"}


def test_methods_have_the_class_in_their_qualified_name():
    assert "A.f" in {scope.qualname for scope in table("class A:\n    def f(self): pass").scopes.values()}


def test_the_iterable_of_a_comprehension_is_looked_up_outside():
    text = "def f(xs):\n    return [x for x in xs]"
    found = table(text)
    names = {n.id: found.owner[n].qualname for n in ast.walk(found.root.node) if isinstance(n, ast.Name)}
    assert names["xs"] == "f"
    assert names["x"] != "f"


def test_parameters_of_every_kind_are_parameters():
    (node,) = ast.parse("def f(a, /, b, *c, d, **e): pass").body
    assert {each.arg for each in parameters_of(node)} >= {"a", "b", "d"}
