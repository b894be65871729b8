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
    "class Turned(object):\n        def turn(self):\n            self.judging = not self.judging",
    "def fill(parser):\n        return parser.parse_args(['--all'])",
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
    "class Turned(object):\n        def turn(self):\n            self.judging = not self.judging\n"
    "    Batches.turn = Turned.turn",
    "class Turned(object):\n        def turn(self):\n            self.judging = not self.judging\n"
    "    def change(batches):\n        Turned.turn(batches)",
    "def fill(parser, batches):\n        parser.parse_args(namespace=batches)",
    "def fill(parser, batches):\n        parser.parse_known_args(None, batches)",
    "def fill(parser, batches, more):\n        parser.parse_args(**more)",
    "def fill(parser, batches):\n        start(parser.parse_args, namespace=batches)",
])
def test_a_mode_that_may_be_changed_is_not_known(more: str):
    stays(script(mode="False", more=more), reason="not-provable")


HANDED = """
    class Rows(object):
        def __init__(self, rows, judging=True):
            self.judging = judging
            self.rows = rows
            self.at = 0
        def __iter__(self):
            return self
        def __next__(self):
            return self.next()
        def next(self):
            if self.at == len(self.rows):
                self.at = 0
                raise StopIteration()
            self.at += 1
            return Variable(self.rows[self.at - 1], volatile=self.judging)

    class Net(torch.nn.Module):
        def __init__(self):
            super(Net, self).__init__()
            self.last = torch.nn.Linear(3, 1)
        def forward(self, x):
            return self.last(x)
    {more}
    def judge(net, unseen):
        for row in unseen:
            out = net(row)
            print(out.data)

    def learn(net, rows, unseen):
        for row in rows:
            net(Variable(row)).sum().backward()
        judge(net, unseen)

    def main():
        rows = torch.load('rows')
        learn(Net(), rows, {unseen})

    main()
"""


def handed(unseen: str = "Rows(rows)", more: str = "") -> str:
    return HANDED.format(unseen=unseen, more=more)


@pytest.mark.parametrize("more", [
    "", "class Other(object):\n        def next(self):\n            return 3"])
def test_a_loop_over_what_is_handed_on_asks_its_class_for_the_next_batch(more: str):
    before = handed(more=more)
    line = "            out = net(row)\n"
    becomes(before, before.replace(", volatile=self.judging)", ")").replace(
        line, f"            with torch.no_grad():\n    {line}"))


@pytest.mark.parametrize(("unseen", "more"), [
    ("Rows(rows) if rows else [Variable(rows)]", ""),
    ("Below(rows) if rows else Rows(rows)",
     "class Below(Rows):\n        def next(self):\n            return Variable(self.rows[0])"),
    ("Rows(rows)", "def more(name):\n        return globals()['ju' + name](Net(), [])"),
    ("Rows(rows)", "KEPT = {'learn': learn}"),
])
def test_what_may_be_something_else_that_is_gone_over_is_not_known(unseen: str, more: str):
    stays(handed(unseen, more), reason="mixed-statement")
