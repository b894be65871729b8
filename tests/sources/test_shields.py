"""Python of other ages: read with stand-ins of the same length, written as it was."""

from __future__ import annotations

import ast

import pytest

from voltfix.sources import is_async
from voltfix.sources.shields import shield

from .helpers import exchanged, loaded

OLD = {
    'print "x"': 'print,"x"',
    "print x, y,": "print,x, y,",
    "print\t'tab'": "print,'tab'",
    "print 'a'\nprint\t'tab'": "print,'a'\nprinT,'tab'",
    "print'glued'": "prin,'glued'",
    "print": "print",
    "print >>f, x % y,": "print >>f, x % y,",
    "if a: print 'b'; print c\nelse: print not d": "if a: print,'b'; print,c\nelse: print,not d",
    "print [1], {2: 3}": "print,[1], {2: 3}",
    "print (a), b; print 'x'": "print (a), b; print,'x'",
    "print -1; print 'x'": "print -1; print,'x'",
    "exec code in names": "exec,code in names",
    "exec 'x'": "exec,'x'",
    "x.cuda(async=True)": "x.cuda(asynC=True)",
    "def f(async=False): return async": "def f(asynC=False): return asynC",
    "from a import async": "from a import asynC",
    "x.async": "x.asynC",
    "await = 1": "awaiT = 1",
    "try: pass\nexcept E, e: pass": "try: pass\nexcept E@ e: pass",
    "try: pass\nexcept (A, B),e: pass": "try: pass\nexcept (A, B)@e: pass",
    "raise E, 'x', tb": "raise E@ 'x'@ tb",
    "if a: raise E, 0777": "if a: raise E@ Q___",
    "a <> b": "a <~ b",
    "x = 0777 + 10L + 0xFFL": "x = Q___ + Q__ + Q____",
    "x = `y + 1`": "x = q0_____",
    "print `x`": "print,Q__",
    "print`x`": "prin, Q_",
    "x = ur'a' + uR\"b\" + UR'''c\n'''": "x = ~r'a' + ~R\"b\" + -R'''c\n'''",
    "def f(a, (b, c), d=1): pass": "def f(a, q0____, d=1): pass",
    "f = lambda (k, v): k": "f = lambda q0____: k",
    "f = lambda(k): k": "f = lambda Q_: k",
    "f = lambda a, (b, c): b": "f = lambda a, q0____: b",
    "f = lambda a=(1, 2), (b, c)=(3, 4): b": "f = lambda a=(1, 2), q0____=(3, 4): b",
    "g(lambda (a, b): a, (1, 2))": "g(lambda q0____: a, (1, 2))",
    "print (lambda: 0), (1, 2), g(lambda a: a, (1, 2)), `x`": "print (lambda: 0), (1, 2), g(lambda a: a, (1, 2)), Q__",
    "print '\\N{DIGIT ONE} \\N{NO SUCH DIGIT}'": "print,'\\N{DIGIT ONE} \x01N{NO SUCH DIGIT}'",
    "[x for x in 1, 2 if x]": "[x for x in 1@ 2 if x]",
    "x = 'C:\\users\\x'": "x = 'C:\x01users\x01x'",
}
PLAIN = [
    "print('x')",
    "print, x",
    "print = 1",
    "x.print",
    "print.a",
    "print if a else b",
    "async def f():\n    await g()\n    async with a: pass\n    async for x in y: pass",
    "x = 0o777, 00, 0, 01.5, 1e5, 0xfful if 0 else 1".replace("0xfful", "0xff"),
    "raise E('x')",
    "try: pass\nexcept (A, B): pass",
    "x = '<> `print x` async= 10L'",
    "# print 'x' async=True <>",
    "[(a, b) for a, b in zip(c, d)]",
    "exec('x')",
    "'\\u1234 \\x41 \\N{DIGIT ONE}'",
    "f'{x!r:>{y}} {a <b}'",
]


@pytest.mark.parametrize(("old", "new"), OLD.items())
def test_old_syntax_gets_stand_ins_of_the_same_length(old: str, new: str) -> None:
    made = shield(old)
    assert made.text == new
    ast.parse(made.text)
    assert made.restore(made.text) == old
    assert loaded(old + "\n").modules[0].text.rstrip("\n") in (new, old)


@pytest.mark.parametrize("text", PLAIN)
def test_todays_python_is_left_alone(text: str) -> None:
    assert loaded(text).modules[0].text == text


def test_all_at_once() -> None:
    text = "\n".join(OLD) + "\n"
    made = shield(text)
    assert len(made.text) == len(text)
    ast.parse(made.text)
    assert made.restore(made.text) == text


def test_a_stand_in_that_the_file_uses_itself_is_not_taken() -> None:
    text = "asynC = asyNc = 1\nx(async=2)\n'print,'; print 'a'\n'<~', a <> b\nQ___ = 0777\n"
    made = shield(text)
    assert made.text == "asynC = asyNc = 1\nx(asYnc=2)\n'print,'; prinT,'a'\n'<~', a <+ b\nQ___ = Q__0\n"
    assert made.restore(made.text) == text


def test_stand_ins_are_restored_wherever_edits_moved_them() -> None:
    text = "x = y.cuda(async=True)\nprint x\nif a <> 0777: raise E, x\n"
    new = exchanged(
        text, ("x = y", "with g():\n    x = y"), ("print,x", "with h():\n    print,x"), ("if a", "if not a")
    )
    assert new == ("with g():\n    x = y.cuda(async=True)\nwith h():\n    print x\nif not a <> 0777: raise E, x\n")


def test_what_is_deleted_needs_no_restoring() -> None:
    assert exchanged("print 'a'\nprint 'b'\nx = 1L\n", ("print,'a'\n", "")) == "print 'b'\nx = 1L\n"


def test_async_is_known_by_its_stand_ins() -> None:
    tree = ast.parse(loaded("x.cuda(async=True)\n").modules[0].text)
    (keyword,) = [node for node in ast.walk(tree) if isinstance(node, ast.keyword)]
    assert keyword.arg is not None
    assert is_async(keyword.arg)
    assert is_async("async_")
    assert not is_async("asynchronous")


MIXED = "def f():\n        if a:\n\t    x = 1\n\t    print x\n        else:\n\t\ty = 2\n        return '''\n\tz'''\n"


def test_tabs_go_to_multiples_of_eight_as_in_python_2() -> None:
    document = loaded(MIXED)
    text = document.modules[0].text
    assert "            print,x\n" in text
    assert "\n\tz'''" in text
    assert document.locate(0, text.index("x = 1")) == (3, 6, None)
    assert document.locate(0, text.index("y = 2")) == (6, 3, None)


def test_new_lines_among_tabs_take_tabs() -> None:
    new = exchanged(MIXED, ("x = 1\n            print,x", "with g():\n                x = 1\n                print,x"))
    assert new == MIXED.replace("\t    x = 1\n\t    print x", "\t    with g():\n\t\tx = 1\n\t\tprint x")


@pytest.mark.parametrize("text", [
    "print 'x'", "exec code", "raise E, 'x'", "a <> b", "0777", "x = `y`", "def f(a, (b, c)): pass",
    "if a:\n\tx\n        y",
])
def test_what_no_python_3_reads_is_said_to_be_of_python_2(text: str):
    assert loaded(text).modules[0].python2


@pytest.mark.parametrize("text", ["print('x')", "x.cuda(async=True)", "await = 1", "x = 'print 1'  # print 1", ""])
def test_what_some_python_3_reads_is_not_of_python_2(text: str):
    assert not loaded(text).modules[0].python2
