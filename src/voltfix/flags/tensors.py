"""Is the ``x`` of ``x.volatile`` a tensor?

Flow-insensitive: what the name is assigned, how else it is used, what callers hand over. Where nothing tells,
it counts as one in files that use torch, unless something else with such an attribute is in sight.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Literal

from voltfix.flags.propagation import Passing
from voltfix.program.annotated import Annotated, declared
from voltfix.program.arguments import arguments_for
from voltfix.program.bindings import (
    Ambiguous,
    Binding,
    Builtin,
    External,
    Local,
    ProjectClass,
    ProjectFunction,
    ProjectModule,
)
from voltfix.program.mentioned import last_word
from voltfix.program.ofclass import is_readable, objects_handed
from voltfix.program.resolve import VARIABLE, Project
from voltfix.program.scopes import Scope
from voltfix.program.walking import walk
from voltfix.torchmodel.names import is_settings
from voltfix.torchmodel.tables import TENSOR_USES

Verdict = Literal["tensor", "other", "unknown"]

_NO_TENSORS = frozenset({"argparse", "chainer", "clang", "collections", "onnx", "wandb"})
_DEEPEST = 6


class Tensors:
    """Judges receivers of ``.volatile``."""

    def __init__(self, project: Project, passing: Passing) -> None:
        self.project = project
        self._passing = passing
        self._annotated = project.computed(Annotated)
        own = [cls for cls in project.classes() if self._owns(cls)]
        self._owners = own + [cls for cls in project.classes() if own and any(
            self._annotated.named(cls.path, said) in own for said in declared(cls).values())]
        self._busy: set[ast.AST] = set()
        self._torch: dict[str, bool] = {}
        self._chainer: dict[str, bool] = {}
        self._used: dict[ast.AST, frozenset[str]] = {}  # scope -> texts of what is used as a tensor in it

    def is_tensor(self, path: str, receiver: ast.expr) -> bool:
        """Does ``receiver.volatile`` ask a tensor?"""
        verdict = self.judge(path, receiver)
        if verdict != "unknown":
            return verdict == "tensor"
        if not self._uses_torch(path):
            return False
        return not self._other_in_sight(path)

    def judge(self, path: str, expression: ast.expr, depth: int = 0) -> Verdict:
        """What is known of ``expression``."""
        if depth > _DEEPEST or expression in self._busy:
            return "unknown"
        self._busy.add(expression)
        try:
            return self._judge(path, expression, depth)
        finally:
            self._busy.discard(expression)

    def _judge(self, path: str, expression: ast.expr, depth: int) -> Verdict:
        if isinstance(expression, (ast.Constant, ast.Lambda, ast.Dict, ast.Set, ast.JoinedStr, ast.Compare)):
            return "other"
        if isinstance(expression, ast.Subscript):
            return _only_tensor(self.judge(path, expression.value, depth + 1))
        if isinstance(expression, (ast.List, ast.Tuple)) and expression.elts:
            return _only_tensor(self.judge(path, expression.elts[0], depth + 1))
        if isinstance(expression, ast.BinOp):
            return _only_tensor(self._all(path, [expression.left, expression.right], depth))
        if isinstance(expression, ast.IfExp):
            return self._all(path, [expression.body, expression.orelse], depth)
        if isinstance(expression, ast.Call):
            return self._call(path, expression, depth)
        if isinstance(expression, (ast.Name, ast.Attribute)):
            return self._name(path, expression, depth)
        return "unknown"

    def _all(self, path: str, expressions: list[ast.expr], depth: int) -> Verdict:
        found = {self.judge(path, e, depth + 1) for e in expressions}
        if "tensor" in found:
            return "tensor"
        return "other" if found == {"other"} else "unknown"

    # --- calls ---------------------------------------------------------------------------------------------

    def _call(self, path: str, call: ast.Call, depth: int) -> Verdict:
        binding = self.project.resolve(path, None, call.func)
        flags, _ = self._passing.of_call(path, call)
        if flags.direct or (flags and not isinstance(binding, ProjectClass)):
            return "tensor"
        if isinstance(binding, ProjectClass):
            return "tensor" if External(VARIABLE) in self.project.mro(binding) else "other"
        if isinstance(binding, External):
            return self._external_call(binding.name)
        if isinstance(binding, Builtin):
            return "unknown" if binding.name in ("next", "getattr", "sum", "min", "max") else "other"
        if isinstance(call.func, ast.Attribute) and call.func.attr in TENSOR_USES:
            return _only_tensor(self.judge(path, call.func.value, depth + 1))
        return "unknown"

    def _external_call(self, name: str) -> Verdict:
        head = name.split(".")[0]
        if head == "torch":
            made = name.split(".")[-1]
            return "unknown" if made in ("DataLoader", "load") or made[:1].isupper() else "tensor"
        return "other" if head in _NO_TENSORS else "unknown"

    # --- names ---------------------------------------------------------------------------------------------

    def _name(self, path: str, expression: ast.Name | ast.Attribute, depth: int) -> Verdict:
        table = self.project.table(path)
        scope = table.owner.get(expression) if table is not None else None
        if scope is None:
            return "unknown"
        cls = self.project.hierarchy.instance(path, scope, expression) or self._annotated.of(path, expression)
        if cls is not None:
            return "tensor" if External(VARIABLE) in self.project.mro(cls) else "other"
        binding = self.project.resolve(path, None, expression)
        if isinstance(binding, (External, ProjectClass, ProjectFunction, ProjectModule, Builtin)):
            return "other"
        found = self._binding(binding, depth)
        handed = self.project.computed(objects_handed).classes(path, expression) if found == "unknown" else ()
        if handed and not any(External(VARIABLE) == above or not is_readable(above)
                              for each in handed for above in self.project.mro(each)):
            return "other"
        if found == "unknown" and is_settings(last_word(expression) or ""):
            return "other"
        return self._by_use(path, scope, expression) if found == "unknown" else found

    def _binding(self, binding: Binding, depth: int) -> Verdict:
        if not isinstance(binding, Local):
            return "unknown"
        found: set[Verdict] = {self.judge(binding.path, value, depth + 1) for value in binding.values}
        if binding.parameter is not None and depth < _DEEPEST:
            handed = arguments_for(self.project, binding.path, binding.parameter)
            found |= {self.judge(path, value, depth + 1) for path, value in handed}
        if "tensor" in found:
            return "tensor"
        return "other" if found == {"other"} and binding.complete else "unknown"

    def _by_use(self, path: str, scope: Scope, expression: ast.expr) -> Verdict:
        """How the same expression is used elsewhere in its function.

        What a class of this file declares beside its ``volatile`` tells nothing, nor does any use where tensors are
        chainer's: its Variable has the same methods.
        """
        if self._speaks_chainer(path):
            return "unknown"
        if scope.node not in self._used:
            own = {name for cls in self._owners if cls.path == path for name in declared(cls)}
            self._used[scope.node] = frozenset(map(ast.unparse, _used_as_tensors(scope.node, TENSOR_USES - own)))
        return "tensor" if ast.unparse(expression) in self._used[scope.node] else "unknown"

    # --- other things called volatile ----------------------------------------------------------------------

    def _owns(self, cls: ProjectClass) -> bool:
        """Has a class that is no tensor an attribute of its own called volatile?"""
        if External(VARIABLE) in self.project.mro(cls):
            return False
        if "volatile" in self.project.hierarchy.stored(cls) or "volatile" in declared(cls):
            return True
        return bool(self.project.definitions(cls.path, cls.node, "volatile"))

    def _other_in_sight(self, path: str) -> bool:
        """Is something else with such an attribute defined in this file, or imported into it?"""
        table = self.project.table(path)
        if table is None:
            return False
        if any(cls.path == path for cls in self._owners) or _makes_records(table.root.node):
            return True
        for name in table.root.definitions:
            binding = self.project.lookup(path, table.root, name)
            for found in binding.candidates if isinstance(binding, Ambiguous) else (binding,):
                if found in self._owners:
                    return True
        return False

    def _uses_torch(self, path: str) -> bool:
        """Does the file import torch, itself or by way of a star import? Documents leave imports out."""
        if path not in self._torch:
            heads = self.project.imported_libraries(path)
            document = self.project.modules[path].kind != "python"
            open_ended = document or bool(self.project.open_stars(path))
            used = "torch" in heads or open_ended or self._calls_variable(path)
            self._torch[path] = "chainer" not in heads and used
        return self._torch[path]

    def _speaks_chainer(self, path: str) -> bool:
        """Does the file import chainer, and no torch?"""
        if path not in self._chainer:
            heads = self.project.imported_libraries(path)
            self._chainer[path] = "chainer" in heads and "torch" not in heads
        return self._chainer[path]

    def _calls_variable(self, path: str) -> bool:
        """Does a snippet call torch's Variable without importing it?"""
        found = (call for at, call in self._passing.calls if at == path)
        return any(self.project.resolve(path, None, call.func) == External(VARIABLE) for call in found)


def _only_tensor(verdict: Verdict) -> Verdict:
    return "tensor" if verdict == "tensor" else "unknown"


def _used_as_tensors(scope: ast.AST, uses: frozenset[str]) -> Iterator[ast.expr]:
    for node in walk(scope):
        if isinstance(node, ast.Attribute) and node.attr in uses:
            yield node.value
        elif isinstance(node, (ast.For, ast.comprehension)) and _asks_net(node.iter, "parameters"):
            yield node.target
        elif isinstance(node, (ast.For, ast.comprehension)) and _asks_net(node.iter, "named_parameters"):
            yield from node.target.elts[1:] if isinstance(node.target, ast.Tuple) else ()


def _asks_net(node: ast.AST, name: str) -> bool:
    return isinstance(node, ast.Call) and last_word(node.func) == name


def _makes_records(tree: ast.AST) -> bool:
    """Does the file make a namedtuple with a field called volatile?"""
    for node in walk(tree):
        made = isinstance(node, ast.Call) and last_word(node.func) in ("namedtuple", "NamedTuple")
        if made and "volatile" in ast.unparse(node):
            return True
    return False
