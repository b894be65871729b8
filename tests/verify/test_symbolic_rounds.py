"""How often a loop goes round, what a function takes apart by calling itself, and numbers that a long run passes."""

from __future__ import annotations

from textwrap import dedent

import pytest

torch = pytest.importorskip("torch")

from judging import check, judge, unflagged, with_block  # noqa: E402

from voltfix.verify.causes import word_of  # noqa: E402
from voltfix.verify.symbolic.world import MAX_OPERATIONS  # noqa: E402

LONG = """
def f(net, rows, data):
    done, steps = False, 0
    while not done:
        for row in rows:
            steps += 1
            {work}
            if steps >= 10000:
                done = True
                break
    y = net(Variable(data, volatile=True))
    return y
"""
FOUND = """
def within(box, word):
    inner = box
    while True:
        if inner.label == word:
            return inner
        elif isinstance(inner, Crate):
            inner = inner.inside
        else:
            raise ValueError(word)


def f(net, box, steps, data):
    for step in range(steps):
        if step < box.first:
            y = net(Variable(data, volatile=True))
            box.keep(y)
    return within(box, 'salt').weight.total()
"""
NESTED = """
import unittest


def can_be_walked(thing):
    try:
        iter(thing)
        return True
    except TypeError:
        return False


class Scale(unittest.TestCase):
    def assertEqual(self, one, other):
        if torch.is_tensor(one) and torch.is_tensor(other):
            self.assertLessEqual((one - other).abs().max(), 1)
        elif can_be_walked(one) and can_be_walked(other):
            for first, second in zip(one, other):
                self.assertEqual(first, second)
        else:
            super(Scale, self).assertEqual(one, other)

    def test_it(self, net, data):
        y = net(Variable(data, volatile=True))
        self.assertEqual(y.size(), torch.Size([1, 2]))
        return y
"""


