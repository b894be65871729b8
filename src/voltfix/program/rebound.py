"""What a project may bind again while it runs: names of modules, attributes, entries of containers.

A flag that hangs on such a setting is asked for where it counts; what nothing changes is what is written at the top.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import cached_property
from itertools import combinations, pairwise
from typing import TYPE_CHECKING

from voltfix.program.bindings import Builtin, Local, ProjectClass, is_one_of
from voltfix.program.brought import brought_of_python
from voltfix.program.imports import Index
from voltfix.program.mentioned import last_word
from voltfix.program.mentions import Mentions
from voltfix.program.scopes import Scope
from voltfix.program.spelled import ends_of, gone_through
from voltfix.program.takingover import Taken, taken_by, written_in
from voltfix.torchmodel.library import GIVES_MODULE, GIVES_NO_OBJECT
from voltfix.torchmodel.python import HARMLESS
from voltfix.torchmodel.tables import PUTTING, RESHUFFLING

if TYPE_CHECKING:
    from voltfix.program.resolve import Project

_SETTERS = frozenset({"setattr", "delattr", "__setattr__", "setitem", "__setitem__", "patch", "object"})
_RUNS = ("exec", "execfile", "exec_")
_WRITTEN_OUT = (ast.Constant, ast.List, ast.Tuple, ast.Dict, ast.Set, ast.ListComp, ast.SetComp, ast.DictComp)
_NAMESPACES = frozenset({"globals", "vars", "locals", "__dict__"})


class Rebound:
    """By name, what is bound in more than one place, or from elsewhere."""

    def __init__(self, project: Project, index: Index) -> None:
        self.names: set[str] = set()  # of modules and classes
        self.attributes: set[str] = set()  # that are written in several places
        self.patched: set[str] = set()  # attributes that others than an object's own methods write
        self.said: set[str] = set()  # names that are given as a word (``setattr(thing, 'x', value)``)
        self.keys: set[str] = set()  # of entries, as ``key_text`` files them
        self.any_name = self.any_attribute = self.any_key = False
        self._shown: set[str] = set()  # the files of which ``globals()`` is handed to somebody
        self.any_global = False  # of a module, and nothing on an object: ``globals()`` is handed to somebody
        self._once: set[str] = set()
        self._ends: set[tuple[str, str, bool]] = set()  # of names that are put together; True: of modules, too
        # the methods that bind attributes of any name on their own object, with the class and the name of that object
        self._own: dict[tuple[str, str, str], ProjectClass] = {}
        # those that take over what another object has, with what they may bind so
        self._taking: list[tuple[tuple[str, str, str], ProjectClass, Taken]] = []
        self._settings_take = False  # may settings have a name that nobody can read?
        self._stays: dict[tuple[str, str, str], bool] = {}
        self._project, self._index = project, index
        self._stars: dict[str, list[ast.ImportFrom]] = {}
        for path in project.paths:
            for node in project.nodes(path):
                kind = type(node)
                if kind is ast.Attribute:
                    self._note_attribute(path, node)
                elif kind is ast.Subscript:
                    self._note_subscript(path, node)
                elif kind is ast.Call:
                    self._note_call(path, node, project.parent(path, node))
                elif isinstance(node, ast.Global):
                    self.names.update(node.names)
                elif isinstance(node, ast.AugAssign) and isinstance(node.op, ast.BitOr):
                    self.any_key = True  # a dictionary takes in another
                elif isinstance(node, ast.ImportFrom) and node.names[0].name == "*":
                    self._stars.setdefault(path, []).append(node)
        self._of_modules = self.names | self.patched  # an object's own methods bind names on it, and on no module
        self.names |= self._once
        self.names.update(_set_again_below(project))
        self._several: dict[str, frozenset[str]] = {}

    # --- answers -----------------------------------------------------------------------------------------------------

    def several(self, path: str) -> frozenset[str]:
        """The names that the top level of a module binds more than once: who runs in between finds another value."""
        if path not in self._several:
            table = self._project.table(path)
            stars = [(star.lineno, self._brought(path, star)) for star in self._stars.get(path, ())]
            self._several[path] = frozenset(_several(table.root, stars)) if table is not None else frozenset()
        return self._several[path]

    def replaced(self, path: str, name: str) -> bool:
        """Is a name of ``several`` more than one of two arms' choice?"""
        table = self._project.table(path)
        found = table.root.definitions.get(name, []) if table is not None else []
        arms = [list(self._arms(path, definition.node)) for definition in found]
        return len(found) < 2 or any(not _exclude_each_other(a, b) for a, b in combinations(arms, 2))

    def begins_empty(self, path: str, name: str) -> bool:
        """Does the top level alone bind a name, to containers that it writes out, or None, before it is bound for good?
        """
        table = self._project.table(path)
        found = table.root.definitions.get(name, []) if table is not None else []
        in_order = sorted(found, key=lambda each: getattr(each.node, "lineno", 0))
        if len(in_order) < 2 or self.name(name) or not all(
                isinstance(each.value, _WRITTEN_OUT) for each in in_order[:-1]):
            return False
        brought = [self._brought(path, star) for star in self._stars.get(path, ())]
        return isinstance(self._project.parent(path, in_order[-1].node), ast.Module) and all(
            names is not None and name not in names for names in brought)

    def _arms(self, path: str, node: ast.AST) -> Iterator[tuple[ast.AST, int]]:
        """The statements around a top-level statement, from the outside in, and in which arm of each it stands."""
        around = [node, *self._project.parents(path, node)][::-1]
        for above, inner in pairwise(around):
            if isinstance(above, ast.If):
                yield above, 1 + (inner in above.orelse)
            elif isinstance(above, ast.Try):
                yield above, 1 + isinstance(inner, ast.ExceptHandler)
            elif not isinstance(above, (ast.Module, ast.ExceptHandler, ast.With)):
                yield above, 0  # a loop, where one arm follows the other; a function that is called at any time
                return

    def name(self, name: str) -> bool:
        """May functions, or others from outside, bind a module's name?"""
        return self.any_name or self.any_global or name in self.names or self._is_built(name, module=True)

    def member(self, name: str) -> bool:
        """May a name of a class mean something else than what its body says?"""
        return self._is_unread(name) or name in self.names

    def attribute(self, name: str, known: bool) -> bool:
        """May an attribute be written again? ``known``: it was there before."""
        return self._is_unread(name) or name in self.attributes or (known and name in self.names)

    def is_patched(self, name: str, of: ProjectClass | None = None) -> bool:
        """May others than an object's own methods bind that attribute of it? ``of``: of such an object."""
        return self._is_unread(name, of) or name in self.patched

    def is_patched_at(self, path: str, asked: ast.Attribute) -> bool:
        """The same of ``x.name``: what others bind by names that nobody can read counts where x may be of their class.
        """
        return self.is_patched(asked.attr, self._project.instance(path, asked.value))

    def is_said(self, name: str, of: ProjectClass) -> bool:
        """May that attribute be bound by a name in a string, or one that nobody can read? ``of``: of such an object."""
        return name in self.said or self._is_unread(name, of)

    def _is_unread(self, name: str, of: ProjectClass | None = None) -> bool:
        """May it be bound where nobody can read the name? ``of``: on an object of that class, or of one below it."""
        if self.any_name or self.any_attribute or self._is_built(name) or (self.any_global and of is None):
            return True
        binding = [*self._own.items(), *((key, cls) for key, cls, taken in self._taking
                                         if taken.may_bind(name, self._names_written))]
        return bool(binding) if of is None else any(
            not self._stays_with(key) or self._may_be_both(cls, of) for key, cls in binding)

    @cached_property
    def _names_written(self) -> frozenset[str] | None:
        """The names that an object which another takes over may have; None: any."""
        return None if self._settings_take else written_in(self._project) or None

    def _is_built(self, name: str, module: bool = False) -> bool:
        """Is it like a name that is put together, as far as that is written out?"""
        return any(name.startswith(start) and name.endswith(end) and (anywhere or not module)
                   for start, end, anywhere in self._ends)

    def _may_be_both(self, one: ProjectClass, other: ProjectClass) -> bool:
        """May an object be of both classes: one of them, or one below?"""
        below = [[cls.node for cls in (each, *self._project.hierarchy.subclasses(each))] for each in (one, other)]
        return any(node in below[1] for node in below[0])

    def _stays_with(self, key: tuple[str, str, str]) -> bool:
        """Is a method asked of objects of its class alone? ``Class.method`` may be run on others, or given to them."""
        if key not in self._stays:
            project = self._project
            self._stays[key] = not any(
                isinstance(node, ast.Attribute) and isinstance(project.resolve(path, None, node.value), ProjectClass)
                and not self._hands_own(path, node) for _, path, node in project.computed(Mentions).places(key[1]))
        return self._stays[key]

    def _hands_own(self, path: str, asked: ast.Attribute) -> bool:
        """``Base.__init__(self, ...)``: is a method of a class called on the object whose method this is?"""
        above = self._project.parent(path, asked)
        given = above.args[0] if isinstance(above, ast.Call) and above.func is asked and above.args else None
        of, asked_of = self._class_of_own(path, given), self._project.resolve(path, None, asked.value)
        return of is not None and asked_of in self._project.mro(of[1])

    def is_bound_elsewhere(self, path: str, name: ast.Name) -> bool:
        """May functions, or other modules, bind what a name of the top level stands for?"""
        table = self._project.table(path)
        scope = table.owner.get(name) if table is not None else None
        while scope is not None and scope.parent is not None and scope.outer.get(name.id) != "global":
            if name.id in scope.definitions:
                return False
            scope = scope.parent
        found = table.root.definitions.get(name.id, []) if table is not None else []
        shown = self.any_global and (  # by ``globals()`` a file shows its own names, which others may have imported
            path in self._shown or not found or any(each.source is not None for each in found))
        return self.any_name or shown or name.id in self._of_modules or self._is_built(name.id, module=True)

    def is_set(self, name: str, of: ProjectClass | None = None) -> bool:
        """May an attribute of that name be bound on anything, by whatever the project does? ``of``: on such an object.
        """
        return self._is_unread(name, of) or name in self._once or name in self.names or name in self.attributes

    def is_named(self, name: str) -> bool:
        """Is it written out anywhere that something is bound under that name beside what defines it?"""
        return name in self.names or name in self.attributes or name in self.patched or name in self.said

    def is_assigned(self, name: str, of: ProjectClass | None = None) -> bool:
        """May an attribute of that name be assigned? What bodies of classes bind does not count.

        ``of``: on an object of that class, or of one below it, as far as the name cannot be read; else on any object.
        """
        return self._is_unread(name, of) or name in self._once or name in self.attributes

    def entry(self, key: str | None) -> bool:
        """May an entry of a container be put in again, or moved?"""
        return self.any_key or key in self.keys or (key is None and bool(self.keys))

    def _brought(self, path: str, star: ast.ImportFrom) -> frozenset[str] | None:
        """The names that a star import brings; None where nobody here can read them."""
        found: set[str] = set()
        seen: set[str | None] = set()
        todo = [self._index.find(path, star.module or "", star.level)]
        if todo == [None]:
            module = star.module or ""
            if star.level:
                return None
            return frozenset({"Variable"}) if module.partition(".")[0] == "torch" else brought_of_python(module)
        while todo:
            target = todo.pop()
            table = self._project.table(target) if target is not None and target not in seen else None
            seen.add(target)
            if table is not None and target is not None:
                found.update(table.root.definitions)
                todo += [self._index.find(target, s.module or "", s.level) for s in self._stars.get(target, ())]
        return frozenset(found)

    # --- what there is -----------------------------------------------------------------------------------------------

    def _note_attribute(self, path: str, node: ast.AST) -> None:
        if isinstance(node, ast.Attribute) and not isinstance(node.ctx, ast.Load):
            (self.attributes if node.attr in self._once else self._once).add(node.attr)
            if not isinstance(node.value, ast.Name) or node.value.id != "self":
                self.patched.add(node.attr)
            if node.attr == "__dict__":
                self._set(path, None, node.value, module=True)  # all names at once

    def _note_subscript(self, path: str, node: ast.AST) -> None:
        if not isinstance(node, ast.Subscript) or isinstance(node.ctx, ast.Load):
            return
        if _is_namespace(node.value):
            self._set(path, node.slice, _holder(node.value), module=True)
        elif isinstance(node.slice, ast.Constant):
            self.keys.add(f"[{node.slice.value!r}]")
        else:
            self.any_key = True

    def _note_call(self, path: str, node: ast.AST, above: ast.AST | None) -> None:
        if not isinstance(node, ast.Call):
            return
        name = last_word(node.func)
        if name in _RUNS and not self._has_own_names(path, node):
            self.any_name = True
        elif name == "globals" and _hands_on(above):
            self.any_global = True
            self._shown.add(path)
        elif name in _SETTERS:
            self._note_setter(path, name, node)
        elif isinstance(node.func, ast.Attribute) and name in PUTTING:
            self._note_puts(path, name, node.func.value, node)
        elif (isinstance(node.func, ast.Attribute) and name in RESHUFFLING) or (
                not self.any_key and name not in HARMLESS and self._takes_container(path, node)):
            self.any_key = True

    def _has_own_names(self, path: str, run: ast.Call) -> bool:
        """``exec(text, {})``: is a text run with names of its own, so that it reaches ours as any unseen file does?"""
        given: list[tuple[str, ast.expr]] = []
        for each in run.args[1:]:
            bound = self._project.resolve(path, None, each) if isinstance(each, ast.Name) else None
            values = bound.values if isinstance(bound, Local) and bound.complete and bound.parameter is None else ()
            if isinstance(each, ast.Name) and not self._is_only_read(path, each.id):
                return False
            at = bound.path if isinstance(bound, Local) and values else path
            made = [self._project.parent(at, value) for value in values]
            if any(isinstance(stated, ast.Assign) and len(stated.targets) > 1 for stated in made):
                return False  # it has another name
            given += [(at, value) for value in values or (each,)]
        return bool(given) and not run.keywords and all(
            (isinstance(value, ast.Dict) and all(isinstance(each, ast.Constant) for each in value.values))
            or (isinstance(value, ast.Call) and not value.args and self._project.resolve(
                at, None, value.func) == Builtin("dict") and all(
                isinstance(each.value, ast.Constant) for each in value.keywords)) for at, value in given)

    def _is_only_read(self, path: str, name: str) -> bool:
        """Does a file only run texts with the names that a container holds, and take entries out of it?"""
        for node in self._project.nodes(path):
            if not isinstance(node, ast.Name) or node.id != name or isinstance(node.ctx, ast.Store):
                continue
            above = self._project.parent(path, node)
            runs = isinstance(above, ast.Call) and last_word(above.func) in _RUNS
            taken = isinstance(above, ast.Subscript) and above.value is node and isinstance(above.ctx, ast.Load)
            if not runs and not taken and not (isinstance(above, ast.keyword) and above.arg is None):
                return False
        return True

    def _takes_container(self, path: str, node: ast.Call) -> bool:
        """Is a container that a module writes out handed to code that may put something in?"""
        for argument in (*node.args, *(keyword.value for keyword in node.keywords if keyword.arg is not None)):
            if isinstance(argument, ast.Name):
                found = self._project.resolve(path, None, argument)
                if isinstance(found, Local) and found.parameter is None and any(
                        isinstance(value, (ast.Dict, ast.List)) and self._at_top(found.path, value)
                        for value in found.values):
                    return not isinstance(self._project.resolve(path, None, node.func), Builtin)
        return False

    def _at_top(self, path: str, node: ast.AST) -> bool:
        return isinstance(self._project.scope(path, node), ast.Module)

    def _note_setter(self, path: str, name: str, node: ast.Call) -> None:
        """``setattr(thing, name, value)`` and its like; a name that is a constant's is as good as written out."""
        texts = [a.value for a in node.args if isinstance(a, ast.Constant) and isinstance(a.value, str)]
        if not texts and name == "setattr" and len(node.args) == 3:
            texts = [text for text in written_strings(self._project, path, node.args[1]) if isinstance(text, str)]
        if name in ("setitem", "__setitem__"):
            self.keys.update(f"[{text!r}]" for text in texts)
            self.any_key |= not texts
        elif texts:
            for text in texts:
                self._set(path, ast.Constant(text.rsplit(".", 1)[-1]), None, module=True)
        elif name not in ("patch", "object"):
            holder, key = node.args[0] if node.args else None, None
            if isinstance(node.func, ast.Name) and len(node.args) > 1:
                key = node.args[1]
            elif isinstance(node.func, ast.Attribute) and isinstance(node.func.value, ast.Name) and (
                    name == "__setattr__" and len(node.args) == 2):  # ``self.__setattr__(name, 1)``
                holder, key = node.func.value, node.args[0]
            own = isinstance(holder, ast.Name) and holder.id in ("self", "cls")
            self._set(path, key, holder, not own, node)

    def _note_puts(self, path: str, name: str, receiver: ast.expr, node: ast.Call) -> None:
        """``container.update(...)`` and its like, on a dictionary or on the names of a module or an object."""
        keywords = [ast.Constant(k.arg) if k.arg is not None else None for k in node.keywords]
        written: list[ast.expr | None] = [*keywords]
        for argument in node.args if name == "update" else node.args[:1]:
            written += argument.keys if isinstance(argument, ast.Dict) else [argument if name != "update" else None]
        for key in written or [None]:
            if _is_namespace(receiver):
                self._set(path, key, _holder(receiver), True, node if name == "update" else None)
            elif isinstance(key, ast.Constant):
                self.keys.add(f"[{key.value!r}]")
            else:
                self.any_key = True

    def _set(self, path: str, name: ast.expr | None, holder: ast.expr | None, module: bool,
             by: ast.Call | None = None) -> None:
        """A name that is given as a string, or one that nobody can read, is bound on ``holder``, ``by`` a call."""
        if isinstance(name, ast.Constant):
            self.names.add(str(name.value))
            self.said.add(str(name.value))
            self.patched.add(str(name.value))
            self.attributes.add(str(name.value))
            return
        own = self._class_of_own(path, holder)
        ends = self._ends_of(path, name) if name is not None else set()
        if ends:
            self._ends |= {(*each, module and own is None) for each in ends}
        elif own is not None:
            taken = taken_by(self._project, path, by) if by is not None else None
            if taken is None:
                self._own[(path, *own[0])] = own[1]
            else:
                self._taking.append(((path, *own[0]), own[1], taken))
        elif self._is_of_settings(path, holder):
            self._settings_take = True
        elif module:
            self.any_name = True
        else:
            self.any_attribute = True

    def _ends_of(self, path: str, name: ast.expr) -> set[tuple[str, str]]:
        """How a name that is put together starts and ends, each that it can be; none where nothing of it is written."""
        binding = self._project.resolve(path, None, name) if isinstance(name, ast.Name) else None
        values = binding.values if isinstance(binding, Local) and binding.complete else ()
        found = {(text, text) for text in gone_through(self._project, path, name)} or {
            ends_of(value) for value in values or (name,)}
        return found if all(start or end for start, end in found) else set()

    def _is_of_settings(self, path: str, holder: ast.expr | None) -> bool:
        """Is it surely an object of settings that a library made: none of the project's, and no module?"""
        found = self._project.resolve(path, None, holder) if isinstance(holder, ast.Name) else None
        values = found.values if isinstance(found, Local) and found.complete else ()
        return bool(values) and all(
            isinstance(value, ast.Call) and len(value.args) < 2 and all(k.arg == "args" for k in value.keywords)
            and is_one_of(self._project.resolve(found.path, None, value.func), GIVES_NO_OBJECT - GIVES_MODULE)
            for value in values if isinstance(found, Local))

    def _class_of_own(self, path: str, holder: ast.expr | None) -> tuple[tuple[str, str], ProjectClass] | None:
        """The method whose first parameter a name is, by its name and that one's, and its class; None of others."""
        table = self._project.table(path)
        scope = table.owner.get(holder) if table is not None and isinstance(holder, ast.Name) else None
        if scope is None or not isinstance(holder, ast.Name):
            return None
        at: Scope | None = scope
        while at is not None and holder.id not in at.definitions:
            at = at.parent
        cls = self._project.hierarchy.receiver(path, scope, holder.id)
        if at is None or cls is None or len(at.definitions[holder.id]) != 1 or holder.id in scope.outer:
            return None
        return (getattr(at.node, "name", ""), holder.id), cls


