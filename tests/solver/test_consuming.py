"""Where what runs later is run: generators and loaders that one function makes and goes over."""

from __future__ import annotations

import ast

import pytest

from alone import ran_with_root
from voltfix.solver.consuming import Consumers
from voltfix.solver.regions import Planner, header_nodes, walk_statements

MAKES = """
    def rows(net, x):
        yield net(Variable(x))
"""


def consumers(body: str):
    """The lines whose statements run the generator that ``f`` makes; None: any might."""
    lines = [f"        {line}" for line in body.splitlines()]
    machine, root = ran_with_root("\n".join([MAKES, "    def f(net, x, keep, batches):", *lines, ""]))
    assert isinstance(root, ast.FunctionDef)
    statements = list(walk_statements(root.body))
    home = {id(node): statement for statement in statements for node in header_nodes(statement)}
    (made,) = (node for statement in statements for node in header_nodes(statement)
               if isinstance(node, ast.Call) and ast.unparse(node.func) == "rows")
    places = Consumers(machine, root, home).of(made)
    return None if places is None else sorted({s.lineno - root.lineno for s in statements if id(s) in places})


@pytest.mark.parametrize(("body", "lines"), [
    ("made = rows(net, x)\nfor row in made:\n    print(row)", [2]),
    ("made = rows(net, x)\nfor n, row in enumerate(made):\n    print(row)", [2]),
    ("made = rows(net, x)\nfor row in zip(made, x):\n    print(row)\nother = list(made)", [2, 4]),
    ("made = rows(net, x)\nmade = enumerate(made)\nwhile x:\n    row = next(made)", [2, 4]),
    ("made = rows(net, x)\nmade.close()\nprint(len(made.parts), made.size + 1)", [2, 3]),
    ("made = rows(net, x)\nprint([row for row in made])", [2]),
])
def test_a_generator_runs_where_its_function_goes_over_it(body: str, lines: list[int]):
    assert consumers(body) == lines


@pytest.mark.parametrize("body", [
    "made = rows(net, x)\nkeep(made)",
    "made = rows(net, x)\nfor row in keep(made):\n    print(row)",
    "made = rows(net, x)\nreturn made",
    "keep.rows = rows(net, x)\nfor row in keep.rows:\n    print(row)",
    "made = more = rows(net, x)\nfor row in made:\n    print(row)",
    "made = [rows(net, x)]\nfor row in made[0]:\n    print(row)",
    "made = rows(net, x)\nstep = made.send\nfor row in made:\n    print(row)",
    "made = rows(net, x)\nrow = made.send(None)",
    "made = rows(net, x)\ndef step():\n    return next(made)\nfor row in made:\n    print(row)",
    "made = rows(net, x)\nkeep(lambda: next(made))\nfor row in made:\n    print(row)",
    "made = rows(net, x)\nlater = (row for row in made)\nfor row in made:\n    print(row)",
    "global made\nmade = rows(net, x)\nfor row in made:\n    print(row)",
    "batches = rows(net, x)\nfor row in batches:\n    print(row)",
    "made = rows(net, x)\nyield from made",
])
def test_a_generator_that_others_may_have_runs_anywhere(body: str):
    assert consumers(body) is None


def blocks(source: str):
    machine, root = ran_with_root(source)
    layout = Planner(machine, root, frozenset(), {}).plan()
    assert not layout.uncovered
    return [(r.first.lineno, r.last.lineno) for r in layout.regions], len(layout.wraps)


def test_what_a_loop_goes_over_keeps_its_graph_beside_a_block_in_its_body():
    assert blocks("""
        def rows(net, x):
            yield net(Variable(x))

        def f(net, x):
            made = rows(net, x)
            for row in made:
                out = net(Variable(x, volatile=True))
                print(out.data)
                row.sum().backward()
    """) == ([(11, 11)], 0)


def test_no_block_holds_a_statement_that_runs_what_trains():
    assert blocks("""
        def rows(net, x):
            yield net(Variable(x))

        def f(net, x):
            made = rows(net, x)
            out = net(Variable(x, volatile=True))
            row = next(made)
            more = net(Variable(x, volatile=True))
            row.sum().backward()
            return out.data, more.data
    """) == ([(10, 10), (12, 12)], 0)


def test_beside_what_anybody_may_run_a_block_holds_one_call_and_no_more():
    assert blocks("""
        def rows(net, x):
            yield net(Variable(x))

        def f(net, x, keep):
            made = rows(net, x)
            keep(made)
            out = net(Variable(x, volatile=True))
            more = net(Variable(x, volatile=True)).data[0].cpu()
            for row in made:
                row.sum().backward()
            return out.data, more
    """) == ([(11, 11), (12, 12)], 0)


def test_a_block_beside_what_anybody_may_run_is_none_where_the_statement_may_go_over_it():
    assert blocks("""
        def rows(net, x):
            yield net(Variable(x))

        def f(net, x, keep):
            made = rows(net, x)
            keep(made)
            out = net(Variable(x, volatile=True), next(made))
            for row in made:
                row.sum().backward()
            return out.data
    """) == ([], 1)
