"""A flag that stands in for what others say is not taken by running where who turns it on was never run with it on."""

from __future__ import annotations

from dataclasses import replace

import pytest
from trying import DIFFERENT, HEAD, SAME, WITHIN, Told, tried

from voltfix.model import Options, SiteKind
from voltfix.pipeline.loading import load_project
from voltfix.pipeline.surroundings import Surroundings
from voltfix.search.memory import Memory
from voltfix.search.scene import Scenes
from voltfix.verify.client import verify
from voltfix.verify.plan import Item, PlanError, outcome_from_json

PROBE = WITHIN[: WITHIN.index("def evaluate")]
ROWS = PROBE + """
class Rows:
    def __init__(self, batch, frozen=False):
        self.batch, self.frozen = batch, frozen

    def made(self, model):
        x = Variable(self.batch, volatile=self.frozen)
        first = model(x)
        Probe().measure(model, first)
        return x


class Pairs(Rows):
    pass
"""
LOOK = """

def look(model, batch):
    return model(Pairs(batch, {}).made(model))
"""
MINE = ("a.py", "Rows.made")


def chosen(text: str, *runs: tuple[str, str], loses: tuple[str, str] = MINE) -> tuple[str, set[str]]:
    """What becomes of the first flag where these functions were run with it on, and why a candidate is not taken."""
    found = replace(SAME, lit=tuple((loses, run) for run in runs))
    site = next(site for site in tried(text, Told(
        lambda item: DIFFERENT if "_grad" in item.after["a.py"] else found, idle=True)).sites
        if site.code == "VF101")
    return str(site.strategy or site.status), {each.doubt for each in site.candidates}


@pytest.mark.parametrize("given", ["True", "frozen=True", "frozen=bool(batch)", "model.frozen", "frozen=1"])
def test_an_object_whose_maker_turns_the_flag_on_and_was_not_run_so_keeps_it(given):
    found, doubts = chosen(ROWS + LOOK.format(given), MINE)
    assert found == "refused"
    assert "a.py: look may turn the flag on, and was never run with it on" in doubts


def test_it_goes_where_its_maker_was_run_with_it_on():
    assert chosen(ROWS + LOOK.format("True"), MINE, ("a.py", "look"))[0] == "drop"


@pytest.mark.parametrize("given", ["False", "frozen=False", "frozen=0", "frozen=None"])
def test_it_goes_where_all_makers_turn_it_off(given):
    assert chosen(ROWS + LOOK.format(given), MINE)[0] == "drop"


def test_one_maker_that_was_run_does_not_stand_for_another():
    both = ROWS + LOOK.format("True") + LOOK.format("True").replace("look", "again")
    assert chosen(both, MINE, ("a.py", "look"))[0] == "refused"
    assert chosen(both, MINE, ("a.py", "look"), ("a.py", "again"))[0] == "drop"


def test_makers_of_a_class_below_that_binds_the_flag_itself_count():
    below = """

class Triples(Rows):
    def __init__(self, batch, calm=False):
        self.batch = batch
        self.frozen = calm


def look(model, batch):
    return model(Triples(batch, True).made(model))
"""
    assert chosen(ROWS + below, MINE)[0] == "refused"
    assert chosen(ROWS + below, MINE, ("a.py", "look"))[0] == "drop"
    assert chosen(ROWS + below.replace("batch, True", "batch"), MINE)[0] == "drop"


def test_who_turns_it_on_by_the_attribute_counts():
    later = """

def look(model, rows):
    rows.frozen = True
    return model(rows.made(model))
"""
    assert chosen(ROWS + LOOK.format("") + later, MINE)[0] == "refused"
    assert chosen(ROWS + LOOK.format("") + later, MINE, ("a.py", "look"))[0] == "drop"
    assert chosen(ROWS + LOOK.format("") + later.replace("True", "False"), MINE)[0] == "drop"


def test_what_stays_in_its_function_needs_no_other_run():
    stays = ROWS.replace("return x", "return None") + LOOK.format("True")
    assert chosen(stays, MINE)[0] == "drop"


