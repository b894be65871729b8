"""Where a function that is handed over as a value gets to: the calls that may run it, while names can be followed."""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

from voltfix.program import held as containers
from voltfix.program.behind import asks_behind, is_behind, is_made_by_wrapt
from voltfix.program.bindings import (
    Ambiguous,
    Builtin,
    External,
    Local,
    ProjectClass,
    ProjectFunction,
    Unknown,
    is_one_of,
)
from voltfix.program.calls import CallGraph, by_python
from voltfix.program.mentions import Mentions
from voltfix.program.references import References
from voltfix.program.scopes import FUNCTIONS, Comprehension, decorators, is_said_outer
from voltfix.program.sheltered import is_sheltered
from voltfix.program.walking import walk
from voltfix.torchmodel.library import KEEPS, PARTIAL, RUN_BY, THREADS
from voltfix.torchmodel.python import TELLING
from voltfix.torchmodel.tables import STORING

if TYPE_CHECKING:
    from voltfix.program.resolve import Project

Call = tuple[str, ast.Call]
Use = tuple[str, ast.AST, str]  # with what is around the function: see ``held``
_SETTINGS = "argparse."
_SET_DEFAULTS = "set_defaults"
_DEEPEST = 12
_MOST = 3  # containers in containers


class Followed(NamedTuple):
    """Where a value is called, and the functions that handed it back on the way: who calls them may call it.

    ``others``: calls of code from outside that is given it, and that calls it itself. ``filled``: the calls that give
    it back with arguments filled in. ``named``: names of settings that keep it, and that may be asked for by another
    way than by that name.
    """

    calls: list[Call]
    handed_back_by: list[ProjectFunction]
    others: list[Call]
    filled: list[ast.Call]
    named: list[str]


def called_at(project: Project, path: str, node: ast.AST) -> Followed | None:
    """The calls that may run what ``node`` is, as it is; None where it gets out of sight, or to others."""
    found = followed(project, path, node)
    return None if found is None or found.others or found.filled or found.named else found


def followed(project: Project, path: str, node: ast.AST) -> Followed | None:
    """Where what ``node`` is gets to; None where it gets out of sight.

    It is followed into parameters of functions of the project and of what makes objects of its classes, into names of
    the same function and of modules, into the attribute of such an object that keeps it, through what a thread is
    given for its function, to the calls of a function that returns it (``made(flag)(x)``), through containers that are
    written out, and under the name that ``argparse`` keeps it.
    """
    found = Followed([], [], [], [], [])
    seen: set[tuple[ast.AST, str]] = set()
    waiting: list[Use] = [(path, node, "")]
    while waiting:
        at, use, held = waiting.pop()
        if (use, held) in seen:
            continue
        seen.add((use, held))
        following = _following(project, at, use, held, found) if len(held) <= _MOST else None
        if following is None:
            return None
        waiting += following
    return found


def _following(project: Project, path: str, use: ast.AST, held: str, found: Followed) -> list[Use] | None:
    """Where one use leads on to."""
    above = project.parent(path, use)
    if isinstance(above, ast.keyword):
        use, above = above, project.parent(path, above)
    if isinstance(above, ast.Call) and above.func is use:
        found.calls.append((path, above))
        return None if held else []  # no container can be called
    if isinstance(above, ast.Expr) or _is_tested(project, path, use, above):
        return []
    if isinstance(above, ast.BoolOp) or (isinstance(above, ast.IfExp) and above.test is not use):
        return [(path, above, held)]
    if isinstance(above, ast.Return):
        return _to_callers(project, path, above, held, found)
    if isinstance(above, (ast.Assign, ast.AnnAssign)):
        targets = above.targets if isinstance(above, ast.Assign) else [above.target]
        return _all(_into_target(project, path, target, held) for target in targets)
    if isinstance(above, FUNCTIONS) and use in getattr(above, "decorator_list", ()):
        return next(_decorating(project, path, named, made=named is not each)
                    for each, named in decorators(above) if each is use)
    if isinstance(above, (ast.Tuple, ast.List)) and not held:
        by_thread = _into_thread(project, path, use, above)
        if by_thread is not None:
            return by_thread
    around = containers.put_into(above, use)
    if around and above is not None:
        return [(path, above, held + around)]
    target = containers.gone_over(above, use) if held else None
    if target is not None:
        return _taken_apart(project, path, [target], held)
    if not held and isinstance(above, ast.Attribute):
        return [] if above.attr in ("__name__", "__qualname__", "__doc__", "__module__") else None
    if not held and is_behind(project, path, use, above):
        return None if project.computed(asks_behind) else []
    given = containers.given(project, path, use, above, held) if held else None
    if given is not None:
        return [(path, each, left) for each, left in given]
    return _into_call(project, path, use, above, held, found) if isinstance(above, ast.Call) else None


