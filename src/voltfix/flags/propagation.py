"""Which arguments of which calls are volatile flags.

torch's Variable takes one (keyword ``volatile``, third positional). A function of the project takes one where
a parameter of it is handed on, as it is, to a call that takes one: a fixed point over functions, methods,
lambdas, partials, constructors that store it on self, and ``*args``/``**kwargs``.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import replace
from functools import reduce

from voltfix.flags.handed import Handed
from voltfix.flags.possible import may_be_variable
from voltfix.program.arguments import accepts, arguments_for, default_of, is_static
from voltfix.program.bindings import (
    VARIABLE,
    Ambiguous,
    Binding,
    External,
    Local,
    ProjectClass,
    ProjectFunction,
    Unknown,
)
from voltfix.program.resolve import Project
from voltfix.program.scopes import FUNCTIONS, Function, Scope, parameters_of
from voltfix.records import dataclass
from voltfix.torchmodel.tables import COMMON_METHODS

_PARTIAL = frozenset({"functools.partial", "functools.partialmethod", "toolz.partial", "toolz.curry"})


@dataclass(frozen=True)
class Flags:
    """The volatile parameters of a callable. ``direct``: it is torch's Variable itself."""

    keywords: frozenset[str] = frozenset()
    positions: frozenset[int] = frozenset()  # from 0, of the arguments as the caller writes them
    direct: bool = False

    def __bool__(self) -> bool:
        return bool(self.keywords or self.positions)

    def shifted(self, by: int) -> Flags:
        """The same with ``by`` leading arguments filled already."""
        return replace(self, positions=frozenset(p - by for p in self.positions if p >= by))

    def common(self, other: Flags) -> Flags:
        """What both take."""
        keywords, positions = self.keywords & other.keywords, self.positions & other.positions
        return Flags(keywords, positions, self.direct and other.direct)

    def either(self, other: Flags) -> Flags:
        """What one of them takes."""
        return Flags(self.keywords | other.keywords, self.positions | other.positions)


NONE = Flags()
OF_VARIABLE = Flags(frozenset({"volatile"}), frozenset({2}), direct=True)
OF_PERHAPS = Flags(frozenset({"volatile"}))  # of what may be torch's Variable, or something else


@dataclass(frozen=True)
class Argument:
    """One argument of a call that is a flag, or may hold one.

    ``node`` is the keyword, or the positional expression (starred or not); ``value`` what is handed over;
    ``starred`` is "" for the flag itself, ``*`` or ``**`` for what is unpacked.
    """

    node: ast.AST
    value: ast.expr
    starred: str = ""
    keywords: frozenset[str] = frozenset()  # under which names a ** may hold it


