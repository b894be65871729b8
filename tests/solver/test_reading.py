from __future__ import annotations

import pytest

from alone import START, project
from voltfix.flags.sites import find
from voltfix.model import Options
from voltfix.solver.plan import Decider


def test_a_read_becomes_a_question_for_grad_mode_where_all_that_is_volatile_runs_in_blocks():
    code = project(main=START + "def f(v):\n    if v.volatile:\n        return 1\n    return v.sum()")
    (change,) = Decider(code, find(code), Options()).plan().changes
    ((_, edits),) = change.edits
    assert [edit.text for edit in edits] == ["not torch.is_grad_enabled()"]


COPY = START + "def spread(x):\n    return Variable(x.data.exp(), volatile=x.volatile)\n"


def left(rest: str) -> set[str]:
    code = project(main=COPY + rest)
    return {decision.message for decision in Decider(code, find(code), Options()).plan().left}


def test_who_copies_a_flag_and_is_called_by_nobody_is_told_that_no_caller_hands_over_something_volatile():
    assert left("") == {"copies the flag of a parameter, and no caller is known to hand over a volatile tensor"}


@pytest.mark.parametrize("rest", [
    "def f():\n    return spread(Variable(torch.zeros(3)))\n",
    "def f(x):\n    return spread(x)\n\n\nf(Variable(torch.zeros(3)))\n",
    "class Loss(torch.nn.Module):\n    def forward(self, x, y):\n        return (x - spread(y)).sum()\n\n\n"
    "def train(x, y):\n    Loss()(Variable(x), Variable(y)).backward()\n",
])
def test_a_copied_flag_goes_where_all_callers_are_seen_to_hand_over_what_is_made_without_one(rest):
    assert not left("\n\n" + rest)


@pytest.mark.parametrize("rest", [
    "def f(x):\n    return spread(x)\n",
    "def f(net, x):\n    return spread(net(x))\n",
    "def f(batches):\n    return [spread(each) for each in batches]\n",
    "class Keeper:\n    def show(self):\n        return spread(self.x)\n",
    "def f(run):\n    return run(spread)\n\n\nspread(Variable(torch.zeros(3)))\n",
    "spread(Variable(torch.zeros(3)))\n\n\ndef f(x):\n    return spread(x)\n",
])
def test_a_copied_flag_stays_where_something_may_be_handed_over_that_was_not_seen_to_be_made(rest):
    assert left("\n\n" + rest) == {"copies the flag of a parameter, and not every caller is known"}


def test_a_copied_flag_that_a_caller_hands_over_goes_with_the_block_of_that_caller():
    made = "    x = Variable(torch.zeros(3), volatile=True)\n"
    assert not left("\n\ndef f(net):\n" + made + "    return net(spread(x)).data\n")


COPIES = """import torch
from torch.autograd import Variable


class Shift(torch.nn.Module):
    def __init__(self):
        super(Shift, self).__init__()
        self.by = torch.nn.Parameter(torch.zeros(3))

    def forward(self, x):
        return x + self.by


class Head(torch.nn.Module):
    def __init__(self):
        super(Head, self).__init__()
        self.mean = torch.nn.Linear(3, 3)
        self.scale = Shift()

    def forward(self, x):
        zeros = Variable(torch.zeros(x.size()), volatile=x.volatile)
        return BACK


def train(opt, data):
    loss = sum(each.sum() for each in Head()(Variable(data)))
    opt.zero_grad()
    loss.backward()
    opt.step()


def look(data):
    return Head()(Variable(data, volatile=True))[0].data
"""
BACK = "self.mean(x), self.scale(zeros)"
UNKNOWN = "\n\ndef show(draw, picture):\n    draw.ENABLE(picture)\n    draw(picture)\n"
COPIED = "copies the flag of a parameter, and not every caller is known"


def copied(back: str, rest: str, replace: tuple[str, str] = ("", "")) -> set[str]:
    code = project(main=(COPIES.replace("BACK", back) + rest).replace(*replace))
    return {decision.message for decision in Decider(code, find(code), Options()).plan().left}


def test_a_copied_flag_goes_with_the_blocks_of_the_callers_in_sight_though_any_call_might_be_one():
    assert not copied(BACK, "")
    assert not copied(BACK, UNKNOWN)


@pytest.mark.parametrize("back", [
    "self.mean(x), zeros", "self.mean(x), zeros.view(-1)", "self.mean(x), (self.scale(zeros), [zeros])",
    "self.mean(x), zeros * 2", "self.mean(x), dict(a=zeros)", "self.mean(x), (self.scale(each) for each in [zeros])",
    "self.mean(x), lambda: self.scale(zeros)",
])
def test_a_copied_flag_stays_where_what_has_it_leaves_for_callers_that_were_not_seen(back):
    assert COPIED in copied(back, UNKNOWN)


