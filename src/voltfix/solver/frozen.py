"""Writes of ``.volatile`` to the parameters of a network: what each becomes, and on what grounds.

``requires_grad_(not on)`` says what the flag said as far as the parameters' own graph goes, wherever they go. It holds
where nothing else of the project had kept one of them from requiring grad, or where the flag is on for good.
"""

from __future__ import annotations

import ast
from collections.abc import Container, Iterable, Iterator
from typing import TYPE_CHECKING

from voltfix.machine import express
from voltfix.machine.facts import VolatileWrite
from voltfix.machine.parameters import each_parameter
from voltfix.model import Refusal
from voltfix.program import telling
from voltfix.program.mentioned import last_word
from voltfix.records import dataclass
from voltfix.rules import messages, premises
from voltfix.rules.messages import Done

if TYPE_CHECKING:
    from voltfix.program.resolve import Project


@dataclass(frozen=True)
class Frozen:
    """What becomes of one write. ``enabled``: the argument of ``requires_grad_``; None: the statement goes."""

    statement: ast.stmt
    tensor: str
    enabled: str | None
    evidence: tuple[str, ...]
    done: tuple[Done, ...] = ()


def settle(
    project: Project, path: str, target: ast.AST, writes: Iterable[VolatileWrite], followed: Container[int],
    switched: bool,
) -> Frozen | Refusal:
    """What becomes of ``p.volatile = on``, given all that the interpretation saw of it.

    ``followed``: the writes of ``requires_grad`` that it took into account, by node id. ``switched``: the flag is
    off again at the end of the function, and blocks stand around what was computed meanwhile.
    """
    statement = next((n for n in project.parents(path, target) if isinstance(n, ast.stmt)), None)
    if not isinstance(statement, ast.Assign) or len(statement.targets) > 1 or not isinstance(target, ast.Attribute):
        return Refusal("not-analysed", messages.parameters_written_beside())
    if not each_parameter(project, path, statement):
        return Refusal("not-provable", messages.some_parameters())
    rows = [w for w in writes if not w.pc.is_false]
    tensor = ast.unparse(target.value)
    here = telling.place(project, path, statement)
    if switched:
        return Frozen(statement, tensor, None, (premises.off_again(here),))
    if rows and all(is_so_already(w) for w in rows):
        done = (Done("asked", here, ast.unparse(statement)),)
        return Frozen(statement, tensor, None, (premises.says_so_already(here),), done)
    if not all(w.asked is not None and w.pc.implies(w.asked) for w in rows):
        return Refusal("not-provable", messages.parameters_by_turns())
    always = all((w.pc & ~w.value).is_false for w in rows)
    said = (premises.weights_without_graph(here),)
    if always:
        return Frozen(statement, tensor, "False", said, (Done("frozen", here, "False"),))
    asker = next((a for a in other_askers(project) if id(a[1]) not in followed), None)
    if asker is not None:
        return Refusal("not-provable", messages.parameters_asked(telling.place(project, *asker)))
    nobody = premises.nothing_else_freezes(here)
    if all((w.pc & w.value).is_false for w in rows):
        return Frozen(statement, tensor, "True", (*said, nobody), (Done("frozen", here, ""),))
    enabled = express.negated(ast.unparse(statement.value))
    return Frozen(statement, tensor, enabled, (*said, nobody), (Done("frozen", here, enabled),))


def is_so_already(write: VolatileWrite) -> bool:
    """Do the parameters require grad where they should after the write, and nowhere else, without it?"""
    if write.asked is None or write.required is None:
        return False
    if not (write.pc & write.asked & write.value).is_false:
        return False  # it is this flag, in an earlier call, that keeps them from requiring grad
    should = write.asked & ~write.value
    return (write.pc & ((should & ~write.required) | (write.required & ~should))).is_false


def all_of(project: Project, path: str, statement: ast.stmt) -> ast.stmt:
    """The statement, with the loop around it where nothing else is in there."""
    loop = project.parent(path, statement)
    return loop if isinstance(loop, ast.For) and loop.body == [statement] and not loop.orelse else statement


def other_askers(project: Project) -> Iterator[tuple[str, ast.AST]]:
    """Places that keep a tensor from requiring grad: ``p.requires_grad = ...``, ``requires_grad_(...)``, ``Parameter``.
    """
    for path in project.paths:
        for node in project.nodes(path):
            if isinstance(node, ast.Attribute) and node.attr == "requires_grad" and isinstance(node.ctx, ast.Store):
                statement = project.parent(path, node)
                if not isinstance(statement, ast.Assign) or not is_true(statement.value):
                    yield path, node
            elif isinstance(node, ast.Call) and (name := last_word(node.func)) in ("requires_grad_", "Parameter"):
                given = node.args[name == "Parameter":]
                flags = [*given, *[k.value for k in node.keywords if k.arg == "requires_grad"]]
                if not all(map(is_true, flags)):
                    yield path, node


def is_true(node: ast.expr) -> bool:
    """Is it written as ``True``?"""
    return isinstance(node, ast.Constant) and node.value is True


