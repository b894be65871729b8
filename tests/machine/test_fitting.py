"""Slips at which Python raises: what stands at and behind them is analysed, and no flag goes because of them."""

from __future__ import annotations

import ast
from textwrap import dedent

import pytest

from helpers import migrated
from voltfix.machine.fitting import is_of_container, leaves_early, unplaced

ABOVE = """
import torch
from torch.autograd import Variable
from models import net
"""


def left_of(header: str, given: int, *words: str, stars: tuple[str, ...] = ()) -> list[str]:
    """Which arguments of a call of ``def f(header)`` no parameter takes: their numbers, and their words."""
    node = ast.parse(f"def f({header}): pass").body[0]
    assert isinstance(node, ast.FunctionDef)
    args = [str(number) for number in range(given)]
    return unplaced(node, args, {word: word for word in (*words, *stars)}, ("*", "**"))  # type: ignore


@pytest.mark.quick
@pytest.mark.parametrize(("header", "given", "words", "left"), [
    ("a, b", 2, (), []),
    ("a, b", 3, (), ["2"]),
    ("a, b", 1, ("b",), []),
    ("a, b", 1, ("a",), ["a"]),
    ("a, b", 0, ("c",), ["c"]),
    ("a, *more", 5, (), []),
    ("a, *more", 1, ("a",), ["a"]),
    ("a, **more", 1, ("c",), []),
    ("a, **more", 1, ("a",), ["a"]),
    ("a, /, **more", 1, ("a",), []),
    ("a, /", 1, ("a",), ["a"]),
    ("a, *, b", 1, ("b",), []),
    ("a, *, b", 2, ("b",), ["1"]),
])
def test_what_no_parameter_takes_is_what_python_raises_for(
    header: str, given: int, words: tuple[str, ...], left: list[str]
) -> None:
    assert left_of(header, given, *words) == left


@pytest.mark.quick
@pytest.mark.parametrize("star", ["*", "**"])
def test_a_call_with_a_star_of_any_length_fits(star: str) -> None:
    assert left_of("a", 2, stars=(star,)) == []


@pytest.mark.quick
def test_containers_have_the_methods_of_pythons() -> None:
    assert all(map(is_of_container, ("append", "items", "union", "popleft", "move_to_end", "send")))
    assert not is_of_container("cuda")


@pytest.mark.quick
@pytest.mark.parametrize(("text", "leaves"), [
    ("if a:\n    return 1", True), ("for x in y:\n    break", True), ("raise ValueError", False), ("f()", False),
])
def test_a_statement_leaves_by_return_break_and_continue(text: str, leaves: bool) -> None:
    assert leaves_early(ast.parse(text).body[0]) is leaves


def strategies(text: str) -> list[tuple[str | None, str | None]]:
    """What becomes of each flag: the strategy, the reason of a refusal."""
    return [(site.strategy, site.reason) for site in migrated(ABOVE + dedent(text)).sites]


WRAPPED = [("no_grad", None)]
DROPPED = [("drop", None)]


@pytest.mark.parametrize(("header", "call"), [
    ("label, text=None", "describe(1, label=image)"),  # one parameter twice
    ("label", "describe(1, image)"),  # too many
    ("label", "describe(1, img=image)"),  # none of that name
    ("label, /", "describe(label=image)"),
])
def test_a_flag_stays_under_a_block_where_the_call_behind_it_does_not_fit(header: str, call: str) -> None:
    text = f"""
    def describe({header}):
        return net(label)

    def show(x):
        image = Variable(x, volatile=True)
        return {call}
    """
    result = migrated(ABOVE + dedent(text))
    assert [site.strategy for site in result.sites] == ["no_grad"]
    said = "a.py:11: passes describe an argument that it does not take"
    assert said in result.sites[0].evidence


@pytest.mark.parametrize(("header", "call"), [
    ("label, **more", "describe(1, text=image)"),
    ("label, *more", "describe(1, image)"),
    ("label, text=None", "describe(1, *[image])"),
    ("label, *, text=None", "describe(1, text=image)"),
])
def test_of_a_call_that_fits_the_body_says_what_is_computed(header: str, call: str) -> None:
    assert strategies(f"""
    def describe({header}):
        return label

    def show(x):
        image = Variable(x, volatile=True)
        return {call}
    """) == DROPPED


