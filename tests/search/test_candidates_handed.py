"""A flag that callers hand in: a block in each that may call, found by name, table, partial and object."""

from __future__ import annotations

import pytest
from test_candidates_taken import MAKER, USER
from trying import DIFFERENT, SAME, Told, project, search, tried

from voltfix import core
from voltfix.model import Options
from voltfix.search.kinds.flag import mode_of
from voltfix.verify.client import verify


def test_each_caller_gets_the_mode_that_it_asked_for():
    result = core.migrate(project({"helpers.py": MAKER, "main.py": USER}), Options(), verify, search())
    text = result.outputs["main.py"].decode()
    assert "    with torch.set_grad_enabled(not off):\n        return model(making(off)(batch))" in text
    assert "    model(making(False)(batch)).sum().backward()\n" in text
    assert {site.safety for site in result.sites if site.status == "fixed"} == {"verified"}


@pytest.mark.parametrize(("call", "block"), [
    ("making(True)(batch)", "torch.no_grad()"),
    ("making(off=True)(batch)", "torch.no_grad()"),
    ("making(not quick)(batch)", "torch.set_grad_enabled(bool(quick))"),
    ("making(a and b)(batch)", "torch.set_grad_enabled(not (a and b))"),
])
def test_what_a_call_hands_in_decides_on_its_block(call, block):
    user = USER.replace("making(off)(batch)", call)
    verifier = Told(lambda item: SAME if "with torch" in item.after.get("main.py", "") else DIFFERENT)
    result = tried({"helpers.py": MAKER, "main.py": user}, verifier)
    assert f"with {block}:" in result.outputs["main.py"].decode()


def test_a_module_that_does_not_run_with_it_is_no_caller_whatever_its_names():
    stranger = "def making(x):\n    return x\n\n\ndef evaluate(model, batch):\n    return model(making(batch))\n"
    verifier = Told(lambda item: DIFFERENT)
    tried({"one/helpers.py": MAKER, "one/main.py": USER, "two/tools.py": stranger}, verifier)
    asked = [item for item in verifier.items if ("one/helpers.py", "making.made") in item.touched]
    assert asked
    assert all("two/tools.py" not in item.before for item in asked)


def test_what_stands_before_the_value_is_made_is_not_in_a_block():
    source = """
    def evaluate(model, other, batches):
        y = other(batches)
        out = model(y)
        x = Variable(batches, volatile=True)
        out = Probe(model).measure(x)
        for batch in batches:
            z = other(batch)
            out = model(out)
        return out


    class Probe:
        def __init__(self, model):
            self.model = model

        def measure(self, t):
            self.model(Variable(t.data)).sum().backward()
            return self.model(t)
    """
    result = tried(source, Told(lambda item: DIFFERENT))
    text = dict(result.sites[0].candidates[0].outputs)["a.py"].decode()
    assert "\n    y = other(batches)\n    out = model(y)\n    x = Variable(batches)\n" in text
    assert "    with torch.no_grad():\n        out = Probe(model).measure(x)\n" in text


@pytest.mark.parametrize(("flag", "mode"), [
    ("True", "torch.no_grad()"), ("not train", "torch.set_grad_enabled(bool(train))"),
    ("off", "torch.set_grad_enabled(not off)"), ("self.off", "torch.set_grad_enabled(not self.off)"),
    ("a or b", "torch.set_grad_enabled(not (a or b))"), ("off == 1", "torch.set_grad_enabled(not (off == 1))"),
])
def test_the_mode_is_what_the_flag_asked_for(flag, mode):
    assert mode_of(flag, "torch") == mode


CHAIN = MAKER.replace("def making(off):", "def making(rows, off):").replace("([made]))", "([made]))(rows)") + """

def both(rows, marks=None, off=False):
    first = making(rows, off)
    return first if marks is None else (first, making(marks, off))
"""
CALLERS = """
from helpers import Double, both


def learn(model, rows):
    Double.apply(model(Variable(rows))).sum().backward()
    model(both(rows, off=False)).sum().backward()


def validate(model, rows):
    return model(both(rows, off=True))
"""


def _written(helpers: str, callers: str = CALLERS) -> str:
    verifier = Told(lambda item: SAME if "with torch" in item.after.get("main.py", "") else DIFFERENT)
    result = tried({"helpers.py": helpers, "main.py": callers}, verifier)
    return result.outputs.get("main.py", b"").decode()


def test_what_a_function_was_given_for_the_flag_and_passes_on_is_for_its_own_callers_to_decide():
    text = _written(CHAIN)
    assert "def validate(model, rows):\n    with torch.no_grad():\n        return model(both(rows, off=True))" in text
    assert "    model(both(rows, off=False)).sum().backward()\n" in text


def test_callers_of_a_method_that_passes_its_flag_on_are_asked_too():
    helpers = CHAIN.replace("def both(rows,", "class Feed:\n  def both(self, rows,").replace(
        "    first = m", "        first = m").replace("    return first", "        return first")
    callers = CALLERS.replace("Double, both", "Double, Feed").replace("both(rows, off", "Feed().both(rows, off")
    assert "    with torch.no_grad():\n        return model(Feed().both(rows, off=True))" in _written(helpers, callers)


@pytest.mark.parametrize("between", ["off = bool(rows)", "for off in rows:\n        pass", "off += 1"])
def test_callers_are_not_asked_for_a_flag_that_the_function_sets_anew(between):
    helpers = CHAIN.replace("    first = making", f"    {between}\n    first = making")
    assert _written(helpers) == ""


def test_callers_are_not_asked_for_what_is_only_reckoned_from_their_flag():
    assert _written(CHAIN.replace("making(rows, off)", "making(rows, not off)")) == ""


def test_functions_that_pass_the_flag_to_each_other_are_asked_once():
    helpers = CHAIN + "\n\ndef again(rows, off):\n    return both(rows, off=off) if rows else again(rows, off)\n"
    assert "with torch.no_grad():" in _written(helpers)
