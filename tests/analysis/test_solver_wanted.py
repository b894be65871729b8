"""A graph that nobody can reach cannot be missed: what becomes of results decides where a block may stand."""

from __future__ import annotations

import pytest
from solving import becomes, source

from helpers import migrated

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
    ],
)
def test_a_result_that_somebody_may_ask_gradients_of_is_refused(use):
    refused(of(f"def evaluate(net, x, seen):\n    y = net(given(x, volatile=True))\n    {use}"))


@pytest.mark.parametrize(
    "use",
    [
        "y.sum().backward()",
        "torch.autograd.backward([y.sum()])",
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
