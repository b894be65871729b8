"""A flag whose tensor is handed on does not go by running where no run of a caller had it on."""

from __future__ import annotations

from dataclasses import replace

import pytest
from trying import DIFFERENT, HEAD, SAME, WITHIN, Told, project, search, tried

from voltfix import core
from voltfix.model import Options
from voltfix.search.memory import Memory
from voltfix.verify.client import verify
from voltfix.verify.plan import Item, Outcome, PlanError, outcome_from_json

ALONE = replace(SAME, alone="line 9")
# a caller comes to numbers only by way of everything else that a row may hold; the one in view makes no volatile ones
PRESS = """
class Press:
    def __init__(self, frozen=False, fast=False):
        self.frozen, self.fast, self.rows = frozen, fast, {{}}

    def ink(self, row, page):
        if page.torn:
            return []
        if page.wet and page.thin or page.old:
            row = [each for each in row if each.dry]
        if page.square:
            row = row[:1]
        if isinstance(row[0], Press):
            return [each.page for each in row]
        if isinstance(row[0], str):
            return [page.index(each) for each in row]
        if isinstance(row[0], tuple):
            return [page.turn(each) for each in row]
        if self.fast:
            return [Variable(torch.cuda.LongTensor(row), volatile=self.frozen)]
        return [Variable(torch.LongTensor(row), volatile=self.frozen)]

    def print(self, plates):
        page = plates.first
        for key in sorted(self.rows.keys()):
            if page.full:
                page = page.next
            if page.last and not page.numbered:
                break
            if plates.worn(key):
                continue
            plate = getattr(plates, key)
            if plate is not None:
                page = plate(*self.ink(self.rows[key], page))
        return page


def proof(plates):
    press = Press({})
    press.rows["a"] = [1, 2]
    return press.print(plates)
"""


@pytest.mark.parametrize("made", ["", "frozen=False", "fast=True"])
def test_no_arm_loses_a_flag_that_no_caller_was_seen_to_turn_on(made):
    result = core.migrate(project(PRESS.format(made)), Options(), verify, search())
    assert {(site.status, site.strategy) for site in result.sites} == {("refused", None)}
    assert result.outputs == {}


def only_alone(item):
    text = item.after["a.py"]
    return DIFFERENT if "_grad" in text else ALONE


HANDED = WITHIN.replace("return first, second", "return x") + """

def again(model, batch):
    return model(evaluate(model, batch))
"""


def test_of_trials_that_say_the_same_one_is_not_taken_whose_tensor_reached_no_caller_with_its_flag():
    (site,) = tried(HANDED, Told(only_alone, idle=True)).sites
    assert site.status == "refused"
    assert any("no function that calls this one was run with the flag on (line 9)" in each.doubt
               for each in site.candidates)


def test_it_is_taken_where_the_tensor_stays_in_its_function():
    stays = WITHIN.replace("return first, second", "return None")
    (site,) = tried(stays, Told(only_alone, idle=True)).sites
    assert (site.status, site.strategy) == ("fixed", "drop")


def test_it_is_taken_where_a_caller_was_run_with_the_flag_on():
    def say(item):
        return replace(only_alone(item), alone="")

    (site,) = tried(HANDED, Told(say, idle=True)).sites
    assert (site.status, "no_grad" in str(site.strategy)) == ("fixed", False)


def test_where_a_flag_was_on_in_its_own_function_alone_is_remembered(tmp_path):
    item = Item("", {"a.py": ""}, {"a.py": "1"}, (("a.py", "f"),))
    memory = Memory(str(tmp_path))
    memory.put(memory.name(item), ALONE)
    assert Memory(str(tmp_path)).get(memory.name(item)) == ALONE


CALLED = HEAD + """
def turned(batch, frozen=False):
    return Variable(batch, volatile=frozen)


def look(batch):
    return turned(batch, {})
"""


@pytest.mark.parametrize(("given", "alone"), [("True", ""), ("False", "line 7"), ("frozen=bool(batch)", "")])
def test_the_verifier_tells_whether_a_caller_had_the_flag_on(given, alone):
    before = CALLED.format(given)
    item = Item("c", {"a.py": before}, {"a.py": before.replace(", volatile=frozen", "")}, (("a.py", "turned"),))
    (verdict,) = verify([item])
    assert verdict.cpu == "identical"
    assert verdict.alone == alone


def test_a_child_may_not_say_anything_else_of_it():
    row = {"verdict": "identical", "detail": None, "functions": [
        {"path": "a.py", "name": "f", "verdict": "identical", "detail": None, "alone": 1}]}
    with pytest.raises(PlanError):
        outcome_from_json("c", row)
    row["functions"][0]["alone"] = "line 1"
    assert isinstance(outcome_from_json("c", row), Outcome)
