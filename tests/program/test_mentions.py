from __future__ import annotations

from alone import project
from voltfix.program.mentions import Mentions


def test_places_are_found_over_all_modules_and_by_other_names():
    names = project(main="from b import f as g\ng()", b="def f(): pass\nf()").computed(Mentions)
    assert {(path, node.lineno) for path, node in names.of({"f"})} >= {("main.py", 2), ("b.py", 2)}
    assert names.bound_to("f") >= {"f", "g"}


def test_a_name_that_stands_in_a_string_is_written():
    names = project(main="x = 'run'").computed(Mentions)
    assert names.is_written("run")
    assert not names.is_written("walk")
