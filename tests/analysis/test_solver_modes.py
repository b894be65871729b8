"""Objects at the top level of a script that each have a mode, bound for good as they are made."""

from __future__ import annotations

import pytest
from solving import becomes, stays

SCRIPT = """
    class Batches(object):
        def __init__(self, rows, judging=False):
            self.rows = rows
            self.judging = judging
            self.at = 0
        def __iter__(self):
            return self
        def __next__(self):
            if self.at == len(self.rows):
                raise StopIteration
            self.at += 1
            return Variable(self.rows[self.at - 1], volatile=self.judging)
    {more}
    rows = torch.load('rows')
    seen = Batches(rows[0])
    unseen = Batches(rows[1], judging={mode})
    net = torch.load('net')
    def learn():
        for batch in seen:
            net(batch).sum().backward()
    def judge():
        total = 0
        for batch in unseen:
            total += net(batch).data[0]
        return total
    for step in range(3):
        learn()
        print(judge())
"""


def script(mode: str = "True", more: str = "") -> str:
    return SCRIPT.format(mode=mode, more=more)


@pytest.mark.parametrize("more", [
    "", "def ask(batches):\n        return batches.judging",
    "class Other(object):\n        def __init__(self):\n            self.judging = True",
    "class Below(Batches):\n        def __len__(self):\n            return 3",
    "class Below(Batches):\n        def __init__(self, rows):\n            super(Below, self).__init__(rows, True)",
    "class Below(Batches):\n        def __init__(self, rows):\n            Batches.__init__(self, rows, judging=True)",
])
def test_functions_of_a_script_know_the_mode_of_what_it_makes(more: str):
    before = script(more=more)
    loop = "        for batch in unseen:\n            total += net(batch).data[0]\n"
    assert loop in before
    inside = loop.replace("\n    ", "\n        ").replace("        for", "            for", 1)
    becomes(before, before.replace(", volatile=self.judging)", ")").replace(
        loop, f"        with torch.no_grad():\n{inside}"))


def test_a_mode_that_no_object_has_changes_nothing():
    becomes(script(mode="False"), script(mode="False").replace(", volatile=self.judging)", ")"))


@pytest.mark.parametrize("more", [
    "def change(batches):\n        batches.judging = True",
    "def change(batches, name):\n        setattr(batches, name, True)",
    "def change(batches):\n        setattr(batches, 'judging', True)",
    "def change(batches, kept):\n        vars(batches).update(kept)",
    "def change(batches, kept):\n        batches.__dict__.update(kept)",
    "def change(batches, text):\n        exec(text)",
    "class Below(Batches):\n        def turn(self):\n            self.judging = not self.judging",
    "class Below(Batches):\n        judging = property(len)",
    "def change(batches):\n        Batches.__init__(batches, batches.rows, True)",
    "def change(batches):\n        again = batches.__init__\n        again(batches.rows, True)",
])
def test_a_mode_that_may_be_changed_is_not_known(more: str):
    stays(script(mode="False", more=more), reason="not-provable")
