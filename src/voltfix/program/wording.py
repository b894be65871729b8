"""What is joined to text is text: Python adds nothing else to a string, and joins nothing else.

``line + words[index]`` says of what lies in ``words`` that it is no tensor, and so that ``words`` is none.
"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from voltfix.program.bindings import Builtin
from voltfix.program.scopes import FUNCTIONS, Definition, is_said_outer
from voltfix.program.walking import walk

if TYPE_CHECKING:
    from voltfix.program.rebound import Rebound
    from voltfix.program.resolve import Project

_OPERATORS = ("__add__", "__radd__")  # an object that has them may be joined to text, too
_GIVE_TEXT = frozenset({"format", "join"})  # methods of text


class Wording:
    """Answers for the expressions of a project, remembered."""

    def __init__(self, project: Project, rebound: Rebound) -> None:
        self._project = project
        self._rebound = rebound
        self._known: dict[ast.AST, bool] = {}
        self._names: dict[tuple[ast.AST, str], bool] = {}
        self._as_python: bool | None = None

    def is_joined(self, path: str, asked: ast.AST) -> bool:
        """Would Python raise where this is anything but text?"""
        if asked not in self._known:
            self._known[asked] = self._is_beside_text(path, asked) and self._adds_as_python()
        return self._known[asked]

    def _adds_as_python(self) -> bool:
        """Does no class of the project say itself what adding something to its objects is?"""
        if self._as_python is None:
            self._as_python = not any(self._rebound.is_assigned(name) or any(
                name in self._project.names_in(cls.path, cls.node) for cls in self._project.classes())
                for name in _OPERATORS)
        return self._as_python

    def _is_beside_text(self, path: str, asked: ast.AST) -> bool:
        above = self._project.parent(path, asked)
        if isinstance(above, ast.BinOp) and isinstance(above.op, ast.Add):
            return self._is_text(path, above.right if above.left is asked else above.left)
        if isinstance(above, ast.AugAssign) and isinstance(above.op, ast.Add):
            return above.value is asked and self._is_text(path, above.target)
        if isinstance(above, (ast.List, ast.ListComp, ast.GeneratorExp)):
            call = self._project.parent(path, above)
            return isinstance(call, ast.Call) and call.args == [above] and isinstance(call.func, ast.Attribute) and (
                call.func.attr == "join" and self._is_text(path, call.func.value))
        return False

    def _is_text(self, path: str, node: ast.expr) -> bool:
        """Is an expression a string, whatever goes into it? What is added to a string makes one, or Python raises."""
        if isinstance(node, ast.Constant):
            return isinstance(node.value, str)
        if isinstance(node, ast.BinOp):
            if isinstance(node.op, ast.Mod):
                return self._is_text(path, node.left)
            return isinstance(node.op, ast.Add) and (self._is_text(path, node.left) or self._is_text(path, node.right))
        if isinstance(node, ast.Call):
            called = node.func
            if isinstance(called, ast.Attribute):
                return called.attr in _GIVE_TEXT and self._is_text(path, called.value)
            return self._project.resolve(path, None, called) == Builtin("str")
        return isinstance(node, ast.JoinedStr) or (isinstance(node, ast.Name) and self._is_name_of_text(path, node))

    def _is_name_of_text(self, path: str, name: ast.Name) -> bool:
        """Does a name of a function stand for text alone? It does while nothing else was ever bound to it."""
        scope = self._project.scope(path, name)
        if not isinstance(scope, FUNCTIONS) or name.id not in self._project.names_in(path, scope) or is_said_outer(
                walk(scope), name.id):
            return False
        if (scope, name.id) not in self._names:
            before = dict(self._names)
            self._names[scope, name.id] = True  # what is made of itself is what it was
            found = self._project.definitions(path, scope, name.id)
            begun = any(each.value is not None for each in found)
            if not begun or not all(self._binds_text(path, each) for each in found):
                self._names = {**before, (scope, name.id): False}  # what was found out meanwhile need not be so
        return self._names[scope, name.id]

    def _binds_text(self, path: str, found: Definition) -> bool:
        if found.value is not None:
            return self._is_text(path, found.value)
        return isinstance(found.node, ast.AugAssign) and isinstance(found.node.op, ast.Add)
