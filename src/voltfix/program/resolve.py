"""What names mean, over all files of a project.

``Project`` binds a name or dotted expression to what it stands for: something outside
(``torch.autograd.Variable``), a function, class or module of the project, or a value. Where a name
could be several things, it says so.
"""

from __future__ import annotations

import ast
import builtins
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import Any, TypeVar

from voltfix.model import Module, Span
from voltfix.program.bindings import (
    VARIABLE,
    Ambiguous,
    Binding,
    Builtin,
    External,
    Local,
    ProjectClass,
    ProjectFunction,
    ProjectModule,
    Unknown,
    canonical,
    merge,
)
from voltfix.program.classes import Hierarchy
from voltfix.program.imports import Index
from voltfix.program.positions import Offsets
from voltfix.program.scopes import FUNCTIONS, Definition, Import, Scope, Table
from voltfix.sources.syntax import claim
from voltfix.torchmodel import library
from voltfix.torchmodel.names import OF_SITES, UNBOUND

__all__ = [
    "VARIABLE",
    "Ambiguous",
    "Binding",
    "Builtin",
    "External",
    "Local",
    "Project",
    "ProjectClass",
    "ProjectFunction",
    "ProjectModule",
    "Unknown",
]

# Libraries with a Variable of their own, where they may be meant.
_OTHER_LIBRARIES = re.compile(
    r"\bchainer\b|\bfrom\s+(?:tkinter|Tkinter|tensorflow|theano|sympy|mxnet|paddle)[\w.]*\s+import\s+\*"
)
Answer = TypeVar("Answer")
_BUILTINS = frozenset(dir(builtins))
_DEEPEST = 60  # steps of aliasing; longer chains are left as unknown
_LONGEST = 2_000  # looked up for one question: attributes that are set from each other are many ways through a cycle


# The trees of the project that was looked at last. The pipeline makes a project again and again (after the edits,
# for each set of rules), and most of its modules are the same every time. A tree is never changed, and belongs to
# one path: analyses know its nodes by identity.
_latest: dict[str, tuple[str, ast.Module | None, Table | None]] = {}


def _parsed(modules: Sequence[Module]) -> dict[str, tuple[str, ast.Module | None, Table | None]]:
    global _latest
    before, _latest = _latest, {}
    known = {m.path: before[m.path] for m in modules if m.path in before and before[m.path][0] == m.text}
    before = {}  # those of another project need not wait for the end of this one
    for module in modules:
        if module.path not in known:
            tree = _parse(module.text)
            known[module.path] = (module.text, tree, None if tree is None else Table(tree))
    _latest = known
    return known


def forget() -> None:
    """Let go of the trees of the last project."""
    global _latest
    _latest = {}


