"""Blocks that read well: no longer than what needs them, and close to it."""

from __future__ import annotations

import pytest
from solving import becomes, lines_without_gradients

from helpers import check_noop, check_transformed, migrated
from voltfix import core

PLAIN = "\n".join(f"                count[{number}] += len(rows)" for number in range(9))


def test_a_long_loop_is_entered_where_one_line_of_it_asks():
    before = f"""
        def evaluate(net, loader, count):
            for rows in loader:
{PLAIN}
                x = Variable(rows, volatile=True)
                y = net(x)
                print(y.data)
"""
    after = f"""
        def evaluate(net, loader, count):
            for rows in loader:
{PLAIN}
                x = Variable(rows)
                with torch.no_grad():
                    y = net(x)
                print(y.data)
"""
    becomes(before, after)


def test_a_block_does_not_reach_over_many_lines_to_the_next_call():
    gap = "\n".join(f"            count[{number}] += len(rows)" for number in range(8))
    becomes(
        f"""
        def evaluate(net, rows, count):
            x = Variable(rows, volatile=True)
            y = net(x)
{gap}
            z = net(y)
            return z.data
        """,
        f"""
        def evaluate(net, rows, count):
            x = Variable(rows)
            with torch.no_grad():
                y = net(x)
{gap}
            with torch.no_grad():
                z = net(y)
            return z.data
        """,
    )


def test_a_few_lines_between_two_calls_stand_in_their_block():
    becomes(
        """
        def evaluate(net, rows, count):
            x = Variable(rows, volatile=True)
            y = net(x)
            print(len(rows))
            z = net(y)
            return z.data
        """,
        """
        def evaluate(net, rows, count):
            x = Variable(rows)
            with torch.no_grad():
                y = net(x)
                print(len(rows))
                z = net(y)
            return z.data
        """,
    )


def test_a_loop_that_asks_all_over_has_one_block():
    calls = "\n".join(f"                y = net(x, {number})\n                print(y.data[0])"
                      for number in range(6))
    inner = "\n".join("    " + line for line in calls.splitlines()[:-1])
    becomes(
        f"""
        def evaluate(net, loader, count):
            for rows in loader:
                x = Variable(rows, volatile=True)
{calls}
        """,
        f"""
        def evaluate(net, loader, count):
            for rows in loader:
                x = Variable(rows)
                with torch.no_grad():
{inner}
                print(y.data[0])
        """,
    )


@pytest.mark.parametrize("made", [
    "Variable(data) if train else Variable(data, volatile=True)",
    "Variable(data, volatile=True) if not train else Variable(data)",
    "(Variable(data) if train else Variable(data, volatile=True))",
])
def test_a_choice_between_two_that_are_the_same_without_the_flag_is_no_choice(made):
    (after,) = made_of(made)
    assert after in ("Variable(data)", "(Variable(data))")


@pytest.mark.parametrize(("made", "left"), [
    ("Variable(data) if train else Variable(more, volatile=True)", "Variable(data) if train else Variable(more)"),
    ("Variable(data, requires_grad=True) if train else Variable(data, volatile=True)",
     "Variable(data, requires_grad=True) if train else Variable(data)"),
    ("Variable(data) if more.pop() else Variable(data, volatile=True)", "Variable(data) if more.pop() else"),
])
def test_a_choice_between_two_that_differ_or_that_does_something_stays(made, left):
    (after,) = made_of(made)
    assert left in after or "volatile=True" in after  # refused where the condition cannot be asked again


def made_of(made: str) -> list[str]:
    """What becomes of the value of ``x`` in a function that computes on it."""
    source = f"def forward(net, data, train, more):\n    x = {made}\n    return net(x)\n"
    result = core.migrate({"a.py": ("import torch\nfrom torch.autograd import Variable\n\n\n" + source).encode()})
    text = result.outputs["a.py"].decode() if result.outputs else source
    return [line.partition("= ")[2] for line in text.split("\n") if line.startswith("    x = ")]


ROUNDS = """
import torch
import torch.nn as nn
from torch.autograd import Variable


class Speaker(nn.Module):
    def __init__(self):
        super(Speaker, self).__init__()
        self.cell = nn.LSTMCell(4, 4)
        self.out = nn.Linear(4, 4)

    def speak(self, word, wide, limit):
        {made}
        said, count = [], 0
        while len(said) < wide and count < limit.steps:
            count += 1
            {work}
            {kept}
        return said
"""
MADE = "state = Variable(word{flag})"
WORK = ["state = self.cell(state)", "best = torch.topk(self.out(state), k=wide - len(said))"]
KEPT = "said.append(best[1].data); self.width = wide - 3"


def rounds(made=MADE, work=WORK, kept=KEPT, flag=", volatile=True", block=""):
    indent = " " * (16 if block else 12)
    lines = f"\n{indent}".join([block, *work] if block else work)
    return ROUNDS.format(made=made.format(flag=flag), work=lines, kept=kept)


def test_a_graph_that_is_made_only_where_a_block_is_wanted_puts_no_condition_on_it():
    check_transformed(rounds(), rounds(flag="", block="with torch.no_grad():"))


def test_a_graph_that_is_made_without_the_flag_too_needs_a_condition():
    made = "state = Variable(word, volatile=True) if limit.quiet else self.out(Variable(word))"
    work = ["state = self.cell(state)[0]", "said.append(state.data); other = self.out(Variable(word)).data"]
    check_noop(rounds(made, work, kept="print(other)"), reason="condition-not-repeatable")


@pytest.mark.parametrize(("work", "kept", "lost"), [
    ([*WORK, "self.weights = self.out(Variable(wide))"], "print(best[1].data)", "self.weights"),
    ([*WORK, "self.out(Variable(wide)).sum().backward()"], "print(best[1].data)", "backward"),
    (WORK, "said.append(wide * 3)", "wide * 3"),
])
def test_a_graph_that_somebody_reaches_stays_outside_of_the_block(work, kept, lost):
    text = migrated(rounds(work=work, kept=kept)).outputs["a.py"].decode()
    off = [text.splitlines()[number - 1] for number in lines_without_gradients(text)]
    assert any("self.cell" in line for line in off)
    assert not any(lost in line for line in off)
