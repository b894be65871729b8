"""The call graph: which calls run a function of the project, which may, and what a function may come to.

Three kinds of edges. *Resolved*: names say what is called. *Possible*: nothing says what is called, and the arguments
allow it: ``x.run(y)`` of an ``x`` that nobody knows, a function handed over as a value, a name built as a string.
*Open*: whoever installs the package calls its public functions. What is said of all callers is said of all three.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, NamedTuple

from voltfix.program.autograd import is_operation
from voltfix.program.bindings import (
    Ambiguous,
    Binding,
    Builtin,
    External,
    Local,
    ProjectClass,
    ProjectFunction,
    Unknown,
)
from voltfix.program.callable import Callable
from voltfix.program.closure import closure
from voltfix.program.handing import functions_handed
from voltfix.program.mentioned import last_word
from voltfix.program.mentions import Mentions, names_of_functions
from voltfix.program.put import may_be_kept
from voltfix.program.rebound import Rebound, rebound_in
from voltfix.program.scopes import Function, decorators
from voltfix.program.spelled import ends_of, gone_through
from voltfix.program.walking import walk
from voltfix.torchmodel.layers import HOLDS_MODULES

if TYPE_CHECKING:
    from voltfix.program.references import Reference
    from voltfix.program.resolve import Project

# what sends gradients: methods of tensors, functions of torch.autograd
SENDS = frozenset({"backward", "grad"})
RUN_BY_OBJECT = ("forward", "__call__")  # what calling an object runs
Shape = tuple[int, bool, frozenset[str | None]]
_DEEPEST = 12
_COMPARING = frozenset({"__lt__", "__le__", "__gt__", "__ge__", "__eq__", "__ne__", "__cmp__"})
_SAYS_WHAT_IT_HAS = frozenset({"__getattr__", "__getattribute__", "__slots__"})
_WRITTEN_OUT = (ast.List, ast.Dict, ast.Set, ast.Tuple, ast.ListComp, ast.DictComp, ast.SetComp)


class BuiltName(NamedTuple):
    """A name that is put together while the program runs, and how it starts and ends, or all that it can be.

    ``node`` gives what has the name, ``holder`` what is asked for it; None: the module that it stands in.
    """

    path: str
    node: ast.expr
    holder: ast.expr | None
    start: str
    end: str
    texts: frozenset[str] = frozenset()

    def may_be(self, name: str) -> bool:
        """Could it be this name?"""
        if self.texts:
            return name in self.texts
        return name.startswith(self.start) and name.endswith(self.end)


class CallGraph:
    """What calls mean in a project; asked for one function or call at a time, and remembered."""

    def __init__(self, project: Project) -> None:
        self.project = project
        self._trains: set[Function] | None = None
        self._yielding: list[ProjectFunction] | None = None
        self._callers: dict[Function, set[Function]] | None = None
        self._called: dict[Function, list[ProjectFunction]] = {}
        self._inner: dict[Function, list[ast.Call]] = {}
        self._of_any: dict[Shape, list[ProjectFunction]] = {}  # what calls of that shape run of an unknown object
        self._methods: dict[str, list[ProjectFunction]] | None = None
        self._properties: dict[str, list[ProjectFunction]] = {}
        self._indirect: list[tuple[str, ast.Call]] | None = None
        self._built: list[BuiltName] | None = None

    # --- what a call may run -----------------------------------------------------------------------------------------

    def targets(self, path: str, call: ast.Call) -> tuple[list[ProjectFunction], bool]:
        """The functions of the project that a call may run, and whether names say that it is they."""
        binding = self.project.resolve(path, None, call.func)
        found = list(self._functions_of(binding))
        if found:
            return found, True
        if isinstance(binding, (External, Builtin)):
            return [], True
        if isinstance(call.func, ast.Attribute):
            return [f for f in self.methods(call.func.attr) if fits(f.node, call, 1)], False
        return self._of_any_object(call), False

    def may_run(self, path: str, call: ast.Call) -> tuple[list[ProjectFunction], bool]:
        """As ``targets``; what an attribute is may be an object, too, which is called by its ``forward``."""
        found, named = self.targets(path, call)
        if not named and isinstance(call.func, ast.Attribute) and not isinstance(call.func.value, ast.Call) and (
                self._keeps(path, call.func)):
            known = self.project.instance(path, call.func)
            found += self.of_object(known) if known is not None else self._of_any_object(call)
        return found, named

    def of_object(self, cls: ProjectClass) -> list[ProjectFunction]:
        """What calling an object of a class runs."""
        return [each for name in RUN_BY_OBJECT for each in self._of(cls, name)]

    def _of_any_object(self, call: ast.Call) -> list[ProjectFunction]:
        """What calling an object runs of which nobody knows the class."""
        shape = shape_of(call)
        if shape not in self._of_any:
            answers = self.project.computed(Callable)
            self._of_any[shape] = [
                each for name in RUN_BY_OBJECT for each in self.methods(name)
                if fits(each.node, call, 1) and (name == "__call__" or answers.runs_when_called(each))]
        return [*self._of_any[shape]]

    def _of(self, cls: ProjectClass, name: str) -> list[ProjectFunction]:
        """The methods of that name that an object of a class, or of one below it, has."""
        found = [self.project.method(each, name) for each in (cls, *self.project.hierarchy.subclasses(cls))]
        return [each for each in dict.fromkeys(found) if isinstance(each, ProjectFunction)]

    def methods(self, name: str) -> list[ProjectFunction]:
        """The methods of the project's classes of that name."""
        if self._methods is None:
            self._methods = {}
            for function in self.project.functions():
                inside = self.project.hierarchy.class_around(function.path, function.node)
                if inside is not None:
                    named = self._properties if is_property(function.node) else self._methods
                    named.setdefault(function.qualname.rsplit(".", 1)[-1], []).append(function)
        return self._methods.get(name, [])

    def unasked(self, name: str) -> list[ProjectFunction]:
        """What Python runs of the project though nothing calls it: properties, special methods, bodies of generators.

        ``name=``: what writing the attribute runs.
        """
        methods = self.methods(name)
        sets = name.endswith("=")
        asked = [each for each in self._properties.get(name.removesuffix("="), ()) if sets == any(
            isinstance(d, ast.Attribute) and d.attr in ("setter", "deleter")
            for d in getattr(each.node, "decorator_list", ()))]
        return [*asked, *(methods if by_python(name) else ()), *(self._generators() if name == "__next__" else ())]

    def _generators(self) -> list[ProjectFunction]:
        """The functions that run while somebody goes over what a call of them gave."""
        if self._yielding is None:
            self._yielding = [each for each in self.project.functions() if any(
                isinstance(node, (ast.Yield, ast.YieldFrom)) and self.project.scope(each.path, node) is each.node
                for node in walk(each.node))]
        return self._yielding

    def _functions_of(self, binding: Binding) -> Iterator[ProjectFunction]:
        for each in binding.candidates if isinstance(binding, Ambiguous) else (binding,):
            if isinstance(each, ProjectFunction) and not is_property(each.node):
                yield each
                yield from self._put_in_place_of(each)
            elif isinstance(each, ProjectClass):
                for name in ("__init__", "__new__"):
                    made = self.project.method(each, name)
                    if isinstance(made, ProjectFunction):
                        yield made

    def _put_in_place_of(self, function: ProjectFunction) -> Iterator[ProjectFunction]:
        """What decorators of the project give for a function: functions in them, objects that are called."""
        for _, made_by in decorators(function.node):
            of = self.project.resolve(function.path, None, made_by)
            if isinstance(of, ProjectFunction):
                inner = (self.project.function(of.path, node) for node in walk(of.node) if node is not of.node)
                yield from (each for each in inner if each is not None)
            elif isinstance(of, ProjectClass):
                yield from self._of(of, "__call__")

    def indirect(self) -> list[tuple[str, ast.Call]]:
        """The calls of which no name says what they run: of parameters, entries, results, attributes of unknowns."""
        if self._indirect is None:
            called = ((path, call, self.project.resolve(path, None, call.func)) for path, call in self._calls())
            self._indirect = [(path, call) for path, call, found in called if isinstance(found, (Unknown, Local)) or (
                isinstance(found, ProjectFunction) and is_property(found.node))]
        return self._indirect

    def stored_as(self, name: str) -> frozenset[str]:
        """The words that may stand for what a name means: itself, and what it is bound to, as ``self.f = f``."""
        mentions = self.project.computed(Mentions)
        return frozenset(mentions.bound_to(name))

    def called_as(self, words: frozenset[str]) -> frozenset[str] | None:
        """The words that may stand for what others mean; None where something is handed what one of them stands for."""
        mentions = self.project.computed(Mentions)
        found = frozenset(each for word in words for each in self.stored_as(word))
        return found if all(self._stays(path, node) for path, node in mentions.of(found)) else None

    def _stays(self, path: str, node: ast.AST) -> bool:
        """Is something only called, asked for what it has, looked at, or bound to a name?"""
        if not isinstance(getattr(node, "ctx", None), ast.Load):
            return True
        above = self.project.parent(path, node)
        while isinstance(above, (ast.BoolOp, ast.UnaryOp)) or (isinstance(above, ast.IfExp) and above.test is not node):
            node, above = above, self.project.parent(path, above)
        if isinstance(above, ast.Attribute):
            return not above.attr.startswith("__")
        if isinstance(above, ast.Call):
            return above.func is node
        return isinstance(above, (ast.Assign, ast.Compare, ast.Expr)) or (
            isinstance(above, (ast.If, ast.While, ast.IfExp, ast.Assert)) and above.test is node)

    def attributes_with(self, function: ProjectFunction, references: Iterable[Reference]) -> frozenset[str] | None:
        """The attributes under which a function may be called as ``x.name()``; None: it was handed on, any may be.

        ``self.f = given or f`` gives it one name, as ``self.f = f`` does.
        """
        for reference in references:
            above = self.project.parent(reference.path, reference.node)
            if isinstance(above, (ast.BoolOp, ast.IfExp)):
                above = self._only_called_as(reference.path, reference.node)
            if reference.kind in ("value", "maybe") and not isinstance(above, (ast.Assign, ast.Attribute)):
                return None
        return self.stored_as(function.qualname.rsplit(".", 1)[-1])

    def _only_called_as(self, path: str, node: ast.AST) -> ast.Assign | None:
        """The assignment of one of several to attributes that are nothing but called, if a place is an arm of that."""
        above = self.project.parent(path, node)
        while isinstance(above, ast.BoolOp) or (isinstance(above, ast.IfExp) and above.test is not node):
            node, above = above, self.project.parent(path, above)
        if not isinstance(above, ast.Assign) or not all(isinstance(each, ast.Attribute) for each in above.targets):
            return None
        words = {each.attr for each in above.targets if isinstance(each, ast.Attribute)}
        mentions = self.project.computed(Mentions)
        if any(True for word in words for _ in mentions.asked_for(word)) or any(
                built.may_be(word) for built in self.built_names() for word in words):
            return None
        asked = mentions.of(words, attributes=True)
        calls = (self.project.parent(at, each) for at, each in asked)
        return above if all(isinstance(call, ast.Call) and call.func is each
                            for call, (_, each) in zip(calls, asked, strict=True)) else None

    def built_names(self) -> list[BuiltName]:
        """``getattr(x, name)`` and its kin where the name is no constant."""
        if self._built is None:
            asked = ((path, node, *by_name(node)) for path in self.project.paths for node in self.project.nodes(path)
                     if isinstance(node, (ast.Call, ast.Subscript)))
            self._built = [
                BuiltName(path, node, holder, *ends_of(name), gone_through(self.project, path, name))
                for path, node, holder, name in asked if name is not None and self._is_built(path, node, holder, name)]
        return self._built

    def _is_built(self, path: str, node: ast.expr, holder: ast.expr | None, name: ast.expr) -> bool:
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
            if node.func.id == "getattr" and isinstance(name, ast.Constant):
                return False  # the string is a mention
            above = self.project.parent(path, node)
            if node.func.id == "eval" and not (isinstance(above, ast.Call) and above.func is node):
                return False  # of a number, a list, a setting
        return holder is None or not isinstance(self.project.resolve(path, None, holder), External)

    def _calls(self) -> Iterator[tuple[str, ast.Call]]:
        for path in self.project.paths:
            table = self.project.table(path)
            for call in table.calls if table is not None else ():
                yield path, call

    # --- what a function may come to ---------------------------------------------------------------------------------

    def trains(self, function: ProjectFunction) -> bool:
        """May running the function send gradients somewhere, in it or in what it calls?

        What it calls by names that are resolved is followed; of a method of something unknown, that is so where all
        methods of that name send them.
        """
        if self._trains is None:
            callers = self._callers = self._find_callers()
            sure = closure((each.node for each in self.project.functions() if self.sends_itself(each)), callers)
            self._trains = closure(sure | {
                each.node for each in self.project.functions()
                if any(found and all(of.node in sure for of in found) for found in self._perhaps(each))}, callers)
        return function.node in self._trains

    def callers_of(self, functions: Iterable[Function]) -> set[Function]:
        """Functions, and those that come to one of them by names that are resolved, or by an object that is called."""
        if self._callers is None:
            self._callers = self._find_callers()
        return closure(functions, self._callers)

    def _find_callers(self) -> dict[Function, set[Function]]:
        """By function, those that call it by a name that is resolved, or as an object that may be one of its class."""
        callers: dict[Function, set[Function]] = {}
        for function in self.project.functions():
            for call in self.calls_in(function):
                for called in self._run_by(function.path, call):
                    callers.setdefault(called.node, set()).add(function.node)
        return callers

    def _run_by(self, path: str, call: ast.Call) -> list[ProjectFunction]:
        """What a call surely runs; of an object that is called (``net(x)``, ``self.net(x)``), what it may run."""
        binding = self.project.resolve(path, None, call.func)
        found = list(self._functions_of(binding))
        if found or isinstance(binding, (External, Builtin)) or self._is_from_outside(binding) or not (
                isinstance(call.func, ast.Name) or (
                    isinstance(call.func, ast.Attribute) and self._keeps(path, call.func))):
            return found
        known = self.project.instance(path, call.func)
        if known is not None:
            return [each for each in self.of_object(known) if fits(each.node, call, 1)]
        handed = functions_handed(self.project, path, call.func)
        return self._of_any_object(call) if handed is None else handed

    def _keeps(self, path: str, asked: ast.Attribute) -> bool:
        """May an object be kept under the name of an attribute? Else it is a method of code from outside.

        Who asks for something by a name that is put together (``getattr(x, name)``) puts nothing there. On a list and
        its like nobody can put anything, and on what a comparison gives nobody has.
        """
        of = asked.value
        return not isinstance(of, (ast.Constant, ast.JoinedStr)) and may_be_kept(self.project, asked.attr) and not (
            self._is_written_out(path, of) or self._is_compared(of) or self._is_left_as_made(path, asked))

    def _is_compared(self, of: ast.expr) -> bool:
        """Is it what a comparison gives, of which no class of the project says what that is?"""
        return isinstance(of, ast.Compare) and len(of.ops) == 1 and _COMPARING.isdisjoint(
            self.project.computed(names_of_functions))

    def _is_left_as_made(self, path: str, asked: ast.Attribute) -> bool:
        """Is an operation of torch's kind asked for what its class does not have, and nobody puts on such an object?"""
        cls = self.project.instance(path, asked.value)
        if cls is None or self.project.computed(rebound_in).is_set(asked.attr, cls):
            return False
        return all(self._leaves_to_torch(above, asked.attr) for each in (cls, *self.project.hierarchy.subclasses(cls))
                   for above in self.project.mro(each))

    def _leaves_to_torch(self, above: Binding, name: str) -> bool:
        """Is it torch's class of operations, or one that does not say what an attribute of that name is?"""
        if not isinstance(above, ProjectClass):
            return is_operation(above) or above == Builtin("object")
        return not (above.node.decorator_list or above.node.keywords) and _SAYS_WHAT_IT_HAS.isdisjoint(
            names := self.project.names_in(above.path, above.node)) and name not in names

    def _is_written_out(self, path: str, asked: ast.expr) -> bool:
        """Is a name, or an attribute, only ever a container of Python's that is written out there?"""
        rebound = self.project.computed(rebound_in)
        if not isinstance(asked, (ast.Name, ast.Attribute)) or (
                rebound.is_patched_at(path, asked) if isinstance(asked, ast.Attribute) else
                rebound.is_bound_elsewhere(path, asked)):
            return False
        held = self.project.resolve(path, None, asked)
        return isinstance(held, Local) and held.complete and held.parameter is None and bool(held.values) and all(
            isinstance(value, _WRITTEN_OUT) for value in held.values)

    def _perhaps(self, function: ProjectFunction) -> Iterator[list[ProjectFunction]]:
        """What each call of a method of something unknown may run."""
        for call in self.calls_in(function):
            if isinstance(call.func, ast.Attribute) and not self._is_of_library(function.path, call.func) and (
                    self.methods(call.func.attr)):
                found, named = self.targets(function.path, call)
                if not named:
                    yield found

    def calls_in(self, function: ProjectFunction) -> list[ast.Call]:
        """The calls in a function, and in those that stand in it."""
        if function.node not in self._inner:
            self._inner[function.node] = [node for node in walk(function.node) if isinstance(node, ast.Call)]
        return self._inner[function.node]

    def sends_itself(self, function: ProjectFunction) -> bool:
        """Does it, or a function that stands in it, send gradients by what it calls there?"""
        for node in self.calls_in(function):
            if isinstance(node.func, ast.Attribute) and node.func.attr == "backward":
                return True
            if last_word(node.func) in SENDS:
                binding = self.project.resolve(function.path, None, node.func)
                if isinstance(binding, External) and binding.name.startswith("torch.autograd"):
                    return True
        return False

    def callees(self, function: ProjectFunction) -> list[ProjectFunction]:
        """The functions of the project that the calls in one may run."""
        if function.node not in self._called:
            self._called[function.node] = list(dict.fromkeys(
                each for call in self.calls_in(function) if not self._is_of_library(function.path, call.func)
                for each in self.may_run(function.path, call)[0]))
        return self._called[function.node]

    def _is_of_library(self, path: str, called: ast.expr) -> bool:
        """Is it a method of what code from outside made, and nothing else?"""
        return isinstance(called, ast.Attribute) and self._is_from_outside(
            self.project.resolve(path, None, called.value))

    def _is_from_outside(self, of: Binding) -> bool:
        """Is it only ever what calls of code from outside gave, under a name of the function around first or not?"""
        return isinstance(of, Local) and of.complete and bool(of.values) and all(
            self._is_made_outside(of.path, value) or self._is_layer_under_name(of.path, value) for value in of.values)

    def _is_made_outside(self, path: str, value: ast.expr) -> bool:
        """Is it what a call of code from outside gives?"""
        return isinstance(value, ast.Call) and isinstance(self.project.resolve(path, None, value.func), External)

    def _is_layer_under_name(self, path: str, value: ast.expr) -> bool:
        """Is it a name that its function alone binds, to layers of torch's that hold no others?"""
        made = self.project.bound_within(path, value) if isinstance(value, ast.Name) else ()
        of = [self.project.resolve(path, None, each.func) for each in made if isinstance(each, ast.Call)]
        return bool(made) and len(of) == len(made) and all(
            isinstance(each, External) and each.name.startswith("torch.nn.") and (
                each.name.rpartition(".")[2] not in HOLDS_MODULES) for each in of)


