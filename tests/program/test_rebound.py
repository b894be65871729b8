from __future__ import annotations

import ast

import pytest

from alone import project
from voltfix.program.imports import Index
from voltfix.program.rebound import Rebound


def rebound(code) -> Rebound:
    return Rebound(code, Index(code.modules))


def test_a_name_that_is_bound_twice_is_rebound_and_one_that_is_bound_once_is_not():
    found = rebound(project(main="A = 1\nB = 2\nB = 3\n"))
    assert "B" in found.several("main.py")
    assert "A" not in found.several("main.py")


def test_an_attribute_that_is_set_from_elsewhere_may_be_another():
    found = rebound(project(main="import cfg\ncfg.flag = True\ncfg.flag = False", cfg="flag = False"))
    assert found.attribute("flag", known=True)
    assert not found.attribute("other", known=True)


OWN = """
import argparse

class Card:
    def fill(self, words, number):
        {fill}

class Rare(Card):
    pass

class Deck(object):
    def shuffle(self):
        return 1

class Both(Deck, {both}):
    pass

{more}
"""


def asked(name: str, fill: str, of: str | None = "Deck", both: str = "object", more: str = "") -> bool:
    code = project(main=OWN.format(fill=fill, both=both, more=more))
    cls = next((each for each in code.classes() if each.node.name == of), None)
    return rebound(code).is_assigned(name, cls)


@pytest.mark.parametrize(("fill", "both", "more"), [
    ("for k in words:\n            setattr(self, k, words[k])", "Rare", ""),  # an object of both classes
    ("for k in words:\n            setattr(words, k, 1)", "object", ""),
    ("setattr(self, number, words)", "object", "Card.fill(Deck(), {}, 1)"),
    ("setattr(self, number, words)", "object", "Deck.fill = Card.fill"),
    ("self = words\n        setattr(self, number, words)", "object", ""),
    ("self.__dict__.update(words)", "object", "fill = Card.fill"),
    ("words.__dict__.update(number)", "object", ""),
    ("vars(words)[number] = 1", "object", ""),
    ("setattr(words, 'shuf' + number, 1)", "object", ""),
    ("setattr(words, number + 'uffle', 1)", "object", ""),
    ("setattr(self, '%s_%d' % number, 1)", "Card", ""),
])
def test_an_attribute_that_may_be_bound_under_a_name_that_nobody_can_read_is_assigned(fill, both, more):
    assert asked("shuffle", fill, "Deck", both, more)


@pytest.mark.parametrize("fill", [
    "for k in words:\n            setattr(self, k, words[k])",
    "self.__dict__.update(words)",
    "vars(self)[number] = words",
    "self.__dict__ = words",
    "object.__setattr__(self, number, words)",
])
def test_what_a_method_binds_on_its_own_object_is_bound_on_no_object_of_a_class_beside(fill):
    assert not asked("shuffle", fill)
    assert asked("shuffle", fill, "Rare")
    assert asked("shuffle", fill, "Card")
    assert asked("shuffle", fill, None)  # of whatever object


@pytest.mark.parametrize("fill", [
    "setattr(words, 'shelf%d' % number, 1)",
    "setattr(self, 'shelf{}'.format(number), 1)",
    "name = 'shelf' + str(number)\n        setattr(self, name, 1)",
    "for name in ('shelf1', 'shelf2'):\n            setattr(words, name, 1)",
])
def test_a_name_that_is_put_together_binds_names_that_begin_like_it(fill):
    assert not asked("shuffle", fill, None)
    assert asked("shelf1", fill, None)


def test_a_module_has_no_name_that_a_method_binds_on_its_own_object():
    code = project(main=OWN.format(fill="setattr(self, number, words)", both="object", more="A = 1\n"))
    assert not rebound(code).name("A")
    code = project(main=OWN.format(fill="setattr(words, number, words)", both="object", more="A = 1\n"))
    assert rebound(code).name("A")


@pytest.mark.parametrize(("sets", "elsewhere"), [
    ("self.deck = deck", False), ("game.deck = deck", True), ("global deck\n        deck = 3", True),
    ("table.games[0].deck = deck", True), ("setattr(game, 'deck', deck)", True),
])
def test_what_a_method_keeps_on_its_own_object_is_no_name_of_a_module(sets, elsewhere):
    made = f"class Game:\n    def __init__(self, game, table):\n        {sets}\n\n"
    code = project(main=f"deck = 2\n\n{made}print(deck)\n")
    read = [each for each in code.nodes("main.py") if isinstance(each, ast.Name) and each.id == "deck"][-1]
    assert rebound(code).is_bound_elsewhere("main.py", read) is elsewhere


