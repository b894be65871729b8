"""``x.train()`` of something unknown, beside methods of that name that the project has for something else."""

from textwrap import dedent

import pytest

from helpers import check_noop, check_transformed

BEFORE = '''
import functools

import torch
import torch.nn as nn
from torch.autograd import Variable


class Course(object):
    def __init__(self, network, pairs):
        self.network = network
        self.pairs = pairs
        self.loss = nn.MSELoss()

    def fed(self, x):
        return Variable(x{flag})

    def scored(self):
        self.network.eval()
        return [self.score(x, y) for x, y in self.pairs]

    def score(self, x, y):
        self.network.eval()
        guess = self.network(self.fed(x))
        return guess.data

    {head}
        self.network.train({given})
        for x, y in self.pairs:
            guess = self.network(self.fed(x))
            if guess.data[0] > 5:
                raise ValueError(guess)
            self.loss(guess, Variable(y)).backward()
'''
FLAG = ", volatile=not self.network.training"
TAKES_ONE = "def train(self, round):"


def course(head: str = TAKES_ONE, given: str = "", flag: str = FLAG, more: str = "") -> str:
    """A class that has a network and trains it in a method of that name."""
    return BEFORE.format(head=head, given=given, flag=flag) + dedent(more)


def blocked(text: str) -> str:
    return text.replace("        guess = self.network(self.fed(x))\n        return",
                        "        with torch.no_grad():\n            guess = self.network(self.fed(x))\n        return")


@pytest.mark.parametrize("head", [
    TAKES_ONE,
    "def train(self, round, *, rate=0.1):",
    "def train(self, *, round):",
])
def test_what_is_called_without_an_argument_is_no_method_that_has_to_have_one(head: str) -> None:
    check_transformed(course(head), blocked(course(head, flag="")))


@pytest.mark.parametrize("given", ["self.inner[name]", "getattr(self.inner, name)", "None"])
def test_what_an_object_passes_on_of_another_is_a_method_that_takes_as_much_as_before(given: str) -> None:
    more = f"""

    class Named(object):
        def __getattr__(self, name):
            return {given}
    """
    check_transformed(course(more=more), blocked(course(flag="", more=more)))


def test_what_is_bound_by_unreadable_names_on_objects_of_another_class_is_none_of_this_one() -> None:
    other = '''

    class Settings(object):
        def __init__(self, said):
            for name in said:
                setattr(self, name, said[name])
    '''
    check_transformed(course(more=other), blocked(course(flag="", more=other)))


@pytest.mark.parametrize(("head", "given", "more"), [
    ("def train(self):", "", ""),
    ("def train(self, round=0):", "", ""),
    ("def train(self, *rounds):", "", ""),
    ("def train(self, **settings):", "", ""),
    ("def train(self, round):", "*self.how", ""),
    ("def train(self, round):", "**self.how", ""),
    (TAKES_ONE, "", '''

    class Other(object):
        @staticmethod
        def train():
            return torch.zeros(2)
    '''),
    ("@functools.lru_cache(None)\n    def train(self, round):", "", ""),
    (TAKES_ONE, "", '''

    class Short(Course):
        def train(self):
            return self.score(*self.pairs[0])
    '''),
    (TAKES_ONE, "", '''

    class Short(Course):
        train = functools.partialmethod(Course.train, 1)
    '''),
    (TAKES_ONE, "", '''

    class Short(Course):
        if torch.cuda.is_available():
            def train(self):
                return self.score(*self.pairs[0])
    '''),
    (TAKES_ONE, "", '''

    def shorten(course):
        course.train = functools.partial(course.train, 1)
    '''),
    (TAKES_ONE, "", '''

    Course.train = functools.partialmethod(Course.train, 1)
    '''),
    (TAKES_ONE, "", '''

    def shorten(course):
        setattr(course, 'train', functools.partial(course.train, 1))
    '''),
    (TAKES_ONE, "", '''

    class Rounds(object):
        def __init__(self, courses):
            self.courses = courses

        def __getattr__(self, name):
            return lambda: [getattr(course, name)(0) for course in self.courses]
    '''),
    (TAKES_ONE, "", '''

    class Round(object):
        def __getattr__(self, name):
            found = functools.partial(getattr(self.course, name), self.number)
            return found
    '''),
], ids=[
    "no argument", "a default", "any", "any by name", "given by a star", "given by two stars", "static", "decorated",
    "a class below", "bound in a class below", "defined on a condition", "on an object", "on the class", "by its name",
    "made for any name", "made for any name before",
])
def test_what_is_called_may_be_a_method_that_takes_the_call(head: str, given: str, more: str) -> None:
    handed_on = "Course.train" in more  # where what trains is a value, too, any call of something unknown may be it
    check_noop(course(head, given, more=more),
               reason="mixed-statement" if handed_on else "condition-not-repeatable")
