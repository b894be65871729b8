"""Where what runs later is run: a loader or a generator that one function makes and goes over, and nobody else has.

So does a script whose names nobody else finds (see ``Meeting``).
"""

from __future__ import annotations

import ast
from collections.abc import Mapping, Set

from voltfix.machine.calls import consumes
from voltfix.machine.state import Machine
from voltfix.program.scopes import FUNCTIONS, parameters_of
from voltfix.program.walking import children, walk
from voltfix.torchmodel import python

PLACES = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda, ast.GeneratorExp, ast.ClassDef)


class Consumers:
    """The statements of a root that run what its calls put off."""

    def __init__(self, machine: Machine, root: ast.AST, home: Mapping[int, ast.AST], own: bool = True) -> None:
        """``home``: the statements that nodes of the root's own body belong to, by node id.

        ``own``: its names are its own, and nobody else finds what they stand for; of a module that is to be known.
        """
        self.machine = machine
        self.root = root
        self.home = home
        self.above: dict[int, ast.AST] = {}
        if machine.put_off:
            self.above = {id(child): node for node in walk(root) for child in children(node)}
        self.known: dict[int, frozenset[int] | None] = {}
        self.whole = own and isinstance(root, (ast.FunctionDef, ast.Module))

    def of(self, call: ast.AST) -> frozenset[int] | None:
        """The statements whose own expressions run what ``call`` makes, by id; None: any might."""
        if id(call) not in self.known:
            found: set[int] = set()
            whole = self.whole and id(call) in self.machine.put_off
            self.known[id(call)] = frozenset(found) if whole and self.follow(call, found, set()) else None
        return self.known[id(call)]

    def follow(self, node: ast.AST, found: set[int], names: set[str]) -> bool:
        """Collect who goes over what an expression gives; False where somebody else may have it then."""
        above = self.above.get(id(node))
        home = self.home.get(id(node))
        if above is None or home is None:
            return False
        if isinstance(above, (ast.For, ast.comprehension)) and above.iter is node:
            found.add(id(home))
            return not isinstance(self.above.get(id(above)), ast.GeneratorExp)
        if isinstance(above, ast.Call) and any(node is each for each in above.args):
            if self.runs(above, used_up=True):
                found.add(id(home))
                return True
            found.add(id(home))  # the first elements may be asked for at once
            return self.runs(above, used_up=False) and self.follow(above, found, names)
        if isinstance(above, ast.Assign) and above.value is node and len(above.targets) == 1:
            target = above.targets[0]
            return isinstance(target, ast.Name) and self.follow_name(target.id, found, names)
        if isinstance(above, ast.Attribute):
            found.add(id(home))
            return self.asks_only(above)
        return isinstance(above, ast.Expr)

    def asks_only(self, attribute: ast.Attribute) -> bool:
        """Is an attribute looked at, or called for nothing, so that no method of the object is at hand later?"""
        above = self.above.get(id(attribute))
        if isinstance(above, ast.Call):
            alone = above.func is attribute and isinstance(self.above.get(id(above)), ast.Expr)
            return alone or (above.func is not attribute and self.runs(above, used_up=True))
        if isinstance(above, ast.Attribute):
            return self.asks_only(above)
        return isinstance(above, (ast.BinOp, ast.Compare, ast.Expr, ast.Subscript))

    def follow_name(self, name: str, found: set[int], names: set[str]) -> bool:
        """The same of whatever a name of the function's own is read for."""
        if name in names:
            return True
        names.add(name)
        if isinstance(self.root, FUNCTIONS) and any(each.arg == name for each in parameters_of(self.root)):
            return False  # what a caller handed over is another matter, and may be meant as well
        for node in walk(self.root):
            if isinstance(node, (ast.Global, ast.Nonlocal)) and name in node.names:
                return False
            if isinstance(node, ast.Name) and node.id == name and isinstance(node.ctx, ast.Load) and (
                    not self.is_parameter(node)) and (self.is_inner(node) or not self.follow(node, found, names)):
                return False
        return True

    def is_parameter(self, node: ast.Name) -> bool:
        """Is it one of a function in the root, which stands for what that is handed?"""
        child: ast.AST = node
        while child is not self.root and (above := self.above.get(id(child))) is not None:
            if isinstance(above, FUNCTIONS) and any(each.arg == node.id for each in parameters_of(above)):
                body = [above.body] if isinstance(above, ast.Lambda) else above.body
                if any(child is each for each in body):
                    return True
            child = above
        return False

    def is_inner(self, node: ast.AST) -> bool:
        """Does it stand in a function of its own, which may run at any time?"""
        above = self.above.get(id(node))
        while above is not None and above is not self.root:
            if isinstance(above, PLACES):
                return True
            above = self.above.get(id(above))
        return False

    def runs(self, call: ast.Call, used_up: bool) -> bool:
        """Is it known what a call runs, and does that go over what it is given: here, or as its own result is?"""
        names = self.run_by(call)
        return bool(names) and all(goes_over(name, used_up) for name in names)

    def run_by(self, call: ast.Call) -> Set[str]:
        """The names of what a call runs, where all of it is known, and not of the project; none otherwise."""
        known = id(call) not in self.machine.unresolved and id(call) not in self.machine.entered
        return self.machine.outside.get(id(call), set()) if known else set()


def goes_over(name: str, used_up: bool) -> bool:
    """Does a function from outside go over its arguments and keep none: before it returns, or as it is gone over?"""
    builtin = name.removeprefix("builtins.") if name.startswith("builtins.") else ""
    if used_up:
        return bool(builtin) and consumes(name) and (
            builtin in python.ITERATING or builtin in python.PLAIN_BUILTINS)
    return builtin in python.ITERATING or name.startswith("tqdm.")