def _all(found: Iterator[list[Use] | None]) -> list[Use] | None:
    """All of them together; None where one is None."""
    out: list[Use] = []
    for each in found:
        if each is None:
            return None
        out += each
    return out


def _into_call(project: Project, path: str, use: ast.AST, call: ast.Call, held: str, found: Followed,
               ) -> list[Use] | None:
    """What a call is given: a parameter, a container that takes it in, a setting, something of other code."""
    inside = _into_parameter(project, path, use, call, held)
    if inside is not None:
        return inside
    called = project.resolve(path, None, call.func)
    if isinstance(called, Builtin) and called.name in TELLING:
        return []
    if called == Builtin("getattr") and call.args[:1] == [use] and not held and not any(
            isinstance(each, ast.Constant) for each in call.args[1:2]) and not project.computed(asks_behind):
        return [(path, call, "")]  # of what a function has, itself alone can be called: as ``f.__call__``
    if is_one_of(called, PARTIAL) and call.args and call.args[0] is use and not held:
        found.filled.append(call)
        return [(path, call, "")]
    method = call.func if isinstance(call.func, ast.Attribute) else None
    if method is not None and use in call.args and method.attr in STORING | {"add"}:
        put = _into_container(project, path, method.value, held[:-1] if method.attr == "extend" else held)
        return put if put is None or method.attr != "setdefault" else [*put, (path, call, held)]
    if method is not None and isinstance(use, ast.keyword) and use.arg is not None and (
            made_by(project, path, method).startswith(_SETTINGS)):
        if use.arg == "choices":
            return []  # what is typed is looked for among them
        return _into_setting(project, use.arg, found) if method.attr == _SET_DEFAULTS and not held else None
    if is_for_others(project, path, call.func, use.value if isinstance(use, ast.keyword) else use, held):
        found.others.append((path, call))
        return []
    return None


def is_for_others(project: Project, path: str, called: ast.expr, given: ast.AST | None = None, held: str = "") -> bool:
    """Is it code from outside, which calls itself what it is ``given`` to call, and gives nothing of it back?

    A function, or a method of what such a function made. What torch makes are networks, and what others make may be:
    they run their hooks. Of what it is given besides, a function of the project might get it.
    A container is given to be gone through, too (``tqdm``), or gets copied.
    """
    meant = project.resolve(path, None, called)
    if held:  # a function of theirs whose result nobody takes
        asked = project.parent(path, called)
        return isinstance(meant, External) and meant.name.split(".")[0] not in KEEPS and asked is not None and (
            isinstance(project.parent(path, asked), ast.Expr))
    if is_one_of(meant, RUN_BY) or (isinstance(meant, External) and meant.name.split(".")[0] not in KEEPS):
        return True
    top = made_by(project, path, called).split(".")[0]
    call = project.parent(path, called)
    if isinstance(called, ast.Attribute) and (called.attr == "apply" or called.attr.startswith("register_")):
        return False
    return bool(top) and top not in KEEPS | sys.stdlib_module_names | {"torch"} and not (
        isinstance(call, ast.Call) and call.func is called and _is_given_code(project, path, call, but=given))


def made_by(project: Project, path: str, asked: ast.expr, depth: int = 0) -> str:
    """The dotted name of what is asked of what code from outside made, without code of ours; empty for anything else.
    """
    meant = project.resolve(path, None, asked)
    if isinstance(meant, External):
        return meant.name
    if depth > _DEEPEST:
        return ""
    if isinstance(asked, ast.Attribute):
        of = made_by(project, path, asked.value, depth + 1)
        return f"{of}.{asked.attr}" if of else ""
    if isinstance(asked, ast.Call):
        return "" if _is_given_code(project, path, asked) else made_by(project, path, asked.func, depth + 1)
    values = meant.values if isinstance(meant, Local) and meant.complete else ()
    names = {made_by(project, meant.path, value, depth + 1) if isinstance(value, ast.Call) else ""
             for value in values if isinstance(meant, Local)}
    return names.pop() if len(names) == 1 else ""


