"""Blocks that read well: no longer than what needs them, and close to it."""

from __future__ import annotations

from textwrap import dedent

import pytest
from solving import becomes, covers, lines_without_gradients, source

from helpers import check_transformed, migrated
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
    work, kept = ["state = self.cell(state)[0]"], "said.append(state.data); print(self.out(Variable(word)).data)"
    check_transformed(rounds(made, work, kept), rounds(made.replace(", volatile=True", ""), work, kept,
                                                       block="with torch.set_grad_enabled(not limit.quiet):"))


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


def loop(*lines: str, head: str = "for row in range(9):", before: str = "", after: str = "return seen", block: int = -1,
         until: int = 0, around: bool = False) -> str:
    """A function with a loop of ``lines``; a block around lines ``block`` to ``until`` of it, or ``around`` it."""
    out = ["def look(net, head, seen, limit):", *([f"    {before}"] if before else [])]
    if around:
        out.append("    with torch.no_grad():")
    deeper = "        " if around else "    "
    out.append(deeper + head)
    for number, line in enumerate(lines):
        if number == block:
            out.append(f"{deeper}    with torch.no_grad():")
        out.append(f"{deeper}    {'    ' if block >= 0 and block <= number <= until else ''}{line}")
    return "\n".join([*out, f"    {after}"]) + "\n"


FLAG, NONE = "x = Variable(torch.ones(row), volatile=True)", "x = Variable(torch.ones(row))"
ASKS = "y = net(x)"
IDLE = ["seen.append(y.data.max())", "limit -= 1", "print(limit, len(seen))"]


@pytest.mark.parametrize(("lines", "block", "until"), [
    ([FLAG, ASKS, *IDLE], 1, 1),
    ([FLAG, ASKS, IDLE[0]], 1, 1),
    ([FLAG, ASKS, "y = head(y)", *IDLE], 1, 2),
    ([FLAG, IDLE[1], IDLE[2], ASKS, "y = head(y)"], 3, 4),
    ([IDLE[1], FLAG, ASKS, IDLE[2], "y = head(y)", IDLE[0]], 2, 4),
])
def test_a_loop_most_of_which_asks_for_nothing_has_its_block_inside(lines, block, until):
    before = loop(*lines)
    becomes(before, loop(*[line.replace(FLAG, NONE) for line in lines], block=block, until=until))


def test_a_loop_in_a_loop_has_its_block_in_the_innermost():
    rest = [f"    {line}" for line in IDLE]
    becomes(loop("for x in range(row):", "    y = net(Variable(torch.ones(x), volatile=True))", *rest),
            loop("for x in range(row):", "    with torch.no_grad():", "        y = net(Variable(torch.ones(x)))",
                 *rest))


def test_what_opens_a_file_for_a_loop_stays_outside_of_the_block():
    lines = ["for row in range(9):", f"    {FLAG}", f"    {ASKS}", "    out.write(str(y.data.max()))", "    limit -= 1"]
    after = [*lines[:1], f"    {NONE}", "    with torch.no_grad():", f"        {ASKS}", *lines[3:]]
    becomes(loop(*lines, head="with open(limit) as out:"), loop(*after, head="with open(limit) as out:"))


@pytest.mark.parametrize("lines", [
    [FLAG, ASKS],  # nothing to spare
    [FLAG, ASKS, "y = head(y)", "seen.append(net(y).data)"],  # most of it asks
    [FLAG, ASKS, "y = head(y)", "y = y + net.bias", "print(row)"],
])
def test_a_loop_that_is_nearly_all_network_stands_in_its_block_whole(lines):
    becomes(loop(*lines), loop(*[line.replace(FLAG, NONE) for line in lines], around=True))


def test_a_loop_and_what_asks_beside_it_share_a_block():
    body = ["def look(net, row, seen):", f"    {FLAG}", f"    {ASKS}", "    for part in range(9):",
            "        print(part)", "        y = net(y)", "        seen.append(y.data)", "    return head(y).data"]
    after = [body[0], f"    {NONE}", "    with torch.no_grad():", *(f"    {line}" for line in body[2:])]
    becomes("\n".join(body), "\n".join(after))