def test_a_loop_over_a_known_condition_is_cut_in_a_brief_run():
    work = "; ".join(["row = row * 2 + 1"] * (MAX_OPERATIONS // 20))
    check(LONG.format(work=work))


def test_where_the_cut_shows_too_little_it_goes_round_as_it_does():
    text = dedent("""
    def f(net, data):
        parts = []
        while len(parts) < 7:
            parts.append(len(parts))
        x = Variable(data[parts[6]], volatile=True)
        y = net(x)
        return y
    """)
    check(text)


def test_what_only_the_sixth_round_does_is_still_told():
    text = dedent("""
    def f(net, data, n):
        y, at = None, 0
        while at < 9:
            if at == 6:
                x = Variable(data, volatile=True)
                y = net(x)
            at += 1
        return y
    """)
    check(text)


def test_behind_a_loop_that_only_a_return_ends_nobody_ever_is():
    check(FOUND)


def test_a_loop_that_returns_what_it_counts_comes_to_its_end():
    text = """
    def most(rows):
        at = 0
        while True:
            at += 1
            if at == 20:
                return rows[at]
    def f(net, rows):
        x = Variable(most(rows), volatile=True)
        y = net(x)
        return y
    """
    check(dedent(text))


@pytest.mark.parametrize("end", ["break", "return y"])
def test_a_loop_that_something_else_ends_goes_on_behind_it(end: str):
    text = f"""
    def f(net, box, data):
        x = Variable(data, volatile=True)
        y = net(x)
        while True:
            if box.full:
                {end}
            box.add(1)
        return y
    """
    check(dedent(text))


def test_what_a_function_takes_apart_by_calling_itself_comes_to_an_end():
    assert judge(NESTED, with_block(NESTED), "Scale.test_it") == ("identical", None)
    assert judge(NESTED, unflagged(NESTED), "Scale.test_it")[0] == "different"


def test_a_network_over_a_tree_is_still_run_in_all_that_it_holds():
    text = dedent("""
    def leaf(net, tree):
        y = net(Variable(tree.value, volatile=True))
        return y
    def f(net, tree):
        return [f(net, each) for each in tree.children] + [leaf(net, tree)]
    """)
    check(text)


STARTS = """
def f(net, rows, start=50000):
    kept = None
    for step, row in enumerate(rows):
        if step {order} start:
            {first}
        else:
            {second}
    return kept
"""
PLAIN = "kept = row"
RUN = "kept = net(Variable(row, volatile=True))"


@pytest.mark.parametrize(("order", "late"), [("<", "second"), ("<=", "second"), (">", "first"), (">=", "first")])
def test_what_waits_for_a_later_step_is_run(order: str, late: str):
    other = "first" if late == "second" else "second"
    text = STARTS.format(**{"order": order, late: RUN, other: PLAIN})
    block = "with torch.no_grad():\n                kept = net(Variable(row))"
    assert judge(text, text.replace(RUN, block)) == ("identical", None)
    verdict, detail = judge(text, text.replace(RUN, RUN.replace(", volatile=True", "")))
    assert verdict == "not-run"
    assert word_of(detail) == "guess"


FULL = """
SIZE = 128

def f(net, rows):
    kept, count = [], 0
    for row in rows:
        kept.append(row)
        count += 1
        if {test}:
            {first}
            count = 0
        else:
            {second}
    return kept
"""
SCORED = "kept = net(Variable(kept, volatile=True))"


@pytest.mark.parametrize(("test", "late"), [
    ("count == SIZE", "first"), ("SIZE == count", "first"), ("rows and count == SIZE", "first"),
    ("count != SIZE", "second"), ("not count == SIZE", "second"),
])
def test_what_waits_for_a_counter_to_be_a_number_is_run(test: str, late: str):
    other = "first" if late == "second" else "second"
    text = FULL.format(**{"test": test, late: SCORED, other: "pass"})
    block = "with torch.no_grad():\n                kept = net(Variable(kept))"
    assert judge(text, text.replace(SCORED, block)) == ("identical", None)
    verdict, detail = judge(text, text.replace(SCORED, SCORED.replace(", volatile=True", "")))
    assert verdict == "not-run"
    assert word_of(detail) == "guess"


def test_what_a_counter_never_waits_for_is_as_wrong_as_elsewhere():
    text = FULL.format(test="count == SIZE", first=SCORED, second="pass") + "    # and at the end:\n"
    text = text.replace("    return kept", "    y = net(Variable(kept, volatile=True))\n    return y")
    block = "with torch.no_grad():\n                kept = net(Variable(kept))"
    right = with_block(text).replace(unflagged(SCORED), block)
    assert judge(text, right) == ("identical", None)
    wrong = right.replace("    with torch.no_grad():\n        y", "    if True:\n        y")
    assert judge(text, wrong)[0] == "different"
    verdict, detail = judge(text, right.replace("            " + block, "            " + unflagged(SCORED)))
    assert (verdict, word_of(detail)) == ("not-run", "guess")


def test_a_block_that_is_too_wide_behind_a_counter_is_not_called_the_same():
    text = FULL.format(test="count == SIZE", first=SCORED, second="pass").replace(
        "            count = 0", "            loss = net(row)\n            loss.backward()\n            count = 0")
    block = "with torch.no_grad():\n                kept = net(Variable(kept))"
    right = text.replace(SCORED, block)
    assert judge(text, right) == ("identical", None)
    wide = right.replace("            loss = net(row)", "                loss = net(row)")
    assert judge(text, wide)[0] != "identical"


def test_an_equality_that_lets_nothing_pass_is_no_question():
    text = """
    def f(net, data, rows):
        if len([1, 2]) == 3:
            raise ValueError
        y = net(Variable(data, volatile=True))
        if rows == 3:
            return y
        return y * 2
    """
    check(dedent(text))


def test_a_buffer_that_is_not_full_yet_is_full_at_some_time():
    text = dedent("""
    class Memory:
        def __init__(self):
            self.rows = []
        def __len__(self):
            return len(self.rows)
    memory = Memory()
    def f(net, data):
        if len(memory) < 32:
            return None
        x = Variable(data, volatile=True)
        y = net(x)
        return y
    """)
    assert judge(text, with_block(text)) == ("identical", None)
    assert judge(text, unflagged(text))[0] == "not-run"


def test_numbers_are_compared_as_they_are_where_all_lines_are_come_by():
    text = dedent("""
    def f(net, data):
        x = Variable(data, volatile=True)
        y = net(x)
        if 3 < 2:
            return net(data)
        return y
    """)
    verdict, detail = judge(text, with_block(text).replace("net(data)", "net(data * 2)"))
    assert verdict == "not-run", detail  # that line is never come by, but where 3 is less than 2
    assert judge(text, with_block(text)) == ("identical", None)


MINE = """
class Rows(object):
    def __init__(self, rows, count):
        self.rows, self.count, self.at = rows, count, 0
    def __iter__(self):
        return self
    def __next__(self):
        if self.at >= self.count:
            raise StopIteration
        self.at += 1
        return self.rows[self.at]


def f(net, rows):
    for row in Rows(rows, {count}):
        {work}
    y = net(Variable(rows, volatile=True))
    return y
"""


def test_an_iterator_of_the_project_s_own_is_cut_as_a_range_is():
    work = "; ".join(["row = row * 2 + 1"] * (MAX_OPERATIONS // 20))
    check(MINE.format(count=5000, work=work))


def test_what_an_iterator_of_the_project_s_own_gives_late_is_come_by():
    late = "if self.at == {at}:\n            return self.rows\n        return 0"
    text = MINE.format(count=9, work="x = row").replace("return self.rows[self.at]", late.format(at=7)).replace(
        "y = net(Variable(rows", "if not isinstance(x, int):\n        return x\n    y = net(Variable(rows")
    check(text)


def test_the_next_of_such_an_iterator_is_asked_as_often_as_the_code_says():
    text = """
    class Rows(object):
        def __init__(self, rows):
            self.rows, self.at = rows, 0
        def __iter__(self):
            return self
        def __next__(self):
            self.at += 1
            return self.at
    def f(net, rows):
        each = Rows(rows)
        for _ in [1, 2, 3, 4, 5, 6]:
            at = next(each)
        if at < 6:
            return rows
        y = net(Variable(rows, volatile=True))
        return y
    """
    check(dedent(text))
