"""A graph that nobody can reach cannot be missed: what becomes of results decides where a block may stand."""

from __future__ import annotations

import pytest
from solving import becomes, migrated_files, refusals, source

from helpers import migrated
from voltfix.model import Options

# a value that is volatile or not by a question that no block can ask again
GIVEN = """
def given(x, volatile=False):
    if isinstance(x, Variable):
        return x
    return Variable(x, volatile=volatile)


"""
PLAIN = GIVEN.replace(", volatile=False", "").replace(", volatile=volatile", "")


def of(body: str) -> str:
    """The helper, and below it a body that is dedented already."""
    return GIVEN + body.strip("\n") + "\n"


def refused(body: str, *reasons: str) -> None:
    """Not a byte changes and a site is refused, for one of the reasons if there are any."""
    result = migrated(source(body).encode())
    assert result.errors == ()
    assert result.outputs == {}, result.outputs
    found = {site.reason for site in result.sites if site.status == "refused"}
    assert found
    assert not reasons or found <= set(reasons)


@pytest.mark.parametrize(
    "use",
    [
        "return y.data",
        "print(y)",
        "return y.data[0], y.size()",
        "scores = [row.data for row in y]\n    return scores",
        "loss = (y - 1).sum()\n    return float(loss.data[0])",
        "values = y.data.cpu().numpy()\n    return values.mean()",
    ],
)
def test_a_result_that_is_only_looked_at_can_lose_a_graph(use):
    becomes(
        of(f"def evaluate(net, x):\n    y = net(given(x, volatile=True))\n    {use}"),
        PLAIN + f"def evaluate(net, x):\n    with torch.no_grad():\n        y = net(given(x))\n    {use}\n",
    )


@pytest.mark.parametrize(
    "use",
    [
        "return y",
        "yield y",
        "net.last = y",
        "seen.append(y)",
        "seen[0] = y",
        "seen[0].append(y)",
        "rows = []\n    rows.append(y)\n    return rows",
        "rows = {'y': y}\n    return rows",
        "return lambda: y.sum().backward()",
        "train_on(y)",
        "seen.update_with(y)",
        "y.fit()",
        "total = 0\n    total += y.sum()\n    return total",
        "global latest\n    latest = y",
        "raise StopIteration(y)",
        "return [part for part in y]",
        "return y.requires_grad",
        "seen.add_(y)",
        "def later():\n        y.sum().backward()\n    seen.call(later)",
        "import copy\n    return copy.deepcopy(y)",
        "return locals()",
        "exec(seen)",
        "back = y.backward\n    back()",
        "setattr(seen, seen.name, y)",
        "seen.keep(y, Variable(x))",
        "return [lambda row: row * y for row in x]",
        "def later(y=y):\n        y.sum().backward()\n    return later",
        "def make():\n        return lambda: y.sum().backward()\n    seen.call(make)",
    ],
)
def test_a_result_that_somebody_may_ask_gradients_of_is_refused(use):
    refused(of(f"def evaluate(net, x, seen):\n    y = net(given(x, volatile=True))\n    {use}"))


@pytest.mark.parametrize(
    "use",
    [
        "y.sum().backward()",
        "torch.autograd.backward([y.sum()])",
        "torch.Tensor.backward(y.sum())",
        "return torch.autograd.grad(y.sum(), net.weight)",
    ],
)
def test_what_is_sent_backward_was_not_volatile_and_gets_no_block(use):
    becomes(
        of(f"def step(net, x):\n    y = net(given(x, volatile=True))\n    {use}"),
        PLAIN + f"def step(net, x):\n    y = net(given(x))\n    {use}\n",
    )


def test_a_graph_that_moves_through_names_over_iterations_is_missed():
    refused(
        of(
            """
def run(net, rows):
    one = two = three = None
    for row in rows:
        three = two
        two = one
        one = net(given(row, volatile=True))
        if three is not None:
            three.sum().backward()
"""
        )
    )


