"""Which definitions reach each use of a name, within one function or module body."""

from __future__ import annotations

import ast
from collections.abc import Iterable
from typing import Literal

from voltfix.program.walking import children, walk
from voltfix.records import dataclass

How = Literal["value", "item", "aug", "parameter", "other"]


@dataclass(frozen=True)
class Reach:
    """One definition. ``value`` is an expression; ``item``: what iterating over it yields; ``aug``: ``x +=
    value``.

    ``path`` are the positions of an unpacking; None for a place behind a star. ``node`` is what defines.
    """

    how: How
    node: ast.AST
    value: ast.expr | None = None
    path: tuple[int | None, ...] = ()


def in_order(found: Iterable[Reach]) -> list[Reach]:
    """Definitions as the text has them: what is found out about one may hang on which was looked at before."""

    def place(reach: Reach) -> tuple[int, int, str, tuple[int, ...]]:
        path = tuple(-1 if index is None else index for index in reach.path)
        return getattr(reach.node, "lineno", 0), getattr(reach.node, "col_offset", 0), reach.how, path

    return sorted(found, key=place)


State = dict[str, frozenset[Reach]]
_MAX_PASSES = 4


class Reaching:
    """The definitions that reach each Name of a scope's own body, nested functions left out."""

    def __init__(self, node: ast.AST) -> None:
        self.uses: dict[ast.Name, frozenset[Reach]] = {}
        self.all: dict[str, dict[Reach, None]] = {}  # every definition of a name, wherever it reaches
        self._loops: list[tuple[list[State], list[State]]] = []  # states at break, at continue
        self._shared = _written_inside(node)
        state: State = {}
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)):
            for parameter in _parameters(node.args):
                self._define(parameter.arg, Reach("parameter", parameter), state)
        if isinstance(node, ast.Lambda):
            self._expression(node.body, dict(state))
        else:
            self._body(getattr(node, "body", []), dict(state))

    # --- statements ----------------------------------------------------------------------------------------

    def _body(self, statements: Iterable[ast.stmt], state: State | None) -> State | None:
        for statement in statements:
            if state is None:
                state = {}  # code behind a return: look at it all the same
                self._statement(statement, state)
                return None
            state = self._statement(statement, state)
        return state

    def _statement(self, node: ast.stmt, state: State) -> State | None:
        if isinstance(node, (ast.For, ast.AsyncFor)):
            return self._for(node, state)
        if isinstance(node, ast.While):
            return self._while(node, state)
        if isinstance(node, ast.If):
            self._expression(node.test, state)
            return _joined([self._body(node.body, dict(state)), self._body(node.orelse, dict(state))])
        if isinstance(node, ast.Try) or type(node).__name__ == "TryStar":
            return self._try(node, state)  # type: ignore[arg-type]
        if isinstance(node, (ast.With, ast.AsyncWith)):
            for item in node.items:
                self._expression(item.context_expr, state)
                if item.optional_vars is not None:
                    self._bind(item.optional_vars, Reach("other", node), state)
            return self._body(node.body, state)
        if isinstance(node, (ast.Return, ast.Raise)):
            self._expressions(node, state)
            return None
        if isinstance(node, (ast.Break, ast.Continue)):
            if self._loops:
                self._loops[-1][isinstance(node, ast.Continue)].append(state)
            return None
        return self._simple(node, state)

    def _simple(self, node: ast.stmt, state: State) -> State:
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            for part in [*node.decorator_list, *getattr(node, "bases", [])]:
                self._expression(part, state)
            if not isinstance(node, ast.ClassDef):
                for default in [*node.args.defaults, *node.args.kw_defaults]:
                    self._expression(default, state)
            self._define(node.name, Reach("other", node), state)
            return state
        self._expressions(node, state)
        if isinstance(node, ast.Assign):
            for target in node.targets:
                self._bind(target, Reach("value", node, node.value), state)
        elif isinstance(node, ast.AnnAssign) and node.value is not None:
            self._bind(node.target, Reach("value", node, node.value), state)
        elif isinstance(node, ast.AugAssign) and isinstance(node.target, ast.Name):
            self.uses[node.target] = state.get(node.target.id, frozenset())
            self._define(node.target.id, Reach("aug", node, node.value), state)
        elif isinstance(node, (ast.Import, ast.ImportFrom)):
            for alias in node.names:
                self._define(alias.asname or alias.name.split(".")[0], Reach("other", node), state)
        return state

    def _for(self, node: ast.For | ast.AsyncFor, state: State) -> State | None:
        self._expression(node.iter, state)
        after: State | None = state
        for _ in range(_MAX_PASSES):
            before = after or {}
            entering = dict(before)
            self._bind(node.target, Reach("item", node, node.iter), entering)
            after, breaks = self._loop(node.body, entering, before)
            if after == before:
                break
        return _joined([self._body(node.orelse, dict(after or {})), *breaks])

    def _while(self, node: ast.While, state: State) -> State | None:
        after: State | None = state
        for _ in range(_MAX_PASSES):
            before = after or {}
            self._expression(node.test, before)
            after, breaks = self._loop(node.body, dict(before), before)
            if after == before:
                break
        return _joined([self._body(node.orelse, dict(after or {})), *breaks])

    def _loop(self, body: list[ast.stmt], entering: State, before: State) -> tuple[State | None, list[State]]:
        self._loops.append(([], []))
        end = self._body(body, entering)
        breaks, continues = self._loops.pop()
        return _joined([before, end, *continues]), breaks

    def _try(self, node: ast.Try, state: State) -> State | None:
        points: list[State | None] = [dict(state)]
        at: State | None = state
        for statement in node.body:
            at = self._body([statement], at)
            points.append(None if at is None else dict(at))
        thrown = _joined(points) or {}
        ends = [self._body(node.orelse, at) if at is not None else None]
        for handler in node.handlers:
            caught = dict(thrown)
            if handler.name:
                self._define(handler.name, Reach("other", handler), caught)
            ends.append(self._body(handler.body, caught))
        joined = _joined(ends)
        if not node.finalbody:
            return joined
        after = self._body(node.finalbody, dict(joined if joined is not None else thrown))
        return after if joined is not None else None

    # --- expressions ---------------------------------------------------------------------------------------

    def _expressions(self, node: ast.AST, state: State) -> None:
        for child in children(node):
            if isinstance(child, ast.expr):
                self._expression(child, state)
            elif not isinstance(child, ast.stmt):
                self._expressions(child, state)

    def _expression(self, node: ast.AST | None, state: State) -> None:
        if node is None or isinstance(node, ast.Lambda):
            return
        if isinstance(node, ast.Name):
            if isinstance(node.ctx, ast.Load):
                known = state.get(node.id, frozenset()) | self._shared.get(node.id, frozenset())
                self.uses[node] = self.uses.get(node, frozenset()) | known
            return
        if isinstance(node, (ast.ListComp, ast.SetComp, ast.GeneratorExp, ast.DictComp)):
            inner = dict(state)
            for generator in node.generators:
                self._expression(generator.iter, inner)
                self._bind(generator.target, Reach("item", generator, generator.iter), inner)
                for test in generator.ifs:
                    self._expression(test, inner)
            parts = [node.key, node.value] if isinstance(node, ast.DictComp) else [node.elt]
            for part in parts:
                self._expression(part, inner)
            return
        for child in children(node):
            self._expression(child, state)
        if isinstance(node, ast.NamedExpr):
            self._bind(node.target, Reach("value", node, node.value), state)

    # --- definitions ---------------------------------------------------------------------------------------

    def _bind(self, target: ast.expr, reach: Reach, state: State) -> None:
        if isinstance(target, ast.Name):
            self._define(target.id, reach, state)
        elif isinstance(target, ast.Starred):
            self._bind(target.value, Reach("other", reach.node), state)
        elif isinstance(target, (ast.Tuple, ast.List)):
            starred = False
            for index, element in enumerate(target.elts):
                starred = starred or isinstance(element, ast.Starred)
                at = None if starred else index
                self._bind(element, Reach(reach.how, reach.node, reach.value, (*reach.path, at)), state)

    def _define(self, name: str, reach: Reach, state: State) -> None:
        state[name] = frozenset({reach})
        self.all.setdefault(name, {})[reach] = None


def _written_inside(node: ast.AST) -> State:
    """The names that functions inside assign, too: ``global`` for a module, ``nonlocal`` for a function."""
    how = ast.Global if isinstance(node, ast.Module) else ast.Nonlocal
    return {name: frozenset({Reach("other", n)}) for n in walk(node) if isinstance(n, how) for name in n.names}


def _joined(states: Iterable[State | None]) -> State | None:
    living = [state for state in states if state is not None]
    if not living:
        return None
    names = dict.fromkeys(name for state in living for name in state)
    empty: frozenset[Reach] = frozenset()
    return {name: empty.union(*(state.get(name, empty) for state in living)) for name in names}


def _parameters(arguments: ast.arguments) -> list[ast.arg]:
    found = [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs]
    return [*found, *(a for a in (arguments.vararg, arguments.kwarg) if a is not None)]
