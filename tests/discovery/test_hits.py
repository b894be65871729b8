from __future__ import annotations

import os
import time

import pytest

from voltfix.discovery.hits import is_hit, read, scan


@pytest.mark.parametrize(
    "source",
    [
        "Variable(x, volatile=True)",
        "x.volatile = False",
        "def step(x, volatile): return make(x, volatile)",
        "setattr(x, 'volatile', on)",
        'options = {u"volatile": True}',
        "print(f'{x.volatile}')",
        "text = 'it\\'s'; x.volatile",
        '"""Example.\n\n>>> Variable(x, volatile=True)\n"""',
        "!echo it's Python 2\nx.volatile = 1",
        "print 'unfinished\nx.volatile",
        "Variable(x, False, True)",
        "Variable(f(a, b), False, flag)",
        "autograd.Variable(\n    x,\n    False,\n    True,\n)",
        "Variable(x, **options)",
        "Variable(*arguments)",
        "from torch.autograd import Variable as V\nV(x, False, True)",
        "V = torch.autograd.Variable \nV(x, False, True)",
        "Variable (x, requires_grad == 1, y)",
    ],
)
def test_what_can_decide_volatility_is_a_hit(source):
    assert is_hit(source.encode())


@pytest.mark.parametrize(
    "source",
    [
        "",
        "Variable(x)",
        "Variable(x, requires_grad=True)",
        "Variable(x, True)",
        "Variable(f(a, b, c), g[1, 2, 3])",
        "Variable(x,\n    requires_grad=True,\n)",
        "isinstance(x, Variable), a, b",
        "Volatile",
        "# volatile",
        "x = 1  # it's volatile=True here",
        '"""Prose on volatile memory, and why it\'s volatile."""',
        "x = 'a volatile thing'; y = r'\\volatile '",
        "self._volatile_folder = volatile_folder or not_volatile",
        "from torch.autograd import Variable\ny = f(Variable(x), a, b, **c)",
    ],
)
def test_what_cannot_is_none(source):
    assert not is_hit(source.encode())


def test_scanning_keeps_the_bytes_of_hits_alone(tree):
    root = tree({"a.py": "volatile", "b.py": "", "c.py": b"\x00volatile\xff"})
    result = scan(str(root / name) for name in ("a.py", "b.py", "c.py"))
    assert [(os.path.basename(path), data) for path, data in result.hits] == [
        ("a.py", b"volatile"),
        ("c.py", b"\x00volatile\xff"),
    ]
    assert (result.scanned, result.problems) == (3, [])


def test_a_file_that_vanishes_is_a_problem_and_the_others_are_read(tree):
    root = tree({"a.py": "volatile"})
    result = scan([str(root / "gone.py"), str(root / "a.py"), "nul\0byte"])
    assert len(result.hits) == 1
    assert [problem.kind for problem in result.problems] == ["unreadable", "unreadable"]


def test_a_fifo_is_not_waited_for(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(OSError, match="regular"):
        read(str(tmp_path / "pipe"))


def test_a_file_that_is_too_large_is_a_problem_and_not_read(tmp_path):
    with (tmp_path / "large.py").open("wb") as file:
        file.truncate(1 << 40)
    result = scan([str(tmp_path / "large.py")])
    assert (result.hits, result.scanned, [problem.kind for problem in result.problems]) == ([], 0, ["unreadable"])
    assert "is larger than" in result.problems[0].message


def test_names_without_end_are_searched_in_no_time() -> None:
    names = b"".join(b"Variable as a%06d\n" % n for n in range(32_000))
    start = time.process_time()
    assert not is_hit(names)
    assert is_hit(names + b"a000007(x, False, True)")
    assert time.process_time() - start < 5


def test_words_and_calls_without_end_are_searched_in_no_time() -> None:
    start = time.process_time()
    assert not is_hit(b"Variable " + b"a" * 1_000_000)
    assert is_hit(b"Variable([" * 50_000)
    assert time.process_time() - start < 10


@pytest.mark.parametrize(
    ("name", "text", "hit"),
    [
        ("README.md", "Memory is volatile.\n\n```python\nx = 1  # volatile\n```\n", False),
        ("README.md", "It's so.\n\n```python\nx = Variable(y, volatile=True)\n```\n", True),
        ("page.rst", "On volatile::\n\n    x.volatile = True\n", True),
        ("book.ipynb", '{"cells": [{"cell_type": "markdown", "source": "volatile"}]}', False),
        ("book.ipynb", '{"cells": [{"cell_type": "code", "source": ["x.volatile"]}], "nbformat": 4}', True),
        ("book.ipynb", '{"cells": [volatile', True),
    ],
    ids=[
        "prose and a comment", "a block of Python", "a literal block", "a cell of text", "a cell of code",
        "a notebook that cannot be read is told of",
    ],
)
def test_in_a_document_the_python_in_it_counts(name, text, hit):
    assert is_hit(text.encode(), name) is hit


@pytest.mark.parametrize("quote", ["'", '"', "'''", '"""'])
def test_strings_without_end_are_cut_in_no_time(quote) -> None:
    start = time.process_time()
    text = quote + "\\a" * 300_000 + "\nvolatile_name = 1\n" + (quote + "x ") * 100_001
    is_hit(b"volatile".join([text.encode()] * 2))
    assert time.process_time() - start < 5
