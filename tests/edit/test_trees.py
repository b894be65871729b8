"""What LibCST edits, and what is left to the physical lines; where both can, they agree."""

from __future__ import annotations

import ast
import subprocess
import sys
from random import Random

import pytest

from voltfix.edit import apply, elements, lists, trees
from voltfix.edit.draft import merged, spliced
from voltfix.edit.outline import Outline
from voltfix.model import (
    Decorate,
    DropArgument,
    DropParameter,
    EnsureImport,
    InsertStatement,
    Module,
    ReplaceExpression,
    Span,
)

from .programs import module


def drops(outline: Outline) -> list[DropArgument]:
    """Every way to take one argument out of a call of a text."""
    span = outline.span
    calls = [node for node in ast.walk(outline.tree) if isinstance(node, ast.Call)]
    return [DropArgument(span(c), span(a)) for c in calls for a in [*c.args, *c.keywords]]  # type: ignore[arg-type]


def parameters(outline: Outline) -> list[DropParameter]:
    """Every way to take one parameter with a place of its own out of a def or lambda of a text."""
    found = []
    for node in ast.walk(outline.tree):
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)):
            whole, arguments = outline.span(node), node.args
            named = [*arguments.posonlyargs, *arguments.args]
            filled = [None] * (len(named) - len(arguments.defaults)) + arguments.defaults
            keyed = zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True)
            for parameter, default in [*zip(named, filled, strict=True), *keyed]:
                start, end = outline.span(parameter), outline.span(default or parameter)  # type: ignore[arg-type]
                found.append(DropParameter(whole, Span(start.start, end.end)))
    return found


def drop(text: str, argument: str) -> tuple[DropArgument, Outline]:
    outline = Outline(text)
    (found,) = (d for d in drops(outline) if text[d.argument.start : d.argument.end] == argument)
    return found, outline


def test_libcst_and_the_lines_agree_on_random_modules() -> None:
    by_libcst = by_lines = 0
    for seed in range(150):
        text = module(Random(seed))
        outline = Outline(text)
        for edit in drops(outline):
            splices = elements.drop_argument(outline, edit)
            if splices is None:
                by_lines += 1
                continue
            by_libcst += 1
            other = lists.argument_by_lines(outline, edit)
            assert spliced(text, merged(splices)) == spliced(text, merged(other)), (edit, text)
    assert by_libcst > 10 * by_lines


def test_libcst_and_the_lines_agree_on_the_parameters_of_random_modules() -> None:
    agreed = 0
    for seed in range(150):
        text = module(Random(seed))
        outline = Outline(text)
        for edit in parameters(outline):
            header = lists._header(outline, edit.function)
            splices = elements.drop_parameter(outline, header, edit.parameter) if header is not None else None
            if splices is None:
                continue
            agreed += 1
            other = lists.parameter_by_lines(outline, edit)
            assert spliced(text, merged(splices)) == spliced(text, merged(other)), (edit, text)
    assert agreed > 500


@pytest.mark.parametrize(
    "text",
    [
        "y = Variable(x, volatile=True)\n",
        "y = Variable(\n    x,\n    volatile=True,\n)\n",
        "y = Variable(x, \\\n    volatile=True)\n",
        "y = Variable(x,\f volatile=True)\n",
        "y = Variable(x,\r\n  volatile=True)\r\n",
        "if a: y = net(Variable(é, volatile=True))[0] # not a statement of its own\n",
    ],
)
def test_libcst_takes_the_argument_out(text: str) -> None:
    edit, outline = drop(text, "volatile=True")
    splices = elements.drop_argument(outline, edit)
    assert splices is not None
    assert "volatile" not in spliced(text, splices)
    assert len(splices) == 1  # what stays is not written anew


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("y = f(x,  # input\n      volatile=True)\n", id="a comment hangs on the comma before it"),
        pytest.param("y = f(x,\n  volatile=True,\r\n  b=1)\n", id="LibCST makes mixed newlines one"),
        pytest.param("y = f(" + "g(" * 30 + "x" + ")" * 30 + ", volatile=True)\n", id="deep nesting is slow"),
        pytest.param("y = f(x" + ".g()" * 200 + ", volatile=True)\n", id="a long chain may exhaust the stack"),
        pytest.param("y = f('" + "a" * 5000 + "', volatile=True)\n", id="longer than anybody writes"),
    ],
)
def test_the_lines_do_what_libcst_cannot_be_trusted_with(text: str) -> None:
    edit, outline = drop(text, "volatile=True")
    assert elements.drop_argument(outline, edit) is None
    assert "volatile" not in apply(Module("a.py", text), [edit])


