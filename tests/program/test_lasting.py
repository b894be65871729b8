"""Attributes that an object has from its making on, bound for good by one statement."""

from __future__ import annotations

import ast

import pytest

from alone import project
from voltfix.program.lasting import bound_for_good, makes_again

MODULE = """
class Above:
    {above}


class Player(Above):
    {member}

    def __init__(self, x):
        {first}
        self.held = make(x)
        {last}

    def step(self):
        {step}
        return self.held


class Below(Player):
    {below}


class Beside:
    def __init__(self):
        self.held = None


{beside}
"""


def lasting(**more: str) -> bool:
    parts = dict.fromkeys(("above", "member", "first", "last", "step", "below", "beside"), "pass") | more
    code = project(main=MODULE.format(**parts))
    player = next(cls for cls in code.classes() if cls.node.name == "Player")
    bound = bound_for_good(code, player, "held")
    return bound is not None and ast.unparse(bound) == "self.held"


@pytest.mark.quick
@pytest.mark.parametrize("more", [
    {},
    {"first": "self.held = None"},
    {"first": "self.held = zeros(1); self.held = self.held.cuda()"},
    {"first": "if x:\n            self.held = None"},
    {"first": "super().__init__(); self.step()"},  # who reads it then gets no further
    {"last": "self.step(); keep(self)"},
    {"step": "self.held.data.copy_(x); self.other = None"},
    {"below": "def __init__(self):\n        self.other = 1"},
    {"beside": "other = Beside()\nother.held = None"},
])
def test_an_attribute_that_init_alone_binds_lasts(more: dict[str, str]) -> None:
    assert lasting(**more)


@pytest.mark.quick
@pytest.mark.parametrize("more", [
    # bound elsewhere, or taken away
    {"step": "self.held = None"},
    {"step": "del self.held"},
    {"step": "self.held += 1"},
    {"step": "me = self; me.held = 1"},
    {"above": "def free(self):\n        self.held = None"},
    {"below": "def free(self):\n        self.held = None"},
    {"below": "held = None"},
    {"member": "held = None"},
    {"above": "held: object = None"},
    {"below": "def held(self):\n        pass"},
    {"beside": "class Mixed:\n    def free(self):\n        self.held = 1\n\n\nclass Both(Player, Mixed):\n    pass"},
    {"beside": "Player.held = None"},
    {"beside": "def free(player):\n    player.held = None"},
    {"beside": "def free(player):\n    setattr(player, 'held', None)"},
    {"beside": "def look(player):\n    return getattr(player, 'held', None)"},
    {"above": "def __getattr__(self, name):\n        pass"},
    # not on every way
    {"first": "self.held = None\n        if x:\n            return"},
    {"last": "if x:\n            self.held = None"},
    {"last": "self.held, other = None, 1"},
    {"last": "self.held = other = None"},
    {"last": "def free():\n            self.held = None"},
    # somebody may ask while something else stands there
    {"first": "self.held = None; self.step()"},
    {"first": "self.held = None; keep(self)"},
    {"first": "self.held = None; me = self"},
    {"first": "self.held = None; super().__init__()"},
    {"first": "self.held = None; run(lambda: self.held)"},
    {"first": "self.held = None; self.step"},
    {"first": "self = other()"},
])
def test_another_does_not(more: dict[str, str]) -> None:
    assert not lasting(**more)


@pytest.mark.quick
@pytest.mark.parametrize("above", [
    "super(Below, self).__init__()", "super().__init__(1)", "Player.__init__(self, 1)", "lib.Player.__init__(self)",
])
def test_the_init_of_a_class_below_runs_that_of_its_class_and_makes_nothing_again(above: str) -> None:
    assert not project(main=f"class Below(Player):\n    def __init__(self):\n        {above}\n").computed(makes_again)


@pytest.mark.quick
@pytest.mark.parametrize("again", [
    "self.__init__()", "player.__init__(1)", "Player.__init__(player)", "f = player.__init__", "super().__init__()",
    "Player.__init__(*them)",
])
def test_who_asks_for_init_elsewhere_may_make_an_object_again(again: str) -> None:
    code = project(main=f"class Below(Player):\n    def reset(self, player, them):\n        {again}\n")
    assert code.computed(makes_again)