def by_name(node: ast.expr) -> tuple[ast.expr | None, ast.expr | None]:
    """What an expression asks for something by a name, and the name; no name where it asks for nothing so.

    ``getattr(x, name)``, ``vars(x)[name]``, ``x.__dict__[name]``; ``globals()[name]`` and ``eval(name)(...)`` ask the
    module that they stand in.
    """
    if isinstance(node, ast.Subscript):
        return _namespace(node.value, node.slice)
    if not isinstance(node, ast.Call) or not node.args:
        return None, None
    if isinstance(node.func, ast.Attribute) and node.func.attr == "get":
        return _namespace(node.func.value, node.args[0])
    if isinstance(node.func, ast.Name) and node.func.id == "getattr" and len(node.args) > 1:
        return node.args[0], node.args[1]
    if isinstance(node.func, ast.Name) and node.func.id == "eval":
        return None, node.args[0]
    return None, None


def _namespace(of: ast.expr, name: ast.expr) -> tuple[ast.expr | None, ast.expr | None]:
    if isinstance(of, ast.Attribute) and of.attr == "__dict__":
        return of.value, name
    if isinstance(of, ast.Call) and isinstance(of.func, ast.Name) and of.func.id in ("globals", "vars", "locals"):
        return (of.args[0] if of.args else None), name
    return None, None


