"""What an object keeps that is volatile, and a method that is not looked into never asks it for."""

from __future__ import annotations

import pytest
from solving import covers, stays

NET = """
class Recogniser(torch.nn.Module):
    def __init__(self):
        super(Recogniser, self).__init__()
        self.body = torch.nn.Linear(4, 4)
        self.head = torch.nn.Linear(4, 2)
        self.shown = []

    def forward(self, x):
        {body}

    def nearest(self, x, examples):
        rows = []
        for example in examples:
            rows.append(self.body(Variable(example, volatile=True)))
        self.shown = rows
        rows = self.shown
        near = [(row - self.body(Variable(x))).norm().data[0] for row in rows]
        return near.index(min(near))


net = Recogniser()
steps = torch.optim.SGD(net.parameters(), lr=0.1)
for x, y in batches:
    loss = F.cross_entropy(net.forward(Variable(x)), Variable(y))
    {learn}
    print(net.nearest(x, examples))
"""
LEARN = "loss.backward()\n    steps.step()"


def test_what_its_forward_never_asks_for_does_not_make_its_result_volatile():
    covers(NET.format(body="return self.head(self.body(x))", learn=LEARN), inside=["self.body(Variable(example"],
           outside=["loss.backward()", "F.cross_entropy("])


@pytest.mark.parametrize(("body", "reason"), [
    ("return self.head(self.body(x) + self.shown[0])", "gradient-demanded"),
    ("return self.head(self.body(x)) * sum(map(lambda row: (row * x).sum(), self.shown))", "gradient-demanded"),
    ("return self.head(self.body(x) + sum(net.shown))", "gradient-demanded"),
    ("return self.head(self.body(x) + sum(getattr(self, 'shown')))", "unknown-callee"),
    ("return self.head(unseen(self, x))", "unknown-callee"),
])
def test_what_it_may_ask_for_may(body: str, reason: str):
    stays(NET.format(body=body, learn=LEARN), reason)
