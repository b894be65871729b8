"""A block with a condition that was chosen by running it: both answers of the condition were run, or it stays away."""

from __future__ import annotations

import pytest
from test_candidates_taken import MAKER, USER
from trying import DIFFERENT, SAME, UNKNOWN, Told, project, search

from voltfix import core
from voltfix.model import Options
from voltfix.verify.client import verify

CONDITION = "torch.set_grad_enabled(not off)"
FILES = {"helpers.py": MAKER, "main.py": USER}


class OneWay(Told):
    """Whatever has the block with the condition does the same as before, and so does what ``tells`` says of."""

    def __init__(self, tells):
        super().__init__(lambda item: SAME if CONDITION in item.after.get("main.py", "") else DIFFERENT)
        self.tells = tells

    def __call__(self, items):
        return [found if not item.exact else self.tells(item.before.get("main.py", ""))
                for item, found in zip(items, super().__call__(items), strict=True)]


def taken(verifier) -> bool:
    return CONDITION in core.migrate(project(FILES), Options(), verifier, search()).outputs.get("main.py", b"").decode()


def test_where_both_answers_are_told_from_a_constant_one_the_block_is_taken():
    assert taken(OneWay(lambda text: DIFFERENT))


@pytest.mark.parametrize("verdict", [SAME, UNKNOWN])
def test_where_gradients_were_off_throughout_it_is_not(verdict):
    assert not taken(OneWay(lambda text: verdict if "torch.no_grad()" in text else DIFFERENT))


@pytest.mark.parametrize("verdict", [SAME, UNKNOWN])
def test_where_gradients_were_on_throughout_it_is_not(verdict):
    assert not taken(OneWay(lambda text: verdict if "torch.no_grad()" not in text else DIFFERENT))


def test_the_reason_says_so():
    result = core.migrate(project(FILES), Options(), OneWay(
        lambda text: SAME if "torch.no_grad()" in text else DIFFERENT), search())
    doubts = {each.doubt for site in result.sites for each in site.candidates}
    assert "in all that was run the condition of its block gave the same answer" in doubts


def test_the_verifier_runs_both():
    assert taken(verify)


@pytest.mark.parametrize("asked", ["off = False", "off = True"])
def test_a_condition_that_is_settled_before_it_is_asked_tells_nothing_of_the_other(asked):
    user = USER.replace("    return model(making(off)(batch))", f"    {asked}\n    return model(making(off)(batch))")
    assert user != USER
    result = core.migrate(project({"helpers.py": MAKER, "main.py": user}), Options(), verify, search())
    assert CONDITION not in result.outputs.get("main.py", b"").decode()
