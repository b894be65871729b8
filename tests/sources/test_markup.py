"""Python in Markdown, reStructuredText and docstrings."""

from __future__ import annotations

import pytest

from .helpers import exchanged, loaded, refused


def code(data: str, path: str = "a.md", module: int = 0) -> list[str]:
    """Return the lines of the module's text, the marks between its blocks left out."""
    modules = loaded(data, path).modules
    lines = modules[module].text.splitlines() if modules else []
    return [line for line in lines if not line.startswith("#%%")]


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        ("```python\nx = 1\n```\n", ["x = 1"]),
        ("~~~~ {.py}\nx = 1\n~~~\n~~~~\n", []),
        ("~~~~ {.python .numberLines}\nx = 1\n~~~~\n", ["x = 1"]),
        ("- a\n\n  ```py\n  x = 1\n\n  y = 2\n  ```\n", ["x = 1", "", "y = 2"]),
        ("> ```py\n> x = 1\n> ```\n", ["x = 1"]),
        ("```\nx = 1\n```\n", ["x = 1"]),
        ("```\n$ make it\n```\n", []),
        ("```bash\nx=1\n```\n", []),
        ("text\n\n    x = 1\n\n    y = 2\n\nmore\n", ["x = 1", "", "y = 2"]),
        ("text\n    x = 1\n", []),
        ("```py\nprint 'a'\n```\n", ["print,'a'"]),
        (
            "```py\n>>> x = 1\n>>> for a in x:\n...     a\n...\n1\n>>> y\n```\n",
            ["x = 1", "for a in x:", "    a", "", "y"],
        ),
        ("```python\nx = 1", ["x = 1"]),
        ("no code, volatile all the same\n", []),
    ],
)
def test_markdown_blocks(data: str, expected: list[str]) -> None:
    assert code(data) == expected


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        (".. code-block:: python\n   :linenos:\n\n   x = 1\n\n   y = 2\n\ntext\n", ["x = 1", "", "y = 2"]),
        (".. code:: bash\n\n   x=1\n", []),
        ("Like this::\n\n    x = 1\n\nend\n", ["x = 1"]),
        ("Text\n\n>>> x = 1\n>>> y\n1\n\nend\n", ["x = 1", "y"]),
        ("  .. sourcecode:: py\n\n     x = 1\n  end\n", ["x = 1"]),
        ("a :: b\n", []),
    ],
)
def test_rst_blocks(data: str, expected: list[str]) -> None:
    assert code(data, "a.rst") == expected


def test_only_the_lines_of_the_block_change() -> None:
    data = "# x = 1\r\n- a\r\n  ```py\r\n  x = 1  \r\n\r\n  y = 2\r\n  ```\r\nx = 1"
    new = exchanged(data, ("y = 2", "with g():\n    y = 2\n\n    z = 3"), path="a.md")
    assert new == data.replace("  y = 2\r\n", "  with g():\r\n      y = 2\r\n\r\n      z = 3\r\n")


def test_sessions_get_prompts() -> None:
    data = "```\n>>> x = 1\n>>> y = 2\n>>> z\n3\n>>> w = 4\n```\n"
    new = exchanged(data, ("x = 1\ny = 2", "# both\nwith g():\n    x = 1\n\n    y = 2"), path="a.md")
    assert new == "```\n>>> # both\n>>> with g():\n...     x = 1\n...\n...     y = 2\n>>> z\n3\n>>> w = 4\n```\n"


def test_places_are_those_of_the_file() -> None:
    document = loaded("# T\n\n- a\n  ```py\n  x = 1\n  y = 2\n  ```\n", "a.md")
    assert document.locate(0, document.modules[0].text.index("y = 2")) == (6, 3, None)


def test_a_block_that_says_it_is_python_and_is_not_is_named() -> None:
    error = refused(b"a\n\n```python\nx = 1\nf(volatile=True\n```\n", "a.md")
    assert error.kind == "syntax"
    assert error.line == 5


def test_a_block_without_volatile_may_be_anything() -> None:
    assert code("```python\nx = ...what\n```\n```py\ny = 1\n```\n") == ["y = 1"]


DOCSTRINGS = '''"""Module.

>>> a = 1
"""
def f():
    r"""Doc.

    >>> x = Variable(t, volatile=True)
    >>> y = net(x)
    >>> y
    3
    """
    print "x"
'''


def test_sessions_in_docstrings_are_a_second_module() -> None:
    document = loaded(DOCSTRINGS)
    assert [module.path for module in document.modules] == ["a.py", "a.py::doctest"]
    assert code(DOCSTRINGS, "a.py", 1) == ["a = 1", "x = Variable(t, volatile=True)", "y = net(x)", "y"]
    text = document.modules[1].text
    assert document.locate(1, text.index("y = net")) == (9, 9, None)


def test_code_and_sessions_are_written_together() -> None:
    document = loaded(DOCSTRINGS)
    main = document.modules[0].text.replace("def f", "@deco\ndef f")
    sessions = document.modules[1].text.replace(
        "x = Variable(t, volatile=True)\ny", "with g():\n    x = Variable(t)\n    y"
    )
    assert document.render({0: main, 1: sessions}).decode() == DOCSTRINGS.replace("def f", "@deco\ndef f").replace(
        "    >>> x = Variable(t, volatile=True)\n    >>> y = net(x)\n",
        "    >>> with g():\n    ...     x = Variable(t)\n    ...     y = net(x)\n",
    )


@pytest.mark.parametrize(
    "text",
    [
        '"""\n>>> x = 1\n"""\nvolatile = 1\n',
        'x = 1\n"""\n>>> f(volatile=True)\n"""\n',
        '"""\n>>> f("\\n", volatile=True)\n"""\n',
        '# >>> f(volatile=True)\n"""volatile"""\n',
    ],
)
def test_docstrings_that_do_not_count(text: str) -> None:
    assert len(loaded(text).modules) == 1


def test_a_session_in_a_quotation_keeps_its_marks() -> None:
    source = "> ```py\n> >>> x = f(1)\n> >>> y = 2\n> ```\n"
    new = exchanged(source, ("x = f(1)", "with g():\n    x = f(1)"), path="a.md")
    assert new == "> ```py\n> >>> with g():\n> ...     x = f(1)\n> >>> y = 2\n> ```\n"


def test_each_line_of_a_block_keeps_its_own_newline() -> None:
    source = "```python\r\nx = 1\ny = 2\r\nz = 3\n```\r\n"
    new = exchanged(source, ("x = 1", "x = 0"), path="a.md")
    assert new == source.replace("x = 1", "x = 0")
