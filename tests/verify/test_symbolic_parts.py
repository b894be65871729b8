"""A part of what callers hand over is an object of the class that the project puts there, where that goes on with the
data alone."""

from __future__ import annotations

import textwrap

import pytest

torch = pytest.importorskip("torch")

from voltfix.verify.symbolic import explore  # noqa: E402
from voltfix.verify.symbolic.project import Side, Unit  # noqa: E402

HEAD = "import torch\nfrom torch import nn\nfrom torch.autograd import Variable\n"
EYE = """
class Eye(nn.Module):
    def __init__(self):
        super(Eye, self).__init__()
        self.deep = nn.Linear(2, 2)
        self.top = nn.Linear(2, 2)
    def forward(self, picture):
        {body}
"""
CUTS = "picture = Variable(self.deep(picture).data)\n        return self.top(picture)"
LATE = "found = self.deep(picture)\n        found = Variable(found.data)\n        return self.top(found)"
GOES_ON = "shape = picture.data.size(0)\n        return self.top(self.deep(picture)).view(shape, -1)"
KEEPS = "self.seen = self.deep(picture)\n        return self.top(Variable(self.seen.data))"
BOTH = """
class Both(nn.Module):
    def __init__(self):
        super(Both, self).__init__()
        self.actor = Eye()
        self.critic = nn.Linear(2, 2)
    def forward(self, picture):
        return self.critic(self.actor(picture))
"""
TELL = """
def tell(model, row):
    {block}seen = model.actor(Variable(row{flag}))
    return model.critic(seen)
"""
BEFORE, BARE = TELL.format(block="", flag=", volatile=True"), TELL.format(block="", flag="")
BLOCK = TELL.format(block="with torch.no_grad(): ", flag="")
WHOLE = """
def tell(model, row):
    with torch.no_grad():
        seen = model.actor(Variable(row))
        return model.critic(seen)
"""


def judge(before: str, after: str, *around: str, more: str = "") -> str:
    extra = {"b.py": HEAD + textwrap.dedent(more)} if more else {}
    sides = [Side({"a.py": HEAD + "".join(around) + text, **extra}) for text in (before, after)]
    return explore.verify(explore.Item(*sides, (Unit("a.py", "tell"),)))[0]


@pytest.mark.parametrize("body", [CUTS, LATE])
def test_a_part_that_goes_on_with_the_data_needs_no_block(body: str):
    assert judge(BEFORE, BARE, EYE.format(body=body), BOTH) == "identical"


@pytest.mark.parametrize("body", [CUTS, LATE])
def test_a_block_around_such_a_part_takes_the_graph_of_its_weights(body: str):
    assert judge(BEFORE, BLOCK, EYE.format(body=body), BOTH) == "different"
    assert judge(BEFORE, WHOLE, EYE.format(body=body), BOTH) == "different"


def test_a_part_that_asks_for_the_data_and_goes_on_with_the_graph_needs_a_block():
    eye = EYE.format(body=GOES_ON)
    assert judge(BEFORE, BARE, eye, BOTH) == "different"


def test_what_a_part_keeps_of_what_is_volatile_needs_a_block():
    assert judge(BEFORE, BARE, EYE.format(body=KEEPS), BOTH) == "different"


@pytest.mark.parametrize("other", [
    "class Other(nn.Module):\n    def __init__(self):\n        self.actor = nn.Linear(2, 2)\n",
    "class Other(nn.Module):\n    def actor(self, x):\n        return x\n",
    "class Other(nn.Module):\n    actor = nn.Linear(2, 2)\n",
    "def put(both, eye):\n    both.actor = eye\n",
    "def put(both, eye):\n    setattr(both, 'actor', eye)\n",
    "def put(both, name, eye):\n    setattr(both, name, eye)\n",
    "def put(both, eye):\n    both.add_module('actor', eye)\n",
    "def put(both, **more):\n    both.__dict__.update(more)\n",
    "def put(both):\n    both.actor.forward = both.critic.forward\n",
    "def put(both, run):\n    both.actor.register_forward_hook(run)\n",
    "class Eye(nn.Module):\n    def forward(self, x):\n        return x\n",
    "def Eye():\n    return nn.Linear(2, 2)\n",
    "from eyes import Eye\n",
    "Eye = nn.Linear\n",
])
def test_what_may_be_another_thing_gives_what_is_volatile(other: str):
    assert judge(BEFORE, BARE, EYE.format(body=CUTS), BOTH, more=other) == "different"
    assert judge(BEFORE, WHOLE, EYE.format(body=CUTS), BOTH, more=other) == "identical"


@pytest.mark.parametrize("eye", [
    EYE.format(body=CUTS).replace("nn.Module", "nn.Linear"),
    EYE.format(body=CUTS) + "    def __call__(self, picture):\n        return self.deep(picture)\n",
    EYE.format(body=CUTS).replace("    def forward", "    @torch.jit.script_method\n    def forward"),
    EYE.format(body=CUTS).replace("class Eye", "@wrapped\nclass Eye"),
])
def test_a_class_that_is_no_plain_module_is_not_run(eye: str):
    assert judge(BEFORE, BARE, eye, BOTH) == "different"


def test_a_part_whose_text_cannot_be_followed_is_taken_for_an_unknown_one():
    eye = EYE.format(body="self.deep.__func__\n        return self.top(Variable(self.deep(picture).data))")
    assert judge(BEFORE, WHOLE, eye, BOTH) == "identical"


def test_looking_something_up_in_a_module_of_a_library_leaves_all_names_in_sight():
    more = "import torchvision.models as models\ndef made(name):\n    return models.__dict__[name](True)\n"
    assert judge(BEFORE, BARE, EYE.format(body=CUTS), BOTH, more=more) == "identical"
