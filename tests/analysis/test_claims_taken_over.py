"""Who takes over the settings that its maker gave it is no stranger to its own methods for that."""

from __future__ import annotations

import pytest

from helpers import check_noop, check_transformed

PROGRAM = """import torch
import torch.nn as nn
from torch.autograd import Variable


class Judge(nn.Module):
    def __init__(self, settings):
        super().__init__()
        {takes}
        self.layer = nn.Linear(self.width, 1)

    def forward(self, x):
        return self.layer(x)


class Server(object):
    def __init__(self, path):
        saved = torch.load(path)
        judge = Judge(saved['settings'])
        judge.load_state_dict(saved['judge'])
        self.judge = judge.eval()

    def rank(self, x, answers):
{call}        found = []
        for index, score in enumerate(scores.data.tolist()):
            found += [(answers[index], score)]
        return found

    def answer(self, question, answers):
        x = Variable(torch.FloatTensor(question){flag})
        answers = self.rank(x, answers)
        return answers
{more}"""
BEFORE = "        scores = self.judge(x)\n"
AFTER = "        with torch.no_grad():\n            scores = self.judge(x)\n"
COPY = "for k, v in settings.__dict__.items():\n            self.__setattr__(k, v)"


def program(takes: str, more: str = "", *, after: bool = False) -> str:
    return PROGRAM.format(takes=takes, more=more and f"\n\n{more}", call=AFTER if after else BEFORE,
                          flag="" if after else ", volatile=True")


@pytest.mark.parametrize("takes", [
    COPY,
    "for k, v in vars(settings).items():\n            setattr(self, k, v)",
    "self.__dict__.update(settings.__dict__)",
])
def test_a_network_that_takes_over_its_settings_computes_like_another(takes):
    check_transformed(program(takes), program(takes, after=True))


@pytest.mark.parametrize("takes", [
    "for k, v in settings.items():\n            setattr(self, k, v)",
    "for k in dir(settings):\n            setattr(self, k, getattr(settings, k))",
    "for k, v in settings.__class__.__dict__.items():\n            setattr(self, k, v)",
])
def test_a_network_that_may_take_over_methods_is_not_known(takes):
    check_noop(program(takes), reason="not-provable")


@pytest.mark.parametrize("more", [
    "def train(settings, step):\n    settings.forward = step\n",
    "class Settings:\n    def __init__(self, step):\n        self.forward = step\n",
    "def settings(step):\n    return dict(forward=step)\n",
    "def settings(parser):\n    parser.add_argument('--forward', type=eval)\n",
    "def settings(found):\n    return {f.__name__: f for f in found}\n",
    "def settings():\n    return Judge(Settings(**globals()))\n",
    "def forward(x):\n    x.sum().backward()\n\n\ndef main():\n    import a\n    return Judge(a)\n",
    "class Steps:\n    def forward(x):\n        x.sum().backward()\n\n\ndef main():\n    return Judge(Steps)\n",
    "class Steps:\n    @staticmethod\n    def forward(x):\n        x.sum().backward()\n",
])
def test_settings_that_may_have_a_method_of_that_name_bring_it(more):
    check_noop(program(COPY, more), reason="not-provable")


def test_a_layer_that_is_bound_before_the_settings_may_be_theirs():
    bound_before = program("self.layer = nn.Linear(3, 1)\n        " + COPY).replace(
        "        self.layer = nn.Linear(self.width, 1)\n", "")
    check_noop(bound_before, reason="not-provable")
