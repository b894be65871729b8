"""Which calls may send gradients, though nothing says what they run: by a possible edge to a function that trains."""

from __future__ import annotations

import ast
import operator
from collections.abc import Iterable, Iterator, Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING, NamedTuple

from voltfix.program.arguments import argument_for
from voltfix.program.autograd import is_operation
from voltfix.program.bindings import (
    Ambiguous,
    Builtin,
    External,
    Local,
    ProjectClass,
    ProjectFunction,
    ProjectModule,
    is_one_of,
)
from voltfix.program.built import gives_module, may_have
from voltfix.program.calls import (
    RUN_BY_OBJECT,
    SENDS,
    BuiltName,
    CallGraph,
    attributes_of,
    by_python,
    fits,
    is_property,
)
from voltfix.program.classes import receiver_name
from voltfix.program.decorating import stays_function
from voltfix.program.flow import Call as Place
from voltfix.program.flow import Followed, followed, is_for_others, made_by
from voltfix.program.foreign import holds_layer
from voltfix.program.handing import functions_handed
from voltfix.program.imports import Index
from voltfix.program.meeting import Meeting
from voltfix.program.mentioned import last_word
from voltfix.program.mentions import Mentions, names_of_functions, stores
from voltfix.program.nofunction import is_no_function
from voltfix.program.ofclass import is_readable, objects_handed
from voltfix.program.reached import reached
from voltfix.program.rebound import Rebound
from voltfix.program.receivers import handed_back
from voltfix.program.references import Reference, References
from voltfix.program.scopes import Function, decorators
from voltfix.program.walking import walk
from voltfix.torchmodel.library import GIVEN_BACK
from voltfix.torchmodel.python import ITERATING

if TYPE_CHECKING:
    from voltfix.program.resolve import Project


# special methods that Python runs where it says so: for a call, an attribute, an item, ``with``, ``for``
_SAID = frozenset({"__init__", "__new__", "__call__", "__getattr__", "__getattribute__", "__setattr__", "__delattr__",
                   "__getitem__", "__setitem__", "__delitem__", "__enter__", "__exit__", "__iter__", "__next__"})
# those of operators, ``__add__`` and ``__iadd__``; ``__radd__`` is the other way round of one
_OPERATORS = frozenset(name for name in dir(operator) if name.startswith("__")) - _SAID
_SAYS_WHAT_RUNS = (*RUN_BY_OBJECT, "__class__", "__bases__")
_ONLY_METHODS = (ast.FunctionDef, ast.Expr, ast.Pass)
_BY_LOOP = ("__iter__", "__next__", "next", "__getitem__")
# by what says so, the special methods that are run for it
_ASKS_FOR: tuple[tuple[tuple[type[ast.AST], ...], tuple[str, ...]], ...] = (
    ((ast.Subscript,), ("__getitem__", "__setitem__", "__delitem__")),
    ((ast.For, ast.comprehension, ast.Starred), _BY_LOOP),
    ((ast.With,), ("__enter__", "__exit__")),
    ((ast.Attribute,), ("__getattr__", "__getattribute__", "__setattr__", "__delattr__")),
)
# what may run one of an operator; a call, too: of ``len``, or of a class whose objects say how they are made
_COMPUTES = (ast.BinOp, ast.AugAssign, ast.UnaryOp, ast.BoolOp, ast.Compare, ast.If, ast.While, ast.IfExp, ast.Assert,
             ast.Call)
_DEEPEST = 3  # what is made of what is made of a function
_MAY_GIVE_FUNCTION = (ast.Name, ast.Attribute, ast.Subscript, ast.IfExp, ast.BoolOp, ast.Lambda)


class Value(NamedTuple):
    """A function that trains and is a value somewhere: what may call it.

    ``calls``: those to which it was followed. ``away``: any call of an unknown thing, too. ``words``: the attributes
    under which it may be kept; None: any. ``stored``: it may be in a container, having been asked for by a name that
    is put together, or with all that is beside it. ``filled``: how many parameters may be filled already; None: any
    of them. ``libraries``: whose objects were given it.
    """

    function: ProjectFunction
    filled: tuple[int, ...] | None
    calls: frozenset[ast.Call]
    away: bool
    words: frozenset[str] | None
    stored: bool
    libraries: frozenset[str]