def attributes_of(project: Project, rebound: Rebound, path: str, called: ast.expr) -> frozenset[str] | None:
    """The names of the attributes that what is called can be, as ``x.f`` or a name for it; None: it can be anything."""
    waiting, found, seen = [(path, called)], set(), set()
    while waiting:
        at, part = waiting.pop()
        if isinstance(part, ast.Attribute):
            found.add(part.attr)
        elif isinstance(part, ast.IfExp):
            waiting += [(at, part.body), (at, part.orelse)]
        elif isinstance(part, ast.Name) and part not in seen:
            seen.add(part)
            bound = project.resolve(at, None, part)
            if not isinstance(bound, Local) or not bound.complete or not bound.values or len(seen) > _DEEPEST or (
                    rebound.is_bound_elsewhere(at, part)):
                return None
            waiting += [(bound.path, value) for value in bound.values]
        else:
            return None
    return frozenset(found)


def by_python(name: str) -> bool:
    """Is a method of that name run by calling the object, or by what Python does with it?"""
    return name in ("forward", "next") or (name.startswith("__") and name.endswith("__") and name != "__init__")


def is_property(node: Function) -> bool:
    """Is it run by reading or writing an attribute? What is called then is what it gives."""
    return any((isinstance(d, ast.Name) and d.id == "property") or (
        isinstance(d, ast.Attribute) and d.attr in ("setter", "getter", "deleter", "cached_property"))
        for d in getattr(node, "decorator_list", ()))