def test_a_result_that_the_next_iteration_takes_in_is_refused_where_it_may_be_sent_backward():
    refused(
        of(
            """
def run(net, rows):
    h = None
    for row in rows:
        if h is not None:
            h.sum().backward()
        h = net(given(row, volatile=True), h)
"""
        )
    )


def test_a_result_at_the_top_level_is_there_for_whoever_imports_the_module():
    refused(of("y = net(given(x, volatile=True))"))


# --- functions whose callers are all known ---------------------------------------------------------------------------

STEP = """
class Runner(object):
    def __init__(self, model, loss):
        self.model = model
        self.loss = loss

    def evaluate(self, x, y):
        self.model.eval()
        return self.{name}(x, y).data

    def learn(self, x, y):
        self.model.train(True)
        self.{name}(x, y).backward()

    def {name}(self, x, y):
        x = given(x{flag})
        y = given(y{flag})
"""
FREE = """        return self.loss(self.model(x), y)
"""
COVERED = """        with torch.set_grad_enabled(bool(self.model.training)):
            return self.loss(self.model(x), y)
"""
FLAG = ", volatile=not self.model.training"


def test_a_private_method_is_judged_by_what_its_callers_do_with_the_result():
    becomes(
        of(STEP.format(name="_loss", flag=FLAG) + FREE),
        PLAIN + STEP.format(name="_loss", flag="").strip("\n") + "\n" + COVERED,
    )


def test_a_public_method_may_have_callers_that_nobody_sees():
    refused(of(STEP.format(name="compute", flag=FLAG) + FREE), "condition-not-repeatable", "unknown-callee")


@pytest.mark.parametrize(
    "more",
    [
        "    def other(self, x, y):\n        return self._loss(x, y)\n",
        "    def other(self):\n        return self._loss\n",
        "    def other(self, name):\n        return getattr(self, '_loss')\n",
        "    def other(self, x, y):\n        self._loss(x, y).backward()\n",
        "    def other(self, x, y):\n        self.model.eval()\n        self._loss(x, y).backward()\n",
        "    def other(self, x, y):\n        self.model.train(True)\n        self.model.frozen()\n"
        "        self._loss(x, y).backward()\n",
        "    def other(self, x, y, prepare):\n        self.model.train(True)\n        prepare(self.model)\n"
        "        self._loss(x, y).backward()\n",
    ],
    ids=["returned", "a value", "by its name", "any mode", "other mode", "unknown method", "unknown function"],
)
def test_a_private_method_with_a_caller_that_may_miss_the_graph_is_refused(more):
    refused(of(STEP.format(name="_loss", flag=FLAG) + FREE + "\n" + more))


# --- unknown callees (a volatile value and one with a graph) ---------------------------------------------------------


def test_an_unknown_callee_is_taken_to_return_something_volatile_where_nobody_asks_more():
    becomes(
        """
        def evaluate(model, score, x, other):
            state = model.encode(other)
            state = model.decode(Variable(x, volatile=True), state)
            return score(state).data
        """,
        """
        def evaluate(model, score, x, other):
            state = model.encode(other)
            with torch.no_grad():
                state = model.decode(Variable(x), state)
                return score(state).data
        """,
    )


def test_an_unknown_callee_whose_result_is_returned_is_refused():
    refused(
        """
        def evaluate(model, x, other):
            state = model.fc(other) * 2
            return model.decode(Variable(x, volatile=True), state)
        """,
        "unknown-callee",
    )


# --- blocks in what is called ----------------------------------------------------------------------------------------

ENCODER = """
from torch import nn


class Encoder(nn.Module):
    def __init__(self):
        super(Encoder, self).__init__()
        self.base = nn.Linear(4, 4)
        self.top = nn.Linear(4, 2)

    def forward(self, x):
{body}

"""
STEP_ON = """
def step(x):
    encoder = Encoder()
    out = encoder(Variable(x{flag}))
    out.sum().backward()
"""