def _is_given_code(project: Project, path: str, call: ast.Call, but: ast.AST | None = None) -> bool:
    """Is a call given a function, a class or a method of the project, besides what is asked about?"""
    given = (*call.args, *(keyword.value for keyword in call.keywords))
    return any(isinstance(node, ast.Lambda) or (isinstance(node, (ast.Name, ast.Attribute)) and isinstance(
        project.resolve(path, None, node), (ProjectFunction, ProjectClass, Ambiguous)))
        for each in given if each is not but for node in walk(each))


def _is_tested(project: Project, path: str, use: ast.AST, above: ast.AST | None) -> bool:
    """Is it only asked for its truth, or compared? ``a or b`` gives one of the two, unless that is tested in turn."""
    while isinstance(above, ast.BoolOp):
        use, above = above, project.parent(path, above)
    return isinstance(above, (ast.Compare, ast.UnaryOp)) or (
        isinstance(above, (ast.If, ast.While, ast.Assert, ast.IfExp)) and above.test is use)


def _into_parameter(project: Project, path: str, use: ast.AST, call: ast.Call, held: str) -> list[Use] | None:
    called = project.resolve(path, None, call.func)
    made = project.method(called, "__init__") if isinstance(called, ProjectClass) else None
    function = made if isinstance(made, ProjectFunction) else called
    if not isinstance(function, ProjectFunction) or any(isinstance(a, ast.Starred) for a in call.args) or (
            isinstance(called, ProjectClass) and not _is_plain(project, called)):
        return None
    if isinstance(use, ast.keyword):
        arguments = function.node.args
        names = [p for p in (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs) if p.arg == use.arg]
        return _of_parameter(project, function, names[0].arg, held) if names else None
    index = next((n for n, a in enumerate(call.args) if a is use), None)
    return None if index is None else _of_place(project, function, index, made is not None or function.bound, held)


def _is_plain(project: Project, cls: ProjectClass) -> bool:
    """Is all that a call of a class is handed for its ``__init__`` alone?"""
    above = [each for each in project.mro(cls) if isinstance(each, ProjectClass)]
    return project.method(cls, "__new__") is None and not any(
        each.node.decorator_list or each.node.keywords for each in above)


def _of_place(project: Project, function: ProjectFunction, index: int, bound: bool, held: str = "") -> list[Use] | None:
    """The reads of what is handed over at a place; ``bound``: the first parameter is filled by then."""
    names = [*function.node.args.posonlyargs, *function.node.args.args][index + bound :]
    return _of_parameter(project, function, names[0].arg, held) if names else None


def _of_parameter(project: Project, function: ProjectFunction, name: str, held: str) -> list[Use] | None:
    if getattr(function.node, "decorator_list", None):
        return None
    return _uses(project, function.path, function.node, name, held)


def _decorating(project: Project, path: str, decorator: ast.expr, *, made: bool) -> list[Use] | None:
    """What a decorator of the project does with the function: ``@timed``, ``@registered('name')``.

    What it hands back in its place goes by the name of the function. ``made``: it is what a call of it gives.
    """
    meant = project.resolve(path, None, decorator)
    if not isinstance(meant, ProjectFunction) or project.hierarchy.class_around(meant.path, meant.node) is not None:
        return None
    if not made and is_made_by_wrapt(project, meant):
        names = [*meant.node.args.posonlyargs, *meant.node.args.args][:1]
        return _uses(project, meant.path, meant.node, names[0].arg, "") if (
            names and not project.computed(asks_behind)) else None
    if not made:
        return _of_place(project, meant, 0, bound=False)
    given = [project.resolve(meant.path, None, node.value) if node.value is not None else None
             for node in walk(meant.node) if isinstance(node, ast.Return)
             and project.scope(meant.path, node) is meant.node]
    inner = [each for each in given if isinstance(each, ProjectFunction)]
    if not inner or len(inner) < len(given) or meant.node.decorator_list:  # type: ignore[union-attr]
        return None
    return _all(_of_place(project, each, 0, bound=False) for each in inner)


def _into_target(project: Project, path: str, target: ast.expr, held: str) -> list[Use] | None:
    """What is assigned: a name, an attribute, an item of a container; of a tuple, any of them."""
    if isinstance(target, (ast.Tuple, ast.List)):
        return _taken_apart(project, path, target.elts, held) if held else []
    if isinstance(target, ast.Attribute):
        return _into_attribute(project, path, target, held)
    if isinstance(target, ast.Subscript):
        return _into_container(project, path, target.value, held)
    if not isinstance(target, ast.Name):
        return None
    scope = project.scope(path, target)
    if isinstance(scope, ast.Module):
        return _of_module(project, path, target.id, held)
    if not isinstance(scope, (*FUNCTIONS, *Comprehension)):
        return None
    return None if is_said_outer(walk(scope), target.id) else _uses(project, path, scope, target.id, held)