def required(node: Function) -> int:
    """How many positional parameters have no default."""
    return len(node.args.posonlyargs) + len(node.args.args) - len(node.args.defaults)


def shape_of(call: ast.Call) -> Shape:
    """All of a call that ``fits`` looks at: how many arguments by position, is one a star, and the keywords."""
    return len(call.args), any(isinstance(a, ast.Starred) for a in call.args), frozenset(k.arg for k in call.keywords)


def fits(node: Function, call: ast.Call, filled: int) -> bool:
    """Could ``call`` be a call of a function, ``filled`` parameters of which are filled already?"""
    arguments = node.args
    positional = [*arguments.posonlyargs, *arguments.args]
    names = {parameter.arg for parameter in (*positional, *arguments.kwonlyargs)}
    if arguments.kwarg is None and any(k.arg is not None and k.arg not in names for k in call.keywords):
        return False
    if any(isinstance(a, ast.Starred) for a in call.args):
        return True
    if arguments.vararg is None and len(call.args) > len(positional) - filled:
        return False
    given = {k.arg for k in call.keywords}
    if any(p.arg in given for p in positional[len(arguments.posonlyargs) : filled + len(call.args)]):
        return False  # one parameter, two arguments
    if None in given:
        return True
    missing = [p for p in positional[filled + len(call.args) : required(node)] if p.arg not in given]
    lacking = [p for p, d in zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True)
               if d is None and p.arg not in given]
    return not missing and not lacking


