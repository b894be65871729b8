"""Statements that all ways end at, and that have nothing to do with graphs: a further round of runs goes past them.

Much of what stands before a change prepares data, which stand-ins do not follow as far as the code would go: a picture
that is None, a list that is too short. Such a statement is the same text before and after, ends both at the same error,
names nothing volatile, nothing with a graph and nothing that may have weights: it does the same on both sides, whatever
it does. What it sets is unknown then. Where a run goes past one, a difference is no alarm. What fails by the text alone
(``n = None; n.rate()``) failed where the program ran, too: what stands behind it is looked at for whoever mends that.
But what the text alone raises, or asserts, is meant: it is not gone past, but for ``assert False``, which ``python -O``
leaves out, as does whoever gets to what is still to do.
"""

from __future__ import annotations

import ast
import functools
import sys
import types
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, cast

import torch

from voltfix.verify.symbolic.flags import flags_of
from voltfix.verify.symbolic.neighbours import modes_in
from voltfix.verify.symbolic.objects import Shadow
from voltfix.verify.symbolic.observe import digest
from voltfix.verify.symbolic.rewrite import blocks, call_of, made_by_rewrite
from voltfix.verify.symbolic.standin import StandIn, leaves_in, unknown
from voltfix.verify.symbolic.walking import walk
from voltfix.verify.symbolic.world import StandInError, VolatileError, here

Lazily = tuple[Callable[[], Any], ...]
_SIMPLE = (ast.Assign, ast.AugAssign, ast.AnnAssign, ast.Expr, ast.Return, ast.Raise, ast.Assert)
_NEVER = (ast.Yield, ast.YieldFrom, ast.Await, ast.NamedExpr)
_MOVING = frozenset(["cuda", "cpu", "to", "float", "double", "half", "train", "eval"])
_TELLING = frozenset(["backward", "step", "zero_grad", "requires_grad", "requires_grad_", "detach", "detach_", "grad"])


@dataclass(frozen=True)
class Passed:
    """A statement that a run may go past: whether it stands in a function, and there under a condition; and whether
    that is an ``__init__``, which gives None wherever it ends."""

    node: ast.stmt
    inside: bool
    asked: bool
    maker: bool


def statement_at(tree: ast.Module, line: int) -> Passed | None:
    """The statement around a line that a run may go past; None where there is none or somebody waits for its errors."""
    found: ast.stmt | None = None
    inside = asked = maker = False
    body: list[ast.stmt] = tree.body
    while body:
        around = [each for each in body if each.lineno <= line <= (each.end_lineno or each.lineno)]
        if len(around) > 1:  # which of them it was, the line does not tell
            return None
        body = []
        for each in around:
            if isinstance(each, ast.Try) and each.handlers and any(_holds(inner, line) for inner in each.body):
                return None
            inside = inside or isinstance(each, ast.FunctionDef)
            maker = each.name == "__init__" if isinstance(each, ast.FunctionDef) else maker
            asked = isinstance(each, ast.If) or (asked and not isinstance(each, ast.FunctionDef))
            asks = isinstance(each, ast.If) and _holds(each.test, line)
            found = each if isinstance(each, _SIMPLE) or asks else None
            body = [] if asks else [inner for part in _parts(each) for inner in part]
    told = found.test if isinstance(found, ast.If) else found
    if found is None or told is None or any(isinstance(each, _NEVER) or _tells(each) for each in walk(told)):
        return None
    if isinstance(found, ast.If) and any(_needs_its_scope(each) for each in walk(told)):
        return None
    return Passed(found, inside, asked, maker)


def _parts(node: ast.stmt) -> Iterator[list[ast.stmt]]:
    for name in ("body", "orelse", "finalbody"):
        yield getattr(node, name, None) or []
    for handler in getattr(node, "handlers", ()):
        yield handler.body


def _needs_its_scope(node: ast.AST) -> bool:
    return isinstance(node, ast.Name) and node.id in ("super", "__class__")


def _holds(node: ast.stmt | ast.expr, line: int) -> bool:
    return node.lineno <= line <= (node.end_lineno or node.lineno)


def _tells(node: ast.AST) -> bool:
    """Does it decide volatility, or ask for a graph?"""
    word = node.attr if isinstance(node, ast.Attribute) else ""
    return any(True for _ in flags_of(node)) or any(True for _ in modes_in(node)) or word in _TELLING


