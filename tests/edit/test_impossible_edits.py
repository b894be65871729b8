"""An edit that cannot be carried out is an EditError that says why, never a text that means something else."""

from __future__ import annotations

import pytest

from voltfix.edit import EditError, apply, guard
from voltfix.edit.draft import Splice, merged
from voltfix.model import (
    Decorate,
    DeleteStatement,
    DropArgument,
    DropParameter,
    Edit,
    InsertStatement,
    Module,
    ReplaceExpression,
    ReplaceStatement,
    Span,
    WrapStatements,
)


def span(text: str, piece: str) -> Span:
    start = text.index(piece)
    return Span(start, start + len(piece))


def wrapped(text: str, first: str, last: str) -> Edit:
    return WrapStatements(span(text, first), span(text, last), "torch.no_grad()")


@pytest.mark.parametrize(
    ("text", "edit", "why"),
    [
        pytest.param(
            "if a:\n    b = 1\nc = 2\n",
            lambda text: wrapped(text, "b = 1", "c = 2"),
            "do not stand in one suite",
            id="a block from one suite into another",
        ),
        pytest.param(
            "b = 1\nc = 2\n",
            lambda text: wrapped(text, "c = 2", "b = 1"),
            "do not stand in one suite",
            id="a block that ends before it begins",
        ),
        pytest.param(
            "def f():\n    'What f does.'\n",
            lambda text: wrapped(text, "'What f does.'", "'What f does.'"),
            "a docstring",
            id="a block around a docstring alone",
        ),
        pytest.param(
            "a = 1\n",
            lambda text: Decorate(span(text, "a = 1"), "torch.no_grad()"),
            "only a function",
            id="a decorator on an assignment",
        ),
        pytest.param(
            "a = 1\n",
            lambda text: ReplaceStatement(span(text, "a = 1"), "a = = 2"),
            "does not parse",
            id="a new statement with a syntax error",
        ),
        pytest.param(
            "a = 1\n",
            lambda text: InsertStatement(span(text, "a = 1"), "# only a comment", "before"),
            "no statement to put in",
            id="a new statement without code",
        ),
        pytest.param(
            "a = b\n",
            lambda text: ReplaceExpression(span(text, "b"), "c +"),
            "'c \\+' is not an expression",
            id="a new expression with a syntax error",
        ),
        pytest.param(
            "a = (b := 1)\n",
            lambda text: ReplaceExpression(span(text, "b"), "c.d"),
            "'c.d' cannot stand there",
            id="an attribute as the target of a walrus",
        ),
        pytest.param(
            "pass\n",
            lambda text: ReplaceExpression(span(text, "pass"), "x"),
            "no expression around",
            id="an expression in a statement that has none",
        ),
        pytest.param(
            "a = 1\nbb = 2\n",
            lambda text: DeleteStatement(span(text, "bb")),
            "line 2: no statement covers 6..8",
            id="half a statement",
        ),
        pytest.param(
            "# a comment alone\n",
            lambda text: ReplaceExpression(span(text, "comment"), "x"),
            "no statement around 4..11",
            id="an expression in a comment",
        ),
        pytest.param(
            "y = f(x)\n",
            lambda text: DropArgument(span(text, "f(x)"), span(text, "y")),
            "does not stand in that list",
            id="an argument that stands outside of the call",
        ),
        pytest.param(
            "y = f(x)\n",
            lambda text: DropArgument(span(text, "f"), span(text, "x")),
            "does not end in a parenthesis",
            id="a call without its parentheses",
        ),
        pytest.param(
            "y = (a, b)\n",
            lambda text: DropArgument(span(text, ", b)"), span(text, "b")),
            "no argument list",
            id="a tuple's end taken for a call",
        ),
        pytest.param(
            "class A:\n    x = 1\n",
            lambda text: DropParameter(span(text, text.rstrip()), span(text, "x")),
            "no parameter list",
            id="a parameter of a class",
        ),
        pytest.param(
            "y = x.f(1)\n",
            lambda text: DropParameter(span(text, "x.f(1)"), span(text, "1")),
            "no function there",
            id="a parameter of a call",
        ),
        pytest.param(
            "def f(x):\n    return y\n",
            lambda text: DropParameter(span(text, text.rstrip()), span(text, "y")),
            "does not stand in that list",
            id="a parameter from the body",
        ),
    ],
)
def test_an_edit_that_makes_no_sense_is_an_error_with_its_reason(text, edit, why) -> None:
    with pytest.raises(EditError, match=why):
        apply(Module("a.py", text), [edit(text)])


def test_two_edits_of_one_place_are_an_error() -> None:
    text = "y = a + b + c\n"
    edits = [ReplaceExpression(span(text, "a + b"), "d"), ReplaceExpression(span(text, "b"), "e")]
    with pytest.raises(EditError, match="inside of what another one replaces"):
        apply(Module("a.py", text), edits)
    with pytest.raises(EditError, match="two edits overlap"):
        merged([Splice(0, 3, ""), Splice(2, 5, "")])


def test_the_guard_objects_to_an_edit_of_a_statement_that_is_not_there() -> None:
    text = "a = 1\nb = 2\n"
    assert guard.check(text, text, [DeleteStatement(span(text, "a = 1\nb"))]) != []


@pytest.mark.parametrize(
    "before",
    [
        pytest.param("x = f(a)\n", id="compiles"),
        pytest.param("x = f(a)\nreturn x\n", id="parses, and does not compile"),
    ],
)
def test_the_guard_objects_to_a_result_that_does_not_parse_whether_the_original_compiles_or_not(before: str) -> None:
    edit = ReplaceExpression(span(before, "f(a)"), "a\n.b")
    result = apply(Module("a.py", before), [edit])
    assert any("does not compile" in trouble for trouble in guard.check(before, result, [edit]))


@pytest.mark.parametrize(
    ("text", "why"),
    [
        pytest.param("x = (\n", "line 1", id="a syntax error"),
        pytest.param("x = " + "(" * 250 + "1" + ")" * 250 + "\n", "parenthes", id="more parentheses than Python takes"),
        pytest.param("x = 1\0\n", "null bytes", id="a null byte"),
        pytest.param("x = " + "-" * 200_000 + "1\n", "nested too deeply", id="more signs than the parser's stack"),
        pytest.param("'" + chr(0xD800) + "'\n", "surrogate", id="half a surrogate pair"),
    ],
)
def test_the_guard_says_why_a_text_does_not_compile(text: str, why: str) -> None:
    found = guard.trouble(text)
    assert found is not None
    assert why in found
    assert guard.trouble("x = 1\n") is None