def written_strings(project: Project, path: str, name: ast.expr) -> set[object]:
    """The constants that are all that an expression can be; none where it can be something else."""
    if isinstance(name, ast.Constant):
        return {name.value}
    binding = project.resolve(path, None, name) if isinstance(name, (ast.Name, ast.Attribute)) else None
    values = binding.values if isinstance(binding, Local) and binding.complete else ()
    found: set[object] = {value.value for value in values if isinstance(value, ast.Constant)}
    return found if all(isinstance(value, ast.Constant) for value in values) else set()


def _set_again_below(project: Project) -> Iterator[str]:
    """The names that the body of a class binds, and that of a class below it, too."""
    for cls in project.classes():
        for above in project.mro(cls)[1:]:
            if isinstance(above, ProjectClass):
                yield from project.names_in(cls.path, cls.node) & project.names_in(above.path, above.node)


def _several(root: Scope, stars: list[tuple[int, frozenset[str] | None]]) -> Iterator[str]:
    """The names that the top level of a module binds more than once, by star imports, too."""
    for name, found in root.definitions.items():
        lines = [getattr(definition.node, "lineno", 0) for definition in found]
        if len(found) > 1 or any(names is None and min(lines) < line for line, names in stars):
            yield name
    brought = set(root.definitions)
    for _, names in stars:
        yield from brought & (names or frozenset())
        brought |= names or frozenset()


