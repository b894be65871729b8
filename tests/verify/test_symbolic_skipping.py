"""Code that prepares data may end every run; where it has nothing to do with graphs, a run goes past it, and what
changed is run all the same."""

from __future__ import annotations

import pytest

torch = pytest.importorskip("torch")

from judging import check, judge, unflagged, with_block  # noqa: E402

TOLD = ("different", "not-run")
BODY = """
{more}
def f(net, x, path, loader):
    {first}
    y = net(Variable(x, volatile=True))
    {last}
    return y
"""


def body(first: str = "pass", last: str = "pass", more: str = "") -> str:
    return BODY.format(first=first, last=last, more=more)


TOOLS = """
import torch

def load(path):
    return [int(part) for part in path]

def pick(rows):
    return max([row for row in rows if row > 10])

def shape(x):
    if isinstance(x, list) and len(x) == 3:
        return x
    for part in [1, 2]:
        if part > 1:
            raise ValueError('what is that')

class Reader(object):
    def read(self, path):
        raise NotImplementedError

class Layer(torch.nn.Module):
    def __init__(self, width):
        self.fc = torch.nn.Linear(width, width)
    def forward(self, x):
        return self.fc(x)

class Coder(object):
    def __init__(self, model):
        self.model = model
    def decode(self, y):
        return y.data
"""


@pytest.mark.parametrize(
    "first",
    [
        "rows = [each for each in [] if path]\n    x = max([path, rows])[None].foo + rows[3]",
        "lost = {}\n    x = lost[path].pop().images",
        "counts = None\n    counts[path] += 1",
        "n = None\n    rate = n.rate(path)",
        "import tools\n    x = tools.shape(path)",
        "import tools\n    x = tools.Reader().read(path)",
        "import tools\n    coder = tools.Coder()",
        "import tools\n    other = tools.Layer(path, depth=3).cuda()",
        "batches = None\n    rows = next(batches)",
        "table = {'b': 1}\n    x = table['a']",
    ],
)
def test_what_ends_every_run_and_has_no_graph_is_gone_past(first: str):
    check(body(first), told=TOLD, tools=TOOLS)


MAKERS = """
class Shelf(object):
    def __init__(self, books):
        if books is not self:
            raise ValueError(books)
        self.books = books

class Row(object):
    def __init__(self, books):
        def longest(books):
            raise ValueError(books)
        self.books = longest(books).title

class Last(object):
    def __init__(self, books):
        return [].pop(books)
"""


@pytest.mark.parametrize("made", ["Shelf", "Row", "Last"])
def test_an_init_that_is_left_at_an_error_still_gives_none_as_python_wants_of_it(made: str):
    check(body(f"import tools\n    rows = loader.batches(tools.{made}(path))"), told=TOLD, tools=MAKERS)


@pytest.mark.parametrize(
    ("last", "why"),
    [
        ("rows = loader.batches(Kept(y))", "it raises for something volatile"),
        ("rows = loader.batches(Kept(net(x)))", "it raises for something with a graph"),
    ],
)
def test_an_init_that_raises_for_what_has_a_graph_is_not_left(last: str, why: str):
    more = "class Kept(object):\n    def __init__(self, given):\n        raise ValueError(given)\n"
    before = body(last=last, more=more)
    assert judge(before, with_block(before))[0] != "identical", why


def test_what_ends_every_run_behind_the_change_is_gone_past():
    last = "total = None\n    print(total.rate(path))"
    check(body(last=last), told=TOLD)


def test_a_difference_where_a_run_went_past_something_is_no_alarm():
    before = body("n = None\n    rate = n.rate(path)")
    verdict, detail = judge(before, unflagged(before))
    assert verdict == "not-run"
    assert "(given what is missing here)" in (detail or "")


def test_what_it_sets_is_unknown_on_both_sides_and_goes_on():
    first = "n = None\n    rate = n.rate(path)"
    before = body(first).replace("Variable(x,", "Variable(x * rate,")
    check(before, told=TOLD)
    other = with_block(before).replace("x * rate", "x + rate")
    assert judge(before, other)[0] != "identical"


@pytest.mark.parametrize(
    ("first", "why"),
    [
        ("assert 1 > 2", "the text alone fails it"),
        ("raise KeyError", "it is raised whatever happens"),
    ],
)
def test_what_the_text_alone_raises_is_not_gone_past(first: str, why: str):
    before = body(first)
    assert judge(before, with_block(before))[0] == "not-run", why


@pytest.mark.parametrize(
    ("last", "why"),
    [
        ("n = None\n    z = n.rate(y)", "it computes with something volatile"),
        ("n = None\n    z = n.rate(path) + net(x)", "what is called may have weights"),
        ("import tools\n    loader.add(tools.Layer()(x))", "a network that is made is called as well"),
        ("import tools\n    z = tools.Layer(net(x), 3)", "a network is called for what another one is given"),
    ],
)
def test_what_computes_with_graphs_is_not_gone_past(last: str, why: str):
    before = body(last=last)
    after = with_block(before).replace("    " + last, "        " + last.replace("    ", "        "))
    assert judge(before, after, tools=TOOLS)[0] != "identical", why


def test_a_network_that_is_called_in_what_fails_is_not_gone_past_in_a_block():
    """Before, it would have made a graph."""
    text = "def f(net, x, path):\n    n = None\n{block}    y = n.rate(path) + net(x)\n    return y.data\n"
    before = text.format(block="").replace("return", "net(Variable(x, volatile=True))\n    return")
    after = text.format(block="    with torch.no_grad():\n    ").replace("return", "net(Variable(x))\n    return")
    assert judge(before, after)[0] != "identical"


def test_a_changed_statement_is_not_gone_past():
    before = "def f(net, x, path):\n    n = None\n    y = net(Variable(n.rate(path), volatile=True))\n    return y\n"
    assert judge(before, with_block(before))[0] == "not-run"


def test_an_error_that_somebody_waits_for_is_not_gone_past():
    text = """
    def f(net, x, path):
        n = None
        try:
            x = n.rate(path)
        except AttributeError:
            return {}
        return x
    """
    assert judge(text.format("net(Variable(x, volatile=True))"), text.format("net(Variable(x))"))[0] == "different"


def test_where_what_fails_is_written_otherwise_after_it_is_not_gone_past():
    before = body("n = None\n    rate = n.rate(path)")
    assert judge(before, with_block(before).replace("n.rate(path)", "n.rate(loader)"))[0] != "identical"


@pytest.mark.parametrize("first", ["assert False  # TODO", "assert 0, 'not here yet'"])
def test_what_stands_behind_an_assertion_of_nothing_is_run_as_python_without_assertions_does(first: str):
    check(body(first), told=TOLD)


def test_an_object_of_a_class_that_leaves_a_method_to_those_below_has_it():
    text = """
    class Op(object):
        def f(self, net, batch):
            y = net(Variable(self.turn(batch), volatile=True))
            return self.back(y.data)
        def turn(self, x):
            raise NotImplementedError
        def back(self, x):
            raise NotImplementedError('below')
    """
    right = unflagged(text).replace("            y = net", "            with torch.no_grad(): y = net")
    assert judge(text, right, "Op.f") == ("identical", None)
    assert judge(text, unflagged(text), "Op.f")[0] in TOLD
