from __future__ import annotations

import re

import pytest

from voltfix import core
from voltfix.torchmodel import names

START = "import torch\nfrom torch.autograd import Variable\n\n"
PROGRAMS = {
    "train between two": """
def evaluate(model, x):
    x = Variable(x, volatile=True)
    model.eval()
    y = model(x)
    model.train()
    z = model(x)
    return y.data.max() + z.data.max()
""",
    "on self": """
class Runner:
    def run(self, x):
        v = Variable(x, volatile=True)
        self.model.eval()
        y = self.model(v)
        self.model.train()
        return y.data
""",
    "in a loop": """
def evaluate(model, xs):
    out = []
    for x in [Variable(x, volatile=True) for x in xs]:
        model.eval()
        out.append(model(x).data)
        model.train()
    return out
""",
    "beside a step": """
def step(model, x, criterion, optimizer):
    score = model(Variable(x, volatile=True))
    model.train()
    criterion(model(Variable(x)), x).backward()
    optimizer.step()
    return score.data
""",
}


def decisions(text: str) -> list[tuple[str, str, str | None, str | None]]:
    result = core.migrate({"a.py": text.encode()})
    return [(row.code, row.status, row.strategy, row.reason)
            for row in result.sites]


@pytest.mark.parametrize("name", ["agent", "thing", "trainer"])
@pytest.mark.parametrize("program", PROGRAMS.values(), ids=PROGRAMS.keys())
def test_another_name_for_the_network_changes_no_decision(program, name):
    renamed = re.sub(r"\bmodel\b", name, program)
    assert decisions(START + program) == decisions(START + renamed)


def test_guesses_hold_for_whole_words_or_parts_as_they_say():
    assert names.is_criterion("lossFn")
    assert not names.is_criterion("glossary")
    assert names.may_be_trainer("MyTrainer")
    assert not names.may_be_trainer("net")
    assert names.may_train("optimizer_step")
    assert names.may_be_loss("bce_with_logits")
    assert names.asks_version("TORCH_VERSION")
    assert names.is_settings("opt")
