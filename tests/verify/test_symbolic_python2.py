"""Methods that Python 2 asked for by other names than Python 3 does."""

from __future__ import annotations

import pytest

torch = pytest.importorskip("torch")

from judging import check  # noqa: E402

SHELF = """
class Shelf(object):
    def __init__(self, boxes):
        self.boxes, self.at = boxes, 0
    def __iter__(self):
        return self
    def {name}(self):
        self.at += 1
        if self.at > 3:
            raise StopIteration
        return self.boxes[self.at]


def f(net, boxes):
    for box in Shelf(boxes):
        y = net(Variable(box, volatile=True))
    return y
"""


@pytest.mark.parametrize("name", ["next", "__next__"])
def test_an_iterator_of_python_2_is_gone_over(name: str):
    check(SHELF.format(name=name))


def test_what_both_pythons_ask_for_is_asked_by_the_name_of_today():
    both = SHELF.format(name="__next__").replace("def f", "    def next(self):\n        raise ValueError\n\n\ndef f", 1)
    check(both)


def test_an_object_that_python_2_asked_for_its_truth_answers():
    check("""
    class Scale(object):
        def __nonzero__(self):
            return False
        def __div__(self, other):
            return other

    def f(net, x):
        if Scale():
            return None
        y = net(Variable(Scale() / x, volatile=True))
        return y
    """)
