"""Objects that never get out of sight."""

from __future__ import annotations

import ast

import pytest

from alone import project
from voltfix.program.insight import InSight
from voltfix.program.rebound import rebound_in

TEXT = """
import lib, other
class Rows{bases}:
    {body}
    def __init__(self, kept):
        self.kept = kept
    def __getitem__(self, index):
        {asked}
{more}
def show(rows, first=0):
    return rows[first]
def main(kept, place):
    rows = Rows(kept)
    {use}
"""

TOOL = "class Tool(object):\n    kind = 1\n"


def asked(use: str = "pass", inside: str = "return self.kept[index]", bases: str = "", more: str = "",
          body: str = "size = 3") -> set[str] | None:
    """What may ask an object for items, as it is written; None where one gets out of sight."""
    code = project(main=TEXT.format(use=use, asked=inside, bases=bases, more=more, body=body), other="")
    cls = next(each for each in code.classes() if each.node.name == "Rows")
    found = InSight(code, code.computed(rebound_in)).asked(cls)
    return None if found is None else {ast.unparse(node) for node in found if isinstance(node, ast.Subscript)}


@pytest.mark.parametrize("use", [
    "len(rows); rows.kept; rows.kept = 3", "if rows: pass", "rows is None", "print(rows)",
    "for row in rows: print(row)",
    "for i, row in enumerate(rows): print(row)", "[row for row in rows]",
    "def inner(): return rows.kept", "not rows",
    "lib.load(place)['rows']", "place.rows = lib.load(place)", "lib.run(rows.kept)",
    "rows.kept.run(place)", "rows",
    "isinstance(place, Rows)",
])
def test_what_only_names_stand_for_stays_in_sight(use: str):
    assert asked(use) == set()


def test_who_asks_an_object_for_items_is_known():
    assert asked("rows[0]; lib.load(place)['a']") == {"rows[0]"}
    assert asked("show(rows)") == {"rows[first]"}
    assert asked("show(first=2, rows=rows)") == {"rows[first]"}
    assert asked("again = rows; again[1]") == {"again[1]"}
    assert asked("def inner(): return rows[2]") == {"rows[2]"}
    assert asked(inside="return self[index + 1]") == {"self[index + 1]"}
    assert asked("deeper(rows)", more="def deeper(it):\n    show(it)") == {"rows[first]"}
    assert asked("Reader(rows)", more="class Reader:\n    def __init__(self, it): it[4]") == {"it[4]"}


def test_a_method_of_an_object_whose_class_names_say_takes_it_as_a_function_does():
    run = f"{TOOL}    def run(self, it, first=0): return it[first]"
    assert asked("Tool().run(rows)", more=run) == {"it[first]"}
    assert asked("tool = Tool(); tool.run(first=2, it=rows)", more=run) == {"it[first]"}
    assert asked("tool = Tool(); tool.go(rows)", more=f"{run}\n    def go(self, them): self.run(them)") == {"it[first]"}
    below = "class Narrow(Tool):\n    def run(self, rows): return rows[7]"
    assert asked("Tool().run(rows)", more=f"{run}\n{below}") == {"it[first]", "rows[7]"}


@pytest.mark.parametrize("use", [
    "return rows", "yield rows", "place.rows = rows", "place['rows'] = rows", "place[rows]",
    "lib.run(rows)", "lib.run(it=rows)",
    "place.append(rows)", "both = [rows]", "both = {'a': rows}", "a, b = rows, 1", "a = b = rows",
    "lib.save((rows, 1))",
    "rows = rows or place", "more = rows if place else None", "rows + place", "rows += place",
    "lambda: rows", "f = lambda r=rows: r",
    "show(*[rows])", "show(*rows)", "rows.__dict__", "rows.__class__(kept)", "type(rows)(kept)",
    "iter(rows)", "it = enumerate(rows)",
    "with rows: pass", "global rows", "locals()", "eval('rows')", "list(rows)", "'%s' % locals()",
    "rows == place", "raise rows",
    "lib.run(Rows)", "Rows.__getitem__(place, 0)", "made = Rows; made(kept)",
    "getattr(lib, 'Rows')(kept)", "place.show(rows)",
    "place.Rows(kept)", "from lib import show; show(rows)", "show.__call__(rows)", "f'{rows}'",
    "Rows.size = lib.run",
    "globals()['show'] = lib.show; show(rows)",
])
def test_who_is_given_an_object_has_it(use: str):
    assert asked(use) is None


