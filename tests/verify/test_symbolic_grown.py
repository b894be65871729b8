"""A graph that nobody has at the end is one that volatile saved, too: the lines that make it are told."""

from __future__ import annotations

import pytest

torch = pytest.importorskip("torch")

from voltfix.verify.symbolic import explore  # noqa: E402
from voltfix.verify.symbolic.project import Side, Unit  # noqa: E402

HEAD = "import torch\nfrom torch.autograd import Variable\n\n\nclass Pond:\n    def stir(self, rain, leaf):\n"


def grown(before: str, after: str) -> set[str]:
    """The lines that are told of a method, for two bodies that do the same to whoever calls it."""
    texts = [HEAD + "".join(f"        {line}\n" for line in body.strip("\n").splitlines()) for body in (before, after)]
    item = explore.Item(Side({"a.py": texts[0]}), Side({"a.py": texts[1]}), (Unit("a.py", "Pond.stir"),))
    verdict, detail, _ = explore.verify(item)
    assert (verdict, detail) == ("identical", None)
    return item.reached.grown


OLD = """
    ripple = self.well(leaf)
    drop = Variable(rain, volatile=True)
    wave = torch.cross(ripple, drop)
    foam = self.shore(wave)
    return foam.data
"""
LATE = """
    ripple = self.well(leaf)
    drop = Variable(rain)
    wave = torch.cross(ripple, drop)
    with torch.no_grad():
        foam = self.shore(wave)
    return foam.data
"""
WHOLE = """
    ripple = self.well(leaf)
    drop = Variable(rain)
    with torch.no_grad():
        wave = torch.cross(ripple, drop)
        foam = self.shore(wave)
    return foam.data
"""


def dedented(text: str) -> str:
    return "\n".join(line[4:] for line in text.strip("\n").splitlines())


def told(before: str, after: str) -> set[str]:
    return grown(dedented(before), dedented(after))


def test_what_has_weights_in_it_and_meets_a_volatile_tensor_before_the_block_is_told() -> None:
    assert told(OLD, LATE) == {"wave = torch.cross(ripple, drop)"}


def test_where_the_block_begins_with_it_nothing_is_told() -> None:
    assert told(OLD, WHOLE) == set()


def test_writing_in_place_before_the_block_is_told() -> None:
    write = "wave = torch.zeros(3)\n    wave.copy_(ripple * drop)"
    old, late = (each.replace("wave = torch.cross(ripple, drop)", write) for each in (OLD, LATE))
    assert "wave.copy_(ripple * drop)" in told(old, late)


@pytest.mark.parametrize("ripple", ["self.well(leaf).data", "torch.zeros(3)", "torch.zeros_like(self.well(leaf))"])
def test_what_could_have_no_graph_is_not_told(ripple: str) -> None:
    old, late = (each.replace("self.well(leaf)", ripple) for each in (OLD, LATE))
    assert told(old, late) == set()


def test_what_had_a_graph_before_is_not_told() -> None:
    assert "ripple = self.well(leaf)" not in told(OLD, LATE)


def test_what_a_block_takes_from_another_line_makes_up_for_nothing() -> None:
    more = "wave = torch.cross(ripple, drop)\n    twin = torch.cross(ripple, ripple)"
    inner = more.split("\n    ")
    old = OLD.replace(inner[0], more)
    late = LATE.replace("foam = self", "twin = torch.cross(ripple, ripple)\n        foam = self")
    assert told(old, late) == {inner[0]}


def test_a_tensor_that_a_variable_is_made_of_has_no_graph_whatever_is_asked() -> None:
    move = ".cuda()"
    old, late = (each.replace("rain,", "rain" + move + ",").replace("rain)", "rain" + move + ")")
                 .replace("self.well(leaf)", "torch.zeros(3)") for each in (OLD, LATE))
    assert told(old, late) == set()


def test_a_parameter_that_may_require_grad_is_told_of() -> None:
    old, late = (each.replace("self.well(leaf)", "leaf") for each in (OLD, LATE))
    assert told(old, late) == {"wave = torch.cross(ripple, drop)"}
