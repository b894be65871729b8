"""Is what a method keeps on its object read by no run that finds it there?

``test()`` keeps ``self.x``, and every way into a step of training binds ``self.x`` anew before it reads it: then what
is kept is seen by the runs that make it alone, and these are run. Asked for all of the classes that have the method,
from each method by which code may come in. One read that may find what an earlier run left, and the answer is no.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from dataclasses import field

from voltfix.model import SiteKind
from voltfix.program.bindings import Builtin, External, Local, ProjectClass, ProjectFunction
from voltfix.program.mentioned import last_word
from voltfix.program.references import References
from voltfix.program.resolve import Project
from voltfix.program.spelled import ends_of
from voltfix.program.walking import walk
from voltfix.records import dataclass
from voltfix.search.cover import Tracer, taken_out
from voltfix.search.group import Group
from voltfix.search.kinds.around import covered
from voltfix.search.scene import FUNCTIONS, Scenes, stored

_COMPARTMENTS = (ast.Lambda, *FUNCTIONS)  # run at another time
_PERHAPS = (ast.Compare, ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp, ast.comprehension, ast.Assert)
_BY_OBJECT = frozenset({"forward", "__call__"})  # what calling an object runs
_LOOKS_UP = frozenset({"getattr", "hasattr", "attrgetter", "methodcaller", "vars", "__dict__", "__getattribute__"})
_MOST = 2_000  # methods gone over
_ENDED = None  # no way goes on from here
State = frozenset[str]  # the attributes that were bound in this run


class _FoundError(Exception):
    """A read that may find what an earlier run left."""


def always_made_anew(scenes: Scenes, group: Group, kept: frozenset[str], words: frozenset[str]) -> bool:
    """Do all runs of methods bind what a group of sites keeps before they read it?

    ``kept``: the attributes that may hold it, or what is made of it; ``words``: how the function of the sites is
    called.
    """
    head = group[0]
    scope, cover = head.scene.scope(head.node), covered(scenes, group)
    project = scenes.outside.project
    own = next((f for f in project.functions() if f.path == head.site.path
                and f.node.lineno == scope.lineno), None) if isinstance(scope, FUNCTIONS) else None
    owner = project.parent(own.path, own.node) if own is not None else None
    cls = next((each for each in project.classes() if each.node is owner), None)
    if own is None or cls is None or cover.leaves or any(each.site.kind is not SiteKind.ARGUMENT for each in group):
        return False
    if any("." in name and not name.startswith("self.") for name in cover.names):
        return False  # kept on something else
    paths = scenes.together(head.site.path)
    asked = _Asked(scenes, project, [path for path in project.paths if path in paths], kept, words)
    return asked.is_made_anew([cls, *project.hierarchy.subclasses(cls)], own)


@dataclass
class _Asked:
    """The question of one group: ``kept``, and the words that come to what keeps it."""

    scenes: Scenes
    project: Project
    paths: list[str]
    kept: frozenset[str]
    words: frozenset[str]
    runs: dict[tuple[ast.AST, ProjectClass, State], State] = field(default_factory=dict)
    stirs: dict[str, bool] = field(default_factory=dict)

    def is_made_anew(self, classes: list[ProjectClass], own: ProjectFunction) -> bool:
        """Is there no read, in any method of these classes or outside of them, of what an earlier run left?"""
        methods = {each: self._methods(each) for each in classes}
        if any(found is None for found in methods.values()):
            return False
        mine: set[ast.AST] = {function.node for found in methods.values() for function in (found or {}).values()}
        mine |= {n for cls in classes for above in self.project.mro(cls) if isinstance(above, ProjectClass)
                 for n in above.node.body if isinstance(n, FUNCTIONS)}
        if self._reads_elsewhere(mine) or not self._keeps_to_itself(own, mine):
            return False
        inner = self._called_on_self_alone(mine)
        try:
            for cls, found in methods.items():
                for name, function in (found or {}).items():
                    if name not in inner:
                        self.run(function, cls, frozenset())
        except _FoundError:
            return False
        return True

    def _keeps_to_itself(self, own: ProjectFunction, mine: set[ast.AST]) -> bool:
        """Is nothing that comes by while the value is made put away under another name?"""
        found = {own.node: own}
        for each in self.project.functions():
            if each.node in mine and any(_word(n) in self.words for n in walk(each.node)):
                found[each.node] = each
        called = {last_word(n.func) or "" for each in found for n in walk(each) if isinstance(n, ast.Call)}
        return all(self._puts(each) <= self.kept for each in [*found.values(), *self.closure(*called)])

    def _puts(self, function: ProjectFunction) -> set[str]:
        """The attributes under which a function puts what it was given; what it puts where nobody knows, too."""
        scene = self.scenes.of(function.path)
        node = next((f.node for f in scene.functions if f.node.lineno == function.node.lineno), None)
        if node is None:
            return {""}
        given = {each.arg for each in walk(node.args) if isinstance(each, ast.arg)}
        tracer = Tracer(self.scenes, scene, frozenset())
        tracer.found.names |= given - {each.arg for each in node.args.args[:1] if each.arg == "self"}
        names = tracer.over(node.body).names
        return {name.rpartition(".")[2] for name in names if "." in name} | (names - given - stored(node) - {
            name for name in names if "." in name})

    def _methods(self, cls: ProjectClass) -> dict[str, ProjectFunction] | None:
        """What a class has under each name; None where code of others has a say in it."""
        order = self.project.mro(cls)
        if not all(isinstance(above, ProjectClass) or (isinstance(above, Builtin) and above.name == "object")
                   or (isinstance(above, External) and above.name.startswith("torch.nn.")) for above in order):
            return None
        found: dict[str, ProjectFunction] = {}
        for above in order:
            for each in above.node.body if isinstance(above, ProjectClass) else ():
                if isinstance(each, FUNCTIONS) and each.name not in found and isinstance(above, ProjectClass):
                    function = self.project.function(above.path, each)
                    if function is None or each.decorator_list or not each.args.args:
                        return None
                    found[each.name] = function
        return found

    def _reads_elsewhere(self, mine: set[ast.AST]) -> bool:
        """Is an attribute of these names read, or put on an object, by anything but these methods on ``self``?"""
        for path in self.paths:
            for node in self.project.nodes(path):
                if isinstance(node, ast.Global) and not self.kept.isdisjoint(node.names):
                    return True
                if isinstance(node, (ast.Name, ast.Attribute)) and last_word(node) in _LOOKS_UP and self._may_name(
                        path, node):
                    return True
                if _word(node) in self.words and self._is_value(path, node):
                    return True  # who has it may call it under another name
                if not isinstance(node, ast.Attribute) or node.attr not in self.kept:
                    continue
                function = self.project.scope(path, node)
                own = isinstance(function, FUNCTIONS) and _is_self(node, function) and (
                    function in mine or isinstance(self.project.parent(path, function), ast.ClassDef))
                if not own and not _is_taken_out(self.project, path, node):
                    return True
        return False

    def _is_value(self, path: str, node: ast.AST) -> bool:
        """Is what keeps the value said without being called?"""
        call = self.project.parent(path, node)
        if isinstance(call, ast.Call) and call.func is node:
            return False
        scope = self.project.scope(path, node)
        return isinstance(node, ast.Attribute) or (
            isinstance(node, ast.Name) and not isinstance(self.project.resolve(path, scope, node), Local))

    def _may_name(self, path: str, node: ast.Name | ast.Attribute) -> bool:
        """May a look-up by a name that is made say one of them, of an object that has them?"""
        call, scope = self.project.parent(path, node), self.project.scope(path, node)
        if isinstance(node, ast.Name) and not isinstance(self.project.resolve(path, scope, node), (Builtin, External)):
            return False  # a name of the project's own
        around = next((each for each in self.project.parents(path, node) if isinstance(each, FUNCTIONS)), None)
        function = self.project.function(path, around) if around is not None else None
        if function is not None and isinstance(self.project.parent(path, function.node), ast.Module) and all(
                each.kind == "import" for each in self.project.computed(References).of(function)):
            return False  # nobody calls it
        if not isinstance(call, ast.Call) or call.func is not node or not call.args:
            return True
        if self._filled_by_others(path, call.args[0]):
            return False
        start, end = ends_of(call.args[1]) if len(call.args) > 1 else ("", "")
        return any(name.startswith(start) and name.endswith(end) for name in (*self.kept, *self.words))

    def _filled_by_others(self, path: str, node: ast.expr) -> bool:
        """``self.opt``, where all that its class puts there is what code of others gives: ``parser.parse_args()``."""
        cls = next((each for each in self.project.parents(path, node) if isinstance(each, ast.ClassDef)), None)
        if cls is None or not isinstance(node, ast.Attribute):
            return False
        made = [each.value for each in walk(cls) if isinstance(each, ast.Assign)
                and ast.unparse(node) in map(ast.unparse, each.targets)]
        stores = [each for each in walk(cls) if isinstance(each, ast.Attribute) and each.attr == node.attr
                  and isinstance(each.ctx, ast.Store)]
        by_name = self.project.computed(_by_name)
        return bool(made) and len(made) == len(stores) and all(
            isinstance(each, ast.Call) and not each.args and not each.keywords
            and (last_word(each.func) or "") not in ("", *by_name) for each in made)

    def _called_on_self_alone(self, mine: set[ast.AST]) -> set[str]:
        """The names of methods that are said in calls on ``self``, and nowhere else."""
        names = {n.name for n in mine if isinstance(n, FUNCTIONS) and not n.name.startswith("__")} - {"forward"}
        called = set[str]()
        for path in self.paths:
            for node in self.project.nodes(path):
                said = node.value if isinstance(node, ast.Constant) else _word(node)
                if isinstance(said, str) and said in names:
                    (called.add if self._is_call_on_self(path, node) else names.discard)(said)
                if said in _LOOKS_UP and isinstance(call := self.project.parent(path, node), ast.Call) and (
                        call.func is node and len(call.args) > 1):
                    start, end = ends_of(call.args[1])
                    names -= {each for each in names if each.startswith(start) and each.endswith(end)}
        return names & called

    def _is_call_on_self(self, path: str, node: ast.AST) -> bool:
        """``self.m()``, ``super().m()`` and ``Base.m(self)``, in a method."""
        call, function = self.project.parent(path, node), self.project.scope(path, node)
        if not isinstance(node, ast.Attribute) or not isinstance(call, ast.Call) or call.func is not node:
            return False
        if not isinstance(function, FUNCTIONS) or not isinstance(self.project.parent(path, function), ast.ClassDef):
            return False
        itself = next((each.arg for each in function.args.args), "")
        above = isinstance(node.value, ast.Call) and last_word(node.value.func) == "super"
        handed = bool(call.args) and isinstance(call.args[0], ast.Name) and call.args[0].id == itself and isinstance(
            self.project.resolve(path, function, node.value), ProjectClass)
        return above or handed or _is_self(node, function)

    def closure(self, *names: str) -> list[ProjectFunction]:
        """The functions that calls may come to, by the last words of what is called."""
        by_name = self.project.computed(_by_name)
        found: dict[ProjectFunction, None] = {}
        waiting, seen = [*names, *_BY_OBJECT], set[str]()
        while waiting:
            if (each := waiting.pop()) in seen:
                continue
            seen.add(each)
            for function in by_name.get(each, ()):
                found[function] = None
                waiting += [last_word(n.func) or "" for n in walk(function.node) if isinstance(n, ast.Call)]
        return list(found)

    def stirs_by(self, name: str) -> bool:
        """May a call of that name come to what keeps the value, on whatever object?"""
        if name not in self.stirs:
            self.stirs[name] = name in self.words or any(
                last_word(node) in self.words for function in self.closure(name) for node in walk(function.node)
                if isinstance(node, (ast.Name, ast.Attribute)))
        return self.stirs[name]

    # one run of a method, as the attributes that are bound in it

    def run(self, function: ProjectFunction, cls: ProjectClass, state: State) -> State:
        """What is bound behind a method. Raises where it reads what is not bound yet."""
        place = (function.node, cls, state)
        if place not in self.runs:
            self.runs[place] = state  # of a method that calls itself
            if len(self.runs) > _MOST or not isinstance(function.node, FUNCTIONS):
                raise _FoundError
            self.runs[place] = _Run(self, function, cls).over(function.node, state)
        return self.runs[place]


class _Run:
    """A method on objects of one class, in the order of its text."""

    def __init__(self, asked: _Asked, function: ProjectFunction, cls: ProjectClass) -> None:
        self.asked, self.function, self.cls = asked, function, cls
        assert isinstance(function.node, FUNCTIONS)
        self.itself = function.node.args.args[0].arg
        self.ends: list[State] = []

    def over(self, node: ast.FunctionDef | ast.AsyncFunctionDef, state: State) -> State:
        """What is bound wherever it ends."""
        last = self._suite(node.body, state)
        ends = [*self.ends, *([] if last is _ENDED else [last])]
        return frozenset.intersection(*ends) if ends else frozenset()

    def _suite(self, suite: list[ast.stmt], state: State | None) -> State | None:
        for each in suite:
            if state is _ENDED:
                return _ENDED
            state = self._statement(each, state)
        return state

    def _statement(self, node: ast.stmt, state: State) -> State | None:
        if isinstance(node, ast.If):
            state = self._value(node.test, state)
            return _either(self._suite(node.body, state), self._suite(node.orelse, state))
        if isinstance(node, (ast.For, ast.AsyncFor, ast.While)):
            return self._loop(node, state)
        if isinstance(node, ast.Try):
            behind = self._suite([*node.body, *node.orelse], state)
            for handler in node.handlers:
                behind = _either(behind, self._suite(handler.body, self._shaken(node.body, state)))
            final = self._suite(node.finalbody, self._shaken([*node.body, *node.handlers], state))
            return _ENDED if behind is _ENDED or final is _ENDED else behind | final
        if isinstance(node, (ast.With, ast.AsyncWith)):
            for item in node.items:
                state = self._value(item.context_expr, state)
            behind = self._suite(node.body, state)
            return behind if all(map(self._lets_errors_out, node.items)) else _either(
                behind, self._shaken(node.body, state))
        if isinstance(node, (ast.Break, ast.Continue)):
            return _ENDED  # a loop binds nothing for sure
        if isinstance(node, (*_COMPARTMENTS, ast.ClassDef)):
            self._later(node)
            return state
        if not isinstance(node, (ast.Return, ast.Raise, ast.Assign, ast.AnnAssign, ast.AugAssign, ast.Expr, ast.Pass,
                                 ast.Assert, ast.Import, ast.ImportFrom, ast.Delete)):
            raise _FoundError  # nobody knows what it runs
        behind = self._value(node, state)
        if isinstance(node, ast.AugAssign) and self._kept(node.target) not in ("", *state):
            raise _FoundError
        if isinstance(node, ast.Return):
            self.ends.append(behind)
        if isinstance(node, (ast.Return, ast.Raise)):
            return _ENDED
        return behind | {self._kept(each) for target in getattr(node, "targets", ()) for each in _parts(target)} - {""}

    def _lets_errors_out(self, item: ast.withitem) -> bool:
        """Is it one of torch's own blocks? Another one may end its suite early, and go on behind it."""
        made = item.context_expr
        found = self.asked.project.resolve(
            self.function.path, self.function.node, made.func) if isinstance(made, ast.Call) else None
        return isinstance(found, External) and found.name.startswith("torch.")

    def _loop(self, node: ast.For | ast.AsyncFor | ast.While, state: State) -> State:
        """There may be no round, and a round finds what one before it left."""
        state = self._value(node.test if isinstance(node, ast.While) else node.iter, state)
        state = self._shaken([*node.body, node], state)
        self._suite(node.body, state)
        self._suite(node.orelse, state)
        return state

    def _shaken(self, nodes: Sequence[ast.AST], state: State) -> State:
        """What is still bound in this run, whichever of the calls in there were made."""
        calls = (n for node in nodes for n in walk(node) if isinstance(n, ast.Call))
        return frozenset() if any(self.asked.stirs_by(last_word(n.func) or "") for n in calls) else state

    def _value(self, node: ast.AST, state: State) -> State:
        """What is bound behind an expression, or the expressions of a statement, in the order of evaluation."""
        if isinstance(node, (ast.BoolOp, ast.IfExp)):
            first = node.test if isinstance(node, ast.IfExp) else node.values[0]
            state = self._value(first, state)
            for each in ast.iter_child_nodes(node):
                if each is not first:
                    self._value(each, state)
            return self._shaken([node], state)
        if isinstance(node, _COMPARTMENTS):
            self._later(node)
            return state
        if taken_out(node):
            return state
        if isinstance(node, _PERHAPS):  # not all in there is computed, or not once
            for each in ast.iter_child_nodes(node):
                self._value(each, self._shaken([node], state))
            return self._shaken([node], state)
        if isinstance(node, (ast.Yield, ast.YieldFrom, ast.Await)):
            raise _FoundError
        for each in [*ast.iter_child_nodes(node)]:
            if not (isinstance(node, ast.Call) and each is node.func and self._method(node) is not None):
                state = self._value(each, state)
        if isinstance(node, ast.Call):
            return self._call(node, state)
        if isinstance(getattr(node, "ctx", None), ast.Load) and self._kept(node) not in ("", *state):
            raise _FoundError
        return state

    def _call(self, node: ast.Call, state: State) -> State:
        method = self._method(node)
        if method is not None:
            return self.asked.run(method, self.cls, state)
        if any(isinstance(each, ast.Name) and each.id == self.itself for each in node.args) and (
                last_word(node.func) != "super"):
            read_there = (n for each in self.asked.closure(last_word(node.func) or "") for n in walk(each.node))
            if any(isinstance(n, ast.Attribute) and n.attr in self.asked.kept for n in read_there):
                raise _FoundError  # it may do anything with the object
        return frozenset() if self.asked.stirs_by(last_word(node.func) or "") else state

    def _method(self, node: ast.Call) -> ProjectFunction | None:
        """The method of the object itself that a call runs: ``self.m()``, ``Base.m(self)``."""
        func, project = node.func, self.asked.project
        if not isinstance(func, ast.Attribute):
            return None
        owner: ProjectClass | None = None
        if isinstance(func.value, ast.Call) and last_word(func.value.func) == "super":
            return self._behind(func.attr)
        if isinstance(func.value, ast.Name) and func.value.id == self.itself:
            owner = self.cls
        elif node.args and isinstance(node.args[0], ast.Name) and node.args[0].id == self.itself:
            found = project.resolve(self.function.path, self.function.node, func.value)
            owner = found if isinstance(found, ProjectClass) and found in project.mro(self.cls) else None
        method = project.method(owner, func.attr) if owner is not None else None
        return method if isinstance(method, ProjectFunction) and isinstance(method.node, FUNCTIONS) else None

    def _behind(self, name: str) -> ProjectFunction | None:
        """What ``super()`` has under a name; None for what is not of the project."""
        project = self.asked.project
        order = [each for each in project.mro(self.cls) if isinstance(each, ProjectClass)]
        here = project.parent(self.function.path, self.function.node)
        at = next((n for n, each in enumerate(order) if each.node is here), None)
        if at is None:
            raise _FoundError
        for above in order[at + 1 :]:
            for each in above.node.body:
                if isinstance(each, FUNCTIONS) and each.name == name:
                    return project.function(above.path, each)
        return None

    def _later(self, node: ast.AST) -> None:
        """What is run at another time reads what stands there then."""
        if any(self._kept(each) for each in walk(node)):
            raise _FoundError

    def _kept(self, node: ast.AST) -> str:
        """The attribute of the object itself that a node is, if it is one of those."""
        mine = isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == self.itself
        return node.attr if isinstance(node, ast.Attribute) and mine and node.attr in self.asked.kept else ""


