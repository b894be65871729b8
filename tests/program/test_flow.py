from __future__ import annotations

from alone import function, project
from voltfix.program.flow import called_at


def test_a_function_under_another_name_is_called_there():
    code = project(main="def f(): pass\ndef g():\n    h = f\n    h()")
    use = next(n for n in code.nodes("main.py") if getattr(n, "id", "") == "f")
    found = called_at(code, "main.py", use)
    assert found is not None
    assert len(found) == 1
    assert function(code, "g")


def test_a_function_that_goes_out_of_sight_is_not_followed():
    code = project(main="def f(): pass\nunknown(f)")
    use = next(n for n in code.nodes("main.py") if getattr(n, "id", "") == "f")
    assert called_at(code, "main.py", use) is None
