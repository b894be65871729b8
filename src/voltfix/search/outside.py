"""Does what a function gives get to code that is not in the project, because the function is handed to it?

A loader that is given ``collate_fn=f`` calls f where nobody sees it, and hands on what f gives: no run of the project's
own functions shows what becomes of that. A function is followed through partials, lambdas, tables, names, attributes
and parameters. Where that ends in doubt, the answer is yes.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator

from voltfix.program.bindings import Builtin, External, ProjectClass, ProjectFunction
from voltfix.program.calls import is_property
from voltfix.program.mentions import Mentions
from voltfix.program.references import References
from voltfix.program.resolve import Project
from voltfix.program.scopes import FUNCTIONS
from voltfix.program.walking import walk

Use = tuple[str, ast.AST]  # the module, and an expression that is the function, or something that calls it
_MOST = 400  # uses
_BOUND = frozenset({"functools.partial", "functools.partialmethod", "functools.wraps"})  # as good as what they get
_ASKED = frozenset({"__getitem__", "__iter__", "__next__", "next"})  # methods that loops and loaders run
_HOLDS = (ast.Tuple, ast.List, ast.Dict, ast.Set, ast.IfExp, ast.BoolOp, ast.Starred, ast.Subscript, ast.NamedExpr,
          ast.Await)  # fmt: skip


class Outside:
    """Where functions of a project are handed to."""

    def __init__(self, project: Project) -> None:
        self.project = project

    def handed(self, functions: Iterable[tuple[str, int]], places: Iterable[tuple[str, int, int]] = ()) -> bool:
        """Is one of the functions handed to code of others, or a lambda around one of the places?

        ``functions``: module and first line; ``places``: module, line and column of expressions.
        """
        wanted = set(functions)
        found = [f for f in self.project.functions() if (f.path, f.node.lineno) in wanted
                 and not isinstance(f.node, ast.Lambda)]
        if self._gets_out([use for each in found for use in self._objects(each)], asked=True):
            return True
        lambdas = [use for place in places for use in self._lambdas_around(*place)]
        return self._gets_out([*lambdas, *(use for each in found for use in self._uses_of(each))], asked=False)

    def _gets_out(self, waiting: list[Use], *, asked: bool) -> bool:
        """Is something of it handed to code of others? ``asked``: it is an object that is asked for items."""
        seen: set[ast.AST] = set()
        while waiting:
            path, node = waiting.pop()
            if node in seen:
                continue
            seen.add(node)
            above = self.project.parent(path, node)
            if asked and isinstance(above, (ast.For, ast.comprehension, ast.Subscript)):
                continue
            following = self._follow(path, node)
            if following is None or len(seen) > _MOST:
                return True
            waiting += following
        return False

    def _uses_of(self, function: ProjectFunction) -> Iterator[Use]:
        """Where a function is a value; lambdas that call it are as good as it."""
        for reference in self.project.computed(References).of(function):
            path, node = reference.path, reference.node
            if reference.kind in ("call", "maybe-call") or is_property(function.node):
                yield from self._around(path, node)
            elif reference.kind in ("value", "maybe") and isinstance(node, ast.expr):
                yield path, node

    def _objects(self, function: ProjectFunction) -> Iterator[Use]:
        """Where objects are made that run a function when they are asked for an item."""
        owner = self.project.hierarchy.class_around(function.path, function.node)
        if owner is not None and function.qualname.rsplit(".", 1)[-1] in _ASKED:
            for cls in (owner, *self.project.hierarchy.subclasses(owner)):
                yield from ((r.path, r.node) for r in self.project.computed(References).of(cls) if r.kind == "call")

    def _lambdas_around(self, path: str, line: int, column: int) -> Iterator[Use]:
        for node in self.project.nodes(path):
            if isinstance(node, ast.expr) and (node.lineno, node.col_offset) == (line, column):
                yield from self._around(path, node)
                return

    def _around(self, path: str, node: ast.AST) -> Iterator[Use]:
        """The lambda whose result a node may be."""
        for above in self.project.parents(path, node):
            if isinstance(above, ast.Lambda):
                yield path, above
            if isinstance(above, (ast.stmt, ast.Lambda)):
                return

    def _follow(self, path: str, use: ast.AST) -> list[Use] | None:
        """Where the function is behind one use of it; None where that is out of sight."""
        above = self.project.parent(path, use)
        if isinstance(above, ast.Call):
            return list(self._around(path, above)) if above.func is use else self._given(path, above, use)
        if isinstance(above, ast.keyword):
            call = self.project.parent(path, above)
            return self._given(path, call, above) if isinstance(call, ast.Call) else []
        if isinstance(above, _HOLDS):
            return [] if isinstance(above, ast.Subscript) and above.slice is use else [(path, above)]
        if isinstance(above, ast.Lambda) and above.body is use:
            return [(path, above)]
        if isinstance(above, (ast.Assign, ast.AnnAssign)):
            targets = above.targets if isinstance(above, ast.Assign) else [above.target]
            return None if use is not above.value else self._bound(path, above, targets)
        if isinstance(above, (ast.Return, ast.Yield)):
            return self._results(path, above)
        if isinstance(above, (*FUNCTIONS, ast.arguments)):
            return self._defaulted(path, use)
        if isinstance(above, (ast.For, ast.comprehension)) and above.iter is use:
            return self._bound(path, above, [above.target])
        return []

    def _given(self, path: str, call: ast.Call, use: ast.AST) -> list[Use] | None:
        """An argument of a call."""
        called = self.project.resolve(path, None, call.func)
        if isinstance(called, External) and called.name in _BOUND:
            return [(path, call)]
        if isinstance(called, Builtin):
            return []
        if isinstance(called, ProjectClass):
            made = self.project.method(called, "__init__")
            return self._parameter(made, call, use, 1) if isinstance(made, ProjectFunction) else None
        if isinstance(called, ProjectFunction):
            return self._parameter(called, call, use, int(called.bound))
        return None

    def _parameter(self, function: ProjectFunction, call: ast.Call, use: ast.AST, filled: int) -> list[Use] | None:
        arguments = function.node.args
        positional = [*arguments.posonlyargs, *arguments.args]
        if isinstance(use, ast.keyword):
            found = [p for p in (*positional, *arguments.kwonlyargs) if p.arg == use.arg]
        else:
            before = call.args[: next((n for n, a in enumerate(call.args) if a is use), len(call.args))]
            index = len(positional) if any(isinstance(a, ast.Starred) for a in before) else len(before) + filled
            found = positional[index : index + 1]
        return [(function.path, n) for n in _reads(function.node, found[0].arg)] if found else None

    def _defaulted(self, path: str, use: ast.AST) -> list[Use]:
        """The reads of the parameter whose default the function is."""
        function = next(each for each in self.project.parents(path, use) if isinstance(each, FUNCTIONS))
        arguments = function.args
        positional = [*arguments.posonlyargs, *arguments.args]
        pairs = [*zip(positional[len(positional) - len(arguments.defaults) :], arguments.defaults, strict=True),
                 *zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True)]
        names = [parameter.arg for parameter, default in pairs if default is use]
        return [(path, node) for name in names for node in _reads(function, name)]

    def _bound(self, path: str, statement: ast.AST, targets: Iterable[ast.expr]) -> list[Use]:
        """What reads the names and attributes that a function is bound to."""
        found: list[Use] = []
        for target in (part for each in targets for part in walk(each)):
            if isinstance(target, ast.Name):
                scope = self.project.scope(path, statement)
                found += [(path, n) for n in _reads(scope, target.id)]
                if isinstance(scope, ast.Module):
                    found += self._imported(path, target.id)
            elif isinstance(target, ast.Attribute):
                found += self.project.computed(Mentions).of([target.attr], attributes=True)
        return found

    def _imported(self, path: str, name: str) -> Iterator[Use]:
        """The reads of a name of a module in those that import it by that name."""
        places = list(self.project.computed(Mentions).places(name))
        there = {at for _, at, node in places if isinstance(node, ast.ImportFrom) and at != path}
        yield from ((at, node) for _, at, node in places if at in there and isinstance(node, ast.expr))

    def _results(self, path: str, node: ast.AST) -> list[Use]:
        """The calls of the function that gives it: what they give is the function."""
        around = next((each for each in self.project.parents(path, node) if isinstance(each, FUNCTIONS)), None)
        outer = None if around is None else self.project.function(path, around)
        if outer is None:
            return []
        return [(r.path, r.node) for r in self.project.computed(References).of(outer) if isinstance(r.node, ast.expr)]


def _reads(scope: ast.AST, name: str) -> list[ast.AST]:
    return [n for n in walk(scope) if isinstance(n, ast.Name) and n.id == name and isinstance(n.ctx, ast.Load)]