def _taken_apart(project: Project, path: str, targets: list[ast.expr], held: str) -> list[Use] | None:
    """What goes over a container, or is assigned its items: of a dictionary, the keys."""
    if held.endswith(containers.DICT):
        return []
    return _all(_into_target(project, path, each, held[:-1]) for each in targets)


def _into_container(project: Project, path: str, container: ast.expr, held: str) -> list[Use] | None:
    """What is put into a container that was made in sight, and that nobody else has but by its name."""
    if isinstance(container, ast.Attribute):
        cls = _class_of_own(project, path, container)
        kept = project.hierarchy.stored(cls).get(container.attr, []) if cls is not None else []
        made = {containers.made(project, path, value) if value is not None else "" for value in kept}
        return None if len(made) != 1 or "" in made else _into_attribute(project, path, container, held + made.pop())
    bound = project.resolve(path, None, container) if isinstance(container, ast.Name) else None
    values = bound.values if isinstance(bound, Local) and bound.complete else ()
    if not isinstance(bound, Local) or len(values) != 1:
        return None
    scope, around = project.scope(bound.path, values[0]), containers.made(project, bound.path, values[0])
    if not around:
        return None
    if isinstance(scope, ast.Module):
        return _of_module(project, bound.path, bound.name, held + around)
    return _uses(project, bound.path, scope, bound.name, held + around) if isinstance(scope, FUNCTIONS) else None


def _into_attribute(project: Project, path: str, kept: ast.Attribute, held: str) -> list[Use] | None:
    """The reads of an attribute of an object that nobody is handed: those of its own methods, and of who made it."""
    cls = _class_of_own(project, path, kept)
    if cls is None or not is_sheltered(project, cls):
        return None
    related = [each.node for each in project.hierarchy.family(cls)]
    asked = [(at, node, project.instance(at, node.value))
             for at, node in project.computed(Mentions).of({kept.attr}, attributes=True)
             if isinstance(node, ast.Attribute)]
    return [(at, node, held) for at, node, of in asked if of is not None and of.node in related]


def _class_of_own(project: Project, path: str, kept: ast.Attribute) -> ProjectClass | None:
    """The class of the object whose own method asks it for an attribute: ``self.kept``."""
    table = project.table(path)
    scope = table.owner.get(kept.value) if table is not None else None
    own = kept.value.id if isinstance(kept.value, ast.Name) else ""
    return project.hierarchy.receiver(path, scope, own) if scope is not None and own else None


def _of_module(project: Project, path: str, name: str, held: str) -> list[Use] | None:
    """The reads of a name of a module, in all files; None where others may read it, or nobody does.

    What nobody reads was put there for somebody.
    """
    mentions = project.computed(Mentions)
    if project.for_others or any(True for _ in mentions.asked_for(name)) or any(
            built.may_be(name) for built in project.computed(CallGraph).built_names()):
        return None
    found: list[Use] = []
    sure = False
    for at, node in mentions.of({name}):
        if isinstance(node, ast.expr) and isinstance(getattr(node, "ctx", None), ast.Load):
            meant = project.resolve(at, None, node)
            mine = any(isinstance(each, Local) and each.path == path and each.name == name for each in (
                meant.candidates if isinstance(meant, Ambiguous) else (meant,)))
            above = project.parent(at, node)
            filled = isinstance(above, ast.Subscript) and above.value is node and not isinstance(above.ctx, ast.Load)
            sure = sure or (mine and not filled)
            if mine or isinstance(meant, Unknown):  # of something that may be the module
                found.append((at, node, held))
    return found if sure else None


def _into_setting(project: Project, name: str, found: Followed) -> list[Use] | None:
    """The reads of what ``argparse`` keeps under a name: an attribute of what its parser gives, whoever has that.

    None where all that it keeps is handed on, each to the parameter of its name.
    """
    if project.for_others:
        return None
    graph, mentions = project.computed(CallGraph), project.computed(Mentions)
    wholes = [(path, node) for path in project.paths for node in project.nodes(path) if _is_of_all(project, path, node)]
    if any(isinstance(above := project.parent(path, node), ast.keyword) and above.arg is None for path, node in wholes):
        return None
    if wholes or any(built.may_be(name) for built in graph.built_names()):
        found.named.append(name)
    uses: list[Use] = []
    for path, node in mentions.of({name}, attributes=True):  # of our own objects, too: ``parse_args(namespace=ours)``
        if isinstance(getattr(node, "ctx", None), ast.Load):
            uses.append((path, node, ""))
    for _, path, node in mentions.asked_for(name):
        call = project.parent(path, node)
        if isinstance(call, ast.Call) and not (isinstance(call.func, ast.Name) and call.func.id == "hasattr"):
            uses.append((path, call, ""))
    return uses