def test_base_init_called_on_the_object_itself_stays_with_its_class():
    more = "class Third(Card):\n    def fill(self, words, number):\n        Card.fill(self, words, number)\n"
    assert not asked("shuffle", "setattr(self, number, words)", more=more)


@pytest.mark.parametrize(("made", "on"), [
    ("words", "at"), ("argparse.Namespace() if number else words", "at"), ("make()", "at"),
    ("argparse.ArgumentParser().parse_args([], words)", "at"), ("argparse.Namespace()", "words"),
    ("argparse.ArgumentParser().parse_args(namespace=words)", "at"), ("argparse.Namespace()\n        at = words", "at"),
])
def test_what_may_be_an_object_of_the_project_is_no_object_of_settings(made, on):
    assert asked("shuffle", f"at = {made}\n        setattr({on}, number, 1)", None)
    assert asked("shuffle", f"at = {made}\n        {on}.__dict__ = number", None)


@pytest.mark.parametrize("made", ["argparse.Namespace()"])
@pytest.mark.parametrize("sets", ["at.__dict__ = words", "setattr(at, number, 1)", "vars(at).update(words)"])
def test_what_is_set_on_settings_is_set_on_no_object_of_the_project(made, sets):
    assert not asked("shuffle", f"at = {made}\n        {sets}", None)


@pytest.mark.parametrize("run", [
    "exec(text, {})", "exec(text, {'version': 1})", "names = {}\nexec(text, names)", "exec(text, dict())",
    "names = dict(version=1)\nexecfile(text, names)", "exec(text, {}, {})",
    "about = {}\nexec(text, about)\nsetup(**about)\nprint(about['a'])",
])
def test_a_text_that_is_run_with_names_of_its_own_binds_none_of_ours(run: str):
    found = rebound(project(main=f"A = 1\n{run}\n"))
    assert not found.name("A")
    assert not found.is_patched("a")


@pytest.mark.parametrize("run", [
    "exec(text)", "exec(text, globals())", "exec(text, {'net': net})", "names = {'net': net}\nexec(text, names)",
    "exec(text, vars(net))", "def f(names):\n    exec(text, names)", "exec(text, {}, globals())",
    "names = {}\nnames['net'] = net\nexec(text, names)",
    "names = {}\nnames.update(globals())\nexec(text, names)",
    "names = {}\nfill(names)\nexec(text, names)", "names = other = {}\nother['net'] = net\nexec(text, names)",
    "exec_(text, globals())",
    "names = {}\nnames = made()\nexec(text, names)", "exec(text, **more)", "exec(text, dict(more))",
])
def test_one_that_is_given_anything_of_ours_may_bind_any(run: str):
    found = rebound(project(main=f"A = 1\n{run}\n"))
    assert found.name("A")
    assert found.is_patched("a") or "globals" in run


def test_who_has_the_names_of_a_module_binds_these_and_no_attribute_of_an_object():
    code = project(main="A = 1\nclass Deck(object):\n    def shuffle(self):\n        return 1\n\n\nrun(globals())\n")
    found, deck = rebound(code), next(iter(code.classes()))
    assert found.name("A")
    assert found.is_patched("shuffle")
    assert not found.is_patched("shuffle", deck)
    assert not found.is_assigned("shuffle", deck)


def test_a_file_that_shows_its_names_shows_those_of_no_other():
    code = project(main="import cards\nDECK = {}\ndef f(): return DECK\n", cards="SUIT = 1\ndef g(): return SUIT\n"
                                                                              "names = globals()\n",
                   more="from cards import SUIT\ndef h(): return SUIT\n",
                   star="from cards import *\ndef k(): return SUIT\n")
    found = rebound(code)

    def bound(path: str, name: str) -> bool:
        return any(found.is_bound_elsewhere(path, each) for each in code.nodes(path) if isinstance(each, ast.Name)
                   and each.id == name and isinstance(each.ctx, ast.Load))

    assert not bound("main.py", "DECK")
    assert bound("cards.py", "SUIT")
    assert bound("more.py", "SUIT")
    assert bound("star.py", "SUIT")
