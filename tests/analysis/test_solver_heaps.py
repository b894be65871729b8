"""A heap only puts its items in order: it is a list whose items are compared, where comparing them reads numbers."""

from __future__ import annotations

import pytest
from solving import covers

PROGRAM = """
        import heapq

        net = torch.nn.Linear(3, 3)
        {above}

        class Step(object):
            {within}
            def __init__(self, kept, cost):
                self.kept = kept
                self.cost = cost

            def __lt__(self, other):
                {compared}

        def search(data, given):
            {heap}
            begun = net(given)
            out = net(Variable(data, volatile=True))
            {put}
            best = {taken}
            print(best.kept.data)
            begun.sum().backward()
"""
USUAL = {"above": "", "within": "x = 0", "compared": "return self.cost < other.cost", "heap": "rows = []",
         "put": "heapq.heappush(rows, Step(out, 1.0)); heapq.heappush(rows, Step(begun, 2.0))",
         "taken": "heapq.heappop(rows)"}
PUTS = [
    {},
    {"taken": "heapq.heappushpop(rows, Step(begun, 0.5))"},
    {"taken": "heapq.heapreplace(rows, Step(begun, 0.5))"},
    {"put": "rows.append(Step(out, 1.0)); rows.append(Step(begun, 2.0)); heapq.heapify(rows)"},
    {"compared": "assert isinstance(other, Step); return self.cost < other.cost"},
]
MORE_THAN_NUMBERS = [
    {"compared": "return net(self.kept).sum().data[0] < self.cost"},
    {"compared": "return self.kept.cost < other.cost", "put": "heapq.heappush(rows, Step(out, 1.0))"},
    {"compared": "return self.worth < other.worth",
     "within": "worth = property(lambda self: net(self.kept).sum().data[0])"},
    {"compared": "self.kept = net(other.kept); return self.cost < other.cost"},
    {"within": "def __getattr__(self, name): return net(self.kept)", "compared": "return self.cost < other.cost"},
    {"within": "def __eq__(self, other): return fit(self, other)"},
    {"above": "limit = given_limit()", "compared": "return self.cost < limit"},
]


def laid_out(changes: dict[str, str]) -> str:
    return PROGRAM.format(**{**USUAL, **changes})


@pytest.mark.parametrize("changes", PUTS)
def test_putting_into_a_heap_and_taking_out_needs_no_graph_and_no_block(changes: dict[str, str]) -> None:
    covers(laid_out(changes), inside=["out = net("], outside=["begun = net(given)", "best = "])


@pytest.mark.parametrize("changes", MORE_THAN_NUMBERS)
def test_what_compares_by_more_than_numbers_is_unknown_code(changes: dict[str, str]) -> None:
    covers(laid_out(changes), inside=["out = net(", "best = "], outside=["begun = net(given)"])


def test_a_class_whose_comparison_is_set_from_outside_is_unknown_code() -> None:
    covers(laid_out({"heap": "rows = []; Step.__lt__ = fit"}),
           inside=["out = net(", "best = "], outside=["begun = net(given)"])


def test_a_heap_of_the_module_is_given_to_unknown_code() -> None:
    covers(laid_out({"above": "rows = []", "heap": "pass"}),
           inside=["out = net(", "best = "], outside=["begun = net(given)"])


@pytest.mark.parametrize("changes", [
    {"heap": "rows = []; share(rows)"},
    {"put": "step = Step(out, 1.0); share(step); heapq.heappush(rows, step)"},
    {"put": "heapq.heappush(rows, given.step); heapq.heappush(rows, Step(out, 1.0))"},
])
def test_where_others_have_the_heap_or_an_item_no_block_comes_to_what_needs_its_graph(changes: dict[str, str]) -> None:
    covers(laid_out(changes), inside=["out = net("], outside=["begun = net(given)", "sum().backward()"])


@pytest.mark.parametrize("changes", PUTS)
def test_what_is_taken_from_a_heap_may_be_the_item_with_a_graph(changes: dict[str, str]) -> None:
    taken = {**USUAL, **changes}["taken"] + "; (net(best.kept) + begun).sum().backward()"
    covers(laid_out({**changes, "taken": taken}),
           inside=["out = net(Variable"], outside=["begun = net(given)", "(net(best.kept)"])
