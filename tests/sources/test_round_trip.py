"""Whatever is loaded comes back byte for byte, and whatever cannot be loaded is told, not raised."""

from __future__ import annotations

import ast
import json
import os
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from voltfix.model import FileError
from voltfix.sources import load
from voltfix.sources.lexer import lex
from voltfix.sources.shields import shield

EXAMPLES = int(os.environ.get("VOLTFIX_EXAMPLES", "300"))
NAMES = ("a.py", "a.ipynb", "a.md", "a.rst")
FIXTURES = sorted(path for path in (Path(__file__).parents[1] / "fixtures").rglob("*.py"))
PIECES = (
    *(
        "print ",
        "print",
        "'a'",
        '"',
        "'",
        "'''",
        '"""',
        "ur'",
        "f'{",
        "{x}",
        "}'",
        "`",
        "<>",
        "0777",
        "10L",
        "x",
    ),
    *(
        "async",
        "await ",
        " = ",
        "(",
        ")",
        "[",
        "]",
        "{",
        "}",
        ",",
        ":",
        ";",
        "#c",
        "\\",
        "\n",
        "\n",
        "\r\n",
        "\r",
    ),
    *(
        "    ",
        "\t",
        "  ",
        "\f",
        "except ",
        "try",
        "raise ",
        "E",
        " as e",
        "def f",
        "lambda ",
        "if ",
        "else",
        "for ",
    ),
    *(
        "in ",
        "@",
        "~",
        "@ e",
        "é",
        "日",
        "%time ",
        "!ls ",
        "?",
        "%%bash",
        "```",
        "```python\n",
        ">>> ",
        "... ",
    ),
    *(
        ".. code::",
        "::",
        "> ",
        "- ",
        "volatile",
        "=True",
        "\x01",
        "\x0b",
        "\x1c",
        "\x85",
        "\u2028",
        "\ufeff",
        "\x00",
    ),
    *(
        '"""\n>>> f(volatile=1)\n"""\n',
        "#%% piece 0\n",
        "\\N{",
        "\\x",
        "\\u12",
        "exec ",
        "Q___",
        "asynC",
        "prinT",
    ),
)
texts = st.lists(st.sampled_from(PIECES), max_size=40).map("".join)


def comes_back(name: str, data: bytes) -> None:
    document = load(name, data)
    if isinstance(document, FileError):
        assert document.message
        return
    assert document.render({}) == data
    assert document.render({at: module.text for at, module in enumerate(document.modules)}) == data
    for at, module in enumerate(document.modules):
        ast.parse(module.text)
        assert list(module.barriers) == sorted(module.barriers)
        for offset in {0, len(module.text) // 2, len(module.text)}:
            line, column, _ = document.locate(at, offset)
            assert line >= 1
            assert column >= 1


@given(st.sampled_from(NAMES), texts)
@settings(max_examples=EXAMPLES * 3, deadline=None)
def test_text_comes_back(name: str, text: str) -> None:
    comes_back(name, text.encode())


@given(st.sampled_from(NAMES), st.binary(max_size=60))
@settings(max_examples=EXAMPLES, deadline=None)
def test_bytes_come_back(name: str, data: bytes) -> None:
    comes_back(name, data)


@given(st.lists(st.one_of(texts, st.lists(texts, max_size=4)), max_size=4), st.sampled_from([None, 1, "\t"]))
@settings(max_examples=EXAMPLES, deadline=None)
def test_notebooks_come_back(sources: list[str | list[str]], indent: int | str | None) -> None:
    cells = [{"cell_type": "code", "source": source} for source in sources]
    for ensure_ascii in (True, False):
        text = json.dumps({"cells": cells}, indent=indent, ensure_ascii=ensure_ascii)
        comes_back("a.ipynb", text.encode("utf-8", "surrogatepass"))


@given(texts, st.booleans())
@settings(max_examples=EXAMPLES * 3, deadline=None)
def test_the_lexer_loses_nothing(text: str, magics: bool) -> None:
    at = 0
    for token in lex(text, magics=magics):
        assert token.start == at
        assert token.end > at
        at = token.end
    assert at == len(text)


@given(texts, st.booleans())
@settings(max_examples=EXAMPLES * 3, deadline=None)
def test_stand_ins_keep_lengths_and_are_restored(text: str, magics: bool) -> None:
    made = shield(text, magics=magics)
    assert len(made.text) == len(text)
    assert made.restore(made.text) == text


@pytest.mark.parametrize("path", FIXTURES, ids=lambda path: path.parent.name + "/" + path.name)
def test_fixtures_come_back(path: Path) -> None:
    comes_back("a.py", path.read_bytes())
