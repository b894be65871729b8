from __future__ import annotations

import pytest

from alone import needs, ran
from voltfix.machine.models.builtins import HANDLERS


@pytest.mark.parametrize("text", [
    "next(iter([v]))", "max([v], key=len)", "list((v,))[0]", "dict(a=v)['a']", "sorted([v])[0]",
    "[b for a, b in zip([1], [v])][0]", "[b for a, b in enumerate([v])][0]", "list(map(lambda a: a, [v]))[0]",
])
def test_a_volatile_value_goes_through(text):
    assert 3 in needs(ran(f"def f(net, x):\n    v = Variable(x, volatile=True)\n    net({text})"))


@pytest.mark.parametrize("text", ["len(v)", "int(v)", "isinstance(v, int)", "type(v)", "range(3)", "str(v)"])
def test_what_is_only_asked_gives_no_tensor(text):
    assert needs(ran(f"def f(net, x):\n    v = Variable(x, volatile=True)\n    net({text})")) == []


def test_a_handler_answers_for_one_name():
    assert all(callable(handler) for handler in HANDLERS.values())
    assert "len" not in HANDLERS  # plain by its row

COLUMNS = """
def f(net, xs, ys):
    rows = []
    for x, y in zip(xs, ys):
        rows.append({row})
    first, second = zip(*rows)
    net({given}[0])
"""


@pytest.mark.parametrize(("row", "given", "found"), [
    ("(Variable(x, volatile=True), 1)", "first", [7]),
    ("(Variable(x, volatile=True), 1)", "second", []),
    ("(1, [Variable(x, volatile=True)])", "second", [7]),
    ("[Variable(x), Variable(y, volatile=True)]", "first", []),
    ("(Variable(x), Variable(y, volatile=True)) if xs else (1, 2)", "second", [7]),
])
def test_the_columns_of_a_table_are_told_apart(row, given, found):
    assert needs(ran(COLUMNS.format(row=row, given=given))) == found


@pytest.mark.parametrize("row", ["[Variable(x, volatile=True)] * y", "(Variable(x, volatile=True), 1) if xs else (1,)"])
def test_those_of_rows_whose_lengths_differ_are_not(row):
    assert needs(ran(COLUMNS.format(row=row, given="second"))) == [7]

COUNTED = """
def f(net, x, y, on):
    made = [Variable(each, volatile=on and i == {at}) for i, each in enumerate({given})]
    net(made[{taken}])
"""


@pytest.mark.parametrize(("at", "given", "taken", "found"), [
    ("0", "[x, y]", "0", [4]), ("0", "[x, y]", "1", []), ("1", "(x, y)", "1", [4]), ("1", "(x, y)", "0", []),
    ("3", "[x, y], 3", "0", [4]), ("3", "[x, y], start=3", "1", []),
    ("0", "[x, y], on", "1", [4]), ("0", "x", "1", [4]), ("0", "[x] * y", "1", [4]),
])
def test_the_entries_of_a_short_list_are_counted(at, given, taken, found):
    assert needs(ran(COUNTED.format(at=at, given=given, taken=taken))) == found