class Passing:
    """The flags of every callable of a project."""

    def __init__(self, project: Project) -> None:
        self.project = project
        self._of_function: dict[Function, Flags] = {}
        self._on_self: dict[ProjectClass, set[str]] = {}
        self._methods: dict[str, list[ProjectFunction]] = {}
        self._method_names: dict[Function, str] = {}
        self._flagged: set[str] = set()  # names of methods that take a flag
        self._changed = True
        self._busy: set[object] = set()
        self._functions: dict[Function, ProjectFunction] = {}
        self._handed: Handed | None = None
        self._taking: list[ProjectFunction] = []  # take a flag, since what is handed over was looked for
        self._keywords = set(OF_VARIABLE.keywords)  # by which any flag so far goes
        self._fills = _fills_arguments(project)
        self._least = 0 if self._fills else min(OF_VARIABLE.positions)  # no flag stands before it
        self._index_methods()
        self._rebinds = any(_names_in_body(project, cls) for cls in project.classes())
        self.calls = [(path, call) for path in project.paths for call in _calls(project, path)]
        given = [(path, call) for path, call in self.calls if call.args or call.keywords]
        while self._changed:
            self._changed = False
            for path, call in given:
                if self.may_carry(call):
                    self._follow(path, call)

    def _index_methods(self) -> None:
        for function in self.project.functions():
            self._functions[function.node] = function
            if self.project.hierarchy.class_around(function.path, function.node) is not None:
                name = function.qualname.rsplit(".", 1)[-1]
                self._methods.setdefault(name, []).append(function)
                self._method_names[function.node] = name

    def may_carry(self, call: ast.Call) -> bool:
        """Could ``call`` hand a flag to anything that is known to take one? By its shape alone, without its names."""
        if len(call.args) > self._least or any(k.arg is None or k.arg in self._keywords for k in call.keywords):
            return True
        return any(isinstance(argument, ast.Starred) for argument in call.args)

    # --- what a callable takes -----------------------------------------------------------------------------

    def of_call(self, path: str, call: ast.Call) -> tuple[Flags, list[ast.expr]]:
        """The flags of what is called, and its positional arguments (without the function, for a partial)."""
        if call.args and self.fills_arguments(path, call):
            return self.of_callee(path, call.args[0], call), call.args[1:]
        return self.of_callee(path, call.func, call), call.args

    def of_callee(self, path: str, callee: ast.expr, call: ast.Call) -> Flags:
        """The flags of the expression ``callee``, called by ``call``."""
        binding = self.project.resolve(path, None, callee)
        if isinstance(binding, External) and binding.name == VARIABLE + ".__init__":
            bound = isinstance(callee, ast.Attribute) and isinstance(callee.value, ast.Call)
            return OF_VARIABLE if bound else replace(OF_VARIABLE, positions=frozenset({3}))
        found = self.of_binding(binding)
        if not found and isinstance(binding, (Unknown, Local)):
            found = self._of_value(path, callee, call, binding)
        said = any(keyword.arg == "volatile" for keyword in call.keywords)
        if found or not said or not may_be_variable(self.project, path, callee):
            return found
        return OF_PERHAPS

    def is_uncertain(self, path: str, node: ast.AST) -> bool:
        """Is it a call that says ``volatile=`` to what may be torch's Variable, and may be something else?"""
        return isinstance(node, ast.Call) and self.of_call(path, node)[0] is OF_PERHAPS

    def flags_of(self, function: Function) -> Flags:
        """The volatile parameters of a function of the project."""
        return self._of_function.get(function, NONE)

    def of_binding(self, binding: Binding) -> Flags:
        """The flags of what a name means."""
        if isinstance(binding, External):
            return OF_VARIABLE if binding.name == VARIABLE else NONE
        if isinstance(binding, ProjectFunction):
            return self._of_function.get(binding.node, NONE).shifted(int(binding.bound))
        if isinstance(binding, ProjectClass):
            return self._of_constructor(binding)
        if isinstance(binding, Ambiguous):
            return self._of_candidates(binding)
        if isinstance(binding, Local):
            return self._of_values(binding)
        return NONE

    def _of_candidates(self, binding: Ambiguous) -> Flags:
        """What all of them take; of functions of the project alone (overrides), what one of them takes."""
        taken = [self.of_binding(candidate) for candidate in binding.candidates]
        own = all(isinstance(candidate, ProjectFunction) for candidate in binding.candidates)
        return reduce(Flags.either if own else Flags.common, taken)

    def _of_constructor(self, cls: ProjectClass) -> Flags:
        for above in self.project.mro(cls):
            if above == External(VARIABLE):
                return replace(OF_VARIABLE, direct=False)
            if isinstance(above, ProjectClass):
                own = self.project.definitions(above.path, above.node, "__init__")
                if own and isinstance(own[-1].node, FUNCTIONS):
                    return self._of_function.get(own[-1].node, NONE).shifted(1)
        return NONE

    def _of_values(self, binding: Local) -> Flags:
        """A name that holds a partial, or an instance that is called."""
        if not binding.complete or binding in self._busy:
            return NONE
        self._busy.add(binding)
        try:
            found = [self._of_made(binding.path, v) for v in binding.values if isinstance(v, ast.Call)]
        finally:
            self._busy.discard(binding)
        return reduce(Flags.common, found) if found and len(found) == len(binding.values) else NONE

    def _of_made(self, path: str, value: ast.Call) -> Flags:
        if value.args and self.fills_arguments(path, value):
            inner = self.of_callee(path, value.args[0], value)
            return replace(inner.shifted(len(value.args) - 1), direct=False)
        scope = self._scope(path, value)
        cls = self.project.hierarchy.instance(path, scope, value) if scope is not None else None
        for name in ("__call__", "forward"):
            method = self.project.hierarchy.on_instance(cls, name) if cls is not None else Unknown()
            if found := self.of_binding(method):
                return found
        return NONE

    def _of_value(self, path: str, callee: ast.expr, call: ast.Call, binding: Binding) -> Flags:
        """The flags of something handed over, or of a method of an object that nobody here knows."""
        if isinstance(callee, ast.Call):
            return self._of_made(path, callee)
        if isinstance(binding, Local) and binding.parameter is not None:
            handed = [self.of_binding(b) for b in self._handed_over(binding)]
            known = [flags for flags in handed if flags]
            if known:
                return replace(reduce(Flags.common, known), direct=False)
        found = NONE
        if isinstance(callee, ast.Attribute):
            found = self._by_name((callee.attr,), call, callee.attr in COMMON_METHODS)
        return found or self._by_name(("forward", "__call__"), call, keywords_only=True)

    def _by_name(self, names: tuple[str, ...], call: ast.Call, keywords_only: bool) -> Flags:
        """What all methods of those names take that could accept ``call``; ``volatile=`` if one of them takes it.

        By keyword only where the name is common.
        """
        if self._flagged.isdisjoint(names) or (keywords_only and not call.keywords):
            return NONE
        methods = [method for name in names for method in self._methods.get(name, ())]
        able = [(m.node, filled) for m in methods if accepts(m.node, call, filled := _filled(m))]
        if not able:
            return NONE
        taken = [self._of_function.get(n, NONE).shifted(filled) for n, filled in able]
        said = reduce(Flags.either, taken).keywords & {k.arg for k in call.keywords if k.arg == "volatile"}
        found = reduce(Flags.common, taken)
        found = replace(found, keywords=found.keywords | said)
        return replace(found, positions=frozenset()) if keywords_only else found

    def _handed_over(self, binding: Local) -> Iterator[Binding]:
        """What callers hand over for a parameter, and its default."""
        if binding in self._busy or binding.parameter is None:
            return
        self._busy.add(binding)
        try:
            for path, value in self._given_for(binding.path, binding.parameter):
                yield self.project.resolve(path, None, value)
        finally:
            self._busy.discard(binding)

    def _given_for(self, path: str, parameter: ast.arg) -> Iterator[tuple[str, ast.expr]]:
        """What of it may take a flag: callers that hand over nothing of the kind are not looked for."""
        node = self._function_of(path, parameter)
        if node is None:
            return
        if self._handed is None:
            self._handed = Handed(self.project, self.fills_arguments)
        self._handed.add(self._taking)
        self._taking = []
        if self._handed.to(self._functions[node]):
            yield from arguments_for(self.project, path, parameter)
        elif (default := default_of(node, parameter)) is not None:
            yield path, default

    # --- where a flag comes from ---------------------------------------------------------------------------

    def arguments(self, path: str, call: ast.Call) -> tuple[Flags, list[Argument]]:
        """The flags of what is called, and the arguments that are flags or may hold one."""
        flags, positional = self.of_call(path, call)
        if not flags:
            return flags, []
        found = list(_positional(flags, positional))
        missing = flags.keywords - {keyword.arg for keyword in call.keywords if keyword.arg is not None}
        written = any(not argument.starred for argument in found)
        for keyword in call.keywords:
            if keyword.arg in flags.keywords:
                found.append(Argument(keyword, keyword.value))
            elif keyword.arg is None and missing and not written:
                found.append(Argument(keyword, keyword.value, "**", missing))
        return flags, found

    def _follow(self, path: str, call: ast.Call) -> None:
        _, found = self.arguments(path, call)
        for argument in found:
            if argument.starred == "**":
                self._mapping(path, argument)
            elif argument.starred == "*":
                self._rest(path, call, argument)
            else:
                self._origin(path, argument.value)

    def _origin(self, path: str, value: ast.expr, depth: int = 0) -> None:
        """Marks the parameters and attributes that ``value`` is, unchanged."""
        if depth > 20:
            return
        for part in _same_value(value):
            if isinstance(part, ast.Name):
                self._from_binding(self.project.resolve(path, None, part), depth)
            elif isinstance(part, ast.Attribute):
                self._from_attribute(path, part, depth)
            else:
                self._from_catch_all(path, part)

    def _from_binding(self, binding: Binding, depth: int) -> None:
        if not isinstance(binding, Local):
            return
        if binding.parameter is not None:
            self._mark(binding.path, binding.parameter)
        for value in binding.values:
            self._origin(binding.path, value, depth + 1)

    def _from_attribute(self, path: str, attribute: ast.Attribute, depth: int) -> None:
        scope = self._scope(path, attribute)
        hierarchy = self.project.hierarchy
        cls = hierarchy.instance(path, scope, attribute.value) if scope is not None else None
        if cls is None or attribute.attr in self._on_self.setdefault(cls, set()):
            return
        self._on_self[cls].add(attribute.attr)
        self._changed = True
        for member in hierarchy.family(cls):
            for value in hierarchy.stored(member).get(attribute.attr, ()):
                if value is not None:
                    self._origin(member.path if self._has(member.path, value) else cls.path, value, depth + 1)

    def _from_catch_all(self, path: str, value: ast.expr) -> None:
        """``kwargs.get("volatile", False)`` and its kin: the function takes a keyword of that name."""
        taken = _taken_from(value)
        if taken is None:
            return
        binding = self.project.resolve(path, None, taken[0])
        if isinstance(binding, Local) and binding.parameter is not None:
            function = self._function_of(binding.path, binding.parameter)
            if function is not None and function.args.kwarg is binding.parameter:
                self._add(function, frozenset({taken[1]}), frozenset())

    def _mark(self, path: str, parameter: ast.arg) -> None:
        function = self._function_of(path, parameter)
        if function is None or parameter in (function.args.vararg, function.args.kwarg):
            return
        positional = [*function.args.posonlyargs, *function.args.args]
        positions = frozenset({positional.index(parameter)} if parameter in positional else ())
        keywords = frozenset(() if parameter in function.args.posonlyargs else {parameter.arg})
        self._add(function, keywords, positions)

    def _mapping(self, path: str, argument: Argument) -> None:
        """``**kwargs``: the function's own catch-all hands on every name that no parameter of it takes."""
        binding = self.project.resolve(path, None, argument.value)
        if isinstance(binding, Local) and binding.parameter is not None:
            function = self._function_of(binding.path, binding.parameter)
            if function is not None and function.args.kwarg is binding.parameter:
                taken = {parameter.arg for parameter in parameters_of(function)}
                self._add(function, argument.keywords - taken, frozenset())
        values = [argument.value, *(binding.values if isinstance(binding, Local) else ())]
        for mapping in values:
            if isinstance(mapping, ast.Dict):
                for key, value in zip(mapping.keys, mapping.values, strict=True):
                    if isinstance(key, ast.Constant) and key.value in argument.keywords:
                        self._origin(path, value)
            elif isinstance(mapping, ast.Call) and getattr(mapping.func, "id", "") == "dict":
                for keyword in mapping.keywords:
                    if keyword.arg in argument.keywords:
                        self._origin(path, keyword.value)

    def _rest(self, path: str, call: ast.Call, argument: Argument) -> None:
        """``*args``: the function's own hands on positions."""
        binding = self.project.resolve(path, None, argument.value)
        if not isinstance(binding, Local) or binding.parameter is None:
            return
        function = self._function_of(binding.path, binding.parameter)
        if function is None or function.args.vararg is not binding.parameter:
            return
        flags, positional = self.of_call(path, call)
        before = next(n for n, given in enumerate(positional) if given is argument.node)
        start = len(function.args.posonlyargs) + len(function.args.args)
        positions = frozenset(p - before + start for p in flags.positions if p >= before)
        self._add(function, frozenset(), positions)

    def _add(self, function: Function, keywords: frozenset[str], positions: frozenset[int]) -> None:
        old = self._of_function.get(function, NONE)
        new = Flags(old.keywords | keywords, old.positions | positions)
        if new != old:
            self._of_function[function] = new
            self._taking += [self._functions[function]] if not old else []
            self._changed = True
            self._keywords |= keywords
            filled = int(self._rebinds or function in self._method_names)
            self._least = max(0, min([self._least, *(position - filled for position in positions)]))
            if function in self._method_names:
                self._flagged.add(self._method_names[function])

    # --- helpers -------------------------------------------------------------------------------------------

    def _function_of(self, path: str, parameter: ast.arg) -> Function | None:
        table = self.project.table(path)
        node = table.owner[parameter].node if table is not None else None
        return node if isinstance(node, FUNCTIONS) else None

    def _scope(self, path: str, node: ast.AST) -> Scope | None:
        table = self.project.table(path)
        return table.owner.get(node) if table is not None else None

    def _has(self, path: str, node: ast.AST) -> bool:
        table = self.project.table(path)
        return table is not None and node in table.owner

    def fills_arguments(self, path: str, call: ast.Call) -> bool:
        """Does a call make a partial of its first argument?"""
        if not self._fills or not isinstance(call.func, (ast.Name, ast.Attribute)):
            return False
        binding = self.project.resolve(path, None, call.func)
        return isinstance(binding, External) and binding.name in _PARTIAL


