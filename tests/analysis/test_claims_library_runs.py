"""Functions of the standard library that run what they are given, or are an operator of Python's."""

from __future__ import annotations

import pytest
from solving import becomes, covers, source

from helpers import migrated

HEAD = "import itertools\nimport operator\nfrom functools import reduce\n\n"


@pytest.mark.parametrize("line", [
    "return [each.data for each in itertools.starmap(net, zip(rows, rows))]",
    "return [each.data for each in itertools.accumulate(rows, lambda a, b: net(a) + b)]",
    "return len(list(itertools.takewhile(lambda row: net(row).data[0] > 0, rows)))",
    "return len(list(itertools.filterfalse(lambda row: net(row).data[0] > 0, rows)))",
    "return reduce(operator.mul, [net.weight, *rows]).data",
    "return operator.matmul(net.weight, rows[0]).data",
    "return operator.__add__(rows[0], net.weight).data",
    "return operator.getitem(operator.neg(rows[0] * net.weight), 0).data",
    "return eval('net(rows[0])').data",
    "exec('found = net(rows[0]).data')",
])
def test_what_they_run_wants_its_block(line: str) -> None:
    covers(HEAD + f"""
def look(net, lines):
    rows = [Variable(line, volatile=True) for line in lines]
    {line}
    """, inside=[line.partition("(")[0]], outside=[])


@pytest.mark.parametrize("line", [
    "return [len(group) for _, group in itertools.groupby(lines)]",
    "return operator.add(len(rows), 3)",
    "return eval(lines.kind)",
])
def test_what_computes_nothing_wants_none(line: str) -> None:
    text = migrated(source(HEAD + f"""
def look(net, lines):
    rows = [Variable(line, volatile=True) for line in lines]
    {line}
    """)).outputs["a.py"].decode()
    assert "volatile" not in text
    assert "no_grad" not in text


def test_a_network_that_is_run_so_may_train():
    becomes(HEAD + """
def fit(net, pairs, row):
    for made in itertools.starmap(net, [(Variable(a), Variable(b)) for a, b in pairs]):
        made.sum().backward()
    return net(Variable(row, volatile=True)).data
    """, HEAD + """
def fit(net, pairs, row):
    for made in itertools.starmap(net, [(Variable(a), Variable(b)) for a, b in pairs]):
        made.sum().backward()
    with torch.no_grad():
        return net(Variable(row)).data
    """)
