from __future__ import annotations

from alone import function, project
from voltfix.program.flow import Followed, called_at
from voltfix.program.resolve import Project


def calls_of_f(code: Project) -> Followed | None:
    use = next(n for n in code.nodes("main.py") if getattr(n, "id", "") == "f")
    return called_at(code, "main.py", use)


def test_a_function_under_another_name_is_called_there():
    code = project(main="def f(): pass\ndef g():\n    h = f\n    h()")
    found = calls_of_f(code)
    assert found is not None
    assert len(found.calls) == 1
    assert found.handed_back_by == []
    assert function(code, "g")


def test_a_function_that_goes_out_of_sight_is_not_followed():
    code = project(main="def f(): pass\nunknown(f)")
    assert calls_of_f(code) is None


def test_a_function_that_is_handed_back_is_called_where_its_maker_is_called():
    code = project(main="def made():\n    def f(): pass\n    return f\ndef g():\n    made()()\n    h = made()\n    h()")
    found = calls_of_f(code)
    assert found is not None
    assert len(found.calls) == 2
    assert [each.qualname for each in found.handed_back_by] == ["made"]


def test_one_of_two_is_not_only_tested():
    code = project(main="def f(): pass\ndef g(h, keep):\n    keep.it = h or f\n")
    assert calls_of_f(code) is None
