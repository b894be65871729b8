"""A tuple or list comes apart into as many parts as it has items, or Python raises."""

from __future__ import annotations

import pytest
from solving import HEAD, covers

from helpers import check_transformed, migrated

BUCKETS = HEAD + """def load(sizes, flag):
    out = []
    for size in sizes:
        if size == 0:
            out.append({empty})
            continue
        words, heads = Variable(torch.ones(size).long(){flag}), Variable(torch.ones(size))
        out.append((words, heads, size))
    return out


def first(net, data):
    words, heads, size = data[0]
    {use}
    return y.data


def scores(sizes):
    net = torch.nn.Embedding(3, 3)
    return first(net, load(sizes, True))


def train(net, sizes):
    words, heads, size = load(sizes, False)[0]
    net(words).sum().backward()
"""


@pytest.mark.parametrize("empty", ["(1, 1)", "[]", "(size,)", "None"])
def test_what_has_another_number_of_items_is_not_what_was_unpacked(empty):
    before = BUCKETS.format(empty=empty, flag=", volatile=flag", use="y = net(words)")
    result = migrated(before)
    after = result.outputs["a.py"].decode()
    assert "volatile" not in after
    assert "with torch.no_grad():\n        return first(net, load(sizes))" in after
    assert after.count("no_grad") == 1


@pytest.mark.parametrize("empty", ["(1, 1)", "[]"])
def test_where_the_error_is_caught_what_follows_runs_too(empty):
    use = "y = net(words)"
    before = BUCKETS.format(empty=empty, flag=", volatile=flag", use=use).replace(
        "    words, heads, size = data[0]\n    y", """    try:
        words, heads, size = data[0]
    except ValueError:
        words = Variable(torch.ones(1).long())
        net(words).sum().backward()
    y""")
    after = migrated(before).outputs.get("a.py", before.encode()).decode()
    assert "no_grad():\n    try" not in after
    assert "no_grad():\n        net(words).sum()" not in after


def test_two_parts_of_a_set_may_be_one():
    before = HEAD + """def use(net, a, b, x):
    both = {a, b}
    try:
        one, = both
    except ValueError:
        return None
    return net(Variable(x, volatile=True)).data
"""
    last = "return net(Variable(x{flag})).data"
    block = "with torch.no_grad():\n        " + last.format(flag="")
    check_transformed(before, before.replace(last.format(flag=", volatile=True"), block))


def test_a_set_of_two_may_come_apart_into_one():
    covers("""
    def use(net, a, b, x):
        one, = {a, b}
        return net(Variable(x, volatile=True)).data
    """, ["return net"], [])


ALIKE = HEAD + """def choose(data, often):
    if often > 2:
        x = Variable(data[0]{flag})
    elif often > 1:
        x = Variable(data[1]{flag})
    else:
        x = Variable(data[2]{other})
    return x


def run(data, often):
    net = torch.nn.Linear(3, 3)
    x = choose(data, often)
    {use}
"""


def test_tensors_of_which_the_same_is_known_are_one():
    use = "print(net(x))"
    before = ALIKE.format(flag=", volatile=True", other=", volatile=True", use=use)
    check_transformed(before, ALIKE.format(flag="", other="", use="with torch.no_grad():\n        print(net(x))"))


def test_what_comes_into_one_of_several_that_are_alike_comes_into_each():
    use = "x += net(Variable(data[3]))\n    x.sum().backward()"
    before = ALIKE.format(flag="", other="", use=use).replace("def run", """def show(net, data):
    return net(Variable(data, volatile=True)).data


def run""")
    after = migrated(before).outputs["a.py"].decode()
    assert after.count("no_grad") == 1
    assert "no_grad():\n        x +=" not in after


@pytest.mark.parametrize("use", ["net(x).sum().backward()", "return net(x)"])
def test_one_that_is_volatile_is_not_like_one_that_is_not(use):
    before = ALIKE.format(flag=", volatile=True", other="", use=use)
    after = migrated(before).outputs.get("a.py", before.encode()).decode()
    assert "no_grad" not in after
