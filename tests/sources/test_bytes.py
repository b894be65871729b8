"""Encodings, line endings, and what is no text at all."""

from __future__ import annotations

import pytest

from voltfix.sources import readable

from .helpers import exchanged, loaded, refused


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"x = 1",
        b"x = 1\r\ny = 2\r\n",
        b"x = 1\r\ny = 2\nz = 3\rw = 4",
        b"x = 1\n\x0c\ny = 2\n",
        b"\xef\xbb\xbfx = 'caf\xc3\xa9'\n",
        b"# -*- coding: latin-1 -*-\nx = 'caf\xe9'\n",
        b"#!/usr/bin/python\n# vim: set fileencoding=cp1252 :\nx = '\x80'\n",
        b"# -*- coding: utf-8 -*-\nx = 'caf\xc3\xa9'\n",
        "x = '日本'\n# -*- coding: ascii, but too late\n".encode(),
        b"x = 'caf\xe9'  # Python 2 took it\n",
        b"def f():\n\tif a:\n\t\tpass\n  \n",
        b"x = 'a\x0bb\x1cc'\n# \xc2\x85 \xe2\x80\xa8\n",
    ],
)
def test_comes_back_as_it_was(data: bytes) -> None:
    loaded(data)


@pytest.mark.parametrize(
    ("data", "kind", "line"),
    [
        (b"x = 1\ny = '\0'\n", "encoding", 2),
        ("x = 1\n".encode("utf-16"), "encoding", 1),
        (b"# coding: utf-8\nx = '\xe9'\n", "encoding", 2),
        (b"# coding: no-such-thing\nx = 1\n", "encoding", 1),
        (b"# coding: rot13\nk = 1\n", "encoding", 1),
        (b"# coding: utf-7\nx = '+AGE-'\n", "encoding", None),
        (b"raise E,\n", "syntax", 1),
        (b"x = 1\ny = = 2\n", "syntax", 2),
        (b"print 'a'\ny = = 2\n", "syntax", 2),
        (b"x = " + b"(" * 3000, "syntax", None),
        (b"x = [" + b"1," * 500_001 + b"]", "too-large", None),
    ],
)
def test_refuses_with_line_and_cause(data: bytes, kind: str, line: int | None) -> None:
    error = refused(data)
    assert error.kind == kind
    assert error.message
    if line is not None:
        assert error.line == line


def test_a_new_text_is_written_in_the_files_own_encoding() -> None:
    document = loaded(b"# coding: latin-1\nx = '\xe9'\ny = 1\n")
    text = document.modules[0].text
    assert document.render({0: text.replace("y = 1", "y = 'é'")}) == b"# coding: latin-1\nx = '\xe9'\ny = '\xe9'\n"


def test_other_line_endings_stay() -> None:
    assert exchanged("a = 1\r\nb = 2\nc = 3\r", ("b = 2", "b = 4")) == "a = 1\r\nb = 4\nc = 3\r"


def test_lines_and_columns_count_from_one_in_characters() -> None:
    document = loaded("x = 'é'; y = 1\r\nz = 2\n")
    text = document.modules[0].text
    assert document.locate(0, text.index("y")) == (1, 10, None)
    assert document.locate(0, text.index("z")) == (2, 1, None)


@pytest.mark.parametrize("name", ["a.py", "b/c.PY", "a.pyw", "a.pyi", "a.ipynb", "README.md", "a.rst", "x.markdown"])
def test_reads_by_extension(name: str) -> None:
    assert readable(name)


@pytest.mark.parametrize("name", ["a.txt", "py", "a.py.orig", "dir.py/file", ".gitignore", "a.pyc"])
def test_does_not_read_other_files(name: str) -> None:
    assert not readable(name)
