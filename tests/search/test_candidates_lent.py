"""A flag is not taken away by running where the tensor goes to what is not in view: no run shows what that does."""

from __future__ import annotations

from dataclasses import replace

import pytest
from trying import DIFFERENT, HEAD, SAME, WITHIN, Told, project, search, tried

from voltfix import core
from voltfix.model import Options
from voltfix.search.memory import Memory
from voltfix.verify.client import verify
from voltfix.verify.plan import Item

FLAG_GONE = HEAD + WITHIN.lstrip("\n").replace(", volatile=True", "")
# keeps a network of its own, and computes with it for its own sake; who calls it is not in view
LEDGER = """
class Ledger:
    def begin(self, page=None):
        self.page = page
        self.summary = self.reader.forward(page)


class Clerk:
    def file(self, page):
        {}
        return self.answer(page)

    def has_ledger(self):
        return self._ledger is not None
"""
LENT = replace(SAME, lent="self.desk.open")


@pytest.mark.parametrize("call", [
    "self._ledger.begin(Variable(page.unsqueeze(0), volatile=True))",
    "self._ledger.begin([Variable(page, volatile=True)])",
    "v = Variable(page, volatile=True); self._ledger.begin(lambda: v)",
    "v = Variable(page, volatile=True); self._ledger.begin(map(self.turn, [v]))",
])
def test_a_flag_whose_tensor_goes_to_something_unknown_does_not_go_without_a_block(call):
    result = core.migrate(project(LEDGER.format(call)), Options(), verify, search())
    (site,) = result.sites
    assert site.strategy != "drop"
    assert (site.status, "torch.no_grad()" in str(result.outputs)) in (("fixed", True), ("refused", False))


def test_of_trials_that_say_the_same_one_without_a_flag_is_not_taken_where_the_tensor_was_lent():
    def say(item):
        return (LENT if item.after["a.py"] == FLAG_GONE else DIFFERENT)

    (site,) = tried(WITHIN, Told(say, idle=True)).sites
    assert site.status == "refused"
    assert "nothing that was run shows what `self.desk.open` does with the tensor" in {
        each.doubt for each in site.candidates}


def test_a_block_is_taken_where_the_tensor_was_lent_only_without_it():
    def say(item):
        text = item.after["a.py"]
        return LENT if text == FLAG_GONE else SAME if "enable_grad" in text else DIFFERENT

    (site,) = tried(WITHIN, Told(say)).sites
    assert (site.status, site.strategy) == ("fixed", "no_grad")


def test_what_got_the_tensor_is_remembered(tmp_path):
    item = Item("", {"a.py": ""}, {"a.py": "1"}, (("a.py", "f"),))
    memory = Memory(str(tmp_path))
    memory.put(memory.name(item), LENT)
    assert Memory(str(tmp_path)).get(memory.name(item)) == LENT