def guard(tree: ast.AST, path: str, passed: Passed) -> None:
    """Let a run go past a statement of a rewritten tree, where its world says so."""
    plain = passed.node
    for statements in blocks(tree, functools.partial(guard, path=path, passed=passed)):
        for place, each in enumerate(statements):
            same = (each.lineno, each.col_offset) == (plain.lineno, plain.col_offset)
            if same and isinstance(each, _SIMPLE) and not hasattr(each, "made"):
                statements[place] = _guarded(each, path, passed)
            elif same and isinstance(each, ast.If) and isinstance(plain, ast.If):
                each.test = _guarded_test(each.test, plain, path, passed)


def _used(node: ast.AST) -> tuple[ast.expr, ast.expr]:
    """What a statement reads, and what it calls; as functions that give it."""
    paths = {ast.unparse(each): each for each in _paths(node)}
    called = {ast.unparse(each.func) for each in walk(node) if isinstance(each, ast.Call) and _is_path(each.func)}
    read, asked = (
        ast.Tuple([_lazy(each) for name, each in paths.items() if (name in called) == calls], ast.Load())
        for calls in (False, True)
    )
    return read, asked


def _guarded_test(test: ast.expr, plain: ast.If, path: str, passed: Passed) -> ast.expr:
    """``if TEST:``, of which the run decides where TEST ends at an error."""
    mark = ast.Constant(cast(Any, (path, plain.lineno, plain.col_offset)))
    nothing = ast.arguments(posonlyargs=[], args=[], kwonlyargs=[], kw_defaults=[], defaults=[])
    known = ast.Constant(passed.asked)
    made = call_of("__vf_asked__", mark, ast.Lambda(nothing, test), *_used(ast.Expr(plain.test)), known)
    return ast.fix_missing_locations(ast.copy_location(made, test))


def _guarded(node: ast.stmt, path: str, passed: Passed) -> ast.stmt:
    plain = passed.node
    mark = ast.Constant(cast(Any, (path, plain.lineno, plain.col_offset)))
    read, asked = _used(plain)
    known = ast.Constant(passed.asked), ast.Constant(_is_meant(plain)), ast.Constant(_only_makes(plain))
    test = ast.UnaryOp(ast.Not(), call_of("__vf_skips__", mark, read, asked, *known))
    handler: list[ast.stmt] = [ast.If(test, [ast.Raise()], [])]
    for target in _targets(plain):
        handler.append(ast.Assign([target], call_of("__vf_skipped__", mark, ast.Constant(ast.unparse(target)))))
    back = ast.Return(None if passed.maker else call_of("__vf_skipped__", mark, ast.Constant("returned")))
    if isinstance(plain, ast.Return):
        handler.append(back)
    elif isinstance(plain, ast.Raise) and passed.inside:
        handler.append(ast.If(call_of("__vf_leaves__", mark), [back], []))
    made = ast.Try([node], [ast.ExceptHandler(call_of("__vf_errors__"), None, handler)], [], [])
    return made_by_rewrite(made, node)


def _is_meant(node: ast.stmt) -> bool:
    """Does a statement end the run because the text says so? ``assert False`` is what is still to do."""
    return isinstance(node, ast.Raise) or (isinstance(node, ast.Assert) and not isinstance(node.test, ast.Constant))


def _only_makes(node: ast.stmt) -> bool:
    """``net = Net(depth).cuda()``: an object is made, and kept; nothing is asked of it."""
    made = node.value if isinstance(node, ast.Assign) else None
    while isinstance(made, ast.Call) and isinstance(made.func, ast.Attribute) and made.func.attr in _MOVING:
        made = made.func.value
    if not isinstance(made, ast.Call) or not _is_path(made.func):
        return False
    given = [*made.args, *(each.value for each in made.keywords)]
    return not any(isinstance(each, ast.Call) for value in given for each in walk(value))


def _paths(node: ast.AST) -> Iterator[ast.expr]:
    """The names and the attributes of names that a statement reads, each as far as it goes."""
    for name, value in ast.iter_fields(node):
        if name == "targets" or (name == "target" and not isinstance(node, (ast.AugAssign, ast.comprehension))):
            continue
        for each in value if isinstance(value, list) else [value]:
            if isinstance(each, ast.expr) and _is_path(each):
                yield each
            elif isinstance(each, ast.AST):
                yield from _paths(each)


def _is_path(node: ast.expr) -> bool:
    return isinstance(node, ast.Name) or (isinstance(node, ast.Attribute) and _is_path(node.value))


