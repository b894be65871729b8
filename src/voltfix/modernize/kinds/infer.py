"""Answers on demand what kind of value an expression has; flow-sensitive in a function, by callers across
them."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from functools import cached_property

from voltfix.modernize.kinds import external, tensors
from voltfix.modernize.kinds.reaching import Reach, Reaching, in_order
from voltfix.modernize.kinds.sent import Sent
from voltfix.modernize.kinds.tables import ASKED, CASTS, COMPARISONS, NN_PLUMBING, SHARED, TELLING
from voltfix.modernize.kinds.values import (
    NONE,
    NOTHING,
    NUMBER,
    NUMPY,
    OTHER,
    UNKNOWN,
    Guess,
    Instance,
    Kind,
    Many,
    Tensor,
    join,
    many,
)
from voltfix.program.arguments import arguments_for
from voltfix.program.bindings import (
    Ambiguous,
    Binding,
    Builtin,
    External,
    Local,
    ProjectClass,
    ProjectFunction,
)
from voltfix.program.resolve import Project, find_scope
from voltfix.program.scopes import FUNCTIONS, Function
from voltfix.program.walking import children

_DEEPEST = 40
_MOST_STEPS = 4_000
_MOST_PASSES = 4
_LIMIT = ast.Pass()  # stands among what an evaluation rests on for a limit that was hit
_RIVALS = frozenset({"chainer", "tensorflow", "mxnet", "theano", "paddle", "jax", "cupy"})
_TABLES = frozenset({"pandas", "polars", "pyspark", "dask", "xarray"})
_ARRAYS = _RIVALS | _TABLES | {"numpy", "scipy", "tinygrad"}


class Kinds:
    """What values are, over a project. ``torch_paths``: the modules that import torch."""

    def __init__(self, project: Project, torch_paths: frozenset[str]) -> None:
        self.project, self.torch_paths = project, torch_paths
        self._memo: dict[ast.AST, Kind] = {}
        self._busy: set[ast.AST] = set()
        self._assumed: dict[ast.AST, Kind] = {}
        self._rests: list[set[ast.AST]] = []  # what evaluations in progress rest on
        # what was found while it rested on others: as long as those are in progress and nothing has grown, it holds
        self._early: dict[ast.AST, tuple[int, frozenset[ast.AST], Kind]] = {}
        self._steps = self._growth = 0
        self._outputs: dict[ast.AST, tuple[list[ast.expr | None], list[ast.expr | None]]] = {}
        self._reaching: dict[ast.AST, Reaching] = {}
        self._speaks: dict[str, bool] = {}
        self._sent: dict[str, Sent] = {}

    def of(self, path: str, expression: ast.expr) -> Kind:
        """The kind of ``expression``, where it stands."""
        if expression in self._memo:
            return self._memo[expression]
        if not self._busy:
            self._steps = 0
            self._early.clear()
        found = self._settled(expression, lambda: self._evaluated(path, expression))
        return UNKNOWN if found == NOTHING and not self._busy else found

    def _settled(self, key: ast.AST, evaluate: Callable[[], Kind]) -> Kind:
        """What ``evaluate`` says of ``key``, run until it agrees with what it says while it is being run.

        Where a value depends on itself (in loops, by recursion) it begins as ``nothing`` and grows; one
        that does not settle is unknown. What rests on a value that is not settled yet is not kept.
        """
        if key in self._memo:
            return self._memo[key]
        self._steps += 1
        if key in self._busy:
            self._rests[-1].add(key)
            return self._assumed.get(key, NOTHING)
        early = self._early.get(key)
        if (
            early is not None
            and early[0] == self._growth
            and all(rest in self._busy or rest is _LIMIT for rest in early[1])
        ):
            self._rests[-1] |= early[1]
            return early[2]
        if self._steps > _MOST_STEPS or len(self._busy) > _DEEPEST:
            self._rests[-1].add(_LIMIT)
            return UNKNOWN
        self._busy.add(key)
        rests: set[ast.AST] = set()
        self._rests.append(rests)
        found: Kind = UNKNOWN
        for _ in range(_MOST_PASSES):
            found = evaluate()
            assumed = self._assumed.get(key, NOTHING)
            if key not in rests or (grown := join([assumed, found])) == assumed:
                break
            self._assumed[key] = grown
            self._growth += 1
        else:
            found = UNKNOWN
        self._rests.pop()
        self._busy.discard(key)
        self._assumed.pop(key, None)
        rests.discard(key)
        if not rests or not self._busy:
            self._memo[key] = UNKNOWN if found == NOTHING and not self._busy else found
        else:
            self._rests[-1] |= rests
            self._early[key] = (self._growth, frozenset(rests), found)
        return found

    def reaches(self, path: str, name: ast.Name) -> frozenset[Reach]:
        """The definitions of the function around that reach a use of a name."""
        return self.reaching(self._body(path, name)).uses.get(name, frozenset())

    def reaching(self, node: ast.AST) -> Reaching:
        """The reaching definitions of a function or module body."""
        if node not in self._reaching:
            self._reaching[node] = Reaching(node)
        return self._reaching[node]

    def speaks_torch(self, path: str) -> bool:
        """May the use that a module makes of a value tell that it is a tensor?

        So it is where torch is imported and no library whose arrays look like torch's; and in helpers of
        such a project that import neither torch nor any library of arrays.
        """
        if path not in self._speaks:
            heads = self._imported(path)
            if path in self.torch_paths:
                self._speaks[path] = heads.isdisjoint(_RIVALS)
            else:
                rivals = any(not self._imported(other).isdisjoint(_RIVALS) for other in self.project.paths)
                self._speaks[path] = bool(self.torch_paths) and not rivals and heads.isdisjoint(_ARRAYS)
        return self._speaks[path]

    def _imported(self, path: str) -> set[str]:
        table = self.project.table(path)
        definitions = table.root.definitions.values() if table is not None else ()
        return {d.source.module.split(".")[0] for found in definitions for d in found if d.source is not None}

    # --- expressions ---------------------------------------------------------------------------------------

    def _evaluated(self, path: str, node: ast.expr) -> Kind:
        if isinstance(node, ast.Constant):
            return _constant(node.value)
        if isinstance(node, ast.Name):
            return self._name(path, node)
        if isinstance(node, ast.Call):
            return self._call(path, node)
        if isinstance(node, ast.Attribute):
            return self._attribute(path, node)
        if isinstance(node, ast.Subscript):
            return self._subscript(path, node)
        if isinstance(node, ast.BinOp):
            return tensors.arithmetic(self.of(path, node.left), self.of(path, node.right), node.op)
        if isinstance(node, ast.UnaryOp):
            return OTHER if isinstance(node.op, ast.Not) else self.of(path, node.operand)
        if isinstance(node, ast.Compare):
            return self._compared(path, node)
        return self._compound(path, node)

    def _compound(self, path: str, node: ast.expr) -> Kind:
        if isinstance(node, ast.IfExp):
            return join([self.of(path, node.body), self.of(path, node.orelse)])
        if isinstance(node, ast.BoolOp):
            return join(self.of(path, value) for value in node.values)
        if isinstance(node, (ast.List, ast.Tuple)):
            if any(isinstance(element, ast.Starred) for element in node.elts):
                return Many(None, UNKNOWN)
            return many(self.of(path, element) for element in node.elts)
        if isinstance(node, (ast.ListComp, ast.GeneratorExp)):
            return Many(None, self.of(path, node.elt))
        if isinstance(node, ast.NamedExpr):
            return self.of(path, node.value)
        if isinstance(node, (ast.Dict, ast.Set, ast.SetComp, ast.DictComp, ast.JoinedStr, ast.Lambda)):
            return OTHER
        return UNKNOWN

    def _compared(self, path: str, node: ast.Compare) -> Kind:
        if len(node.ops) != 1 or isinstance(node.ops[0], (ast.Is, ast.IsNot, ast.In, ast.NotIn)):
            return OTHER
        left, right = self.of(path, node.left), self.of(path, node.comparators[0])
        if isinstance(left, Tensor) or isinstance(right, Tensor):
            return tensors.comparison(left, right, ordered=not isinstance(node.ops[0], (ast.Eq, ast.NotEq)))
        return UNKNOWN if UNKNOWN in (left, right) else NUMPY if NUMPY in (left, right) else OTHER

    def _subscript(self, path: str, node: ast.Subscript) -> Kind:
        base = self.of(path, node.value)
        if isinstance(base, Tensor):
            index = node.slice
            at = None if isinstance(index, ast.Slice) else self.of(path, index)
            return _like(base, tensors.indexed(base, index, at))
        if isinstance(base, Many):
            if isinstance(node.slice, ast.Slice):
                return Many(None, base.element)
            return base.item(_integer(node.slice))
        return base if base in (NUMPY, NOTHING) else UNKNOWN

    def _attribute(self, path: str, node: ast.Attribute) -> Kind:
        binding = self.project.resolve(path, None, node)
        if isinstance(binding, Local):
            found = self._local(binding)
            if found != UNKNOWN:
                return found
        elif isinstance(binding, (ProjectFunction, ProjectClass, Builtin, External)):
            return OTHER
        base = self.of(path, node.value)
        if base == UNKNOWN and self.speaks_torch(path) and self._tells(path, node):
            base = Tensor(guessed=self.guess(node.attr))
        if isinstance(base, Tensor):
            return _like(base, tensors.attribute(base, node.attr))
        if isinstance(base, Instance) and isinstance(base.cls, ProjectClass):
            return self._stored(base.cls, node.attr)
        if base == NUMPY:
            return NUMPY
        if isinstance(base, Instance) and node.attr in ("weight", "bias"):
            return Tensor()
        return NOTHING if base == NOTHING else UNKNOWN

    def _stored(self, cls: ProjectClass, name: str) -> Kind:
        binding = self.project.hierarchy.on_instance(cls, name)
        return self._local(binding) if isinstance(binding, Local) else UNKNOWN

    # --- names ---------------------------------------------------------------------------------------------

    def _name(self, path: str, node: ast.Name) -> Kind:
        reached = self.reaches(path, node)
        found = self._defined(path, reached) if reached else self._free(path, node)
        if isinstance(found, Many) and found.items is not None:
            found = self._filled(path, node, reached, found)
        if found == UNKNOWN and (told := self._told(path, node, reached)) is not None:
            found = Tensor(plain=self._handed_data(path, reached) or None, guessed=told)
        may_grow = found == UNKNOWN or (isinstance(found, Tensor) and not found.single)
        if may_grow and self._goes_backward(path, node, reached):
            return self._sent_backward(found)
        return found

    def _sent_backward(self, found: Kind) -> Tensor:
        """What ``backward()`` without a gradient is called on: of no class but the project's own, if not a tensor."""
        known = found if isinstance(found, Tensor) else Tensor(plain=False, guessed="own")
        return replace(known, single=True, guessed="own" if known.guessed and "backward" in self._own else "")

    def _filled(self, path: str, node: ast.Name, reached: frozenset[Reach], begun: Many) -> Kind:
        """A list as it is written down, with what is appended to it."""
        added = [begun.element] if begun.items else []
        before = len(added)
        for above in self._same_value(path, node, reached):
            call = self.project.parent(path, above)
            if isinstance(call, ast.Call) and call.func is above and above.attr == "append" and call.args:
                added.append(self.of(path, call.args[0]))
            elif above.attr in ("extend", "insert"):
                added.append(UNKNOWN)
        for use in self._same_uses(path, node, reached):
            item = self.project.parent(path, use)
            if isinstance(item, ast.Subscript) and item.value is use and isinstance(item.ctx, ast.Store):
                added.append(UNKNOWN)
        return Many(None, join(added)) if len(added) > before else begun

    def _free(self, path: str, node: ast.Name) -> Kind:
        """A name from around the function."""
        binding = self.project.resolve(path, None, node)
        if isinstance(binding, (ProjectFunction, ProjectClass, Builtin, External)):
            return OTHER
        table = self.project.table(path)
        scope = table.owner.get(node) if table is not None else None
        home = find_scope(scope, node.id) if scope is not None else None
        holder = home.node if home is not None else table.root.node if table is not None else None
        while isinstance(holder, (ast.ListComp, ast.SetComp, ast.GeneratorExp, ast.DictComp)):
            holder = self._body(path, holder)
        if holder is not None and node.id in (found := self.reaching(holder).all):
            return self._defined(path, found[node.id])
        return self._local(binding) if isinstance(binding, Local) else UNKNOWN

    def _local(self, binding: Local) -> Kind:
        kinds = [self.of(binding.path, value) for value in binding.values]
        if binding.parameter is not None:
            kinds.append(self._parameter(binding.path, binding.parameter))
        elif not binding.complete or not kinds:
            table = self.project.table(binding.path)
            found = self.reaching(table.root.node).all.get(binding.name) if table is not None else None
            kinds.append(self._defined(binding.path, found) if found else UNKNOWN)
        return join(kinds)

    def _defined(self, path: str, reached: Iterable[Reach]) -> Kind:
        return join([self._reach(path, reach) for reach in in_order(reached)])

    def _reach(self, path: str, reach: Reach) -> Kind:
        if reach.how == "parameter" and isinstance(reach.node, ast.arg):
            return self._parameter(path, reach.node)
        if reach.value is None or reach.how == "other":
            return UNKNOWN
        kind = self.of(path, reach.value)
        if reach.how == "aug" and isinstance(reach.node, ast.AugAssign):
            return self._augmented(path, reach.node, kind)
        if reach.how == "item":
            kind = self.items(kind)
        for index in reach.path:
            kind = kind.item(index) if isinstance(kind, Many) else self._unpacked(kind)
        return kind

    def _augmented(self, path: str, node: ast.AugAssign, kind: Kind) -> Kind:
        """What ``x`` is after ``x += value``."""
        assert isinstance(node.target, ast.Name)
        reached = self.reaches(path, node.target)
        before = self._settled(node, lambda: self._defined(path, reached))
        return tensors.arithmetic(before, kind, node.op)

    def items(self, kind: Kind) -> Kind:
        """What iterating yields."""
        if isinstance(kind, Many):
            return kind.element
        if isinstance(kind, Tensor):
            dim = None if kind.dim is None else max(kind.dim - 1, 0)
            return Tensor(dim, dtype=kind.dtype, guessed=kind.guessed)
        return kind if kind in (NOTHING, NUMPY) else UNKNOWN

    def _unpacked(self, kind: Kind) -> Kind:
        return self.items(kind)

    def _parameter(self, path: str, parameter: ast.arg) -> Kind:
        return self._settled(parameter, lambda: self._handed(path, parameter))

    def _handed(self, path: str, parameter: ast.arg) -> Kind:
        """What the callers hand over."""
        handed = [self.of(at, value) for at, value in arguments_for(self.project, path, parameter)]
        return join(handed) if handed and set(handed) != {NONE} else UNKNOWN

    # --- evidence by use -----------------------------------------------------------------------------------

    def _told(self, path: str, node: ast.Name, reached: frozenset[Reach]) -> Guess | None:
        """Is the same value used as a tensor is, and as what else? None if it is not."""
        if not self.speaks_torch(path):
            return None
        if any(self._into_torch(path, other) for other in self._same_uses(path, node, reached)):
            return ""
        asked = {above.attr for above in self._same_value(path, node, reached) if self._tells(path, above)}
        return _all_of({self.guess(name) for name in asked}) if asked else None

    def _tells(self, path: str, node: ast.Attribute) -> bool:
        """Is it asked what only a tensor can be asked? A method has to be called: ``args.cuda`` is an option."""
        call = self.project.parent(path, node)
        called = isinstance(call, ast.Call) and call.func is node
        asked = node.attr in ASKED and isinstance(node.ctx, ast.Load)  # anything can be given a flag
        return node.attr in TELLING and (called or asked)

    def guess(self, name: str) -> Guess:
        """What else may answer to a name that tensors are told by. Tables compare, where the project has any; what a
        class of the project defines may be asked of its objects."""
        if name in self._own:
            return "own"
        if name not in SHARED:
            return ""
        return "module" if name not in COMPARISONS else "table" if self._has_tables else ""

    def settled(self, base: Tensor, name: str) -> Guess:
        """What ``base`` may be besides a tensor, where it is asked for the method ``name``: modules do not compute,
        tables change no types. What a ``.data`` gave may still be an array or a table."""
        if not base.guessed or base.plain is True:
            return base.guessed
        if other := self.guess(name):
            return _all_of({base.guessed, other})
        return "table" if base.guessed == "table" and name not in CASTS and name not in TELLING else ""

    @cached_property
    def _own(self) -> frozenset[str]:
        """The names of methods of the project's classes, but for what autograd calls."""
        found: set[str] = set()
        for function in self.project.functions():
            cls = self.project.parent(function.path, function.node)
            method = isinstance(cls, ast.ClassDef) and not isinstance(function.node, ast.Lambda)
            if method and isinstance(cls, ast.ClassDef) and not self._is_of_autograd(function.path, cls):
                found.add(function.qualname.rpartition(".")[2])
        return frozenset(found)

    def _is_of_autograd(self, path: str, cls: ast.ClassDef) -> bool:
        bases = [self.project.resolve(path, None, base) for base in cls.bases]
        return any(isinstance(b, External) and b.name.startswith("torch.autograd.") for b in bases)

    @cached_property
    def _has_tables(self) -> bool:
        return any(not self._imported(path).isdisjoint(_TABLES) for path in self.project.paths)

    def _handed_data(self, path: str, reached: frozenset[Reach]) -> bool:
        """Is it a parameter that every caller hands ``something.data``?"""
        handed: list[ast.expr] = []
        for reach in reached:
            if reach.how != "parameter" or not isinstance(reach.node, ast.arg):
                return False
            handed += [value for _, value in arguments_for(self.project, path, reach.node)]
        return bool(handed) and all(isinstance(v, ast.Attribute) and v.attr == "data" for v in handed)

    def _into_torch(self, path: str, node: ast.Name) -> bool:
        """Is it handed to a loss or function of torch as its input?"""
        call = self.project.parent(path, node)
        if not isinstance(call, ast.Call) or not call.args or call.args[0] is not node:
            return False
        binding = self.project.resolve(path, None, call.func)
        if isinstance(binding, External):
            return binding.name.startswith("torch.nn.functional.")
        callee = self.of(path, call.func) if isinstance(binding, Local) else None
        return isinstance(callee, Instance) and isinstance(callee.cls, str) and callee.scalar

    def _goes_backward(self, path: str, node: ast.Name, reached: frozenset[Reach]) -> bool:
        """Is ``backward()`` called on the same value, without a gradient (so it has one element)?"""
        if not self.speaks_torch(path):
            return False
        for above in self._same_value(path, node, reached):
            call = self.project.parent(path, above) if above.attr == "backward" else None
            if isinstance(call, ast.Call) and call.func is above and not call.args:
                return True
        sent = self.sent(path)
        return bool(reached and reached <= sent.definitions) or any(
            reach.how == "value" and not reach.path and isinstance(reach.value, ast.Call)
            and self._made_backward(path, reach.value)
            for reach in reached
        )  # fmt: skip

    def _made_backward(self, path: str, call: ast.Call) -> bool:
        """Does the module call ``backward()`` on what the same callee made elsewhere?"""
        return self.callees(path, call.func) <= self.sent(path).callees and self._is_value(path, call.func)

    def sent(self, path: str) -> Sent:
        """What the module calls ``backward()`` on."""
        if path not in self._sent:
            self._sent[path] = Sent(self, path)
        return self._sent[path]

    def callees(self, path: str, func: ast.expr) -> set[str]:
        """What tells one callee from another: its text; for a name that calls made, what made it of what."""
        if isinstance(func, ast.Name):
            makers = {_maker(reach) for reach in self.reaches(path, func)}
            if makers and None not in makers:
                return {maker for maker in makers if maker is not None}
        return {ast.unparse(func)}

    def _is_value(self, path: str, callee: ast.expr) -> bool:
        found = self.project.resolve(path, None, callee)
        return not isinstance(found, (ProjectFunction, External, Builtin))

    def _same_value(self, path: str, node: ast.Name, reached: frozenset[Reach]) -> Iterator[ast.Attribute]:
        """The attributes that the function around asks of the same value."""
        for other in self._same_uses(path, node, reached):
            above = self.project.parent(path, other)
            if isinstance(above, ast.Attribute):
                yield above

    def _same_uses(self, path: str, node: ast.Name, reached: frozenset[Reach]) -> Iterator[ast.Name]:
        """The uses of the name in the function around that every definition of this one reaches."""
        for other, reaches in self.reaching(self._body(path, node)).uses.items():
            if other.id == node.id and bool(reached) == bool(reaches) and reached <= reaches:
                yield other

    # --- calls ---------------------------------------------------------------------------------------------

    def _call(self, path: str, call: ast.Call) -> Kind:
        binding = self.project.resolve(path, None, call.func)
        candidates = binding.candidates if isinstance(binding, Ambiguous) else (binding,)
        found = join([self._called(path, call, candidate) for candidate in candidates])
        may_grow = found == UNKNOWN or (isinstance(found, Tensor) and not found.single)
        if may_grow and self.speaks_torch(path) and self._made_backward(path, call):
            return self._sent_backward(found)
        return found

    def _called(self, path: str, call: ast.Call, binding: Binding) -> Kind:
        if isinstance(binding, External):
            made = external.called(self, path, call, binding.name)
            return replace(made, guessed="") if isinstance(made, Tensor) and made.guessed else made
        if isinstance(binding, ProjectFunction):
            return self.returned(binding)
        if isinstance(binding, ProjectClass):
            return Instance(binding)
        if isinstance(binding, Builtin):
            return external.builtin(self, path, call, binding.name)
        if isinstance(call.func, ast.Attribute):
            found = self._method(path, call, call.func)
            if found != UNKNOWN:
                return found
        return self.instance_called(self.of(path, call.func), path, call)

    def _method(self, path: str, call: ast.Call, func: ast.Attribute) -> Kind:
        base = self.of(path, func.value)
        if base == UNKNOWN and func.attr in TELLING and self.speaks_torch(path):
            cut = isinstance(func.value, ast.Attribute) and func.value.attr == "data"
            base = Tensor(plain=cut or None, guessed=self.guess(func.attr))
        if base == UNKNOWN and func.attr in ("size", "dim", "numel") and self.speaks_torch(path):
            return NUMBER if func.attr != "size" or call.args else UNKNOWN
        if isinstance(base, Tensor):
            made = tensors.method(self, path, base, func.attr, call, call.args)
            return _like(base, made, self.settled(base, func.attr))
        if isinstance(base, Instance):
            if func.attr in NN_PLUMBING:
                return base
            found = self.project.method(base.cls, func.attr) if isinstance(base.cls, ProjectClass) else None
            return self.returned(found) if isinstance(found, ProjectFunction) else UNKNOWN
        if isinstance(base, Many) and func.attr in ("pop", "next", "popleft"):
            return base.element
        return base if base in (NUMPY, NOTHING) else UNKNOWN

    def instance_called(self, kind: Kind, path: str, call: ast.Call) -> Kind:
        """What calling an object gives: of a class of the project, its ``forward`` or ``__call__``."""
        if not isinstance(kind, Instance):
            return NOTHING if kind == NOTHING else UNKNOWN
        if kind.others:
            each = (replace(kind, others=()), *kind.others)
            return join([self.instance_called(one, path, call) for one in each])
        if isinstance(kind.cls, str):
            return external.module_called(self, path, call, kind)
        for name in ("__call__", "forward"):
            found = self.project.method(kind.cls, name)
            if isinstance(found, ProjectFunction):
                return self.returned(found)
        return UNKNOWN

    def returned(self, function: ProjectFunction) -> Kind:
        """What a function of the project gives back, whoever calls it."""
        node = function.node
        return self._settled(node, lambda: self._returned(function.path, node))

    def _returned(self, path: str, node: Function) -> Kind:
        if isinstance(node, ast.Lambda):
            return self.of(path, node.body)
        if node not in self._outputs:
            self._outputs[node] = _outputs(node)
        values, yields = self._outputs[node]
        if yields:
            return Many(None, join(self.of(path, y) if y is not None else NONE for y in yields))
        return join([self.of(path, v) if v is not None else NONE for v in values]) if values else NONE

    def _body(self, path: str, node: ast.AST) -> ast.AST:
        """The function, lambda or module that a node stands in."""
        for above in self.project.parents(path, node):
            if isinstance(above, (*FUNCTIONS, ast.Module, ast.ClassDef)):
                return above
        return node


