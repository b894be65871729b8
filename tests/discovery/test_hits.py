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
        "# volatile",
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


def test_words_and_calls_without_end_are_searched_in_no_time() -> None:
    start = time.process_time()
    assert not is_hit(b"Variable " + b"a" * 1_000_000)
    assert is_hit(b"Variable([" * 50_000)
    assert time.process_time() - start < 10
