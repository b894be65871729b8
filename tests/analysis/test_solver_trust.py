"""Unknown code that is given something volatile and something with a graph: a result that nobody asks gradients of is
taken to be volatile, and that is a guess."""

from __future__ import annotations

import pytest
from solving import HEAD, source, stays

from voltfix import core
from voltfix.model import Options, Result, Verification
from voltfix.pipeline import settling
from voltfix.pipeline.guarding import SecondRun
from voltfix.pipeline.guarding import _restless as restless
from voltfix.pipeline.loading import load_project
from voltfix.pipeline.suggesting import Look

DETECTOR = """
from layers import Detect


class Detector(torch.nn.Module):
    def __init__(self, phase, base):
        super(Detector, self).__init__()
        self.phase, self.base = phase, base
        self.boxes = Variable(torch.zeros(4), volatile=True)
        self.find = Detect(4)

    def forward(self, x):
        places = torch.cat([self.base(x)], 1)
        if self.phase == "test":
            {test}
        return places, self.boxes
"""


def run(body: str, unsafe: bool = False, verdict: str = "identical") -> Result:
    options = Options(unsafe_fixes=unsafe)
    return core.migrate({"a.py": source(body).encode()}, options,
                        lambda items, **_: [Verification("symbolic", verdict) for _ in items])


@pytest.mark.parametrize("test", [
    "return self.find(places, self.boxes)",
    "found = self.find(places, self.boxes)\n            return found",
    "return {'found': self.find(places, self.boxes), 'size': 4}",
])
def test_a_result_that_is_only_returned_is_suggested_to_be_volatile_whatever_a_run_says(test):
    (row,) = run(DETECTOR.format(test=test)).sites
    assert (row.status, row.reason, row.safety) == ("refused", "unknown-callee", "suggested")


def test_what_is_suggested_is_written_when_that_is_asked_for():
    result = run(DETECTOR.format(test="return self.find(places, self.boxes)"), unsafe=True)
    (row,) = result.sites
    assert (row.status, row.safety) == ("fixed", "suggested")
    text = result.outputs["a.py"].decode()
    assert "return places, self.boxes" in text
    assert "volatile" not in text
    assert "no_grad" in text.split('"test"')[1]


def test_the_patch_of_a_suggestion_is_what_would_be_written():
    body = DETECTOR.format(test="return self.find(places, self.boxes)")
    result = run(body)
    found = Look({"a.py": source(body).encode()}, Options(), result).suggestion(result.sites[0])
    assert found is not None
    assert found.outputs == run(body, unsafe=True).outputs
    assert "--unsafe-fixes" in found.origin


def test_a_result_that_goes_backward_is_no_guess():
    body = DETECTOR.format(test="self.find(places, self.boxes).sum().backward()")
    (row,) = run(body).sites
    assert row.safety != "suggested"
    assert "no_grad" not in run(body).outputs.get("a.py", b"").decode()


def test_what_is_called_like_a_loss_is_not_suggested_to_lose_its_graph():
    body = DETECTOR.replace("self.find", "self.criterion").format(test="return self.criterion(places, self.boxes)")
    (row,) = run(body).sites
    assert (row.status, row.reason, row.safety) == ("refused", "unknown-callee", None)


def test_other_sites_of_the_file_are_decided_as_if_there_were_no_guess():
    other = "\n\ndef show(net, x):\n    return net(Variable(x, volatile=True)).data\n"
    body = DETECTOR.format(test="return self.find(places, self.boxes)") + other
    first, second = run(body).sites
    assert (first.safety, second.status, second.safety) == ("suggested", "fixed", "proved")
    alone = core.migrate({"a.py": (HEAD + other).encode()}).outputs["a.py"].decode()
    assert run(body).outputs["a.py"].decode().endswith(alone[len(HEAD) + 1:])


def test_what_may_train_is_not_trusted():
    stays("""
    from layers import Trainer


    def step(net, x, trainer):
        x, w = Variable(x, volatile=True), net.weight * 2
        w.sum().backward()
        return trainer(w, x) + (w ** 2).sum()
    """, reason="unknown-callee")


@pytest.mark.parametrize("unsafe", [False, True])
def test_what_a_second_run_would_only_suggest_does_not_hold_up_the_first(unsafe: bool):
    options = Options(unsafe_fixes=unsafe)
    before = load_project({"a.py": b"import torch\n"}, options)
    text = source(DETECTOR.format(test="return self.find(places, self.boxes)"))
    after = load_project({"a.py": text.encode()}, options)
    again = restless(before, options, after, {}, SecondRun(settling.solve, None))
    assert again == ({"a.py"} if unsafe else set())
