"""What is claimed of all callers, and what could break it: calls that possible or open edges allow.

A resolved caller closes nothing by itself. All callers of a function are known where every place that names it is a
call that was interpreted in place, where every call that may run it by an object, an entry or a built name was, too,
and where nobody outside can call it.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from voltfix.flags.signatures import is_public
from voltfix.machine.execute import Interpreter
from voltfix.machine.facts import Store
from voltfix.model import Options, file_of
from voltfix.program.answering import ANSWERS, only_itself
from voltfix.program.arguments import calls_of, default_of
from voltfix.program.autograd import called_by_autograd
from voltfix.program.bindings import (
    Builtin,
    Local,
    ProjectClass,
    ProjectFunction,
    ProjectModule,
    is_one_of,
)
from voltfix.program.built import gives_module, may_have
from voltfix.program.callable import is_of_the_project
from voltfix.program.calls import BuiltName, CallGraph, attributes_of, by_python, fits, is_property, sets
from voltfix.program.closure import closure
from voltfix.program.flow import called_at
from voltfix.program.foreign import only_foreign
from voltfix.program.freshly import hands_nothing_volatile, has_plain_defaults
from voltfix.program.internal import Internal
from voltfix.program.mentioned import last_word
from voltfix.program.mentions import Mentions
from voltfix.program.receivers import is_looked_at, takes_no_object
from voltfix.program.references import Reference, References
from voltfix.program.scopes import FUNCTIONS, parameters_of
from voltfix.program.telling import place
from voltfix.solver.fixpoint import Outcome
from voltfix.solver.roots import Tables
from voltfix.torchmodel.library import FOLLOWED, GIVEN_BACK, RUN_HERE
from voltfix.torchmodel.python import PASSING, PLAIN_BUILTINS

if TYPE_CHECKING:
    from voltfix.program.resolve import Project

# decorators that leave a function what it is, or hand it to nobody but Python
QUIET = ("staticmethod", "classmethod", "property", "no_grad()", "wraps(", ".setter", ".getter", "abstractmethod")
NOBODY = "nobody is seen to call"
PUBLIC = "is public in a package that others install"
NOT_KNOWN, NOT_SEEN = "calls is not known", "calls was not seen"


class Callers:
    """Who may call the functions of a project, after everything was interpreted."""

    def __init__(self, project: Project, options: Options, outcome: Outcome, entered: Mapping[int, set[int]]) -> None:
        self.project = project
        self.options = options
        self.outcome = outcome
        self.entered = entered
        self.graph = project.computed(CallGraph)
        self.references = project.computed(References)
        self.internal = project.computed(Internal)
        tables = project.computed(Tables)
        self.rebound, self.meeting, self.in_sight = tables.rebound, tables.training.meeting, tables.in_sight
        # call -> the roots in whose runs it may be anything, and whether that is more than a parameter of theirs
        self.unresolved: dict[int, list[tuple[int, bool]]] = {}
        for root, machine in outcome.machines.items():
            for node, more in machine.unresolved.items():
                self.unresolved.setdefault(node, []).append((root, more))
        self.inlined = {node for nodes in entered.values() for node in nodes}
        self._known: dict[tuple[int, frozenset[str] | None, bool], str | None] = {}
        self._busy: set[tuple[int, frozenset[str] | None, bool]] = set()
        self._outer: dict[int, list[ProjectFunction]] = {}

    def unseen(self, function: ProjectFunction, through: frozenset[str] | None = None, *,
               used: bool = False) -> str | None:
        """What may call a function without being seen, as part of a sentence; None where all callers are known.

        ``through``: only calls count that hand over something else than the default for one of these parameters.
        ``used``: where an unknown thing is asked for a name that is put together, the call counts only if something
        is done with what it gives.
        """
        used = used and not by_python(function.qualname.rsplit(".", 1)[-1]) and not self._decorated(function)
        key = (id(function.node), through, used)
        if key in self._busy:
            return None  # a function that calls itself has its callers elsewhere
        if key not in self._known:
            self._busy.add(key)
            try:
                self._known[key] = next(self._gaps(function, through, used), None)
            finally:
                self._busy.discard(key)
        return self._known[key]

    def only_let_go(self, function: ProjectFunction, through: frozenset[str] | None = None) -> bool:
        """May calls that were not seen run a function, and do all of them let go of what it gives?"""
        return self.unseen(function, through) is not None and self.unseen(function, through, used=True) is None

    def may_be_called(self, function: ProjectFunction) -> bool:
        """May a function be called that was not seen to be: by an edge that is possible, or by others who import it?"""
        why = self.unseen(function)
        return self.is_public(function) or (why is not None and not why.startswith(NOBODY))

    def unseen_by_calls_alone(self, function: ProjectFunction) -> bool:
        """Is what may call a function, unseen, never more than a call in the project that may be of anything?"""
        return all(why.endswith((NOT_KNOWN, NOT_SEEN)) for why in self._gaps(function, None))

    def are_named(self, function: ProjectFunction) -> bool:
        """Is every place that names a function a call of it, or an import? Interpreted or not, no other hands to it."""
        owner = self.project.hierarchy.class_around(function.path, function.node)
        below = self.project.hierarchy.subclasses(owner) if owner is not None else []
        makes = function.qualname.endswith(".__init__") and all(len(cls.node.bases) == 1 for cls in below)
        return not self.is_public(function) and not self._decorated(function) and all(
            reference.kind in ("call", "import", "base") or (makes and reference.of_above)
            for reference in self._references(function))

    def hand_nothing_volatile(self, function: ProjectFunction) -> bool:
        """Is each place that may run a function a call by its name, which hands over nothing that can be volatile?

        So it is of a method, too, of whatever object it is asked for. What does not fit, Python does not run.
        """
        name = function.qualname.rsplit(".", 1)[-1]
        mentions = self.project.computed(Mentions)
        node = function.node
        if isinstance(node, ast.Lambda) or name.startswith("__") or by_python(name) or is_property(node) or (
                node.decorator_list or self.is_public(function) or not has_plain_defaults(node)) or (
                called_by_autograd(self.project, function.path, node)) or any(
                each.kind not in ("call", "maybe-call", "import") for each in self.references.of(function)) or (
                mentions.is_written(name) or self._has_built_name(function)):
            return False
        calls = list(calls_of(self.project, function))
        return bool(calls) and all(
            hands_nothing_volatile(self.project, self.rebound, path, call) for path, call, filled in calls
            if fits(node, call, filled) or fits(node, call, 0))

    def seen(self, function: ProjectFunction) -> list[tuple[str, ast.Call]]:
        """The calls that are known to run a function."""
        return [(path, call) for path, call, _ in calls_of(self.project, function)]

    def through(self, machine: Interpreter, store: Store) -> frozenset[str] | None:
        """The parameters of the root without which what it hands out is not volatile; None: it is, anyway."""
        vol = store.pc & store.vol
        names = set()
        for name, (where, default) in machine.own_parameters.items():
            if default is not None and not vol.is_false:
                vol = vol & (where if default else ~where)
                names.add(name)
        if not vol.is_false or not names:
            return None
        support = (store.pc & store.vol).support()
        return frozenset(name for name in names if machine.own_parameters[name][0].support() & support)

    # --- gaps --------------------------------------------------------------------------------------------------------

    def _gaps(self, function: ProjectFunction, through: frozenset[str] | None, used: bool = False) -> Iterator[str]:
        name = function.qualname.rsplit(".", 1)[-1]
        if self.is_for_others(function, through):
            yield f"{name} {PUBLIC}"
        if called_by_autograd(self.project, function.path, function.node):
            return
        if is_property(function.node):
            yield from self._reads(function, name)
            return
        python = self._is_run_by_python(function, name)
        unheld = takes_no_object(self.project, self.rebound, function)
        handed = bool(self._decorated(function)) or (python and name in ("forward", "__call__"))
        found = 0
        references = list(self._references(function))
        if isinstance(function.node, ast.Lambda) and not self._has_name(function):
            references.append(Reference(function.path, function.node, "value"))
        for reference in references:
            if reference.kind == "value" and self._is_followed(reference):
                found += id(function.node) in self.inlined
                continue
            ran_by = self._ran_by(function, reference) if reference.kind == "value" else None
            if ran_by is not None:
                found += 1
                yield from self._unresolved(reference.path, ran_by)
                continue
            followed = called_at(self.project, reference.path, reference.node) if _is_read(reference) else None
            if followed is not None:
                for path, call in followed.calls:
                    yield from self._gap_by(function, path, call, through)
                yield from self._handed_back(followed.handed_back_by)
                if reference.kind == "maybe":  # nobody says that it was this one
                    found += id(function.node) in self.inlined
                    continue
            elif reference.kind in ("value", "maybe"):
                handed = True
                yield from self._away(reference, set())
                yield from self._as_default(function, reference, through)
            found += reference.kind not in ("import", "base")
        for path, call, bound in calls_of(self.project, function):
            filled = 0 if unheld else bound
            if fits(function.node, call, filled):
                yield from self._gap_at(function, path, call, filled, through)
        kept_as: frozenset[str] | None = frozenset()
        for built in self.graph.built_names():
            if built.may_be(name) and may_have(self.project, built, function):
                followed = called_at(self.project, built.path, built.node)
                loose = used and not self._gives_functions(built)
                if followed is not None:
                    for path, call in followed.calls:
                        yield from self._gap_by(function, path, call, through, used=loose)
                    yield from self._handed_back(followed.handed_back_by)
                    continue
                asked, above = self._called(built.path, built.node)
                if isinstance(above, ast.Call) and above.func is asked:
                    yield from self._gap_by(function, built.path, above, through, used=loose)
                elif not is_default(above, asked) and not self._is_looked_at(built.path, above):
                    handed = True
                    more = self._kept_as(built, asked)
                    kept_as = None if kept_as is None or more is None else kept_as | more
                    yield from self._given_to_others(built, asked)
        if handed:
            names = self.graph.attributes_with(function, references)
            yield from self._indirect(
                function, through, None if names is None or kept_as is None else names | kept_as)
            if not python and id(function.node) not in self.inlined:
                yield f"{NOBODY} {name}"
        elif (not found and id(function.node) not in self.inlined) or self._calls_itself_alone(function):
            yield f"{NOBODY} {name}"
        for each in (name, *self._also_called(function)) if python else ():
            yield from self._protocol(function, each)

    def _also_called(self, function: ProjectFunction) -> list[str]:
        """The names under which the class of a method has it besides its own: ``__next__ = next``."""
        owner = self.project.hierarchy.class_around(function.path, function.node)
        name = function.qualname.rsplit(".", 1)[-1]
        return [target.id for each in (owner.node.body if owner is not None else ())
                if isinstance(each, ast.Assign) and isinstance(each.value, ast.Name) and each.value.id == name
                for target in each.targets if isinstance(target, ast.Name) and by_python(target.id)]

    def _called(self, path: str, asked: ast.expr) -> tuple[ast.expr, ast.AST | None]:
        """What is asked for, with what it stands in: ``f.__call__(x)`` is ``f(x)``."""
        above = self.project.parent(path, asked)
        while isinstance(above, ast.Attribute) and above.attr == "__call__":
            asked, above = above, self.project.parent(path, above)
        return asked, above

    def _kept_as(self, built: BuiltName, asked: ast.expr) -> frozenset[str] | None:
        """The words under which what a built name gives is called later; None: somebody has it, and may keep it."""
        _, above = self._held_in(built.path, asked)
        targets = above.targets if isinstance(above, ast.Assign) else []
        words = frozenset(word for each in targets if isinstance(each, (ast.Name, ast.Attribute))
                          and (word := last_word(each)))
        if self._gives_functions(built):
            return self.graph.called_as(words) if targets and len(words) == len(targets) else None
        called = self.project.resolve(built.path, None, above.func) if isinstance(above, ast.Call) else None
        if isinstance(called, (ProjectClass, ProjectFunction)):
            return None
        return frozenset(each for word in words for each in self.graph.stored_as(word))

    def _given_to_others(self, built: BuiltName, asked: ast.expr) -> Iterator[str]:
        """Is a function that a built name gives handed to code that nobody has seen?"""
        held, above = self._held_in(built.path, asked)
        if not self._gives_functions(built):
            return
        if isinstance(above, ast.Return):
            yield from self._away(Reference(built.path, asked, "value"), set())
        if isinstance(above, ast.Call) and above.func is not held and not isinstance(
                self.project.resolve(built.path, None, above.func), (ProjectFunction, ProjectClass)):
            yield f"{place(self.project, built.path, above)} hands it to code that was not seen"

    def _gives_functions(self, built: BuiltName) -> bool:
        """Is something asked that surely has functions: a module, a class, an object of one? Others keep settings."""
        path, holder = built.path, built.holder
        return holder is None or isinstance(self.project.resolve(path, None, holder), (
            ProjectModule, ProjectClass)) or self.project.instance(path, holder) is not None or gives_module(
            self.project, path, holder)

    def _calls_itself_alone(self, function: ProjectFunction) -> bool:
        """Is it named in itself alone, or in functions that go round with it? Then its first caller is not here."""
        named_in: dict[int, set[int]] = {}
        above: dict[int, ProjectFunction] = {}
        waiting = [function]
        while waiting:
            inner = waiting.pop()
            for outer in self._named_in(inner):
                named_in.setdefault(id(outer.node), set()).add(id(inner.node))
                if id(outer.node) not in above:
                    above[id(outer.node)] = outer
                    waiting.append(outer)
        round_about = closure([id(function.node)], named_in).intersection(above)
        return bool(round_about) and all(
            any(id(around.node) in round_about for around in self._around(reference))
            for member in round_about for reference in self._references(above[member])
            if reference.kind not in ("import", "base"))

    def _named_in(self, function: ProjectFunction) -> list[ProjectFunction]:
        """The functions that the places stand in which name a function."""
        if id(function.node) not in self._outer:
            self._outer[id(function.node)] = [
                around for reference in self._references(function) if reference.kind not in ("import", "base")
                for around in self._around(reference)]
        return self._outer[id(function.node)]

    def _around(self, reference: Reference) -> list[ProjectFunction]:
        """The functions that a mention stands in."""
        found = (self.project.function(reference.path, above)
                 for above in self.project.parents(reference.path, reference.node))
        return [function for function in found if function is not None]

    def _references(self, function: ProjectFunction) -> Iterator[Reference]:
        """The places that name a function; of one that makes an instance, or is run by it, those of its class."""
        yield from self.references.of(function)
        owner = self.project.hierarchy.class_around(function.path, function.node)
        name = function.qualname.rsplit(".", 1)[-1]
        if owner is not None and (self._is_run_by_python(function, name) or name == "__init__"):
            for cls in [owner, *self.project.hierarchy.subclasses(owner)]:
                yield from (r for r in self.references.of(cls) if r.kind == "value" and not self._is_type(r))

    def _is_type(self, reference: Reference) -> bool:
        """Is a class named only to be asked for, as by ``isinstance`` and ``super``?"""
        return isinstance(self.project.parent(reference.path, reference.node), ast.Attribute) or is_looked_at(
            self.project, reference.path, reference.node)

    def _gap_at(
        self, function: ProjectFunction, path: str, call: ast.Call, filled: int, through: frozenset[str] | None
    ) -> Iterator[str]:
        if not self.meeting.meet(function.path, path):
            return
        if through is not None and not self._sets(function, path, call, filled, through):
            return
        if not self.entered.get(id(call)):
            yield f"what {place(self.project, path, call)} {NOT_SEEN}"
        yield from self._unresolved(path, call)

    def _sets(
        self, function: ProjectFunction, path: str, call: ast.Call, filled: int, through: frozenset[str]
    ) -> bool:
        """Could a call hand anything but the default to one of the parameters, as far as its stars reach?"""
        starred = any(isinstance(argument, ast.Starred) for argument in call.args)
        return sets(function.node, call, filled, through, self._reach(path, call) if starred else None)

    def _reach(self, path: str, call: ast.Call) -> int | None:
        """How many positions a call with a star was seen to fill at most; None where not every run that counts says."""
        around = next(iter(self._around(Reference(path, call, "call"))), None)
        if around is not None and id(around.node) not in self.outcome.machines and not self._is_seen(around):
            return None
        seen = [machine.starred[id(call)] for root, machine in self.outcome.machines.items()
                if id(call) in machine.starred and not self._is_dismissed(root, more=True)]
        known = [count for count in seen if count is not None]
        return max(known) if known and len(known) == len(seen) else None

    def _unresolved(self, path: str, call: ast.Call, kept: bool = False) -> Iterator[str]:
        """The runs in which a call may be anything, but for those of functions that are only called as seen.

        What somebody outside hands to a function that nobody here calls is nothing of the project; but where the
        project ``kept`` a function under that name, he may hand over the object that has it.
        """
        for root, more in self.unresolved.get(id(call), ()):
            if not self._is_dismissed(root, more or kept):
                yield f"what {place(self.project, path, call)} {NOT_KNOWN}"

    def _is_seen(self, function: ProjectFunction) -> bool:
        """Is a function only ever run as its callers were interpreted?"""
        return id(function.node) in self.inlined and self.unseen(function) is None

    def _is_entry(self, function: ProjectFunction) -> bool:
        """Does nothing in the project name a function, so that it is called from outside alone, if at all?"""
        return not isinstance(function.node, ast.Lambda) and all(
            reference.kind == "import" for reference in self.references.of(function))

    def _indirect(
        self, function: ProjectFunction, through: frozenset[str] | None, names: frozenset[str] | None
    ) -> Iterator[str]:
        """The calls of unknown things that may run it."""
        kept = names is not None and not any(r.kind in ("value", "maybe") for r in self._references(function))
        for path, call in self.graph.indirect():
            if (kept and self._runs_itself(path, call, function)) or self._is_foreign(path, call):
                continue
            words = attributes_of(self.project, self.rebound, path, call.func) if names is not None else None
            if names is not None and words is not None and names.isdisjoint(words):
                continue
            yield from self._gap_by(function, path, call, through, kept=bool(names) and bool(words))

    def _runs_itself(self, path: str, call: ast.Call, function: ProjectFunction) -> bool:
        """Is an object called that surely runs its own body, another one? What that calls stands in it."""
        found = only_itself(self.project, self.rebound, path, call.func)
        return found is not None and all(
            self.project.method(each, name) != function for cls in found.classes
            for each in (cls, *self.project.hierarchy.subclasses(cls)) for name in ANSWERS) and all(
            self.are_named(taker) and not self._has_built_name(taker) for taker in found.through)

    def _is_foreign(self, path: str, call: ast.Call) -> bool:
        """Is what a name stands for a library's, whoever hands it over?"""
        through = only_foreign(self.project, self.rebound, path, call.func)
        return through is not None and all(
            self.are_named(taker) and not self._has_built_name(taker) for taker in through)

    def _has_built_name(self, function: ProjectFunction) -> bool:
        """May a function be asked for by a name that is put together?"""
        name = function.qualname.rsplit(".", 1)[-1]
        return any(built.may_be(name) and may_have(self.project, built, function) for built in self.graph.built_names())

    def _handed_back(self, makers: list[ProjectFunction]) -> Iterator[str]:
        """Whoever calls a function that hands another one back has that one, too."""
        for maker in makers:
            if self.is_public(maker):
                yield f"{maker.qualname} {PUBLIC}"
            why = self.unseen(maker)
            if why is not None:
                yield why

    def _gap_by(self, function: ProjectFunction, path: str, call: ast.Call, through: frozenset[str] | None,
                kept: bool = False, used: bool = False) -> Iterator[str]:
        """A call of something unknown that may run it, where the two may be in one process at all."""
        if not self.meeting.meet(function.path, path) or (used and self._lets_go(path, call)):
            return
        inside = self.project.hierarchy.class_around(function.path, function.node) is not None
        filled = int(inside and not takes_no_object(self.project, self.rebound, function))
        if not any(fits(function.node, call, n) and (through is None or self._sets(function, path, call, n, through))
                   for n in {0, filled}):
            return
        if id(call) not in self.outcome.visited:
            yield f"what {place(self.project, path, call)} {NOT_SEEN}"
        yield from self._unresolved(path, call, kept)

    def _lets_go(self, path: str, call: ast.Call) -> bool:
        """Is what a call gives let go where it stands? A session shows what a line of it gives, and keeps that."""
        return isinstance(self.project.parent(path, call), ast.Expr) and isinstance(
            self.project.scope(path, call), FUNCTIONS)

    def _protocol(self, function: ProjectFunction, name: str) -> Iterator[str]:
        """What Python, or code that nobody has seen, calls of an object: by a loop, by an item, by calling it."""
        owner = self.project.hierarchy.class_around(function.path, function.node)
        family = [] if owner is None else [owner, *self.project.hierarchy.subclasses(owner)]
        if any(id(cls.node) in machine.given for cls in family for machine in self.outcome.machines.values()):
            yield f"an object with {name} is handed to code that was not seen"
        if name not in ("forward", "__call__", "next"):
            if id(function.node) not in self.inlined:
                yield f"what runs {name} was not seen"
            asked = self.in_sight.asked(owner) if owner is not None else None
            places = {id(node) for node in asked} if asked is not None else None
            for root, machine in self.outcome.machines.items():
                for node, more in machine.may_calls.get(name, {}).items():
                    if (places is None or node in places) and self._meets(function, root) and (
                            not self._is_dismissed(root, more)):
                        yield f"what {self.outcome.bodies[root].qualname or 'the module'} asks for {name} is not known"

    def _meets(self, function: ProjectFunction, root: int) -> bool:
        """May a function be in the process of a run?"""
        return self.meeting.meet(function.path, self.outcome.bodies[root].path)

    def _is_dismissed(self, root: int, more: bool) -> bool:
        """Is a run one that callers in sight do better, or that only meets what somebody outside handed over?"""
        body = self.outcome.bodies[root]
        around = self.project.function(body.path, body.node)
        return around is not None and (self._is_seen(around) or (not more and self._is_entry(around)))

    def _reads(self, function: ProjectFunction, name: str) -> Iterator[str]:
        """What runs a property: reads of an attribute of that name."""
        if id(function.node) not in self.inlined:
            yield f"what reads {name} was not seen"
        for root, machine in self.outcome.machines.items():
            if name in machine.foreign_reads and self._meets(function, root) and not self._is_dismissed(
                    root, more=True):
                yield f"what {self.outcome.bodies[root].qualname or 'the module'} reads {name} of is not known"

    # --- outside -----------------------------------------------------------------------------------------------------

    def is_public(self, function: ProjectFunction) -> bool:
        """May others who install the package call a function?"""
        importable = self.options.importable
        return (self.options.installable and not self.options.break_api and is_public(function.qualname)
                and "<locals>" not in function.qualname and not isinstance(function.node, ast.Lambda)
                and not self.internal.is_own(function)
                and (importable is None or file_of(function.path) in importable))

    def is_for_others(self, function: ProjectFunction, through: frozenset[str] | None) -> bool:
        """Is a public function one of which nobody in the project uses what the flag is for?"""
        return self.is_public(function) and not any(
            through is None or self._sets(function, path, call, filled, through)
            for path, call, filled in calls_of(self.project, function) if self.entered.get(id(call)))

    def _is_run_by_python(self, function: ProjectFunction, name: str) -> bool:
        """Is a method one that Python runs by its name? ``forward``: torch does, for objects of classes of its own."""
        owner = self.project.hierarchy.class_around(function.path, function.node)
        return by_python(name) and not (
            name == "forward" and owner is not None and is_of_the_project(self.project, owner))

    def _decorated(self, function: ProjectFunction) -> bool:
        found = (ast.unparse(d) for d in getattr(function.node, "decorator_list", ()))
        return any(not any(quiet in text for quiet in QUIET) for text in found)

    def _is_looked_at(self, path: str, above: ast.AST | None) -> bool:
        """Does a built-in only say something of what it is given?"""
        called = self.project.resolve(path, None, above.func) if isinstance(above, ast.Call) else None
        return isinstance(called, Builtin) and called.name in PLAIN_BUILTINS - PASSING

    def _has_name(self, function: ProjectFunction) -> bool:
        """Is a lambda but assigned to names?"""
        above = self.project.parent(function.path, function.node)
        return isinstance(above, ast.Assign) and all(isinstance(target, ast.Name) for target in above.targets)

    def _is_followed(self, reference: Reference) -> bool:
        """Is a function handed to what calls it at once, before the eyes of the interpretation?"""
        above = self.project.parent(reference.path, reference.node)
        if not isinstance(above, ast.Call) or above.func is reference.node:
            return False
        return is_one_of(self.project.resolve(reference.path, None, above.func), RUN_HERE)

    def _ran_by(self, function: ProjectFunction, reference: Reference) -> ast.Call | None:
        """The call that was seen to run a function which it is handed: by a pool, a thread, a loader."""
        node: ast.AST = reference.node
        above = self.project.parent(reference.path, node)
        if isinstance(above, ast.keyword):
            above = self.project.parent(reference.path, above)
        if not isinstance(above, ast.Call) or above.func is node:
            return None
        return above if id(function.node) in self.entered.get(id(above), ()) else None

    def _away(self, reference: Reference, seen: set[ast.AST]) -> Iterator[str]:
        """Where a value gets out of sight: handed to others, kept, or handed back to callers that do one of these."""
        path, node = reference.path, reference.node
        if node in seen:
            return
        seen.add(node)
        held, above = self._held_in(path, node)
        if isinstance(above, ast.Call) and above.func is not held:
            yield from self._given_away(path, above)
            if is_one_of(self.project.resolve(path, None, above.func), GIVEN_BACK):
                yield from self._away(Reference(path, above, "value"), seen)
        if isinstance(above, ast.Return):
            maker = self.project.function(path, self.project.scope(path, above))
            for each in self.references.of(maker) if maker is not None else ():
                if each.kind in ("call", "maybe-call", "value"):
                    yield from self._away(each, seen)
        if len(seen) > 1:  # handed back once at least: what happens to a name itself is asked elsewhere
            targets = above.targets if isinstance(above, ast.Assign) else []
            kept = any(isinstance(target, (ast.Attribute, ast.Subscript)) for target in targets)
            if kept or isinstance(above, (ast.Yield, ast.YieldFrom)):
                yield f"{place(self.project, path, node)} hands it on"

    def _as_default(
        self, function: ProjectFunction, reference: Reference, through: frozenset[str] | None
    ) -> Iterator[str]:
        """Where a function is the default of a parameter: it is what is called, unless another one is handed over."""
        above = self.project.parent(reference.path, reference.node)
        if not isinstance(above, FUNCTIONS):
            return
        taken = [parameter for parameter in parameters_of(above) if default_of(above, parameter) is reference.node]
        for path, call in self.graph.indirect():
            called = self.project.resolve(path, None, call.func) if path == reference.path else None
            if isinstance(called, Local) and called.parameter in taken and fits(function.node, call, 0) and (
                    through is None or self._sets(function, path, call, 0, through)):
                yield f"{place(self.project, path, call)} calls it as the default of a parameter"

    def _held_in(self, path: str, node: ast.AST) -> tuple[ast.AST, ast.AST | None]:
        """The largest container or choice that a value is a part of, and what that stands in."""
        above = self.project.parent(path, node)
        while isinstance(above, _HOLDING) and not (isinstance(above, ast.IfExp) and above.test is node):
            node, above = above, self.project.parent(path, above)
        return node, above

    def _given_away(self, path: str, call: ast.Call) -> Iterator[str]:
        """Is the call that is handed a function one of code that nobody has seen?"""
        called = self.project.resolve(path, None, call.func)
        if isinstance(called, Builtin):
            if f"builtins.{called.name}" not in FOLLOWED and called.name not in ("getattr", "hasattr"):
                yield f"{place(self.project, path, call)} hands it on"
        elif not isinstance(called, (ProjectFunction, ProjectClass)) and not is_one_of(called, FOLLOWED):
            yield f"{place(self.project, path, call)} hands it to code that was not seen"


def _is_read(reference: Reference) -> bool:
    """Is a function, or what may be one, asked for as a value, by a name or of an object?"""
    node = reference.node
    return reference.kind == "value" or (
        reference.kind == "maybe" and isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Load))


_HOLDING = (ast.Tuple, ast.List, ast.Dict, ast.keyword, ast.Starred, ast.IfExp, ast.BoolOp)


def is_default(above: ast.AST | None, asked: ast.expr) -> bool:
    """Is ``getattr(x, name)`` only looked at: compared, tested, printed as a part of a text?"""
    return isinstance(above, (ast.Compare, ast.FormattedValue, ast.Expr)) or (
        isinstance(above, ast.If) and above.test is asked)