def encoder(*lines: str, flag: str = ", volatile=True", below: str = STEP_ON) -> str:
    """An encoder with these lines in its forward, and a training step that hands it something volatile."""
    body = "\n".join(f"        {line}" for line in lines)
    return (ENCODER.format(body=body) + below.replace("{flag}", flag)).strip("\n") + "\n"


def test_what_is_volatile_up_to_a_cure_in_the_callee_gets_its_block_there():
    becomes(
        encoder("x = self.base(x)", "x = Variable(x.data)", "return self.top(x)"),
        encoder("with torch.no_grad():", "    x = self.base(x)", "x = Variable(x.data)", "return self.top(x)", flag=""),
    )


def test_a_block_in_the_callee_holds_neighbours():
    becomes(
        encoder(
            "x = self.base(x)",
            "x = torch.sigmoid(x * self.top.weight.sum())",
            "return self.top(Variable(x.data))",
        ),
        encoder(
            "with torch.no_grad():",
            "    x = self.base(x)",
            "    x = torch.sigmoid(x * self.top.weight.sum())",
            "return self.top(Variable(x.data))",
            flag="",
        ),
    )


def test_callers_that_hand_in_what_they_train_agree_where_nobody_reaches_the_graph():
    more = "\n\ndef train(x):\n    out = Encoder()(Variable(x, requires_grad=True))\n    out.sum().backward()\n"
    lines = ["x = Variable(self.base(x).data)", "return self.top(x)"]
    becomes(
        encoder(*lines, below=STEP_ON + more),
        encoder("with torch.no_grad():", f"    {lines[0]}", lines[1], flag="", below=STEP_ON + more),
    )


@pytest.mark.parametrize(("lines", "covered"), [
    (["return self.top(Variable(self.base(x).data))"],
     ["return self.top(Variable(torch.no_grad()(self.base)(x).data))"]),
    (["while self.base(x).data[0] > 0:", "    pass", "return self.top(Variable(x.data))"],
     ["while torch.no_grad()(self.base)(x).data[0] > 0:", "    pass", "return self.top(Variable(x.data))"]),
])
def test_a_call_is_covered_alone_where_its_statement_goes_on_with_a_graph(lines: list[str], covered: list[str]):
    becomes(encoder(*lines), encoder(*covered, flag=""))


@pytest.mark.parametrize(
    "lines",
    [
        ["y = self.base(x)", "self.kept = y", "return self.top(Variable(y.data))"],
        ["y = self.base(x)", "keep(y)", "return self.top(Variable(y.data))"],
        ["y = self.base(x)", "self.seen.append(y)", "return self.top(Variable(y.data))"],
        ["return self.top(Variable(self.base(x)[0].data) + self.base(x))"],
        ["y = self.base(x)", "y.detach_()", "return self.top(Variable(y.data)) + y"],
        ["y = [self.base(part) for part in (x, x)]", "self.parts = y", "return self.top(Variable(y[0].data))"],
        ["while keep(self.base(x)):", "    pass", "return self.top(Variable(x.data))"],
    ],
    ids=["kept", "handed on", "listed", "one statement", "in place", "kept in a list", "in a header"],
)
def test_a_callee_whose_graph_somebody_may_reach_gets_no_block(lines):
    refused(encoder(*lines))


def test_a_callee_that_also_returns_what_it_freed_gets_no_block():
    both = STEP_ON.replace("out.sum()", "out[0].sum()")
    refused(encoder("y = self.base(x)", "z = Variable(y.data)", "return self.top(z), y", below=both))


def test_no_block_in_a_callee_outside_the_paths_given():
    files = {
        "model.py": source(ENCODER.format(body="        x = Variable(self.base(x).data)\n        return self.top(x)")),
        "train.py": source("from model import Encoder\n\n" + STEP_ON.format(flag=", volatile=True")),
    }
    result, _ = migrated_files(files, Options(editable=frozenset({"train.py"})))
    assert refusals(result) == {"train.py:10": "outside-paths"}
    assert result.outputs == {}