def sets(node: Function, call: ast.Call, filled: int, names: frozenset[str], reach: int | None = None) -> bool:
    """Could ``call`` hand anything but the default to one of the parameters?

    ``reach``: how many positions a call with a star fills at most; None: any number. A star fills no name.
    """
    arguments = node.args
    positional = [*arguments.posonlyargs, *arguments.args]
    star = next((at for at, argument in enumerate(call.args) if isinstance(argument, ast.Starred)), len(call.args))
    if any(k.arg is None for k in call.keywords) or (star < len(call.args) and reach is None):
        return True
    if not names.isdisjoint(p.arg for p in positional[filled + star : filled + (reach or 0)]):
        return True
    given: list[tuple[str, ast.expr]] = [(k.arg, k.value) for k in call.keywords if k.arg is not None]
    given += [(parameter.arg, value) for parameter, value in zip(positional[filled:], call.args[:star], strict=False)]
    defaults = dict(zip([p.arg for p in positional[len(positional) - len(arguments.defaults) :]], arguments.defaults,
                        strict=True))
    defaults |= {p.arg: d for p, d in zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True) if d is not None}
    return any(name in names and not _same_constant(value, defaults.get(name)) for name, value in given) or any(
        name not in defaults for name in names)


def _same_constant(value: ast.expr, default: ast.expr | None) -> bool:
    return isinstance(value, ast.Constant) and isinstance(default, ast.Constant) and (
        bool(value.value) is bool(default.value))
