from __future__ import annotations

from alone import function, project
from voltfix.program.references import References


def kinds(target: str, **files: str) -> list[str]:
    code = project(**files)
    return [each.kind for each in code.computed(References).of(function(code, target))]


def test_a_call_by_another_name_is_a_call():
    assert kinds("f", main="def f(): pass\ng = f\ng()") == ["value", "call"]


def test_a_method_of_an_unknown_object_may_be_meant():
    assert "maybe-call" in kinds("A.f", main="class A:\n    def f(self): pass\ndef g(x): x.f()")


def test_an_import_statement_is_a_mention():
    assert kinds("f", main="def f(): pass", other="from main import f\nf()") == ["import", "call"]
