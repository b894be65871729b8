"""A method that binds what it is given, and does nothing else, needs no graph: a block may lie around its call."""

from __future__ import annotations

import pytest
from solving import becomes, refusals, source

from helpers import migrated

LENS = """
class Lens(torch.nn.Module):
    def __init__(self):
        super(Lens, self).__init__()
        self.tint = torch.nn.Parameter(torch.ones(3))
        self.sight = None

    {setter}

    def forward(self, ray):
        return ray * self.tint


class Eye(torch.nn.Module):
    def __init__(self):
        super(Eye, self).__init__()
        self.lens = Lens()
        self.nerve = torch.nn.Linear(3, 3)

    def look_at(self, scene):
        self.lens.focus(self.nerve(scene))

    def forward(self, ray):
        return self.lens(ray)


def show(path, scene):
    eye = Eye()
    eye.load_state_dict(torch.load(path))
    seen = Variable(scene, volatile=True)
    eye.look_at(seen)
    return eye(seen).data
{more}"""
BINDS = "def focus(self, sight):\n        self.sight = sight"


@pytest.mark.parametrize(("setter", "more"), [
    ("def focus(self, sight):\n        self.sight = sight * self.tint", ""),
    ("def focus(self, sight):\n        self.sight = sight\n        self.train_on(sight)", ""),
    ("def focus(self, sight):\n        self.sight = self.tint.norm()", ""),
    ("def focus(self, sight):\n        self.sight.sum().backward()", ""),
    ("@traced\n    " + BINDS, ""),
    (BINDS + "\n\n    def __setattr__(self, name, value):\n        learn(self, name, value)", ""),
    ("def focus(self, sight):\n        self.sight = self.focal\n\n    @property\n    def focal(self):\n"
     "        return self.tint * 2", ""),
    (BINDS + "\n\n    @property\n    def sight(self):\n        return 1\n\n    @sight.setter\n"
     "    def sight(self, value):\n        learn(self, value)", ""),
    (BINDS, "class Deep(Lens):\n    def focus(self, sight):\n        learn(self, sight)"),
    (BINDS, "class Deep(Lens):\n    def __setattr__(self, name, value):\n        learn(self, value)"),
    (BINDS, "def change(eye, lens):\n    eye.lens = lens"),
    (BINDS, "def change(lens):\n    lens.focus = learn"),
    ("focus = given", ""),
])
def test_a_method_that_may_do_more_than_bind_wants_its_graphs(setter, more):
    text = LENS.format(setter=setter, more=f"\n\n{more}\n" if more else "")
    assert refusals(migrated(source(text)))


def test_a_method_of_something_unknown_may_do_more():
    text = LENS.format(setter=BINDS, more="").replace("self.lens = Lens()", "self.lens = make_lens()")
    assert refusals(migrated(source(text)))


@pytest.mark.parametrize("setter", [
    BINDS,
    "def focus(self, sight, wide=False):\n        'To look.'\n        self.wide = wide\n        self.sight = sight",
    "def focus(self, sight):\n        if sight is not None:\n            self.sight = (sight, self.sight)\n"
    "        return self",
])
def test_a_method_that_only_binds_stands_in_the_block(setter):
    before = LENS.format(setter=setter, more="")
    becomes(before, before.replace(", volatile=True", "").replace(
        "    eye.look_at(seen)\n    return eye(seen).data",
        "    with torch.no_grad():\n        eye.look_at(seen)\n        return eye(seen).data"))
