"""Source of the volatile era on today's Python."""

from __future__ import annotations

import importlib
import sys
from pathlib import Path

import pytest

from voltfix.verify.legacy_source import compile_legacy, legacy_imports


def run(source: str) -> dict[str, object]:
    scope: dict[str, object] = {}
    exec(compile_legacy(source, "old.py"), scope)
    return scope


def test_async_is_an_argument_name() -> None:
    scope = run("def cuda(**words): return words\nfound = cuda(async=True)\n")
    assert scope["found"] == {"non_blocking": True}


def test_real_coroutines_are_left_alone() -> None:
    scope = run("import asyncio\nasync def f():\n    return 3\nfound = asyncio.run(f())\n")
    assert scope["found"] == 3


@pytest.mark.parametrize(
    ("statement", "printed"),
    [
        ('print "a", 1', "a 1\n"),
        ('if True: print "b"', "b\n"),
        ('print "c %d" % 3', "c 3\n"),
        ("print", "\n"),
        ('print "d",', "d "),
        ('import sys; print >>sys.stdout, "e"', "e\n"),
    ],
)
def test_print_statements_print(statement: str, printed: str, capsys: pytest.CaptureFixture[str]) -> None:
    run('print "first"\n' + statement + "\n")  # nothing else tells a file of Python 2
    assert capsys.readouterr().out == "first\n" + printed


def test_a_print_call_is_left_alone(capsys: pytest.CaptureFixture[str]) -> None:
    run('print("a", end="!")\nprint ("b")\n')
    assert capsys.readouterr().out == "a!b\n"


def test_old_except_clauses_bind_their_error() -> None:
    assert run("try:\n    1 / 0\nexcept ZeroDivisionError, e:\n    found = str(e)\n")["found"]


def test_what_no_shim_helps_is_a_syntax_error() -> None:
    with pytest.raises(SyntaxError):
        compile_legacy("def f(:\n", "old.py")


def test_lines_of_tracebacks_stay() -> None:
    code = compile_legacy('print "a"\nprint "b"\n1 / 0\n', "old.py")
    with pytest.raises(ZeroDivisionError) as raised:
        exec(code, {})
    assert raised.traceback[-1].lineno == 2  # counted from 0


def test_modules_below_the_folder_are_read_as_legacy_and_no_others(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("old", "new"):
        (tmp_path / name / f"{name}_package").mkdir(parents=True)
        (tmp_path / name / f"{name}_package" / "__init__.py").write_text("x = dict(async=1)\n")
        monkeypatch.syspath_prepend(tmp_path / name)
    with legacy_imports(tmp_path / "old"):
        assert importlib.import_module("old_package").x == {"non_blocking": 1}
        with pytest.raises(SyntaxError):
            importlib.import_module("new_package")
    sys.modules.pop("old_package")
    with pytest.raises(SyntaxError):
        importlib.import_module("old_package")
