"""Simple statements in which one call is all that runs code."""

from __future__ import annotations

import ast

import pytest

from voltfix.solver import single

KNOWN = {"torch": "torch.cat", "Variable": "torch.autograd.Variable", "print": "builtins.print",
         "F": "torch.nn.functional.relu", "list": "builtins.list", "save": "torch.optim.SGD"}


def run_by(call: ast.Call) -> set[str]:
    name = ast.unparse(call.func).split(".")[0]
    return {KNOWN[name]} if name in KNOWN else set()


def alone(text: str) -> bool:
    (statement,) = ast.parse(text).body
    call = next(node for node in ast.walk(statement) if isinstance(node, ast.Call) and ast.unparse(node.func) == "net")
    return single.is_all(statement, call, run_by)


@pytest.mark.parametrize("text", [
    "out = net(x)",
    "out.kept, rows[0] = net(x, [1, -2], scale=s.t)",
    "out = net(Variable(torch.cat([x, y]))).data[0].cpu().numpy()",
    "print(F.relu(net(x) * 2))",
])
def test_a_call_with_names_and_torch_around_it_is_all_that_runs(text: str):
    assert alone(text)


@pytest.mark.parametrize("text", [
    "out = net(load(x))",  # another call
    "out = net(list(rows))",  # goes over what waits
    "out = net(*rows)",
    "first, *rest = net(x)",
    "out = net(x).forward(y)",  # no tensor's method
    "out = [net(x) for x in rows]",
    "out = net(x) if ready else None",
    "out = net(x), next(rows)",
    "out = net(save(rows))",
    "out = net((yield))",
    "for row in net(x): pass",
    "return_to(net(x))",
    "out = net(x) in rows",
    "total += net(x)",
])
def test_a_statement_that_may_go_over_something_else_runs_more(text: str):
    assert not alone(text)