def test_an_object_that_was_made_with_too_many_arguments_gives_what_they_are() -> None:
    assert strategies("""
    class Sample(object):
        def __init__(self, name):
            self.name = name

        def features(self):
            return net(self.name)

    def show(x):
        image = Variable(x, volatile=True)
        return Sample("a", image).features()
    """) == WRAPPED


MADE = """
class Sample({bases}):
    def features(self):
        return self.size

{above}
def show(x):
    image = Variable(x, volatile=True)
    sample = Sample(image)
    return sample.features()
"""


def test_an_object_of_a_class_that_takes_nothing_gives_what_it_is_handed() -> None:
    assert strategies(MADE.format(bases="object", above="")) == WRAPPED


@pytest.mark.parametrize("bases", ["Base", "Unseen"])
def test_what_a_class_takes_that_has_it_from_one_above_is_not_said_to_be_too_much(bases: str) -> None:
    text = MADE.format(bases=bases, above="")
    base = "from elsewhere import Unseen\n\nclass Base(object):\n    def __init__(self, x):\n"
    result = migrated(f"{ABOVE}{base}        self.size = x.size()\n{text}")
    assert not any("does not take" in said for site in result.sites for said in site.evidence)


def test_a_method_without_self_is_given_one_argument_too_many() -> None:
    assert strategies("""
    class Scorer(object):
        def score(image):
            return net(image)

    def show(x):
        image = Variable(x, volatile=True)
        return Scorer().score(image)
    """) == WRAPPED


def test_a_static_method_takes_no_object() -> None:
    assert strategies("""
    class Scorer(object):
        @staticmethod
        def shape(image):
            return image.size()

    def show(x):
        image = Variable(x, volatile=True)
        return Scorer().shape(image)
    """) == DROPPED


@pytest.mark.parametrize("slip", [
    "scores = []\n        best = scores[0]",
    "deeper(1)",
    "torch.nn.functional.relu(3)",
    "raise NotImplementedError",
    "if isinstance(image, Variable):\n            raise TypeError('why')",
])
def test_what_stands_behind_a_statement_that_raises_on_every_path_is_analysed(slip: str) -> None:
    assert strategies(f"""
    def deeper(n):
        return deeper(n + 1)

    def show(x):
        image = Variable(x, volatile=True)
        {slip}
        return net(image)
    """) == WRAPPED


def test_a_loop_that_looks_back_comes_to_no_element_before_the_first() -> None:
    assert strategies("""
    def show(xs, n):
        outs = []
        for i in range(n):
            v = Variable(xs[i], volatile=True)
            if i > 0:
                before = outs[i - 1]
                v = net(before)
            outs.append(net(v))
        return outs
    """) == WRAPPED


def test_what_stands_behind_a_return_is_never_run() -> None:
    assert strategies("""
    def show(x):
        image = Variable(x, volatile=True)
        return image.size()
        return net(image)
    """) == DROPPED


@pytest.mark.parametrize("slip", ["batch.cuda()", "batch.first"])
def test_what_a_list_does_not_have_counts_as_made_of_what_is_in_it(slip: str) -> None:
    assert strategies(f"""
    def show(x):
        image = Variable(x, volatile=True)
        batch = [image]
        return net({slip})
    """) == WRAPPED


@pytest.mark.parametrize("text", ["batch.append(1)", "batch.index(image)", "batch.__len__()"])
def test_what_a_list_has_computes_nothing(text: str) -> None:
    assert strategies(f"""
    def show(x):
        image = Variable(x, volatile=True)
        batch = [image]
        return {text}
    """) == DROPPED


@pytest.mark.parametrize("thing", ["None", "3", "'resnet'"])
def test_a_method_that_a_constant_does_not_have_is_that_of_something_else(thing: str) -> None:
    assert strategies(f"""
    def show(x):
        model = {thing}
        image = Variable(x, volatile=True)
        return model.score(image)
    """) == WRAPPED


def test_a_method_that_a_constant_has_computes_nothing() -> None:
    assert strategies("""
    def show(x):
        image = Variable(x, volatile=True)
        return "{}".format(image)
    """) == DROPPED
