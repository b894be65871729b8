"""Statements and literals of Python 2 in the words of Python 3."""

from __future__ import annotations

import pytest

from voltfix.repair.symptoms.syntax import compiles, mended, python3, tabs_expanded


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("print 'a', b", "print('a', b)"),
        ("print", "print()"),
        ("print a,", 'print(a, end=" ")'),
        ("print >>f, a, b", "print(a, b, file=f)"),
        ("print >>f", "print(file=f)"),
        ("if a: print b; print c", "if a: print(b); print(c)"),
        ("print ('a') % b", "print(('a') % b)"),
        ("print (a), b", "print((a), b)"),
        ("print `a`, 0777L", "print(repr(a), 0o777)"),
        ("raise E, 'x'", "raise E('x')"),
        ("raise E, 'x', trace", "raise E('x').with_traceback(trace)"),
        ("try:\n    a\nexcept E, e:\n    b", "try:\n    a\nexcept E as e:\n    b"),
        ("try:\n    a\nexcept (E, F), e:\n    b", "try:\n    a\nexcept (E, F) as e:\n    b"),
        ("a <> b", "a != b"),
        ("a = 0777", "a = 0o777"),
        ("a = 10L", "a = 10"),
        ("a = ur'x'", "a = r'x'"),
        ("exec code", "exec(code)"),
        ("exec code in names", "exec(code, names)"),
        ("sorted(x, key=lambda (k, v): v + 1)", "sorted(x, key=lambda each: (lambda k, v: v + 1)(*each))"),
    ],
)
def test_is_written_anew(old, new):
    assert python3(old) == new


@pytest.mark.parametrize(
    "text",
    [
        "print('a', b)",
        "print(a)\nprint('x' % y)\n",
        "print = log\n",
        "x = {'print': 1, 'a': lambda: 2}\n",
        "raise E(a, b)\n",
        "a = '''print b'''\n",
        "try:\n    a\nexcept (E, F):\n    b\n",
        "x = 0\ny = 10\nz = 0.5\n",
        "f(lambda k, v: (k, v))\n",
    ],
)
def test_leaves_python_3_alone(text):
    assert python3(text) == text
    assert compiles(text)


def test_tabs_count_as_eight_columns():
    assert compiles(tabs_expanded("if a:\n        b\n\tc\n"))


def test_what_does_not_load_either_way_is_left_to_a_person():
    assert list(mended("def f(:\n")) == []


def test_async_is_renamed_where_it_is_an_argument():
    assert next(mended("x.cuda(async=True)\n"))[2] == "x.cuda(non_blocking=True)\n"