def _fills_arguments(project: Project) -> bool:
    """Does a module make partials, which take flags further to the front than their function does?"""
    return any("partial" in module.text or "curry" in module.text for module in project.modules.values())


def _names_in_body(project: Project, cls: ProjectClass) -> bool:
    """Does the body of a class bind a name to what stands elsewhere? A function that is bound so takes an instance."""
    return any(
        definition.source is not None
        or (definition.value is not None and not isinstance(definition.value, ast.Constant))
        for name in project.names_in(cls.path, cls.node)
        for definition in project.definitions(cls.path, cls.node, name)
    )


def _filled(function: ProjectFunction) -> int:
    """How many parameters an object in front of the dot fills."""
    return int(not (function.static or is_static(function.node)))


def _calls(project: Project, path: str) -> Iterator[ast.Call]:
    table = project.table(path)
    yield from table.calls if table is not None else ()


def _positional(flags: Flags, given: list[ast.expr]) -> Iterator[Argument]:
    for position, value in enumerate(given):
        if isinstance(value, ast.Starred):
            if any(flag >= position for flag in flags.positions):
                yield Argument(value, value.value, "*")
            return
        if position in flags.positions:
            yield Argument(value, value)


def _same_value(value: ast.expr) -> Iterator[ast.expr]:
    """The expressions whose value ``value`` may have, truth taken as it is."""
    waiting = [value]
    while waiting:
        part = waiting.pop()
        if isinstance(part, ast.IfExp):
            waiting += [part.body, part.orelse]
        elif isinstance(part, ast.BoolOp):
            waiting += part.values
        elif isinstance(part, ast.NamedExpr):
            waiting.append(part.value)
        elif isinstance(part, ast.Call) and isinstance(part.func, ast.Name) and part.func.id == "bool":
            waiting += part.args
        elif isinstance(part, (ast.Name, ast.Attribute, ast.Call, ast.Subscript)):
            yield part


def _taken_from(value: ast.expr) -> tuple[ast.Name, str] | None:
    """``name`` and key of ``name[key]``, ``name.get(key, ...)``, ``name.pop(key, ...)``."""
    holder: ast.expr | None = None
    key: ast.expr | None = None
    if isinstance(value, ast.Subscript):
        holder, key = value.value, value.slice
    elif isinstance(value, ast.Call) and value.args and getattr(value.func, "attr", "") in ("get", "pop"):
        holder, key = getattr(value.func, "value", None), value.args[0]
    if isinstance(holder, ast.Name) and isinstance(key, ast.Constant) and isinstance(key.value, str):
        return holder, key.value
    return None