class Training:
    """Answers for the calls of a project, remembered."""

    def __init__(self, project: Project, rebound: Rebound, index: Index) -> None:
        self.project = project
        self.rebound = rebound
        self.meeting = Meeting(project, index)
        self.graph = project.computed(CallGraph)
        self._of_class = project.computed(objects_handed)
        self._values: list[Value] | None = None
        self._runners: set[Function] = set()  # those that train, and those that a function that trains comes to
        self._keeping: dict[str, bool] = {}
        self._quiet: set[ast.AST] = set()  # what comes to no function that trains: calls, and what names a function
        self._known: dict[tuple[ast.Call, str], bool] = {}
        self._idle: dict[ast.expr, bool] = {}
        self._unasked: dict[tuple[str, str], bool] = {}  # by path and name
        self._special: frozenset[str] | None = None
        self._sending: frozenset[str] | None = None
        self._handing: set[Function] | None = None
        self._operators: bool | None = None
        self._computed_by: list[str] | None = None

    def may_send(self, path: str, call: ast.Call, said: Mapping[ast.expr, object] = MappingProxyType({})) -> bool:
        """May a call that was not looked into run a function of the project that sends gradients?

        ``said``: arguments that are constants where it is asked, though the text has names for them.
        """
        key = call, repr(sorted((part.lineno, part.col_offset, repr(value)) for part, value in said.items()))
        if key not in self._known:
            self._known[key] = True  # what comes back to itself is not looked at twice
            self._known[key] = not self._is_layer(path, call) and self._may_send(path, call, said)
        return self._known[key]

    def _may_send(self, path: str, call: ast.Call, said: Mapping[ast.expr, object]) -> bool:
        found, named = self.graph.may_run(path, call)
        of_object = [] if named else self._of_class.when_called(path, call.func)
        handed = None if named else functions_handed(self.project, path, call.func)
        found = found if handed is None else handed
        if of_object:
            return self._may_be_replaced(call.func) or any(
                self._trains_when_called(path, call, each, said) for each in of_object) or (
                self._may_be_any(path, call, found) and any(self._comes_to_one(each, call, said) for each in of_object))
        unsure = not named or self._may_be_replaced(call.func)
        return any(self._trains_when_called(path, call, each, said) for each in found) or (
            any(map(self._trains, found)) and any(map(self._may_hand_on, found))) or (
            unsure and (any(self._may_be(path, call, self._all())) or self._is_of_module(path, call.func)))

    def _may_be_any(self, path: str, call: ast.Call, found: list[ProjectFunction]) -> bool:
        """May a call run a function that trains, as far as what is called has a name and nothing else?"""
        return any(map(self._trains, found)) or any(self._may_be(path, call, self._all())) or (
            self._is_of_module(path, call.func))

    def _comes_to_one(self, function: ProjectFunction, call: ast.Call, said: Mapping[ast.expr, object]) -> bool:
        """May a function, being what a call of an object runs, come to one that trains, by whatever it calls?"""
        parts = reached(self.project, function, call, said, bound=True)
        return self._comes_to(function.path, [function.node] if parts is None else parts)

    def _comes_to(self, path: str, parts: Iterable[ast.AST]) -> bool:
        """The same of parts of a file."""
        outer, self._quiet, before = self._quiet, set(self._quiet), len(self._known)
        found = any(self._comes_from(path, part) for part in parts)
        if found:
            self._quiet = outer  # those that are quiet only if what they come back to is
            for key in [key for key in list(self._known)[before:] if not self._known[key]]:
                del self._known[key]
        return found

    def _comes_from(self, path: str, part: ast.AST) -> bool:
        """The same of a part of a body; what is under way, or known to come to none, is not looked at again."""
        for node in [node for node in walk(part) if node not in self._quiet]:
            self._quiet.add(node)
            if isinstance(node, ast.Call) and not self._is_layer(path, node) and (self.may_send(path, node) or any(
                    self._comes_from(run.path, run.node) for run in self._run(path, node))):
                return True
            if self._is_made_up(path, node) or any(self._trains(each) or self._comes_from(each.path, each.node)
                   for each in (*self._handed_on(path, node), *self._run_by_python(node))):
                return True
        return False

    def _is_made_up(self, path: str, node: ast.AST) -> bool:
        """Is an attribute called that the class of the object may make of any name?"""
        if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute) or (
                self.graph.may_run(path, node)[0]):
            return False
        cls = self.project.instance(path, node.func.value)
        return cls is not None and any(isinstance(self.project.method(cls, name), ProjectFunction)
                                       for name in ("__getattr__", "__getattribute__"))

    def _handed_on(self, path: str, node: ast.AST) -> list[ProjectFunction]:
        """The functions that an expression may stand for, where it is not called there."""
        above = self.project.parent(path, node) if isinstance(node, (ast.Name, ast.Attribute)) else None
        if above is None or (isinstance(above, ast.Call) and above.func is node):
            return []
        of = self.project.resolve(path, None, node) if isinstance(node, (ast.Name, ast.Attribute)) else None
        found = [each for each in (of.candidates if isinstance(of, Ambiguous) else (of,))
                 if isinstance(each, ProjectFunction)]
        return found or (self.graph.methods(node.attr) if isinstance(node, ast.Attribute) and not isinstance(
            of, (External, Builtin)) else [])

    def _run_by_python(self, node: ast.AST) -> list[ProjectFunction]:
        """What Python may run of objects of the project for an expression or a statement, though nothing calls it."""
        names = [name for kinds, names in _ASKS_FOR if isinstance(node, kinds) for name in names]
        if isinstance(node, ast.Call) and last_word(node.func) in ITERATING:
            names += _BY_LOOP
        if isinstance(node, _COMPUTES):
            names += self._operator_names()
        found = [each for name in names for each in self.graph.methods(name)]
        asked = self.graph.unasked(node.attr) if isinstance(node, ast.Attribute) else []
        return found + [each for each in asked if is_property(each.node)]

    def _operator_names(self) -> list[str]:
        """The special methods of the project that an operator may run, or a built-in that is called."""
        if self._computed_by is None:
            self._computed_by = sorted({name for each in self.project.functions()
                                        if (name := each.qualname.rsplit(".", 1)[-1]).startswith("__")
                                        and by_python(name) and name not in _SAID})
        return self._computed_by

    def _run(self, path: str, call: ast.Call) -> list[ProjectFunction]:
        """What a call may run, as near as that is known."""
        found, named = self.graph.may_run(path, call)
        handed = None if named else functions_handed(self.project, path, call.func)
        return handed if handed is not None else found if named else (
            self._of_class.when_called(path, call.func) or found)

    def _is_layer(self, path: str, call: ast.Call) -> bool:
        """Is what is called a layer of torch's that holds no other: what that runs is of the project in hooks alone?

        Or an operation of the project that was put in its place.
        """
        return holds_layer(self.project, self.rebound, path, call.func, self._is_idle_operation)

    def _is_idle_operation(self, path: str, put: ast.expr) -> bool:
        """Is it made there of a class of torch's operations, none of whose methods comes to a function that trains?

        What calling it runs is one of them; nothing is put on such an object, and its class stands for nothing else.
        """
        if put not in self._idle:
            self._idle[put] = False  # what comes back to itself is not looked at twice
            self._idle[put] = self._makes_idle_operation(path, put)
        return self._idle[put]

    def _makes_idle_operation(self, path: str, put: ast.expr) -> bool:
        cls = self.project.resolve(path, None, put.func) if isinstance(put, ast.Call) else None
        if not isinstance(put, ast.Call) or not isinstance(put.func, ast.Name) or not isinstance(cls, ProjectClass) or (
                self.rebound.is_bound_elsewhere(path, put.func)) or any(
                self.rebound.is_set(name, cls) for name in _SAYS_WHAT_RUNS):
            return False
        order = self.project.mro(cls)
        own = [each for each in order if isinstance(each, ProjectClass)]
        return any(map(is_operation, order)) and all(map(is_readable, order)) and all(map(self._has_idle_methods, own))

    def _has_idle_methods(self, cls: ProjectClass) -> bool:
        """Does the body of a class hold methods alone, and does none of them come to a function that trains?"""
        found = [self.project.function(cls.path, part) for part in cls.node.body]
        methods = [each for each in found if each is not None]
        return len(cls.node.bases) == 1 and all(isinstance(part, _ONLY_METHODS) for part in cls.node.body) and not (
            any(map(self.graph.sends_itself, methods)) or self._comes_to(cls.path, cls.node.body))

    def _trains_when_called(
        self, path: str, call: ast.Call, function: ProjectFunction, said: Mapping[ast.expr, object]
    ) -> bool:
        """May running a function send gradients, when it is this call that runs it?"""
        if not self._trains(function):
            return False
        itself = self._is_called_itself(path, call, function)
        bound = function in self._of_class.when_called(path, call.func)
        parts = reached(self.project, function, call, said, bound) if itself else None
        return parts is None or any(self._may_send_in(function.path, part) for part in parts)

    def _may_hand_on(self, function: ProjectFunction) -> bool:
        """Does a function that is not known to train come to a method of something unknown that may?

        So does one that goes around another of its name, and says otherwise what for (``self.core.run(self.kind, x)``).
        """
        if self._handing is None:
            self._all()
            names = self._names_that_send()
            self._handing = self.graph.callers_of(
                function.node for function in self.project.functions()
                if any(isinstance(call.func, ast.Attribute) and call.func.attr in names and self._may_find(
                    function, call.func) for call in self.graph.calls_in(function)))
        return function.node in self._handing and not self._trains(function)

    def _may_find(self, function: ProjectFunction, asked: ast.Attribute) -> bool:
        """May what is asked be a method that may send? ``super().f`` is one of a class that an object can be, too."""
        of, hierarchy = asked.value, self.project.hierarchy
        cls = hierarchy.class_around(function.path, function.node)
        if cls is None or not isinstance(of, ast.Call) or self.rebound.is_assigned(asked.attr) or self.project.resolve(
                function.path, None, of.func) != Builtin("super"):
            return True
        own = receiver_name(function.node)
        if of.keywords or (of.args and not (isinstance(of.args[-1], ast.Name) and of.args[-1].id == own)):
            return True
        order = [above for below in (cls, *hierarchy.subclasses(cls)) for above in self.project.mro(below)]
        classes = {above.node for above in order if isinstance(above, ProjectClass)}
        return not all(map(is_readable, order)) or any(
            each.node in self._runners and (owner := hierarchy.class_around(each.path, each.node)) is not None
            and owner.node in classes for each in self.graph.methods(asked.attr))

    def _is_called_itself(self, path: str, call: ast.Call, function: ProjectFunction) -> bool:
        """Is it the function that is called if any is, and not what was made of it (``partial(step, "train")``)?"""
        name, project = function.qualname.rsplit(".", 1)[-1], self.project
        around = project.hierarchy.class_around(function.path, function.node)
        if getattr(function.node, "decorator_list", ()) or self.rebound.is_assigned(name) or (
                project.computed(Mentions).is_written(name)):
            return False
        if around is None:
            return project.resolve(path, None, call.func) == function and not self.rebound.name(name)
        again = [each for statement in around.node.body for each in walk(statement) if each is not function.node and (
            getattr(each, "name", "") == name or (isinstance(each, ast.Name) and each.id == name))]
        named = isinstance(call.func, ast.Attribute) and call.func.attr == name
        return not again and (named or function in self._of_class.when_called(path, call.func))

    def _may_send_in(self, path: str, part: ast.AST) -> bool:
        """May a part of a body send gradients: by what it calls, names, hands on, or has Python run?"""
        names = self._names_that_send()
        if any(name.startswith("__") and name != "__init__" for name in names):
            return True  # Python may run it, or who is handed the object, and nothing names it
        for node in walk(part):
            if isinstance(node, (ast.Name, ast.Attribute)):
                said = node.id if isinstance(node, ast.Name) else node.attr
                of = self.project.resolve(path, None, node)
                if said in names or (isinstance(of, External) and of.name.startswith("torch.autograd.") and (
                        of.name.rpartition(".")[2] in SENDS)) or (
                        isinstance(of, ProjectFunction) and self._trains(of)):
                    return True
            elif isinstance(node, ast.Call) and (
                    self.may_send(path, node) or any(map(self._may_hand_on, self.graph.may_run(path, node)[0]))):
                return True
        return False

    def _names_that_send(self) -> frozenset[str]:
        """The names of all functions that may send gradients, and those of torch's that do."""
        if self._sending is None:
            self._all()
            self._sending = SENDS | {
                each.qualname.rsplit(".", 1)[-1] for each in self.project.functions() if each.node in self._runners}
        return self._sending

    def _may_be_replaced(self, called: ast.expr) -> bool:
        """May others have put something in the place of what is named, or of what calling an object runs?"""
        names = (called.attr,) if isinstance(called, ast.Attribute) else RUN_BY_OBJECT
        return any(name in self.rebound.patched and self.graph.methods(name) for name in names)

    def trains(self, path: str, node: ast.AST) -> bool:
        """May a function of the project that is written there send gradients?"""
        function = self.project.function(path, node)
        return function is not None and self._trains(function)

    def _trains(self, function: ProjectFunction) -> bool:
        """May running it send gradients: in it, in what it calls, or in a function that is handed to a call in it?"""
        self._all()
        return function.node in self._runners

    def _may_be(self, path: str, call: ast.Call, values: Iterable[Value]) -> Iterator[Value]:
        """Those of the functions that train that something unknown may be, by what was asked of it before its call.

        What a decorator made of a function may be an object that has any attribute, if it does not stay a function; an
        object that is called runs what is kept on it to be run so (``net.forward = adapt``).
        """
        bare: bool | None = None
        for value in self._values_at(path, call, values):
            if bare is None:
                bare = is_no_function(self.project, self.rebound, path, call.func)
            if not bare or not stays_function(self.project, value.function.path, value.function.node) or (
                    self._may_be_put_to_be_run(value)):
                yield value

    def _may_be_put_to_be_run(self, value: Value) -> bool:
        """May it be put on an object where calling the object runs it?"""
        return any((value.words is None or name in value.words) and (
            name in self.project.computed(stores) or self.project.computed(Mentions).is_written(name))
            for name in RUN_BY_OBJECT)

    def _is_of_module(self, path: str, called: ast.expr) -> bool:
        """May it be a function that trains, of a module that is looked for by its name?"""
        return isinstance(called, ast.Attribute) and gives_module(self.project, path, called.value) and any(
            function.qualname == called.attr and self.meeting.meet(function.path, path) and self.graph.trains(function)
            for function in self.project.functions())

    def may_send_unasked(self, path: str, names: Iterable[str]) -> bool:
        """May what Python runs of an object that nobody knows send gradients, though nothing calls it?"""
        return any(self._sends_unasked(path, name) for name in names)

    @property
    def special(self) -> frozenset[str]:
        """The special methods that train and that an operator or a built-in may run: ``len(x)``, ``x + 1``."""
        if self._special is None:
            names = {each.qualname.rsplit(".", 1)[-1] for each in self.project.functions() if self.graph.trains(each)}
            self._special = frozenset(
                name for name in names if name.startswith("__") and by_python(name)) - _SAID
        return self._special

    def _sends_unasked(self, path: str, name: str) -> bool:
        known = self._unasked.get((path, name))
        if known is None:
            known = self._unasked[path, name] = any(
                self.meeting.meet(function.path, path) and self.graph.trains(function)
                for function in self.graph.unasked(name))
        return known

    def _values_at(self, path: str, call: ast.Call, values: Iterable[Value]) -> Iterator[Value]:
        """The functions that train and that a call of something unknown may run."""
        asked = attributes_of(self.project, self.rebound, path, call.func)
        library = made_by(self.project, path, call.func).split(".")[0]
        for value in values:
            if not self.meeting.meet(value.function.path, path) or not takes(value, call):
                continue
            if call in value.calls or library in value.libraries:
                yield value
                continue
            if asked is None:
                may = value.words is None or value.away or (value.stored and not self._is_given(path, call.func)) or (
                    self._may_be_put_to_be_run(value))
            else:
                may = value.words is None or not value.words.isdisjoint(asked)
            if may:
                yield value

    def _is_given(self, path: str, called: ast.expr) -> bool:
        """Is it a parameter?"""
        bound = self.project.resolve(path, None, called) if isinstance(called, ast.Name) else None
        return isinstance(bound, Local) and bound.parameter is not None

    def _all(self) -> list[Value]:
        return self._values if self._values is not None else self._of_project()

    def _of_project(self) -> list[Value]:
        """All of them. A function with a call that one of them is followed to trains, and so do its callers.

        So does, at last, one in which a call that no name speaks of may run one of them: such calls are not followed
        from one to the other, and what is kept in attributes alone is asked for by their names.
        """
        self._values, around = [], self._around()
        waiting = [each for each in self.project.functions() if self.graph.trains(each)]
        self._runners = {each.node for each in waiting}
        while waiting:
            found = [value for each in waiting if (value := self._value_of(each)) is not None]
            self._values += found
            running = self.graph.callers_of(
                each for value in found for call in value.calls for each in around.get(call, ()))
            waiting = [each for each in self.project.functions() if each.node in running - self._runners]
            self._runners |= running
        if self._values:
            loose = [each for each in self._values if each.words is None or each.stored]
            calls = (call for path, call in self._open_calls() if any(self._may_be(
                path, call, self._values if isinstance(call.func, ast.Attribute) else loose)))
            self._runners |= self.graph.callers_of(each for call in calls for each in around.get(call, ()))
        return self._values

    def _open_calls(self) -> Iterator[tuple[str, ast.Call]]:
        """The calls of what may be a function, though no name says which; an attribute that only keeps layers is none.

        Nor is a method: of those of a name that may be meant, ``CallGraph.trains`` knows.
        """
        return ((path, call) for path, call in self.graph.indirect() if not isinstance(call.func, ast.Attribute) or (
            not self.graph.methods(call.func.attr) and self._may_keep_function(call.func.attr)))

    def _may_keep_function(self, name: str) -> bool:
        """May a function be kept under the name of an attribute, or be what a property of that name gives?"""
        if name not in self._keeping:
            kept = self.project.computed(stores).get(name, ())
            self._keeping[name] = any(self._may_be_function(path, node) for path, node in kept) or (
                bool(self.graph.unasked(name))) or (not kept and self.rebound.is_assigned(name))
        return self._keeping[name]

    def _may_be_function(self, path: str, kept: ast.Attribute) -> bool:
        """May what is assigned to an attribute be a function? What code from outside gives, and an object, is none.

        Nor is what an operator gives (``meter.sum += value``), unless the project says itself what operators do.
        """
        above = self.project.parent(path, kept)
        if isinstance(above, ast.AugAssign):
            return self._says_operators()
        if isinstance(above, ast.Tuple):
            return self._may_be_function_among(path, kept, above)
        value = above.value if isinstance(above, (ast.Assign, ast.AnnAssign)) else None
        return self._may_give_function(path, value)

    def _may_be_function_among(self, path: str, kept: ast.Attribute, targets: ast.Tuple) -> bool:
        """The same of ``x.a, x.b = 0, f``."""
        above = self.project.parent(path, targets)
        value = above.value if isinstance(above, ast.Assign) else None
        if not isinstance(value, ast.Tuple) or len(value.elts) != len(targets.elts) or any(
                isinstance(each, ast.Starred) for each in (*value.elts, *targets.elts)):
            return True
        return self._may_give_function(path, value.elts[targets.elts.index(kept)])

    def _says_operators(self) -> bool:
        """Does a class of the project say what an operator between two objects gives?"""
        if self._operators is None:
            names = self.project.computed(names_of_functions)
            self._operators = not _OPERATORS.isdisjoint(names | {name.replace("__r", "__", 1) for name in names})
        return self._operators

    def _may_give_function(self, path: str, value: ast.expr | None) -> bool:
        """May a value that is assigned be a function? None: nothing says what it is."""
        if not isinstance(value, ast.Call):
            return value is None or isinstance(value, _MAY_GIVE_FUNCTION)
        made_by = self.project.resolve(path, None, value.func)
        if isinstance(made_by, ProjectFunction):
            return self._may_hand_back_function(path, value, made_by)
        return not isinstance(made_by, (External, Builtin, ProjectClass)) or is_one_of(made_by, GIVEN_BACK)

    def _may_hand_back_function(self, path: str, call: ast.Call, maker: ProjectFunction) -> bool:
        """May a call give a function, by what its returns hand back? Of a parameter, what it is given here is asked."""
        back = handed_back(self.project, path, call)
        if not back:
            return True
        for at, part in back:
            bound = self.project.resolve(at, None, part) if isinstance(part, ast.Name) else None
            if maker.bound or not isinstance(bound, Local) or bound.parameter is None or bound.values:
                return True
            given = argument_for(call, maker.node, bound.parameter, 0)
            named = self.project.resolve(path, None, given) if isinstance(given, ast.Name) else None
            values = [(named.path, each) for each in named.values] if isinstance(named, Local) and (
                named.complete) else [(path, given)]
            if not values or any(not isinstance(each, ast.Call) or isinstance(
                    self.project.resolve(where, None, each.func), ProjectFunction) or self._may_give_function(
                    where, each) for where, each in values):
                return True
        return False

    def _around(self) -> dict[ast.Call, list[Function]]:
        """By call, the functions that it stands in."""
        around: dict[ast.Call, list[Function]] = {}
        for function in self.project.functions():
            for call in self.graph.calls_in(function):
                around.setdefault(call, []).append(function.node)
        return around

    def _value_of(self, function: ProjectFunction) -> Value | None:
        """Where a function that trains gets to as a value; None where it is none, or nothing calls it."""
        mentions = self.project.computed(Mentions)
        name = function.qualname.rsplit(".", 1)[-1]
        built = [each for each in self.graph.built_names() if each.may_be(name)]
        valued = isinstance(function.node, ast.Lambda) or built or self._given_to(function) or (
            self._decorated_by(function) or self._is_value(mentions, name))
        if not valued or is_property(function.node):
            return None
        references = self.project.computed(References).of(function)
        handed = [each for each in references
                  if each.kind == "value" and not self._is_made_by_others(function, each)]
        handed += [Reference(function.path, each, "value") for each in self._given_to(function)]
        if isinstance(function.node, ast.Lambda):
            handed.append(Reference(function.path, function.node, "value"))
        # of an object that nobody knows, anything could be asked for: that counts where it is followed
        vague = [each for each in references if each.kind == "maybe" and isinstance(each.node, ast.Attribute)]
        asked = [each for each in built if may_have(self.project, each, function)]
        sure, perhaps, by_name = ([(each, followed(self.project, each.path, each.node)) for each in places]
                                  for places in (handed, vague, asked))
        stored = any(
            found is None and isinstance(each, BuiltName) and self._is_known(each) for each, found in by_name)
        lost = [each for each, found in perhaps if found is None and isinstance(each, Reference)]
        kept = self.graph.attributes_with(function, lost) if lost else None
        gone = [each for each, found in sure if found is None and isinstance(each, Reference)]
        words = self.graph.attributes_with(function, gone) if gone else kept or frozenset()
        if words is not None:
            words |= {name for each, found in by_name if found is None for name in self._assigned_to(each)}
        known = [found for _, found in (*sure, *perhaps, *by_name) if found is not None]
        made = list(self._made_of(place for found in known for place in found.others))
        known += made
        named = {name for found in known for name in found.named}
        keys = {key.arg for found in known for _, call in found.others for key in call.keywords if key.arg is not None}
        words, stored = None if words is None else words | named | keys, stored or bool(named)
        calls = frozenset(call for found in known for _, call in found.calls)
        others = [place for found in known for place in found.others]
        libraries = self._decorated_by(function) | {
            made_by(self.project, path, call.func).split(".")[0] for path, call in others
            if not isinstance(self.project.resolve(path, None, call.func), (External, Builtin))}
        if not (calls or gone or stored or words or libraries):
            return None
        filled = None if made or any(found.filled for found in known) else self._filled(function, handed)
        away = bool(gone) or bool(named)  # who has all the settings may hand each of them on
        return Value(function, filled, calls, away, words, stored, libraries)

    def _made_of(self, given: Iterable[Place], depth: int = 0) -> Iterator[Followed]:
        """What code from outside makes of a function may run it when it is called: where that gets to, if in sight."""
        for path, call in given:
            found = followed(self.project, path, call)
            if found is not None and depth < _DEEPEST:
                yield found
                yield from self._made_of(found.others, depth + 1)

    def _assigned_to(self, each: Reference | BuiltName) -> list[str]:
        """The attributes that what is found by a built name is assigned to."""
        above = self.project.parent(each.path, each.node)
        targets = above.targets if isinstance(above, ast.Assign) else []
        return [target.attr for target in targets if isinstance(target, ast.Attribute)]

    def _given_to(self, function: ProjectFunction) -> list[ast.expr]:
        """The decorators that a function is handed to, which may keep it: those of the project, or of what it makes."""
        return [each for each, called in decorators(function.node) if not isinstance(
            self.project.resolve(function.path, None, called), (External, Builtin))
            and not is_for_others(self.project, function.path, called)]

    def _decorated_by(self, function: ProjectFunction) -> frozenset[str]:
        """The libraries whose objects are put on a function as decorators (``@MODELS.register``): they keep it."""
        return frozenset(made_by(self.project, function.path, called).split(".")[0]
                         for _, called in decorators(function.node)
                         if isinstance(called, ast.Attribute) and is_for_others(self.project, function.path, called)
                         and isinstance(self.project.resolve(function.path, None, called.value), Local))

    def _filled(self, function: ProjectFunction, references: list[Reference]) -> tuple[int, ...] | None:
        """How many parameters may be filled: the object that a method is asked of, what ``partial`` is given.

        A function that is put into a class (``Model.forward = f``) is a method of it. A decorator may fill any.
        """
        if any(not self._fills_nothing(function.path, called) for _, called in decorators(function.node)):
            return None
        for each in references:
            above = self.project.parent(each.path, each.node)
            if isinstance(above, ast.Call) and above.func is not each.node and is_one_of(
                    self.project.resolve(each.path, None, above.func), GIVEN_BACK):
                return None
        of_class = self.project.hierarchy.class_around(function.path, function.node) is not None
        return (0, 1) if of_class or any(map(self._is_put_into_class, references)) else (0,)

    def _fills_nothing(self, path: str, called: ast.expr) -> bool:
        """Does a decorator make of a function one that takes the same, as those of Python and torch do?"""
        of = self.project.resolve(path, None, called)
        return isinstance(of, Builtin) or (
            isinstance(of, External) and of.name.split(".")[0] in ("functools", "contextlib", "abc", "torch"))

    def _is_put_into_class(self, reference: Reference) -> bool:
        """May a function become a method: is it bound in the body of a class, or set on something other than self?"""
        above = self.project.parent(reference.path, reference.node)
        if isinstance(above, ast.Call):
            return reference.node in above.args and self.project.resolve(
                reference.path, None, above.func) == Builtin("setattr")
        targets = above.targets if isinstance(above, ast.Assign) else []
        return any(isinstance(each, ast.Attribute) and not (
            isinstance(each.value, ast.Name) and each.value.id == "self") for each in targets) or (
            bool(targets) and isinstance(self.project.scope(reference.path, reference.node), ast.ClassDef))

    def _is_known(self, built: BuiltName) -> bool:
        """Does the project say what a built name is asked of?"""
        if built.holder is None or isinstance(self.project.resolve(built.path, None, built.holder), ProjectModule):
            return True
        return self.project.instance(built.path, built.holder) is not None

    def _is_value(self, mentions: Mentions, name: str) -> bool:
        """Is anything of that name mentioned and not called there?"""
        return any(
            isinstance(node, ast.expr) and not (isinstance(above := self.project.parent(path, node), ast.Call)
                                                and above.func is node)
            for _, path, node in mentions.places(name))

    def _is_made_by_others(self, function: ProjectFunction, reference: Reference) -> bool:
        """Is it what a decorator from outside made of a function, asked for something: ``worker.remote(x)``?"""
        above = self.project.parent(reference.path, reference.node)
        return isinstance(above, ast.Attribute) and above.attr != "__wrapped__" and any(
            is_for_others(self.project, function.path, called) for _, called in decorators(function.node))


def takes(value: Value, call: ast.Call) -> bool:
    """May a call run the function: does it hand over what that takes?"""
    return value.filled is None or any(fits(value.function.node, call, n) for n in value.filled)