def _all_of(guesses: set[Guess]) -> Guess:
    """What something may be that answers to names of all these: no module compares, and no table moves."""
    if "" in guesses or guesses == {"module", "table"}:
        return ""
    return "own" if "own" in guesses else next(iter(guesses))


def _like(base: Tensor, made: Kind, settled: Guess | None = None) -> Kind:
    """What is made of a guess is one, unless that is settled."""
    guessed = base.guessed if settled is None else settled
    return replace(made, guessed=guessed) if base.guessed and isinstance(made, Tensor) else made


def _maker(reach: Reach) -> str | None:
    """The function and arguments of the call that made a value, without the object that it was asked of."""
    call = reach.value
    if reach.how != "value" or reach.path or not isinstance(call, ast.Call) or not call.args:
        return None
    name = call.func.attr if isinstance(call.func, ast.Attribute) else ast.unparse(call.func)
    return f"{name}({', '.join(map(ast.unparse, [*call.args, *(k.value for k in call.keywords)]))})"


def _constant(value: object) -> Kind:
    if value is None:
        return NONE
    return NUMBER if isinstance(value, (int, float)) else OTHER


def _integer(node: ast.expr) -> int | None:
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        inner = _integer(node.operand)
        return None if inner is None else -inner
    if isinstance(node, ast.Constant) and isinstance(node.value, int):
        return node.value
    return None


def _outputs(
    node: ast.FunctionDef | ast.AsyncFunctionDef,
) -> tuple[list[ast.expr | None], list[ast.expr | None]]:
    """What a function returns, and what it yields."""
    values: list[ast.expr | None] = []
    yields: list[ast.expr | None] = []
    pending: list[ast.AST] = list(node.body)
    while pending:
        child = pending.pop()
        if isinstance(child, ast.Return):
            values.append(child.value)
        if isinstance(child, ast.Yield):
            yields.append(child.value)
        if not isinstance(child, (*FUNCTIONS, ast.ClassDef)):
            pending += children(child)
    return values, yields