def rebound_in(project: Project) -> Rebound:
    """What a project may bind again."""
    return Rebound(project, Index(project.paths))


def _exclude_each_other(one: list[tuple[ast.AST, int]], two: list[tuple[ast.AST, int]]) -> bool:
    """Do two places stand in two arms of one statement, so that only one of them is come to?"""
    for (here, arm), (there, other) in zip(one, two, strict=False):
        if here is not there or not arm:
            return False
        if arm != other:
            return True
    return False


def _is_namespace(node: ast.expr) -> bool:
    """``globals()``, ``vars(...)``, ``thing.__dict__``."""
    found = node.func if isinstance(node, ast.Call) else node
    return last_word(found) in _NAMESPACES and isinstance(node, (ast.Call, ast.Attribute))


def _holder(namespace: ast.expr) -> ast.expr | None:
    """What ``vars(thing)`` and ``thing.__dict__`` are the names of; None: the module that it stands in."""
    if isinstance(namespace, ast.Attribute):
        return namespace.value
    return namespace.args[0] if isinstance(namespace, ast.Call) and namespace.args else None


def _hands_on(above: ast.AST | None) -> bool:
    """Does ``globals()`` go where somebody may write into it?"""
    if isinstance(above, ast.Call):
        return last_word(above.func) not in HARMLESS
    if isinstance(above, ast.keyword):
        return above.arg is not None  # what ** takes is copied
    return isinstance(above, (ast.Assign, ast.AnnAssign, ast.NamedExpr, ast.Return))