@pytest.mark.parametrize("inside", [
    "return self", "lib.run(self)", "self.me = self", "return lib.run(self.kept, self)",
    "super().__init__(self)",
    "return self.__class__(self.kept)", "return lambda: lib.run(self)",
])
def test_so_has_whoever_its_methods_give_it_to(inside: str):
    assert asked(inside=inside) is None


@pytest.mark.parametrize("parts", [
    {"bases": "(lib.Rows)"}, {"bases": "(metaclass=lib.Kind)"}, {"body": "work = lib.work"},
    {"body": "work = lambda self: 1"},
    {"body": "@classmethod\n    def made(cls): return cls(1)"},
    {"body": "@lib.cached\n    def work(self): return 1"},
    {"body": "def __new__(cls, kept): return kept", "use": "Rows(Rows(kept))"},
    {"more": "class Below(Rows): pass\nlib.run(Below(3))"}, {"more": "class Above(Rows, lib.Part): pass"},
    {"more": "keep = Rows(1)\ndef f():\n    global keep\n    keep = 2"},
    {"more": "def made(): return Rows(2)"},
    {"more": "@lib.timed\ndef timed(it): return it[0]", "use": "timed(rows)"},
    {"more": "def many(*them): return them", "use": "many(rows)"},
    {"more": "def named(**them): return them", "use": "named(a=rows)"},
    {"more": f"{TOOL}    def run(self, it): lib.run(it)", "use": "Tool().run(rows)"},
    {"more": f"{TOOL}    def run(self, it): self.it = it", "use": "Tool().run(rows)"},
    {"more": f"{TOOL}    @lib.timed\n    def run(self, it): it[0]", "use": "Tool().run(rows)"},
    {"more": f"{TOOL}    @staticmethod\n    def run(it): it[0]", "use": "Tool().run(rows)"},
    {"more": f"{TOOL}    def run(self, *them): return them", "use": "Tool().run(rows)"},
    {"more": f"{TOOL}    def run(self, it): it[0]", "use": "Tool().run(*[rows])"},
    {"more": f"{TOOL}    def run(self, it): it[0]\nTool.run = lib.run", "use": "Tool().run(rows)"},
    {"more": f"{TOOL}    def run(self, it): it[0]", "use": "tool = Tool(); tool.run = lib.run; tool.run(rows)"},
    {"more": f"{TOOL}    def run(self, it): it[0]\n    def __getattribute__(self, n): return lib.run",
     "use": "Tool().run(rows)"},
    {"more": f"{TOOL}    def __getattr__(self, name): return lib.run", "use": "Tool().run(rows)"},
    {"more": f"{TOOL}    def run(self, it): it[0]\nclass Wide(Tool):\n    def run(self, it): lib.run(it)",
     "use": "Tool().run(rows)"},
    {"more": "class Tool(lib.Tool):\n    def run(self, it): it[0]\nclass Other(lib.Tool): pass",
     "use": "Other().run(rows)"},
    {"more": f"{TOOL}    def run(self, it): it[0]", "use": "place.run(rows)"},
    {"more": f"{TOOL}    def run(self, it): it[0]", "use": "tool = Tool() if place else place; tool.run(rows)"},
    {"more": f"{TOOL}    def run(self, it): it[0]\ntool = Tool()\ndef f():\n    global tool\n    tool = lib.tool",
     "use": "tool.run(rows)"},
    {"more": "def wide(it):\n    it.it = it", "use": "wide(rows)"},
    {"more": "class Part:\n    rows = Rows(3)"},
])
def test_so_it_is_where_nobody_can_say_what_a_class_or_a_function_does_with_it(parts: dict[str, str]):
    assert asked(**parts) is None


def test_another_module_may_take_what_stands_at_the_top_level():
    text = "class Rows:\n    def __getitem__(self, i): return i\nrows = Rows()\nrows[1]"
    for other, stays in (("import main", True), ("import main\nmain.rows[2]", False), ("from main import rows", False)):
        code = project(main=text, other=other)
        assert (InSight(code, code.computed(rebound_in)).asked(next(iter(code.classes()))) is not None) == stays