def test_two_places_of_a_loop_that_ask_far_from_each_other_are_no_reason_to_enter_a_short_one():
    lines = [FLAG, ASKS, "if limit:", f"    {IDLE[0]}", "    y = head(y)", "else:", f"    {IDLE[1]}", IDLE[2],
             "seen.append(net(y).data)"]
    covers(loop(*lines), ["net(", "head("], ["return seen"])


TRAINS = "z = head(Variable(torch.ones(row)))"


@pytest.mark.parametrize(("lines", "kept"), [
    ([FLAG, ASKS, TRAINS, "z.sum().backward()", *IDLE], ["z = head"]),
    ([TRAINS, FLAG, ASKS, *IDLE, "z.sum().backward()"], ["z = head"]),
    ([FLAG, ASKS, "limit = limit + head.weight.sum()", *IDLE[::2]], ["head.weight"]),
])
def test_what_a_loop_trains_or_keeps_beside_the_block_keeps_its_graph(lines, kept):
    covers(loop(*lines, after="return limit"), [ASKS], [*kept, "for row"])


def test_what_a_round_hands_to_the_next_has_no_graph_though_the_block_is_in_the_loop():
    lines = ["limit = net(limit)", "seen.append(limit.data)", *IDLE[2:], "print(row)"]
    before = "limit = Variable(limit, volatile=True)"
    becomes(loop(*lines, before=before, after="return limit.data"),
            loop(*lines, before="limit = Variable(limit)", after="return limit.data", block=0))


@pytest.mark.parametrize(("lines", "apart"), [(3, False), (6, False), (7, True), (20, True)])
def test_a_block_takes_in_a_remark_and_no_page_of_code_that_was_commented_out(lines, apart):
    page = "\n".join(f"            # y = old({number})" for number in range(lines))
    before = f"""
        def look(net, row):
            x = Variable(row, volatile=True)
            y = net(x)
{page}
            z = net(y)
            return z.data
        """
    text = migrated("import torch\nfrom torch.autograd import Variable\n" + dedent(before)).outputs["a.py"].decode()
    assert text.count("no_grad") == 1 + apart
    assert ("    # y = old(0)" in text.splitlines()) == apart


def test_torch_that_is_there_at_the_place_is_not_imported_again():
    shown = """
        def show(net, row, quick):
            {above}
                out = net(Variable(row, volatile=True))
            return out
        """
    head = "from torch.autograd import Variable\n\n\n"
    for above, imported in (("if quick:\n                import torch", False), ("if quick:", True)):
        text = migrated((head + dedent(shown.format(above=above)).lstrip()).encode()).outputs["a.py"].decode()
        assert text.startswith("import torch\n") == imported, text
        assert "with torch.no_grad():\n" in text


CHOICE = """
        def rate(net, rows, still, wide, other):
            x = Variable(rows, volatile=still)
            if {test}:
                y = net(x, 2)
            else:
                y = {other}
            return y
        """


@pytest.mark.parametrize("test", ["wide", "len(rows) > 2", "wide and other"])
def test_arms_that_ask_for_the_same_block_share_one_around_their_choice(test):
    text = covers(CHOICE.format(test=test, other="net(x)"), ["if", "y = "], ["return"]).outputs["a.py"].decode()
    assert text.count("with torch.set_grad_enabled(not still):") == 1


@pytest.mark.parametrize(("test", "other", "outside"), [
    ("still", "net(x)", "y = net(x)"),
    ("not still", "net(x)", "y = net(x, 2)"),
    ("wide", "rows", "y = rows"),
])
def test_an_arm_that_asks_for_nothing_has_none(test, other, outside):
    before = source(CHOICE.format(test=test, other=other))
    lines = migrated(before.encode()).outputs["a.py"].decode().splitlines()
    off = set(lines_without_gradients("\n".join(lines)))
    assert [line.strip() for n, line in enumerate(lines, 1) if n not in off and "y = " in line] == [outside]
    assert all("if " not in line for n, line in enumerate(lines, 1) if n in off)


