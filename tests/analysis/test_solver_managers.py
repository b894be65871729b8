"""A generator that is made a context manager goes on behind its ``yield`` where the suite of the ``with`` ends."""

from __future__ import annotations

import pytest
from solving import covers

MODE = """
import contextlib
from contextlib import contextmanager

class Mode(object):
    quiet = False

{manager}

def wrapped(x):
    return Variable(x, volatile=Mode.quiet)

def look(net, x, y, opt):
    {use}
    net(wrapped(y)).sum().backward()
    opt.step()
"""
PLAIN = "@contextmanager\ndef silence():\n    Mode.quiet = True\n    yield\n    Mode.quiet = False"
FINALLY = ("@contextlib.contextmanager\ndef silence():\n    Mode.quiet = True\n    try:\n        yield 3\n"
           "    finally:\n        Mode.quiet = False")
INSIDE = ("@contextmanager\ndef silence():\n    with open('log') as log:\n        Mode.quiet = True\n"
          "        yield log\n        Mode.quiet = False")
SUITE = "with silence():\n        print(net(wrapped(x)).data)"


@pytest.mark.parametrize("manager", [PLAIN, FINALLY, INSIDE])
@pytest.mark.parametrize("use", [
    SUITE,
    "with silence() as given, open('text') as text:\n        print(net(wrapped(x)).data)",
    "for each in x:\n        with silence():\n            print(net(wrapped(each)).data)",
    "with silence():\n        with open('text'):\n            print(net(wrapped(x)).data)",
])
def test_what_it_sets_holds_in_the_suite_and_what_it_sets_back_behind_it(manager: str, use: str) -> None:
    covers(MODE.format(manager=manager, use=use), inside=["print(net("], outside=["backward()", "opt.step()"])


def test_what_it_sets_back_is_set_back_however_the_suite_is_left() -> None:
    body = MODE.format(manager=FINALLY, use="print(quietly(net, x))") + """

def quietly(net, x):
    with silence():
        return net(wrapped(x)).data
"""
    covers(body, inside=["return net(wrapped(x)).data"], outside=["backward()", "opt.step()"])


def test_one_that_sets_nothing_changes_nothing() -> None:
    manager = "@contextmanager\ndef silence():\n    print('on')\n    yield\n    print('off')"
    text = MODE.format(manager=manager, use=SUITE).replace("Mode.quiet)", "False)")
    covers(text, inside=[], outside=["print(net(", "backward()"])


def test_what_it_gives_is_what_it_yields() -> None:
    covers("""
    from contextlib import contextmanager

    @contextmanager
    def opened(line):
        row = Variable(line, volatile=True)
        yield row
        print(row.size())

    def look(net, line, other):
        with opened(line) as row:
            found = net(row).data
        net(Variable(other)).sum().backward()
        return found
    """, inside=["found = net(row)"], outside=["backward()", "print(row"])


@pytest.mark.parametrize("use", [
    "quiet = silence()\n    with quiet:\n        print(net(wrapped(x)).data)",
    "with contextlib.ExitStack() as stack:\n        stack.enter_context(silence())\n"
    "        print(net(wrapped(x)).data)",
])
def test_one_that_is_entered_elsewhere_has_gone_on_or_not(use: str) -> None:
    body = MODE.format(manager=PLAIN, use=use).replace("    net(wrapped(y)).sum().backward()\n    opt.step()\n", "")
    covers(body, inside=["print(net("], outside=[])


OF_CLASS = """
class Silence(object):
    def __init__(self, runner):
        self.runner = runner

    def __enter__(self):
        self.runner.quiet = True
        return self

    def __exit__(self, *why):
        self.runner.quiet = False

class Runner(object):
    quiet = False

    def wrapped(self, x):
        return Variable(x, volatile=self.quiet)

    def look(self, x):
        with Silence(self):
            return self.net(self.wrapped(x)).data

    def fit(self, x):
        self.net(self.wrapped(x)).sum().backward()
"""


def test_what_an_object_sets_where_it_is_entered_holds_in_the_suite() -> None:
    text = covers(OF_CLASS, inside=["return self.net("], outside=["backward()"]).outputs["a.py"].decode()
    assert "with torch.no_grad():" in text
