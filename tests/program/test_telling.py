from __future__ import annotations

from alone import node, project
from voltfix.program.telling import lines, place, stretch


def test_a_place_is_a_file_and_a_line():
    code = project(main="x = 1\ny = f(x)")
    assert place(code, "main.py", node(code, "f(x)")) == "main.py:2"


def test_lines_are_named_with_the_file_only_where_that_is_another():
    code = project(main="x = 1")
    assert lines(code, "main.py", [2, 1], read_in="main.py") == "lines 1, 2"
    assert "main.py" in stretch(code, "main.py", 1, 3, read_in="other.py")