class Project:
    """The modules of a project, parsed once, with their symbol tables. What does not parse has no tree.

    One of some of the modules of a ``whole`` has the trees of that.
    """

    def __init__(self, modules: Sequence[Module], whole: Project | None = None) -> None:
        self.modules: dict[str, Module] = {module.path: module for module in modules}
        parsed = _parsed(tuple(self.modules.values())) if whole is None else {
            path: (module.text, whole.tree(path), whole.table(path)) for path, module in self.modules.items()}
        self._trees = {path: parsed[path][1] for path in self.modules}
        self._tables = {path: table for path in self.modules if (table := parsed[path][2]) is not None}
        self._offsets: dict[str, Offsets] = {}
        self._index = Index(self.modules)
        self._memo: dict[tuple[str, ast.AST, str], Binding] = {}
        self._at: dict[ast.expr, Binding] = {}
        self._busy: set[tuple[str, ast.AST, str]] = set()
        self._asked: dict[ast.expr, Binding] = {}  # what was asked first, and led through a cycle
        self._alone: dict[object, Binding] = {}  # the same of names in their scopes, and on classes
        self._depth = 0
        self._steps = 0  # of the question that was asked first
        self.cycles = 0  # how often a question came back to itself and was cut short
        self._star_targets: dict[str, list[tuple[str, str | None]]] = {}
        self._open: dict[str, tuple[str, ...]] = {}
        self._listed: dict[str, frozenset[str] | None] = {}
        self._arrives: dict[tuple[str, str], list[tuple[str, Scope | None, list[Binding]]]] = {}
        self.hierarchy = Hierarchy(self)
        self.until: float | None = None  # when the time of whoever asks is up
        self.for_others = False  # is it a package whose classes others may put classes of their own below?
        self._computed: dict[Callable[[Project], Any], Any] = {}
        self._foreign: dict[str, bool] = {}

    # --- texts and trees --------------------------------------------------------------------------------

    @property
    def paths(self) -> tuple[str, ...]:
        """The paths of the modules that parse."""
        return tuple(self._tables)

    def tree(self, path: str) -> ast.Module | None:
        """The tree of the module at ``path``; None if it does not parse or is not there."""
        return self._trees.get(path)

    def nodes(self, path: str) -> list[ast.AST]:
        """All nodes of the module at ``path``, in one order."""
        table = self._tables.get(path)
        return table.nodes if table is not None else []

    def table(self, path: str) -> Table | None:
        """The scopes of the module at ``path``."""
        return self._tables.get(path)

    def offset(self, path: str, line: int, column: int) -> int:
        """The character offset of a position of ``ast`` (line from 1, column in bytes of UTF-8)."""
        return self._offsets_of(path).at(line, column)

    def span(self, path: str, node: ast.AST) -> Span:
        """What ``node`` covers, in characters, decorators included."""
        return self._offsets_of(path).span(node)

    def scope(self, path: str, node: ast.AST) -> ast.AST:
        """The module, class, function, lambda or comprehension whose scope ``node`` is looked up in."""
        return self._scope(path, node).node

    def parent(self, path: str, node: ast.AST) -> ast.AST | None:
        """The node that holds ``node``."""
        return self._tables[path].parent.get(node)

    def parents(self, path: str, node: ast.AST) -> Iterator[ast.AST]:
        """The nodes around ``node``, the innermost first."""
        upwards = self._tables[path].parent
        while (above := upwards.get(node)) is not None:
            yield above
            node = above

    def qualname(self, path: str, node: ast.AST) -> str:
        """The qualified name of a scope; "" for the module body."""
        return self._tables[path].scopes[node].qualname

    def function(self, path: str, node: ast.AST) -> ProjectFunction | None:
        """The function, as a binding, that ``node`` is a def or lambda of."""
        if not isinstance(node, FUNCTIONS):
            return None
        return ProjectFunction(path, self.qualname(path, node), node)

    def functions(self) -> Iterator[ProjectFunction]:
        """Every def and lambda of the project."""
        for path, table in self._tables.items():
            for node, scope in table.scopes.items():
                if isinstance(node, FUNCTIONS):
                    yield ProjectFunction(path, scope.qualname, node)

    def classes(self) -> Iterator[ProjectClass]:
        """Every class of the project."""
        for path, table in self._tables.items():
            for node, scope in table.scopes.items():
                if isinstance(node, ast.ClassDef):
                    yield ProjectClass(path, scope.qualname, node)

    # --- names ------------------------------------------------------------------------------------------

    def resolve(self, path: str, scope: ast.AST | None, name: str | ast.expr) -> Binding:
        """What ``name`` (dotted, or an expression) means in ``scope``: a def, class, lambda or module.

        With ``scope`` None an expression is looked up where it stands, and a string at module level.
        """
        table = self._tables.get(path)
        if table is None:
            return Unknown()
        if isinstance(name, str):
            parsed = _expression(name)
            at = table.scopes.get(scope, table.root) if scope is not None else table.root
            return self._expression(path, at, parsed) if parsed is not None else Unknown()
        if scope is None or scope not in table.scopes:
            return self._in_place(path, name)
        return self._expression(path, table.scopes[scope], name)

    def member(self, path: str, name: str) -> Binding:
        """What ``from <the module or package at path> import name`` would give."""
        table = self._tables.get(path)
        if table is not None:
            found = self._global(path, name)
            if not isinstance(found, Unknown) and (not isinstance(found, Builtin) or self.bound_in(path, name)):
                return found  # what Python itself has is no member of a module
        inside = self._index.within(path, name)
        return ProjectModule(inside) if inside is not None else Unknown(self.open_stars(path))

    def several(self, path: str, module: str, name: str) -> list[Binding]:
        """What ``from module import name`` may give where several files have that name, and none of them is near."""
        return [self.member(each, name) for each in self._index.several(path, module)]

    def definitions(self, path: str, scope: ast.AST, name: str) -> tuple[Definition, ...]:
        """Every place that binds ``name`` in just this scope."""
        return tuple(self._tables[path].scopes[scope].definitions.get(name, ()))

    def handed_as(self, binding: Binding | None) -> ast.arg | None:
        """The parameter that a name is, and nothing else: no assignment, loop or ``with`` binds it again."""
        parameter = binding.parameter if isinstance(binding, Local) and not binding.values else None
        if parameter is None or not isinstance(binding, Local):
            return None
        scope = self.scope(binding.path, parameter)
        return parameter if len(self.definitions(binding.path, scope, binding.name)) == 1 else None

    def bound_within(self, path: str, name: ast.Name) -> tuple[ast.expr, ...]:
        """All that a name of a function is ever bound to, by that function alone; none where that is open."""
        scope = self.scope(path, name)
        own = isinstance(scope, ast.FunctionDef) and name.id in self.names_in(path, scope)
        found = self.resolve(path, None, name) if own else None
        return found.values if isinstance(found, Local) and found.complete else ()

    def names_in(self, path: str, scope: ast.AST, several: bool = False) -> set[str]:
        """The names that a scope binds; ``several``: those that it, or a function in it, binds in several places."""
        found = self._tables[path].scopes[scope].definitions
        return {name for name, places in found.items() if len(places) > several}

    def mro(self, cls: ProjectClass) -> list[Binding]:
        """``cls`` and its bases, in the order of lookup, as far as they are known."""
        return self.hierarchy.mro(cls)

    def method(self, cls: ProjectClass, name: str) -> Binding | None:
        """What ``name`` is on ``cls``: the first of its bases in the project that has it."""
        return self.hierarchy.method(cls, name)

    def instance(self, path: str, expression: ast.expr) -> ProjectClass | None:
        """The class of the project that an expression of a file is surely an instance of (or of a subclass)."""
        table = self.table(path)
        scope = table.owner.get(expression) if table is not None else None
        return self.hierarchy.instance(path, scope, expression) if scope is not None else None

    def computed(self, make: Callable[[Project], Answer]) -> Answer:
        """What ``make`` computes from the project: at the first question, and the same again at each that follows."""
        if make not in self._computed:
            self._computed[make] = make(self)
        found: Answer = self._computed[make]
        return found

    def _in_place(self, path: str, expression: ast.expr) -> Binding:
        if expression in self._at:
            return self._at[expression]
        first = self._is_first()
        if first and expression in self._asked:
            return self._asked[expression]
        before = self.cycles
        found = self._expression(path, self._scope(path, expression), expression)
        if self.cycles == before:  # inside a cycle the answer may be partial
            self._at[expression] = found
        elif first:  # but not where it was the first question: nothing was cut short for its sake
            self._asked[expression] = found
        return found

    def _is_first(self) -> bool:
        """Is no question under way that led to this one?"""
        return not (self._depth or self._busy or self.hierarchy.busy)

    def alone(self, key: object, ask: Callable[[], Binding]) -> Binding:
        """What ``ask`` answers, remembered where nothing is under way that an answer could be cut short for.

        ``self.state`` stands in hundreds of places, and leads through the same cycle from each. Who asks for it must
        not keep what comes of it as if no cycle had been there.
        """
        if self._busy or self.hierarchy.busy:
            return ask()
        if key in self._alone:
            self.cycles += 1
            return self._alone[key]
        self._steps = 0
        before = self.cycles
        found = ask()
        if self.cycles != before:
            self._alone[key] = found
        return found

    # --- lookup -----------------------------------------------------------------------------------------

    def _expression(self, path: str, scope: Scope, expression: ast.expr) -> Binding:
        self._steps = 0 if self._is_first() else self._steps + 1
        if self._depth > _DEEPEST or self._steps > _LONGEST:
            self.cycles += 1
            return Unknown()
        self._depth += 1
        try:
            if isinstance(expression, ast.Name):
                return self.lookup(path, scope, expression.id)
            return self._compound(path, scope, expression)
        finally:
            self._depth -= 1

    def _compound(self, path: str, scope: Scope, expression: ast.expr) -> Binding:
        if isinstance(expression, ast.Attribute):
            found = self.hierarchy.attribute(path, scope, expression)
            if found is not None:
                return found
            found = self._attribute(self._expression(path, scope, expression.value), expression.attr)
            return self._guess_attribute(path, expression) if isinstance(found, Unknown) else found
        if isinstance(expression, ast.Lambda):
            table = self._tables[path]
            inner = table.scopes.get(expression)
            return ProjectFunction(path, inner.qualname, expression) if inner else Unknown()
        if isinstance(expression, ast.IfExp):
            return merge([self._expression(path, scope, e) for e in (expression.body, expression.orelse)])
        if isinstance(expression, ast.BoolOp):
            return merge([self._expression(path, scope, e) for e in expression.values])
        return self._unwrapped(path, scope, expression)

    def _unwrapped(self, path: str, scope: Scope, expression: ast.expr) -> Binding:
        """The function inside ``staticmethod(f)``."""
        if isinstance(expression, ast.Call) and isinstance(expression.func, ast.Name):
            called = self._expression(path, scope, expression.func)
            if called == Builtin("staticmethod") and len(expression.args) == 1:
                found = self._expression(path, scope, expression.args[0])
                return replace(found, static=True) if isinstance(found, ProjectFunction) else found
        return Unknown()

    def _attribute(self, base: Binding, name: str) -> Binding:
        if isinstance(base, External):
            return External(canonical(f"{base.name}.{name}"))
        if isinstance(base, ProjectModule):
            return self.member(base.path, name)
        if isinstance(base, ProjectClass):
            return self.hierarchy.on_class(base, name)
        if isinstance(base, Ambiguous):
            return merge([self._attribute(candidate, name) for candidate in base.candidates])
        return Unknown()

    def lookup(self, path: str, scope: Scope, name: str) -> Binding:
        """What ``name`` means in ``scope``, by Python's rules of scoping."""
        home = find_scope(scope, name)
        if home is None:
            return self._global(path, name)
        return self._merged(path, home, name)

    def _global(self, path: str, name: str) -> Binding:
        found: list[Binding] = []
        for at, root, brought in self._arriving(path, name):
            if root is not None:
                found.append(self._merged(at, root, name))
            found += brought
        found = [binding for binding in found if not isinstance(binding, Unknown)] or found
        if found:
            return merge(found)
        if name in _BUILTINS:
            return Builtin(name)
        return self._guess(path, name) or Unknown(self.open_stars(path))

    def _arriving(self, path: str, name: str) -> list[tuple[str, Scope | None, list[Binding]]]:
        """The modules that give ``name`` to ``path``: the scope that binds it, and what stars of torch bring."""
        known = self._arrives.get((path, name))
        if known is None:
            known = []
            for at, root in self._reach(path, name):
                brought: list[Binding] = [
                    External(canonical(f"{m}.{name}")) for m, _ in self._stars(at) if _brings(m, name)]
                if brought or name in root.definitions:
                    known.append((at, root if name in root.definitions else None, brought))
            self._arrives[path, name] = known
        return known

    def bound_in(self, path: str, name: str) -> list[str]:
        """The modules of the project whose top level binds a name that ``path`` has: itself, or others by a star."""
        return [at for at, root, _ in self._arriving(path, name) if root is not None]

    def _reach(self, path: str, name: str) -> Iterator[tuple[str, Scope]]:
        """The modules whose ``name`` arrives at ``path`` by star imports, ``path`` itself first."""
        seen = {path}
        waiting = [path]
        while waiting:
            at = waiting.pop(0)
            yield at, self._tables[at].root
            for _, target in self._stars(at):
                if target is not None and target not in seen and self._exports(target, name):
                    seen.add(target)
                    waiting.append(target)

    def _stars(self, path: str) -> list[tuple[str, str | None]]:
        """The star imports of a module: the name of the module, and its path if it can be read."""
        if path not in self._star_targets:
            stars = self._tables[path].root.stars
            targets = [(s.module, self._index.find(path, s.module, s.level)) for s in stars]
            self._star_targets[path] = [(m, t if t in self._tables else None) for m, t in targets]
        return self._star_targets[path]

    def open_stars(self, path: str) -> tuple[str, ...]:
        """The modules that nobody here can read whose names star imports bring to ``path``."""
        if path not in self._tables:
            return ()
        if path not in self._open:
            reached = [at for at, _ in self._reach(path, "*")]
            found = [module for at in reached for module, target in self._stars(at) if target is None]
            self._open[path] = tuple(dict.fromkeys(found))
        return self._open[path]

    def speaks_of_other_libraries(self, path: str) -> bool:
        """Does the module mention a library with a Variable of its own?"""
        if path not in self._foreign:
            self._foreign[path] = _OTHER_LIBRARIES.search(self.modules[path].text) is not None
        return self._foreign[path]

    def imported_modules(self, path: str) -> Iterator[str]:
        """The names of the modules that the file imports, or that a module behind its star imports does."""
        for at, root in self._reach(path, "*") if path in self._tables else ():
            yield from (star.module for star in root.stars)
            for scope in self._tables[at].scopes.values():
                for found in scope.definitions.values():
                    sources = (definition.source for definition in found)
                    yield from (source.module for source in sources if source is not None and not source.level)

    def imported_libraries(self, path: str) -> frozenset[str]:
        """The first words of these: ``torch`` of ``torch.nn``."""
        return frozenset(module.split(".")[0] for module in self.imported_modules(path))

    def _guess(self, path: str, name: str) -> External | None:
        """torch's Variable under a name that nothing in sight binds.

        It is where a star import that nobody here can read may have brought it; in documents and snippets,
        which leave imports out; and where a file forgot to import it. Never where another library's Variable
        may be meant.
        """
        if name not in OF_SITES or self.speaks_of_other_libraries(path):
            return None
        return External(UNBOUND[name])

    def _guess_attribute(self, path: str, expression: ast.Attribute) -> Binding:
        """``t.autograd.Variable`` is torch's even where nothing binds ``t``, under the same reserve."""
        above = expression.value
        named = expression.attr == "Variable" and isinstance(above, ast.Attribute) and above.attr == "autograd"
        return (self._guess(path, "Variable") if named else None) or Unknown()

    def _exports(self, path: str, name: str) -> bool:
        """Does a star import of ``path`` bring ``name``, if it is bound there?"""
        if path not in self._listed:
            self._listed[path] = _all_of(self._tables[path].root)
        listed = self._listed[path]
        return name == "*" or (not name.startswith("_") if listed is None else name in listed)

    def _merged(self, path: str, scope: Scope, name: str) -> Binding:
        key = (path, scope.node, name)
        if key in self._memo:
            return self._memo[key]
        if key in self._busy:
            self.cycles += 1
            return Unknown()
        before = self.cycles
        result = self.alone(key, lambda: self._bound(key, scope))
        if self.cycles == before:  # inside a cycle the answer may be partial
            self._memo[key] = result
        return result

    def _bound(self, key: tuple[str, ast.AST, str], scope: Scope) -> Binding:
        path, _, name = key
        self._busy.add(key)
        try:
            return merge([self._bind(path, scope, name, d) for d in scope.definitions[name]])
        finally:
            self._busy.discard(key)

    def _bind(self, path: str, scope: Scope, name: str, definition: Definition) -> Binding:
        node, value = definition.node, definition.value
        if definition.source is not None:
            return self._import(path, definition.source)
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            return ProjectFunction(path, self._tables[path].scopes[node].qualname, node)
        if isinstance(node, ast.ClassDef):
            return ProjectClass(path, self._tables[path].scopes[node].qualname, node)
        if isinstance(node, ast.arg):
            return Local(path, name, parameter=node)
        if value is None:
            return Local(path, name)
        bound = self._expression(path, self._scope(path, value), value)
        if isinstance(bound, (External, ProjectModule, ProjectFunction, ProjectClass, Builtin)):
            return bound
        alias = isinstance(value, (ast.Name, ast.Attribute, ast.IfExp, ast.BoolOp))
        if isinstance(bound, Ambiguous) and alias:
            return bound
        return Local(path, name, (value,), complete=True)

    def _import(self, path: str, source: Import) -> Binding:
        found = self._index.find(path, source.module, source.level)
        if found is None:
            if source.level:
                return Unknown()
            return External(canonical(".".join(filter(None, (source.module, source.name)))))
        if source.name is None:
            return ProjectModule(found)
        if found == path:  # `from . import name` inside the package's own __init__
            inside = self._index.within(found, source.name)
            return ProjectModule(inside) if inside is not None else Unknown()
        return self.member(found, source.name)

    # --- helpers ----------------------------------------------------------------------------------------

    def _scope(self, path: str, node: ast.AST) -> Scope:
        table = self._tables[path]
        return table.owner.get(node, table.root)

    def _offsets_of(self, path: str) -> Offsets:
        if path not in self._offsets:
            self._offsets[path] = Offsets(self.modules[path].text)
        return self._offsets[path]


