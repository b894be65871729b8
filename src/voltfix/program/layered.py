"""Attributes that hold layers and are only looked through: ``self.blocks[i](x)``, ``for block in self.blocks``.

What a ``ModuleList`` was made of stays what it holds where nothing can put another layer in: no place puts one in, and
none hands the list on to where that could happen.
"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from voltfix.program.bindings import External, ProjectFunction
from voltfix.program.calls import CallGraph
from voltfix.program.mentioned import last_word
from voltfix.program.mentions import Mentions, stores
from voltfix.program.scopes import parameters_of
from voltfix.program.spelled import ends_of
from voltfix.program.walking import is_read, walk
from voltfix.torchmodel.layers import ADDS_LAYERS, HOOK_TABLES
from voltfix.torchmodel.python import ITERATING, TELLING

if TYPE_CHECKING:
    from voltfix.program.resolve import Project

# the dictionary that a network finds its layers in, and what is asked of it by who puts none there
_TABLE = "_modules"
_GIVES = frozenset({"items", "values", "keys", "get"})
# what puts a layer there under a name in a string
_ADDING = frozenset({"add_module", "register_module"})
_GIVES_PARTS = frozenset({"children", "named_children", "modules", "named_modules", "apply"})
FILLS = ADDS_LAYERS - {"append", "extend", "insert"}  # those that no list has
Put = tuple[str, ast.expr]  # where it stands, and what it is


class Layered:
    """Which attributes hold the layers that ``__init__`` put into them, and no others."""

    def __init__(self, project: Project) -> None:
        self._project = project
        self._known: dict[tuple[str, int], bool] = {}
        self._filled: bool | None = None
        self._open_table: bool | None = None

    def stays(self, name: str, init: ast.AST) -> bool:
        """Is what an attribute of that name holds only looked at, but for what ``init`` itself does?"""
        key = (name, id(init))
        if key not in self._known:
            self._known[key] = not self._sets_any(init) and all(
                self._looks(path, node) or init in self._project.parents(path, node)
                for path, node in self._project.computed(Mentions).of({name}, attributes=True))
        return self._known[key]

    def is_left_alone(self, name: str) -> bool:
        """Is what an attribute of that name holds only looked at wherever it is named, and filled from nowhere else?

        Whoever goes over the parts of a network, and puts layers into those that he finds, names no attribute.
        """
        mentions = self._project.computed(Mentions)
        if self._filled is None:
            self._filled = any(not _is_of_self(node) for _, node in mentions.of(FILLS, attributes=True)) or any(
                not self._only_tells(*place) for place in mentions.of(_GIVES_PARTS, attributes=True))
        return not self._filled and not self._is_spelled(name) and all(
            self._looks(*place) for place in mentions.of({name}, attributes=True))

    def go_by_name(self, name: str) -> bool:
        """Is a layer of that name only ever put into a network by an assignment to it?

        Not into the dictionary that Python finds it in, nor under a name in a string.
        """
        return self.put_beside(name) == []

    def put_beside(self, name: str) -> list[Put] | None:
        """What may be put into a network under that name, beside what is assigned to it; None where that is open.

        That is what is written as an item of the dictionary that Python finds layers in: ``net._modules[x] = y``.
        """
        mentions = self._project.computed(Mentions)
        if self._open_table is None:
            self._open_table = any(True for _ in mentions.of(HOOK_TABLES, attributes=True)) or (
                mentions.is_written(_TABLE)) or _TABLE in self._project.computed(stores)
        if self._open_table or any(self._may_add(*place, name) for place in mentions.of(_ADDING, attributes=True)):
            return None
        found = []
        for path, table in mentions.of({_TABLE}, attributes=True):
            value = self._put_as_item(path, table)
            if value is not None:
                found.append((path, value))
            elif not self._only_asks(path, table):
                return None
        return found

    def _put_as_item(self, path: str, table: ast.AST) -> ast.expr | None:
        """What a statement puts into the table of layers, where it does nothing else with it."""
        item = self._project.parent(path, table)
        above = self._project.parent(path, item) if isinstance(item, ast.Subscript) and item.value is table else None
        return above.value if isinstance(above, ast.Assign) and above.targets == [item] else None

    def _only_asks(self, path: str, table: ast.AST) -> bool:
        """Does a place that names the table of layers only take layers out: ``net._modules.items()``?"""
        above = self._project.parent(path, table)
        if isinstance(above, ast.Attribute):
            call = self._project.parent(path, above)
            return above.attr in _GIVES and isinstance(call, ast.Call) and call.func is above
        if isinstance(above, ast.Subscript):
            return above.value is table and isinstance(above.ctx, ast.Load)
        if isinstance(above, (ast.For, ast.comprehension)):
            return above.iter is table
        return isinstance(above, ast.Compare)

    def _may_add(self, path: str, asked: ast.AST, name: str) -> bool:
        """May a place that asks for ``add_module`` put a layer under that name?"""
        call = self._project.parent(path, asked)
        if not isinstance(call, ast.Call) or call.func is not asked or call.keywords or len(call.args) != 2:
            return True
        start, end = ends_of(call.args[0])
        return name == start if isinstance(call.args[0], ast.Constant) else (
            name.startswith(start) and name.endswith(end))

    def _is_spelled(self, name: str) -> bool:
        """May something be asked for an attribute of that name by a string?"""
        return self._project.computed(Mentions).is_written(name) or any(
            each.may_be(name) for each in self._project.computed(CallGraph).built_names())

    def _only_tells(self, path: str, asked: ast.AST) -> bool:
        """Does a place that goes over the parts of a network put nothing into one, nor hand one on?"""
        call = self._project.parent(path, asked)
        above = self._project.parent(path, call) if isinstance(call, ast.Call) and call.func is asked else None
        if isinstance(asked, ast.Attribute) and asked.attr == "apply":
            return isinstance(call, ast.Call) and call.func is asked and self._tells_when_applied(path, call)
        if isinstance(above, (ast.For, ast.comprehension)) and above.iter is call:
            names = {each.id for each in walk(above.target) if isinstance(each, ast.Name)}
            return self._only_asked(path, self._project.scope(path, asked), names)
        return isinstance(above, ast.Call) and last_word(above.func) == "len"

    def _tells_when_applied(self, path: str, call: ast.Call) -> bool:
        """Does ``net.apply(f)`` hand parts to a function that puts nothing into them?

        A network's takes one, and the network where its class is asked (``Module.apply(net, f)``): given more it is
        another's, as that of an operation is (``Exp.apply(x, y, n)``).
        """
        if len(call.args) > 2 and not any(isinstance(each, ast.Starred) for each in call.args):
            return True
        f = self._project.resolve(path, None, call.args[0]) if len(call.args) == 1 and not call.keywords else None
        if not isinstance(f, ProjectFunction):
            run = self._project.resolve(path, None, call.func) if isinstance(call.func, ast.Attribute) else None
            return isinstance(run, ProjectFunction) or (
                isinstance(run, External) and not run.name.startswith("torch.nn."))
        return self._only_asked(f.path, f.node, {each.arg for each in parameters_of(f.node)})

    def _only_asked(self, path: str, around: ast.AST, names: set[str]) -> bool:
        """Are parts of a network that names stand for only asked for what they have?"""
        for node in walk(around):
            if is_read(node, names):
                above = self._project.parent(path, node)
                if not (isinstance(above, ast.Attribute) and above.attr not in ADDS_LAYERS) and not (
                        isinstance(above, ast.Call) and above.func is not node and last_word(above.func) in TELLING):
                    return False
        return True

    def _sets_any(self, init: ast.AST) -> bool:
        """Does the class of ``init`` bind attributes whose names are not written down?"""
        around = next((cls for cls in self._project.classes() if init in cls.node.body), None)
        calls = [n for n in walk(around.node) if isinstance(n, ast.Call)] if around is not None else []
        return any(isinstance(call.func, ast.Name) and call.func.id == "setattr" and len(call.args) > 1
                   and not isinstance(call.args[1], ast.Constant) for call in calls)

    def _looks(self, path: str, node: ast.AST) -> bool:
        """Does a place that names the attribute only look at what it holds, or replace it as a whole?"""
        above = self._project.parent(path, node)
        if isinstance(above, ast.Attribute):
            return above.attr not in ADDS_LAYERS and isinstance(above.ctx, ast.Load)
        if isinstance(above, ast.Subscript):
            return above.value is not node or isinstance(above.ctx, ast.Load)
        if isinstance(above, (ast.For, ast.comprehension)):
            return above.iter is node
        if isinstance(above, ast.Call):
            return above.func is node or last_word(above.func) in ITERATING | TELLING
        return isinstance(above, (ast.Starred, ast.Compare))


def _is_of_self(node: ast.AST) -> bool:
    """Is something asked of the object of a method, whose class says what it holds?"""
    return isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == "self"