def _is_of_all(project: Project, path: str, node: ast.AST) -> bool:
    """``vars(args)``, ``args.__dict__``, of no object of the project's."""
    of: ast.expr | None = None
    if isinstance(node, ast.Call) and node.args and isinstance(node.func, ast.Name) and node.func.id == "vars":
        of = node.args[0]
    elif isinstance(node, ast.Attribute) and node.attr == "__dict__":
        of = node.value
    told = project.parent(path, node)
    called = project.resolve(path, None, told.func) if isinstance(told, ast.Call) else None
    return of is not None and project.instance(path, of) is None and not (
        isinstance(called, Builtin) and called.name in TELLING)


def _into_thread(project: Project, path: str, use: ast.AST, given: ast.Tuple | ast.List) -> list[Use] | None:
    """``Thread(target=f, args=(use,))``: a parameter of the function that a thread, or a process, is made to run."""
    above = project.parent(path, given)
    call = project.parent(path, above) if isinstance(above, ast.keyword) else above
    called = project.resolve(path, None, call.func) if isinstance(call, ast.Call) else None
    if not isinstance(call, ast.Call) or not isinstance(called, External) or called.name not in THREADS:
        return None
    word, at, rest = THREADS[called.name]
    named = {keyword.arg: keyword.value for keyword in call.keywords}
    if any(isinstance(each, ast.Starred) for each in (*call.args, *given.elts)) or None in named or (
            given not in (named.get("args"), *call.args[rest : rest + 1])):
        return None
    target = call.args[at] if len(call.args) > at else named.get(word)
    function = project.resolve(path, None, target) if target is not None else None
    index = next((n for n, each in enumerate(given.elts) if each is use), None)
    if not isinstance(function, ProjectFunction) or index is None:
        return None
    return _of_place(project, function, index, function.bound)


def _to_callers(project: Project, path: str, back: ast.Return, held: str, found: Followed) -> list[Use] | None:
    """The calls of the function that a ``return`` stands in: each is what is handed back.

    What a decorator hands back goes by the name of the function that it was given.
    """
    function = project.function(path, project.scope(path, back))
    if function is None or not isinstance(function.node, ast.FunctionDef) or function.node.decorator_list or (
            by_python(function.node.name)):  # ``__getattr__`` is called by nobody's name
        return None
    if any(isinstance(node, (ast.Yield, ast.YieldFrom)) for node in walk(function.node)):
        return None
    found.handed_back_by.append(function)
    references = [each for each in project.computed(References).of(function) if each.kind != "import"]
    called = [each for each in references if each.kind == "call"]
    if any(each.kind != "call" and not _decorates(project, each.path, each.node)
           and not _is_made_decorator(project, each.path, each.node) for each in references) or (held and not called):
        return None
    return [(each.path, each.node, held) for each in called]


def _decorates(project: Project, path: str, node: ast.AST) -> bool:
    return node in getattr(project.parent(path, node), "decorator_list", ())


def _is_made_decorator(project: Project, path: str, node: ast.AST) -> bool:
    """Is it handed back by a function that is only called to decorate with what it gives: ``@timed(quiet=True)``?"""
    back = project.parent(path, node)
    maker = project.function(path, project.scope(path, back)) if isinstance(back, ast.Return) else None
    if maker is None or not isinstance(maker.node, ast.FunctionDef) or maker.node.decorator_list:
        return False
    references = [each for each in project.computed(References).of(maker) if each.kind != "import"]
    return bool(references) and all(
        each.kind == "call" and _decorates(project, each.path, each.node) for each in references)


def _uses(project: Project, path: str, scope: ast.AST, name: str, held: str) -> list[Use] | None:
    """The reads of a name of a function, of which some may be of what else it is bound to; a container has one name."""
    if not project.definitions(path, scope, name) or (held and len(project.definitions(path, scope, name)) != 1):
        return None
    return [(path, node, held) for node in _reads(scope, name)]


def _reads(scope: ast.AST, name: str) -> Iterator[ast.AST]:
    for node in walk(scope):
        if isinstance(node, ast.Name) and node.id == name and isinstance(node.ctx, ast.Load):
            yield node