@pytest.mark.parametrize("replace", [
    ("zeros = Variable", "zeros = self.last = Variable"),
    ("(Variable(data, volatile=True))[0].data", "(Variable(data))[0].data"),  # nothing volatile comes in sight
    ("def look(data):", "def odd(b):\n    return Variable(b, volatile=True).backward()\n\n\ndef look(data):"),
    ("def show(draw", "def more(pool):\n    pool.send(Head())\n\n\ndef show(draw"),
])
def test_a_copied_flag_stays_where_not_every_flag_goes_or_it_says_something_else(replace):
    assert any("copies the flag" in said for said in copied(BACK, UNKNOWN, replace))


@pytest.mark.parametrize("flag", ["not x.volatile", "x.volatile or self.quiet", "x.volatile and self.quiet"])
def test_a_flag_that_is_made_of_a_parameters_stays_where_not_every_caller_is_known(flag):
    assert copied(BACK, UNKNOWN, ("volatile=x.volatile", f"volatile={flag}"))


SPREAD = """import torch
from torch.autograd import Variable


class Rows(torch.nn.Module):
    def __init__(self, times):
        super(Rows, self).__init__()
        self.times = times

    def forward(self, row):
        made = Variable(row.data.new(self.times, row.size(1)).zero_(), volatile=row.volatile)
        FILL


class Writer(torch.nn.Module):
    def __init__(self, times):
        super(Writer, self).__init__()
        self.rows, self.last = Rows(times), torch.nn.Linear(3, 3)

    def forward(self, row):
        return self.last(self.rows(row))


def learn(writer, opt, row):
    loss = writer(Variable(row)).sum()
    opt.zero_grad()
    loss.backward()
    opt.step()


def score(writer, row):
    writer.eval()
    seen = Variable(row, volatile=True)
    return writer(seen).data
"""
FILL = "made[:] = row.expand_as(made)\n        return made"


def spread(fill: str = FILL, rest: str = "", replace: tuple[str, str] = ("", ""), *, package: bool = False) -> set[str]:
    code = project(main=(SPREAD.replace("FILL", fill) + rest).replace(*replace))
    return {decision.message for decision in Decider(code, find(code), Options(installable=package)).plan().left}


@pytest.mark.parametrize("fill", [
    FILL, "return row + made", "made.copy_(row.expand_as(made))\n        return made.view(-1)",
    "return torch.cat([row, made], 0)",
])
def test_a_copied_flag_goes_where_what_is_volatile_comes_by_a_call_in_a_block_that_was_not_looked_into(fill):
    assert not spread(fill)


@pytest.mark.parametrize("fill", [
    "return made", "return row, made", "self.kept = made\n        return row + made", "return lambda: row + made",
    "yield row + made", "return (row + each for each in made)", "self.kept.append(made)\n        return row + made",
])
def test_a_copied_flag_stays_where_what_has_it_outlives_the_call_that_was_not_looked_into(fill):
    assert COPIED in spread(fill)


@pytest.mark.parametrize("replace", [
    ("row, volatile=True", "row"),  # nothing is volatile
    ("writer(seen)", "seen"),  # what is volatile is handed to nobody
    ("def learn(", "def odd(b):\n    return Variable(b, volatile=True).backward()\n\n\ndef learn("),
    ("def learn(", "def more(pool):\n    pool.send(Rows(3))\n\n\ndef learn("),
    ("volatile=row.volatile", "volatile=not row.volatile"),
    ("volatile=row.volatile", "volatile=row.volatile or not self.training"),
    ("def learn(", "def aside(rows, row):\n    Thread(target=rows.forward, args=(row,)).start()\n\n\ndef learn("),
])
def test_a_copied_flag_stays_where_no_block_is_known_to_stand_around_all_that_hands_over_something_volatile(replace):
    assert any("copies the flag" in said for said in spread(replace=replace))


@pytest.mark.parametrize("fill", [
    "return row if made.volatile else row + made", "made.requires_grad = not made.volatile\n        return row + made",
    "total = row + made.sum()\n        return total if not (made * 2).volatile else made + row",
])
def test_a_flag_stays_where_somebody_asks_what_has_a_copy_of_it(fill):
    left = spread(fill)
    assert COPIED in left
    assert any("reads .volatile, which grad mode gives only where the flag" in said for said in left)


def test_a_flag_that_goes_with_blocks_that_nobody_looked_into_is_not_called_off():
    code = project(main=SPREAD.replace("FILL", FILL))
    changes = Decider(code, find(code), Options()).plan().changes
    said = [each.message for change in changes for each in change.decisions if "row.volatile" in each.message]
    assert said == ["removed volatile=row.volatile: torch.no_grad() is around where it is on"]


def test_a_copied_flag_of_what_others_install_stays_where_nobody_in_sight_looks_in():
    assert spread(package=True)
