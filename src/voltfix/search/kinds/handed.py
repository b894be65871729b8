"""The flag is handed in by callers, and the value goes back to them: a block in each that may call.

Calls are found by name: of the function, of the class or the function around it, and of what is bound to one of these
(a table, a partial). What a call passes for the flag is what its block asks for. Where that is what its own function
was given, the callers of that function decide, in turn. Where the flag is always on (``def var(a): return Variable(a,
volatile=True)``), each call asks for it, and so does each of a function that gives back what it computes on the value.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from typing import TypeAlias

from voltfix.model import SiteKind, Strategy, WrapStatements
from voltfix.program.arguments import is_static
from voltfix.program.mentioned import last_word
from voltfix.program.walking import walk
from voltfix.records import dataclass
from voltfix.search.cover import Tracer, merged
from voltfix.search.draft import Draft, Sketch
from voltfix.search.group import Group, Place, with_calls
from voltfix.search.kinds.around import covered
from voltfix.search.kinds.flag import mode_of, modes, without_flag
from voltfix.search.scene import FUNCTIONS, Scene, Scenes, bound, stored, word_of

_MOST = 24  # calls
Function: TypeAlias = ast.FunctionDef | ast.AsyncFunctionDef


@dataclass(frozen=True)
class Taker:
    """What takes the flag: a function, by the words that call it; ``skip``: arguments that it gets by itself.

    ``always``: nobody hands the flag in, for it is always on. ``within``: the function that alone may call it.
    """

    node: Function
    parameter: str
    words: frozenset[str]
    skip: int
    always: bool = False
    within: ast.AST | None = None


def drafts(scenes: Scenes, group: Group) -> Iterator[Draft]:
    """Blocks around what callers compute on the value."""
    head = group[0]
    if head.site.kind is not SiteKind.ARGUMENT:
        return
    if (taker := _taker(head)) is not None:
        yield from _drafts(scenes, group, taker, farther=True)
    elif (taker := _maker(scenes, group)) is not None:
        yield from _drafts(scenes, group, taker, farther=False)
        yield from _drafts(scenes, group, taker, farther=True)


def _drafts(scenes: Scenes, group: Group, taker: Taker, *, farther: bool) -> Iterator[Draft]:
    """``farther``: in who gets the value by way of a caller, too."""
    head = group[0]
    sketch, modes_used, calls = Sketch(), set[str](), 0
    if not without_flag(sketch, group):
        return
    takers = [(head.site.path, taker)]
    made: dict[tuple[ast.AST, str], tuple[Scene, list[ast.AST]]] = {}  # by scope and flag, what calls give there
    for path, taker in takers:
        words, fixed = _bound_to(scenes, taker, path)
        for scene in scenes.mentioning(words, path):
            for call in walk(scene.tree):
                if not isinstance(call, ast.Call) or (name := _callee(call)) not in words or _is_binding(scene, call):
                    continue
                if taker.within is not None and taker.within not in scene.above(call):
                    continue
                calls += 1
                flag = "True" if taker.always else (
                    _passed(scene, taker, call) or fixed.get(name) or _default(taker))
                if flag is None or calls > _MOST:
                    return
                if flag in ("False", "0", "None"):
                    continue
                made.setdefault((scene.scope(call), flag), (scene, []))[1].append(_value_of(scene, call))
                behind = _gives_on(scenes, scene, call) if taker.always else _hands_on(scene, call, flag)
                if farther and behind is not None and all(behind.node is not each.node for _, each in takers):
                    takers.append((scene.module.path, behind))
    for (_, flag), (scene, values) in made.items():
        mode = _block(scenes, sketch, scene, values, flag)
        if mode is None:
            return
        modes_used |= {mode}
    own = covered(scenes, group)
    for first, last in merged(head.scene, own.tight):
        header = next(modes(head, sketch.torch(head.scene)))
        sketch.add(head.scene, head.scene.scope(first), _around(head.scene, first, last, header))
    if modes_used - {""} and not own.mixed:
        conditional = any("set_grad_enabled" in mode for mode in modes_used)
        strategy: Strategy = "set_grad_enabled" if conditional else "no_grad"
        count = f"{calls} call{'s' if calls > 1 else ''}"
        yield sketch.draft(f"a block around what callers compute on it ({count})", strategy)


def _around(scene: Scene, first: ast.stmt, last: ast.stmt, header: str) -> WrapStatements:
    return WrapStatements(scene.span(first), scene.span(last), header)


def _taker(head: Place) -> Taker | None:
    """The function whose parameter the flag of a site comes from."""
    try:
        names = {word_of(n) for n in ast.walk(ast.parse(head.flag, mode="eval")) if word_of(n)}
    except SyntaxError:
        return None
    inner: list[str] = []
    for each in head.scene.above(head.node):
        if isinstance(each, FUNCTIONS):
            inner.append(each.name)
            found = [name for name in _named(each) if name in names]
            if len(found) == 1 and each.name != "__init__":
                return Taker(each, found[0], frozenset({each.name}), _by_itself(head.scene, each))
        elif isinstance(each, ast.ClassDef):
            return _of_object(each, names)
    return None


def _maker(scenes: Scenes, group: Group) -> Taker | None:
    """The function that gives back what its flag, which is always on, made: ``def var(a): return Variable(a, ...)``."""
    head = group[0]
    scope = head.scene.scope(head.node)
    if head.flag not in ("True", "1") or with_calls(group) or not isinstance(scope, ast.FunctionDef):
        return None
    gives = any(isinstance(each, ast.Return) for each in covered(scenes, group).leaves)
    return _given_by(head.scene, scope) if gives and not _is_dunder(scope) else None


def _gives_on(scenes: Scenes, scene: Scene, call: ast.Call) -> Taker | None:
    """The function that a call stands in, where that gives back what it computes on what the call gave."""
    scope = scene.scope(call)
    if not isinstance(scope, ast.FunctionDef) or _is_dunder(scope):
        return None
    leaves = Tracer(scenes, scene, frozenset({_value_of(scene, call)})).over(scope.body).leaves
    gives = any(isinstance(each, ast.Return) for each in leaves)
    return _given_by(scene, scope) if gives else None


def _given_by(scene: Scene, scope: Function) -> Taker:
    around = scene.parents.get(scope)
    while around is not None and not isinstance(around, (*FUNCTIONS, ast.ClassDef)):
        around = scene.parents.get(around)
    within = around if isinstance(around, FUNCTIONS) else None
    return Taker(scope, "", frozenset({scope.name}), 0, always=True, within=within)


def _is_dunder(function: Function) -> bool:
    return function.name == "forward" or function.name.startswith("__")


def _hands_on(scene: Scene, call: ast.Call, flag: str) -> Taker | None:
    """The function that a call stands in, where the flag that it passes is a parameter of it that nothing else sets."""
    scope = scene.scope(call)
    if not isinstance(scope, FUNCTIONS) or scope.name == "__init__":
        return None
    if flag not in _named(scope) or flag in stored(scope):
        return None
    return Taker(scope, flag, frozenset({scope.name}), _by_itself(scene, scope))


def _named(function: Function) -> list[str]:
    """The parameters that a call may fill one by one."""
    return [a.arg for a in (*function.args.posonlyargs, *function.args.args, *function.args.kwonlyargs)]


def _by_itself(scene: Scene, function: Function) -> int:
    """How many arguments a call does not write: ``self``."""
    method = isinstance(scene.parents.get(function), ast.ClassDef)
    return int(method and not is_static(function))


def _of_object(owner: ast.ClassDef, names: set[str]) -> Taker | None:
    """``self.off`` that ``__init__`` took: the calls that make the object."""
    for method in owner.body:
        if not isinstance(method, FUNCTIONS) or method.name != "__init__":
            continue
        for node in walk(method):
            if not isinstance(node, ast.Assign):
                continue
            targets, value = node.targets[0], node.value
            pairs = zip(targets.elts, value.elts, strict=False) if isinstance(targets, ast.Tuple) and isinstance(
                value, ast.Tuple) else [(targets, value)]
            for target, source in pairs:
                if word_of(target) in names and isinstance(source, ast.Name):
                    return Taker(method, source.id, frozenset({owner.name}), 1)
    return None


def _bound_to(scenes: Scenes, taker: Taker, path: str) -> tuple[frozenset[str], dict[str, str]]:
    """The words by which it may be called; for those that a partial made, the flag that it filled in."""
    words, fixed = set(taker.words), dict[str, str]()
    for scene in scenes.mentioning(taker.words, path):
        for node in walk(scene.tree):
            said = {word_of(n).rpartition(".")[2] for n in walk(node.value)} if isinstance(node, ast.Assign) else set()
            if isinstance(node, ast.Assign) and not said.isdisjoint(taker.words):
                direct = isinstance(node.value, ast.Call) and _callee(node.value) in taker.words
                if direct or isinstance(scene.scope(node), FUNCTIONS):
                    continue
                made = {name.rpartition(".")[2] for name in bound(node)}
                words |= made
                if isinstance(node.value, ast.Call) and (flag := _keyword(node.value, taker.parameter)) is not None:
                    fixed |= dict.fromkeys(made, flag)
    return frozenset(words), fixed


def _callee(call: ast.Call) -> str:
    """The word that says what is called: of ``f(x)``, ``m.f(x)``, ``TABLE["f"](x)``."""
    func = call.func
    while isinstance(func, ast.Subscript):
        func = func.value
    return last_word(func) or ""


def _is_binding(scene: Scene, call: ast.Call) -> bool:
    """Does it stand where names are bound once for all?"""
    return isinstance(scene.scope(call), ast.Module) and isinstance(scene.statement(call), (ast.ClassDef, *FUNCTIONS))


def _keyword(call: ast.Call, name: str) -> str | None:
    return next((ast.unparse(k.value) for k in call.keywords if k.arg == name), None)


def _passed(scene: Scene, taker: Taker, call: ast.Call) -> str | None:
    """What a call hands in for the flag, as source; None for nothing."""
    if (said := _keyword(call, taker.parameter)) is not None:
        return said
    positional = [a.arg for a in (*taker.node.args.posonlyargs, *taker.node.args.args)]
    at = positional.index(taker.parameter) - taker.skip if taker.parameter in positional else -1
    return ast.unparse(call.args[at]) if 0 <= at < len(call.args) else None


def _default(taker: Taker) -> str | None:
    """What the flag is where nobody hands it in."""
    arguments = taker.node.args
    positional = [*arguments.posonlyargs, *arguments.args]
    defaults = dict(zip([p.arg for p in positional[len(positional) - len(arguments.defaults) :]], arguments.defaults,
                        strict=True))
    defaults |= {p.arg: d for p, d in zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True) if d is not None}
    found = defaults.get(taker.parameter)
    return ast.unparse(found) if found is not None else None


def _value_of(scene: Scene, call: ast.Call) -> ast.AST:
    """What a call gives; where that is called again, what that gives."""
    value: ast.AST = call
    while isinstance(above := scene.parents.get(value), ast.Call) and above.func is value:
        value = above
    return value


def _block(scenes: Scenes, sketch: Sketch, scene: Scene, values: Sequence[ast.AST], flag: str) -> str | None:
    """Blocks around what computes on values in their function; the mode, or None where that trains, too."""
    scope = scene.scope(values[0])
    cover = Tracer(scenes, scene, frozenset(values)).over(scope.body)
    if cover.mixed:
        return None
    header = mode_of(flag, sketch.torch(scene))
    runs = merged(scene, cover.tight)
    for first, last in runs:
        sketch.add(scene, scope, _around(scene, first, last, header))
    sketch.touch(scene, scope)
    return header if runs else ""