def _lazy(node: ast.expr) -> ast.expr:
    copied = ast.parse(ast.unparse(node), mode="eval").body
    nothing = ast.arguments(posonlyargs=[], args=[], kwonlyargs=[], kw_defaults=[], defaults=[])
    return ast.Lambda(nothing, copied)


def _targets(node: ast.stmt) -> Iterator[ast.expr]:
    """The names and attributes that a statement sets, as written."""
    waiting: list[ast.expr] = []
    if isinstance(node, ast.Assign):
        waiting += node.targets
    elif isinstance(node, (ast.AugAssign, ast.AnnAssign)):
        waiting.append(node.target)
    for each in waiting:
        if isinstance(each, (ast.Tuple, ast.List)):
            waiting += each.elts
        elif isinstance(each, ast.Starred):
            waiting.append(each.value)
        elif _is_path(each):
            yield cast(ast.expr, ast.parse(f"{ast.unparse(each)} = 0").body[0].targets[0])  # type: ignore[attr-defined]


# -- while the code runs ------------------------------------------------------------


def errors() -> type[Exception] | tuple[()]:
    """What is caught: nothing, where no run of this kind goes past anything."""
    return Exception if here().skips else ()


def skips(
    place: tuple[str, int, int], values: Lazily, called: Lazily, conditional: bool, meant: bool, makes: bool
) -> bool:
    """Does this run go past a statement that ended at an error? It reads ``values``, and calls what is ``called``."""
    world, error = here(), sys.exc_info()[1]
    if place not in world.skips or isinstance(error, VolatileError):
        return False
    if isinstance(error, StandInError) and "code that" in str(error):  # what is refused is refused
        return False
    if isinstance(error, RuntimeError) and "grad" in str(error):
        return False
    held = [found for each in values for found in _asked(each)]
    asked = [found for each in called for found in _asked(each)]
    weighing = [each for each in asked if not (makes and isinstance(each, type))]
    if any(_has_graph(each) for each in [*held, *asked]) or any(map(_may_weigh, weighing)):
        return False
    if meant and not (leaves_in([*held, *asked]) or _not_by_the_text(error, place, conditional)):
        return False
    world.passed.add(world.skips[place][0])
    world.record("passed", digest([each for each in held if isinstance(each, _DATA)], reach=False))
    return True


def answer(place: tuple[str, int, int], test: Callable[[], Any], values: Lazily, called: Lazily, asked: bool) -> Any:
    """What an ``if`` asks; unknown, where this run goes past the error that it ends at."""
    try:
        return test()
    except Exception:
        if not skips(place, values, called, asked, False, False):
            raise
    return skipped(place, "asked")


def _not_by_the_text(error: Any, place: tuple[str, int, int], conditional: bool) -> bool:
    """Of a ``raise`` that holds nothing unknown: did the run choose the way to it, or does a class below have what a
    method raises for?"""
    return (isinstance(error, NotImplementedError) and leaves(place)) or (conditional and bool(here().taken))


_DATA = (StandIn, list, tuple, dict, set, int, float, str, type(None))


def _asked(lazy: Callable[[], Any]) -> list[Any]:
    try:
        return [lazy()]
    except Exception:
        return []


def _has_graph(thing: Any) -> bool:
    """Is it volatile, or is there a graph?"""
    return any(
        each._vf.volatile or (isinstance(each._vf.tensor, torch.Tensor) and each._vf.tensor.requires_grad)
        for each in leaves_in(thing)
    )


def _may_weigh(thing: Any) -> bool:
    """May what is called have weights? Functions of the project, too: what they call is not seen here."""
    if isinstance(thing, StandIn):
        return thing._vf.kind not in ("value", "number", "imported", "torch")
    if isinstance(thing, types.MethodType) and isinstance(thing.__self__, StandIn):
        return _may_weigh(thing.__self__)
    if isinstance(thing, type):
        return issubclass(thing, Shadow) and hasattr(thing, "forward")
    if isinstance(thing, types.FunctionType):
        return thing.__code__.co_filename.startswith("vf:")
    return isinstance(thing, (types.MethodType, Shadow))


def skipped(place: tuple[str, int, int], name: str) -> Any:
    """What a statement sets that a run went past."""
    return unknown(f"passed[{here().skips[place][0]}].{name}")


def leaves(place: tuple[str, int, int]) -> bool:
    """Does a function end where the run goes past its ``raise``? (What is looked at goes on.)"""
    return here().skips[place][1]