def find_scope(scope: Scope, name: str) -> Scope | None:
    """The scope, ``scope`` or one around it, that binds ``name``; None for names of the module and beyond."""
    at: Scope | None = scope
    first = True
    while at is not None and at.parent is not None:
        if at.outer.get(name) == "global":
            return None
        if name in at.definitions and (first or not at.is_class):
            return at
        first, at = False, at.parent
    return None


def _brings(module: str, name: str) -> bool:
    """Did a star import of this module of torch bring ``name``?"""
    return name in library.STARS.get(module, ())


def _parse(text: str) -> ast.Module | None:
    found = claim(text)
    return None if isinstance(found, SyntaxError) else found


def _expression(text: str) -> ast.expr | None:
    tree = _parse(text)
    if tree is None or len(tree.body) != 1 or not isinstance(tree.body[0], ast.Expr):
        return None
    return tree.body[0].value


def _all_of(root: Scope) -> frozenset[str] | None:
    """The names in ``__all__``; None where it is missing or is made of more than written-out lists."""
    definitions = root.definitions.get("__all__")
    if not definitions:
        return None
    listed: set[str] = set()
    for definition in definitions:
        value = definition.value or getattr(definition.node, "value", None)
        if not isinstance(value, (ast.List, ast.Tuple)):
            return None
        for element in value.elts:
            if not isinstance(element, ast.Constant) or not isinstance(element.value, str):
                return None
            listed.add(element.value)
    return frozenset(listed)
