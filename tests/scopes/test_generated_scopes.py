"""Programs drawn at random do after a migration what they did before, or are refused.

Some hundreds here; ``python benchmarks/scopes.py --count 5000`` draws thousands, VOLTFIX_EXAMPLES=N others each time.
"""

from __future__ import annotations

import os
from importlib.util import find_spec
from random import randrange

import pytest

if find_spec("torch") is None:
    pytest.skip("programs are run under torch", allow_module_level=True)

from scopes.programs import draw
from scopes.running import Ran, diff_applies, differences, judge, run
from scopes.shrinking import shrunk

COUNT = int(os.environ.get("VOLTFIX_EXAMPLES", "300"))
FIRST = randrange(10**6) if "VOLTFIX_EXAMPLES" in os.environ else 0
WRONG = {"DIFFERS", "WORSE", "UNSTABLE", "BROKEN"}


@pytest.fixture(scope="module")
def verdicts():
    return {seed: judge(draw(seed)) for seed in range(FIRST, FIRST + COUNT)}


def test_no_drawn_program_is_changed_for_the_worse(verdicts):
    wrong = {seed: verdict for seed, verdict in verdicts.items() if verdict.label in WRONG}
    assert not wrong, "\n".join(f"seed {seed}: {v.label} {v.found}\n{draw(seed)}" for seed, v in wrong.items())


def test_hardly_a_drawn_program_keeps_a_graph_without_a_refusal(verdicts):
    compared = [v for v in verdicts.values() if v.label != "not run"]
    kept = [v for v in compared if v.label == "kept"]
    assert len(kept) <= max(1, len(compared) // 50)


def test_drawn_programs_are_worth_their_while(verdicts):
    """Enough of them run, need a migration and get one: a generator of nonsense would pass the other tests."""
    labels = [v.label for v in verdicts.values()]
    assert labels.count("not run") < len(labels) / 2
    needing = [v for v in verdicts.values() if v.needed and v.label != "not run"]
    assert len(needing) > len(labels) / 6
    assert sum(v.label == "right" for v in needing) > len(needing) / 2


def test_the_diffs_of_drawn_programs_apply(verdicts):
    changed = [seed for seed, verdict in verdicts.items() if verdict.after not in ("", draw(seed))]
    assert changed
    for seed in changed[::10]:
        assert diff_applies(draw(seed), verdicts[seed].after)


# --- the measure itself -----------------------------------------------------------------------------------------------

BEFORE = """
import torch
from torch.autograd import Variable

def program(net, tgt, data, flag):
    v1 = Variable(data[0], volatile=True)
    v2 = net(v1)
    v3 = net(Variable(data[1]))
    return {"v2": v2, "v3": v3}
"""


def found(after: str) -> list[str]:
    return differences(run(BEFORE, True, "legacy"), run(after, True, "today"))


def test_a_right_migration_makes_no_difference():
    after = BEFORE.replace(", volatile=True", "").replace("    v2 =", "    with torch.no_grad():\n        v2 =")
    assert found(after) == []


def test_no_migration_is_seen_as_a_graph_that_is_kept():
    assert [line.split(":")[0] for line in found(BEFORE)] == ["graph kept"]


def test_a_block_that_is_too_wide_is_seen():
    after = BEFORE.replace("    v3 =", "    with torch.no_grad():\n        v3 =")
    assert [line for line in found(after) if line.startswith("v3")]


def test_a_view_that_lets_no_gradient_through_is_seen():
    before = "    h = net(Variable(data[0]))\n    v2 = h.t()\n"
    after = "    h = net(Variable(data[0]))\n    with torch.no_grad():\n        v2 = h.t()\n"
    head, end = BEFORE.split("    v1 =")[0], '    return {"v2": v2}\n'
    want, got = run(head + before + end, True, "legacy"), run(head + after + end, True, "today")
    assert want.values["v2"][1]
    assert got.values["v2"][1]
    assert [line.split(":")[0] for line in differences(want, got)] == ["v2"]


def test_a_run_that_raises_is_no_result():
    assert run("def program(net, tgt, data, flag):\n    return None\n", True, "today") == Ran(
        grads={f"{m}.{k}": None for m in ("net", "tgt") for k in ("weight", "bias")},
        error=["TypeError", "program() returns no dictionary"],
    )


def test_what_is_cut_down_is_still_wrong():
    small = shrunk(BEFORE, lambda text: "volatile" in text)
    assert "volatile=True" in small
    assert "v3" not in small
    assert len(small) < len(BEFORE)
