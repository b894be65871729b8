"""What names are bound to, and what goes into the containers that they stand for."""

from __future__ import annotations

import ast
import textwrap

import pytest

from alone import START, function, project
from voltfix.program.sharing import Names


def names(body: str) -> Names:
    lines = textwrap.indent(textwrap.dedent(body).strip("\n"), "    ")
    code = project(main=f"{START}def f(x, rows):\n{lines}\n")
    return Names(code, function(code, "f"))


def put_into(body: str, name: str) -> list[str]:
    return sorted("?" if each is None else ast.unparse(each) for each in names(body).put_into(name))


def test_a_name_is_bound_to_values_and_to_parts_of_them():
    found = names("a, b = x\nc, (d, *e) = 1, rows\nfor n, row in enumerate(rows):\n    pass").bound
    written = {name: [(ast.unparse(each.value), each.part, each.length) for each in bound if each.value is not None]
               for name, bound in found.items()}
    assert written == {"a": [("x", 0, 2)], "b": [("x", 1, 2)], "c": [("1", 0, 0)], "d": [("rows", 0, 0)],
                       "e": [("rows", 0, 0)], "n": [("0", 0, 0)], "row": [("enumerate(rows)", 0, 0)]}


@pytest.mark.parametrize("body", [
    "with x as a:\n    pass", "import os as a", "try:\n    pass\nexcept E as a:\n    pass", "print(a := x)",
])
def test_of_what_else_binds_it_nothing_is_known(body: str):
    assert [each.value for each in names(body).bound["a"]] == [None]


@pytest.mark.parametrize(("body", "into"), [
    ("a = []\na.append(x)", ["x"]),
    ("a = []\na[0].append(x)\na[1] = 2", ["2", "x"]),
    ("a = []\nb = a\nb.append(x)", ["x"]),
    ("a = []\nb = [a, rows]\nb += [x]", ["[x]"]),
    ("a = []\nb = a if x else a + rows\nb.append(1)", ["1"]),
    ("a = []\nfor b in a:\n    b.append(x)", ["x"]),
    ("a = {}\nb = a.get('x')\nb.append(1)", ["'x'", "1"]),
    ("a = []\nrows(a)", ["?"]),
    ("a = []\nrows([a])", ["?"]),
    ("a = []\nlen(a), sorted(a), torch.zeros(a), rows.append(a)", []),
    ("a = []\nb = len(a)\nb.append(x)", []),
    ("a = []\nb = torch.zeros(a)\nb.append(x)", []),
    ("a = []\nb = []\nb.append(x)", []),
])
def test_what_is_put_in_under_one_name_is_in_it_under_all(body: str, into: list[str]):
    assert put_into(body, "a") == into


@pytest.mark.parametrize(("body", "here"), [
    ("a = []\na[0] = x", True), ("a = {}\nb = a\na[0].c = x", True), ("a = rows\na[0] = x", False),
    ("rows[0] = x", False), ("a = []\na = x\na[0] = 1", False),
])
def test_a_container_is_made_here_where_all_of_its_makings_are_written_out(body: str, here: bool):
    last = ast.parse(body).body[-1]
    assert isinstance(last, ast.Assign)
    assert names(body).is_made_here(last.targets[0]) is here
