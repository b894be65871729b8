from __future__ import annotations

import pytest

from alone import forbids, ran

BODY = "from torch.autograd import Variable\ndef f(net, labels, more):\n    {}\n"


def wanted(body: str) -> list[int]:
    """The lines of the body that want a graph."""
    return [line - 2 for line in forbids(ran(BODY.format(body.replace("\n", "\n    "))))]


@pytest.mark.parametrize("body", [
    "rows = net.table.repeat(3, 1)\nrows.scatter_(1, labels, 0.9)\nreturn Variable(rows)",
    "rows = net.table.repeat(3, 1)\nif more:\n    rows.fill_(0)\nshown = Variable(rows)\nreturn shown",
    "rows = net.table.repeat(3, 1).mul(2)\nrows.add_(1)\nreturn Variable(rows[:2])",
    "for each in range(3):\n    rows = net.table.repeat(3, 1)\n    rows.scatter_(1, labels, 0.9)\n"
    "    shown = Variable(rows)\nreturn shown",
])
def test_what_the_data_of_a_variable_was_made_by_had_no_graph(body: str) -> None:
    assert wanted(body) == []


@pytest.mark.parametrize(("body", "lines"), [
    ("rows = net.table.repeat(3, 1)\nreturn rows", [1]),
    ("rows = net.table.repeat(3, 1)\nif more:\n    return rows\nreturn Variable(rows)", [1]),
    ("rows = net.table.repeat(3, 1)\nif more:\n    return Variable(rows)\nreturn rows", [1]),
    ("rows = net.table.repeat(3, 1)\nreturn Variable(rows) if more else rows", [1]),
    ("rows = net.table.repeat(3, 1)\nreturn more and Variable(rows)", [1]),
    ("rows = net.table.repeat(3, 1)\nkept = rows\nrows = labels\nVariable(rows)\nreturn kept", [1]),
    ("rows = net.table.repeat(3, 1)\nfor each in more:\n    Variable(rows)\nreturn rows", [1]),
    ("rows = net.table.repeat(3, 1)\nfor rows in more:\n    pass\nVariable(rows)\nreturn rows", [1]),
    ("try:\n    rows = net.table.repeat(3, 1)\n    Variable(rows)\nexcept TypeError:\n    pass\nreturn rows", [2]),
    ("with more:\n    rows = net.table.repeat(3, 1)\n    Variable(rows)\nreturn rows", [2]),
    ("rows = net.table.repeat(3, 1)\nreturn [Variable(rows) for each in more], rows", [1]),
    ("rows = net.table.repeat(3, 1)\nreturn (lambda: Variable(rows)), rows", [1]),
    ("rows = net.table.repeat(3, 1)\nmore.append(rows)\nreturn Variable(rows)", [1]),
    ("rows = net.table.repeat(3, 1)\nif more:\n    net.stop(rows)\nreturn Variable(rows)", [1]),
    ("rows = net.table.repeat(3, 1)\nkept = rows.mul(2)\nnet.stop(kept)\nreturn Variable(rows)", [1]),
    ("global rows\nrows = net.table.repeat(3, 1)\nVariable(rows)\nreturn rows", [2]),
])
def test_it_may_have_one_where_it_need_not_be_made_into_a_variable(body: str, lines: list[int]) -> None:
    assert set(lines) <= set(wanted(body))


def test_an_object_of_the_project_may_have_a_method_of_that_name() -> None:
    body = "rows = net.table.repeat(3, 1)\nreturn Variable(rows)"
    own = "class Table:\n    def repeat(self, one, two):\n        return self.weight.norm().backward()\n"
    machine = ran(BODY.format(body.replace("\n", "\n    ")) + own)
    assert forbids(machine) == [3]


def test_what_the_arguments_are_made_by_is_another_matter() -> None:
    assert wanted("rows = net.table.repeat(net.count.sum(), 1)\nreturn Variable(rows)") == [1]