def test_arms_of_which_each_has_a_flag_of_its_own_keep_their_blocks():
    text = migrated(source('''
        def rate(net, rows, still, quiet, wide):
            if wide:
                x = Variable(rows, volatile=still)
                y = net(x, 2)
            else:
                x = Variable(rows, volatile=quiet)
                y = net(x)
            return y
        ''').encode()).outputs["a.py"].decode()
    assert text.count("set_grad_enabled(not still)") == text.count("set_grad_enabled(not quiet)") == 1


PENALTY = """
        def score(net, criterion, data, want):
            for rows, labels in zip(data, want):
                {before}
                x = Variable(rows, volatile=True)
                y = net(x)
                {line}
                cost = criterion(y, Variable(labels)) + {size} * 0.1
                print(cost.data)
                {after}
"""
SUM = "sum(each.norm() for each in net.parameters())"


def without_gradients(line: str = f"size = {SUM}", size: str = "size", before: str = "", after: str = "") -> list[str]:
    before_it = source(PENALTY.format(line=line, size=size, before=before, after=after)).encode()
    text = migrated(before_it).outputs["a.py"].decode()
    return [text.splitlines()[number - 1].strip() for number in lines_without_gradients(text)]


def test_what_is_computed_for_the_next_statement_of_a_block_alone_stands_in_it():
    assert f"size = {SUM}" in without_gradients()
    assert f"size = both = {SUM}" in without_gradients(line=f"size = both = {SUM}", size="size * both")


@pytest.mark.parametrize("more", [
    {"after": "print(size.requires_grad)"},
    {"after": "keep(size)"},
    {"after": "size.backward()"},
    {"before": "print(size)"},
    {"line": f"net.size = {SUM}", "size": "net.size"},
    {"line": f"size, other = {SUM}, 3"},
    {"before": "global size"},
    {"before": "size = 1; print(size)"},
    {"after": "later = lambda: size"},
])
def test_what_others_may_ask_for_is_computed_outside_of_the_block(more: dict[str, str]):
    off = without_gradients(**more)
    assert "y = net(x)" in off
    assert not any(SUM in line for line in off)


def halves(rest: str) -> str:
    """What is done with the halves of a batch, one after the other: ``rest`` is what is done with the second one."""
    return f"""
        def rate(net, row, mark, costs):
            y = net(Variable(row[:3], volatile=True))
            cost = torch.sum(y * Variable(mark[:3]))
            costs.append(cost.data)
            first = y.data

            y = net(Variable(row[3:], volatile=True))
            {rest}
            print(first, second)
        """


def test_a_block_that_takes_in_what_is_done_with_one_half_takes_in_the_same_of_the_other():
    covers(halves("cost = torch.sum(y * Variable(mark[3:]))\n            costs.append(cost.data)\n"
                  "            second = y.data"),
           ["y = net", "cost = ", "costs.append", "first =", "second ="], ["print("])


@pytest.mark.parametrize("rest", [
    "cost = torch.mean(y * Variable(mark[3:]))\n            costs.append(cost.data)\n            second = y.data",
    "cost = torch.sum(y * Variable(mark[3:]))\n            costs.extend(cost.data)\n            second = y.data",
    "cost = torch.sum(y * Variable(mark[3:]))\n            second = y.data",
    "second = y.data\n            cost = torch.sum(y * Variable(mark[3:]))\n            costs.append(cost.data)",
])
def test_what_is_done_otherwise_with_the_other_half_stays_out(rest: str):
    covers(halves(rest), ["y = net", "first ="], ["print(", "second ="])


def test_so_does_what_asks_for_a_graph():
    covers("""
        def rate(net, row, mark, costs):
            y = net(Variable(row[:3], volatile=True))
            cost = torch.sum(y * 2)
            first = y.data
            y = net(Variable(row[3:], volatile=True))
            cost = torch.sum(mark * 2)
            second = y.data
            cost.backward()
            return first, second
        """, ["y = net"], ["cost = torch.sum(mark", "backward"])
