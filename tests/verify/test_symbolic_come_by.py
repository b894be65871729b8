"""Changed lines that runs came by too seldom: iterators of the project, ranges with steps, settings that are asked
late, statements that end all ways before a tenth round, functions that nobody calls. A wrong text is told there."""

from __future__ import annotations

import pytest

torch = pytest.importorskip("torch")

from judging import check, judge, unflagged, with_block  # noqa: E402

TOLD = ("different", "not-run")

FEEDER = """
class Feeder(object):
    def __init__(self, source):
        self.source = source
        self.place = 0
    def __iter__(self):
        return self
    {first}
    {second}
    def fetch(self):
        self.place += 1
        if self.place > 3:
            raise StopIteration
        return self.source[self.place]

def f(net, source):
    found = []
    for x in Feeder(source):
        y = net(Variable(x, volatile=True))
        found.append(y)
    return found
"""


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("def __next__(self): return self.next()", "def next(self): return self.fetch()"),
        ("def next(self): return self.fetch()", "__next__ = next"),
        ("def next(self): return self.__next__()", "def __next__(self): return self.fetch()"),
        ("def next(self): return self.fetch()", "pass"),
    ],
)
def test_an_iterator_that_has_both_spellings_of_its_step_goes_on(first: str, second: str):
    check(FEEDER.format(first=first, second=second))


def test_a_method_called_next_is_the_one_of_the_class_and_not_the_step_of_an_iterator():
    text = """
    class Reader(object):
        def __init__(self, net, x):
            self.net, self.x = net, x
        def __iter__(self):
            return self
        def __next__(self):
            return 1
        def next(self):
            return self.net(Variable(self.x, volatile=True))

    def f(net, x):
        return Reader(net, x).next()
    """
    assert judge(text, unflagged(text), "Reader.next")[0] == "different"


WORDS = """
def f(net, rows, size):
    found = []
    for start in range(0, len(rows), 64):
        batch = rows[start:start + 64]
        for i in range(len(batch)):
            for j in range(len(batch[i])):
                found.append(batch[i][j])
        y = net(Variable(batch, volatile=True))
        found.append(y)
    return found
"""


def test_how_far_a_range_goes_in_large_steps_says_nothing_of_other_lengths():
    check(WORDS)


def test_two_ranges_up_to_the_same_length_end_alike():
    text = """
    def f(net, rows):
        n, table = len(rows), {}
        for i in range(1, n):
            table[i] = rows[i]
        for i in range(1, len(rows)):
            y = net(Variable(table[i], volatile=True))
        return y
    """
    check(text)


LATE = """
class Board(object):
    def planes(self, b):
        found = []
        {questions}
        return torch.stack(found)
    def f(self, b):
        planes = self.planes(b)
        frozen = not self.net.training
        {between}
        return self.net(Variable(planes, volatile=frozen))
"""
QUESTIONS = "\n        ".join(f"if b.question_{n} > {n}: found.append(b.answer_{n})" for n in range(30))


def late(between: str = "pass") -> str:
    return LATE.format(questions=QUESTIONS, between=between)


def test_what_gives_a_flag_its_value_is_asked_both_ways_however_late_it_is_asked():
    before = late()
    block = "        with torch.set_grad_enabled(self.net.training):\n            return self.net"
    right = before.replace(", volatile=frozen", "").replace("        return self.net", block)
    assert judge(before, right, "Board.f") == ("identical", None)
    assert judge(before, before.replace(", volatile=frozen", ""), "Board.f")[0] == "different"
    assert judge(before, right.replace("(self.net.training)", "(not self.net.training)"), "Board.f")[0] == "different"
    assert judge(before, right.replace("set_grad_enabled(self.net.training)", "no_grad()"), "Board.f")[0] == "different"


TENTH = """
class Rows(object):
    def __init__(self, files):
        self.files = files
    def share(self):
        few, many = 0.0, 0.0
        for each in self.files:
            if each == 'few':
                few += 1
            else:
                many += 1
        return 1.0 / (few - few) * many

def f(net, files, loader, optimizer):
    share = Rows(files).share()
    for epoch in range(100):
        for x in loader:
            loss = net(Variable(x)).sum()
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        if (epoch + 1) % 10 != 0:
            continue
        found = []
        for x in loader:
            y = net(Variable(x, volatile=True))
            found.append(y)
        print(found)
"""


def test_behind_a_statement_that_is_gone_past_remainders_go_both_ways_too():
    check(TENTH, told=TOLD)


def test_a_block_around_what_trains_is_no_verdict_behind_a_statement_that_is_gone_past():
    wide = unflagged(TENTH).replace(
        "            loss = net(Variable(x)).sum()",
        "            with torch.no_grad():\n                loss = net(Variable(x)).sum()")
    assert judge(TENTH, wide)[0] in TOLD


IDLE = """
def f(net, rows, loader):
    {other}
    def show(row):
        x, name = row
        y = net(Variable(x, volatile=True))
        return name, y
    found = []
    for x in loader:
        found.append(net(Variable(x)))
    return found
"""


@pytest.mark.parametrize("other", ["pass", "def broken(row): return [][0]", "def late(x, deep=True): return net(x)"])
def test_a_function_that_a_function_defines_and_nobody_calls_is_run_all_the_same(other: str):
    check(IDLE.format(other=other), told=TOLD)


def test_a_function_that_nobody_calls_and_that_ends_at_an_error_was_not_run():
    before = IDLE.format(other="pass").replace("return name, y", "return name, [][0]")
    assert judge(before, with_block(before))[0] == "not-run"


def test_a_block_that_is_too_wide_in_a_function_that_nobody_calls_is_not_identical():
    before = """
    def f(net, head, optimizer):
        def step(x, target):
            y = net(Variable(x, volatile=True))
            loss = (head(Variable(y.data)) - target).sum()
            loss.backward()
            optimizer.step()
        return net
    """
    right = with_block(before)
    assert judge(before, right) == ("identical", None)
    wide = right.replace("            loss = (", "                loss = (")
    assert judge(before, wide)[0] in TOLD


def test_what_a_caller_decides_is_no_difference_where_nobody_calls():
    before = """
    def f(net, loader, test):
        def step(x, off):
            return net(Variable(x, volatile=off))
        if test:
            return [step(x, True) for x in loader]
        return [step(x, False) for x in loader]
    """
    after = """
    def f(net, loader, test):
        def step(x):
            return net(Variable(x))
        if test:
            with torch.no_grad():
                return [step(x) for x in loader]
        return [step(x) for x in loader]
    """
    assert judge(before, after)[0] != "different"