def test_an_expression_too_deep_for_libcst_is_replaced_all_the_same() -> None:
    text = "y = " + "(" * 60 + "x.volatile" + ")" * 60 + " + 1\n"
    start = text.index("x.volatile")
    assert trees.expression(text[4:-1]) is None
    result = apply(Module("a.py", text), [ReplaceExpression(Span(start, start + 10), "a if b else c")])
    assert result == text.replace("x.volatile", "a if b else c")


def test_libcst_is_imported_when_a_list_that_spans_lines_is_edited_and_not_before() -> None:
    code = """
import sys
from voltfix import core
core.migrate({"a.py": b"volatile = 1\\n", "b.py": b"import torch\\n"})
assert "libcst" not in sys.modules, "nothing to edit"
head, tail = b"import torch\\nfrom torch.autograd import Variable\\n", b"print(net(x))\\n"
assert core.migrate({"a.py": head + b"x = Variable(t, volatile=True)\\n" + tail}).outputs
assert "libcst" not in sys.modules, "on one line both ways come to the same"
assert core.migrate({"a.py": head + b"x = Variable(t,\\n    volatile=True)\\n" + tail}).outputs
assert "libcst" in sys.modules, "the argument went without it"
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize(
    ("before", "parameter", "after", "left"),
    [
        ("", "volatile=False", "", ""),
        ("x, ", "volatile=False", "", "x"),
        ("x, ", "volatile=(1, 2)", ", *args, **kw", "x, *args, **kw"),
        ("", "volatile", ", x=lambda a, b: (a, b)", "x=lambda a, b: (a, b)"),
        ("x=lambda a, b=lambda: {}: a, ", "volatile=None", "", "x=lambda a, b=lambda: {}: a"),
        ("x=d[1:2], ", "volatile={1: 2}", ", y=1", "x=d[1:2], y=1"),
        ("x, *, ", "volatile=False", "", "x"),
        ("x, *, ", "volatile=False", ", **kw", "x, **kw"),
        ("", "volatile", ", /, x", "x"),
        ("x, y, ", "volatile=False", ",", "x, y,"),
    ],
)
@pytest.mark.parametrize("kind", ["def", "lambda"])
def test_libcst_and_the_lines_take_a_parameter_out_alike(
    kind: str, before: str, parameter: str, after: str, left: str
) -> None:
    frame = "def f({}): return x\n" if kind == "def" else "f = lambda {}: x\n"
    text = frame.format(before + parameter + after)
    outline = Outline(text)
    start = text.index(before + parameter) + len(before)
    function = Span(0, len(text) - 1) if kind == "def" else Span(4, len(text) - 1)
    edit = DropParameter(function, Span(start, start + len(parameter)))
    for splices in (lists.drop_parameter(outline, edit), lists.parameter_by_lines(outline, edit)):
        assert ast.dump(ast.parse(spliced(text, merged(splices)))) == ast.dump(ast.parse(frame.format(left)))


def test_a_lambda_with_a_comment_beside_its_parameter_is_left_to_the_lines() -> None:
    text = "f = (lambda x,  # the input\n     volatile=False: net(x))\n"
    start = text.index("volatile")
    edit = DropParameter(Span(5, len(text) - 2), Span(start, start + len("volatile=False")))
    assert apply(Module("a.py", text), [edit]) == "f = (lambda x  # the input\n     : net(x))\n"


def test_a_statement_goes_behind_a_last_line_without_a_newline() -> None:
    assert apply(Module("a.py", "a = 1"), [InsertStatement(Span(0, 5), "b = 2", "after")]) == "a = 1\nb = 2"


@pytest.mark.parametrize("before", ["", "# to be written", "# to be written\n", "# to be written\r\n"])
def test_an_import_gets_a_line_of_its_own_in_a_file_without_code(before: str) -> None:
    after = apply(Module("a.py", before), [EnsureImport("torch")])
    assert "import torch" in after.splitlines()
    assert after.startswith(before)
    assert after.count("\r") == before.count("\r") * 2


def test_a_decorator_goes_on_a_line_that_a_backslash_begins() -> None:
    text = "\\\ndef f():\n    return 1\n"
    after = apply(Module("a.py", text), [Decorate(Span(2, len(text) - 1), "g")])
    assert ast.dump(ast.parse(after)) == ast.dump(ast.parse("@g\ndef f():\n    return 1\n"))