def test_of_a_flag_that_is_the_opposite_of_what_was_said_one_maker_has_to_have_had_it_on():
    opposite = ROWS.replace("volatile=self.frozen", "volatile=not self.frozen") + LOOK.format("False")
    assert chosen(opposite, MINE)[0] == "refused"
    assert chosen(opposite, MINE, ("a.py", "look"))[0] == "drop"


# --- who that is -----------------------------------------------------------------------------------------------------

TURNED = """
def made(batch, off=False):
    return Variable(batch, volatile=off)


def passed(batch, quiet):
    return made(batch, quiet)
"""
ONE = "\n\ndef one(batch, calm=True):\n    return passed(batch, calm)\n\n\ndef two(batch):\n"


def missing(text: str, *runs: tuple[str, str]) -> str | None:
    """Who may turn the first flag of a text on, and is not among the runs."""
    from voltfix.flags.sites import find

    project = load_project({"a.py": (HEAD + text.lstrip("\n")).encode()}, Options())
    scenes = Scenes(project, Surroundings(project))
    site = next(site for site in find(scenes.program) if site.kind is SiteKind.ARGUMENT)
    found = scenes.turning.never_on(site.path, site.span, [(("a.py", "made"), run) for run in runs])
    return None if found is None else found[1]


@pytest.mark.parametrize(("more", "who"), [
    ("", None),  # nobody in view says what it gets
    ("\n\ndef one(batch):\n    return passed(batch, True)\n", "one"),
    ("\n\ndef one(batch):\n    return passed(batch, False)\n", None),
    ("\n\npassed(batch, True)\n", ""),
    ("\n\ndef one(batch, *rest):\n    return passed(batch, False) + made(batch, *rest)\n", "one"),
    (ONE + "    return one(batch)\n", "two"),
    (ONE + "    return one(batch, False)\n", None),
    ("\n\ndef one(batch):\n    calm = batch.calm\n    return passed(batch, calm)\n", "one"),
])
def test_a_parameter_is_followed_to_those_who_say_something_for_it(more, who):
    assert missing(TURNED + more) == who


def test_functions_that_call_each_other_are_followed_once():
    twice = TURNED.replace("return made(batch, quiet)", "return passed(batch, quiet) or made(batch, quiet)")
    assert missing(twice) is None


def test_the_flag_of_a_tensor_is_no_setting_of_others():
    assert missing("""
def made(batch, like):
    return Variable(batch, volatile=like.volatile)


def one(batch):
    return made(batch, Variable(batch, volatile=True))
""") is None


# --- what the verifier tells -----------------------------------------------------------------------------------------

TOLD = HEAD + """
def turned(batch, frozen=False):
    return Variable(batch, volatile=frozen)


def look(batch):
    return turned(batch, {})
"""


@pytest.mark.parametrize(("given", "who"), [("True", {"turned", "look"}), ("False", {"turned"})])
def test_the_verifier_tells_who_had_the_flag_on(given, who):
    before = TOLD.format(given)
    item = Item("c", {"a.py": before}, {"a.py": before.replace(", volatile=frozen", "")}, (("a.py", "turned"),))
    (verdict,) = verify([item])
    assert verdict.cpu == "identical", verdict.detail
    assert verdict.lit, verdict
    assert {run for loses, run in verdict.lit if loses == ("a.py", "turned")} == {("a.py", name) for name in who}


def test_it_is_remembered(tmp_path):
    item = Item("", {"a.py": ""}, {"a.py": "1"}, (("a.py", "f"),))
    verdict = replace(SAME, lit=((MINE, ("a.py", "look")),))
    Memory(str(tmp_path)).put(Memory(None).name(item), verdict)
    assert Memory(str(tmp_path)).get(Memory(None).name(item)) == verdict


def test_a_child_may_not_say_anything_else_of_it():
    row = {"verdict": "identical", "detail": None, "functions": [
        {"path": "a.py", "name": "f", "verdict": "identical", "detail": None, "lit": [["a.py", 1]]}]}
    with pytest.raises(PlanError):
        outcome_from_json("c", row)
    row["functions"][0]["lit"] = [["a.py", "f"]]
    assert outcome_from_json("c", row).functions[0].lit == (("a.py", "f"),)