def _either(one: State | None, other: State | None) -> State | None:
    """Behind a choice."""
    return other if one is _ENDED else one if other is _ENDED else one & other


def _parts(target: ast.AST) -> Iterator[ast.AST]:
    if isinstance(target, (ast.Tuple, ast.List)):
        for each in target.elts:
            yield from _parts(each)
    else:
        yield target


def _word(node: ast.AST) -> str | None:
    return last_word(node) if isinstance(node, (ast.Name, ast.Attribute)) else None


def _is_self(node: ast.Attribute, function: ast.AST) -> bool:
    """Is it an attribute of what a method is called on?"""
    arguments = function.args.args if isinstance(function, FUNCTIONS) else []
    return bool(arguments) and isinstance(node.value, ast.Name) and node.value.id == arguments[0].arg


def _is_taken_out(project: Project, path: str, node: ast.AST) -> bool:
    """Is it read, and nothing but what has no graph taken of it?"""
    if not isinstance(getattr(node, "ctx", None), ast.Load):
        return False
    for above in project.parents(path, node):
        if taken_out(above):
            return True
        if not isinstance(above, (ast.Attribute, ast.Subscript, ast.Call)):
            return False
    return False


def _by_name(project: Project) -> dict[str, list[ProjectFunction]]:
    """The functions of a project by name; ``__init__`` by that of its class, too."""
    found: dict[str, list[ProjectFunction]] = {}
    for each in project.functions():
        if isinstance(each.node, FUNCTIONS):
            above = project.parent(each.path, each.node)
            names = {each.node.name} | ({above.name} if isinstance(above, ast.ClassDef) else set())
            for name in names if each.node.name == "__init__" else {each.node.name}:
                found.setdefault(name, []).append(each)
    return found
