"""Who has to be run with a candidate: where the value leaves its function, all that may call that function.

By name, so more rather than fewer: what mentions the function, or what is bound to it, in any module of the project.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import TypeAlias

from voltfix.model import SiteKind
from voltfix.program.mentioned import last_word
from voltfix.program.walking import walk
from voltfix.records import dataclass
from voltfix.search.anew import always_made_anew
from voltfix.search.cover import Cover, Tracer
from voltfix.search.group import Group
from voltfix.search.kinds.around import covered
from voltfix.search.scene import FUNCTIONS, Found, Scene, Scenes, bound, word_of

MOST = 16  # functions that are run with a candidate
_ROUNDS = 6
Function: TypeAlias = ast.FunctionDef | ast.AsyncFunctionDef
Unit = tuple[str, str]  # as in ``Change.touched``


@dataclass(frozen=True)
class Reach:
    """``callers``: what may call the function of a site; ``leaves``: does the value get out of that function at all?

    ``open``: it gets to where nothing is seen of it, or to more than can be run. ``passing``: the functions that hand
    it on to whoever calls them, by module and line. ``kept``: the attributes and globals under which it waits for other
    functions; ``words``: how the function of a site is called; ``anew``: those other functions make it anew first.
    """

    callers: tuple[Unit, ...] = ()
    leaves: bool = False
    open: bool = False
    passing: frozenset[tuple[str, int]] = frozenset()
    kept: frozenset[str] = frozenset()
    words: frozenset[str] = frozenset()
    anew: bool = False


def reach_of(scenes: Scenes, group: Group) -> Reach:
    """Where the value of a group of sites goes.

    Who reads an attribute gets to see it, unless all that reads it makes it anew first.
    """
    found = _reached(scenes, group)
    if not found.kept or not found.words:
        return found
    kept = _all_kept(scenes, group, found.words)
    return _called(scenes, group, kept, found) if kept and always_made_anew(scenes, group, kept, found.words) else found


def _called(scenes: Scenes, group: Group, kept: frozenset[str], reach: Reach) -> Reach:
    """The reach where nobody sees the value but who calls its function, and whom such a caller gives it back."""
    head = group[0]
    scope, words = head.scene.scope(head.node), reach.words
    assert isinstance(scope, FUNCTIONS)
    found, passing = dict[Unit, None](), {(head.site.path, scope.lineno)}
    for _ in range(_ROUNDS):
        said = words
        for scene in scenes.mentioning(said, head.site.path):
            for call in walk(scene.tree):
                if not isinstance(call, ast.Call) or last_word(call.func) not in said:
                    continue
                function = scene.scope(call)
                found[scene.module.path, scene.qualified(function)] = None
                if isinstance(function, ast.Module):
                    continue
                itself = next((each.arg for each in function.args.args), "self")
                if _made_of(scenes, scene, function, said, [f"{itself}.{name}" for name in kept]).leaves:
                    passing.add((scene.module.path, function.lineno))
                    words |= _words(scene, function)
        if said == words:
            out = not found or len(found) > MOST
            return replace(reach, callers=tuple(found)[:MOST], open=out, passing=frozenset(passing), anew=True)
    return reach


def _all_kept(scenes: Scenes, group: Group, words: frozenset[str]) -> frozenset[str]:
    """All attributes under which functions may put what a group of sites keeps, or what they make of it."""
    names = {name for name in covered(scenes, group).names if "." in name}
    for _ in range(_ROUNDS):
        known, said = frozenset(name.rpartition(".")[2] for name in names), words
        for scene in scenes.mentioning(known | words, group[0].site.path):
            for each in scene.functions:
                itself = next((a.arg for a in each.node.args.args), "self")
                made = _made_of(scenes, scene, each.node, said, [*names, *(f"{itself}.{name}" for name in known)])
                names |= {name for name in made.names if "." in name}
                words |= _words(scene, each.node) if made.leaves else frozenset()
        if known == frozenset(name.rpartition(".")[2] for name in names) and words == said:
            return known
    return frozenset()


def _reached(scenes: Scenes, group: Group) -> Reach:
    head = group[0]
    scope = head.scene.scope(head.node)
    cover = covered(scenes, group)
    if any(each.site.kind is SiteKind.WRITE and not _own(each.node, scope) for each in group):
        return Reach(leaves=True, open=True)
    if not _leaves(cover, scope):
        return Reach()
    if isinstance(scope, ast.Module):
        words = frozenset(name for name in cover.names if name.isidentifier())
    else:
        words = _words(head.scene, scope)
    called = frozenset() if isinstance(scope, ast.Module) else words
    attributes = frozenset(name.rpartition(".")[2] for name in cover.names if "." in name) - words
    words |= attributes
    around = [scope, *head.scene.above(scope)]  # what only defines it does not call it
    kept = [name for name in cover.names if "." in name]
    passing = set() if isinstance(scope, ast.Module) else {(head.site.path, scope.lineno)}
    waits = _kept(cover, scope)
    found: dict[Unit, None] = {}
    for _ in range(3):
        known = len(found)
        words = _aliases(scenes, words, head.site.path)
        for scene in scenes.mentioning(words, head.site.path):
            for unit, function in _mentioning(scene, words, attributes):
                if function not in around and unit not in found:
                    found[unit] = None
                    if function is None:
                        continue
                    made = _made_of(scenes, scene, function, words, kept)
                    if _leaves(made, function):
                        passing.add((scene.module.path, function.lineno))
                        waits |= _kept(made, function)
                    words |= _words(scene, function)
        if len(found) == known or len(found) > MOST:
            break
    vague = not isinstance(scope, ast.Module) and scope.name in ("forward", "__call__", "__getitem__", "__iter__")
    out = not found or len(found) > MOST or vague
    return Reach(tuple(found)[:MOST], True, out, frozenset(passing), waits, called)


def in_callers(scenes: Scenes, group: Group, reach: Reach) -> Iterator[tuple[Scene, Found, Cover]]:
    """What the functions that may call the function of a group of sites make of what it gives them."""
    kept = [name for name in covered(scenes, group).names if "." in name]
    for path, name in reach.callers if reach.words else ():
        scene = scenes.of(path)
        for each in scene.functions:
            if each.name == name:
                yield scene, each, _made_of(scenes, scene, each.node, reach.words, kept)


def _made_of(scenes: Scenes, scene: Scene, function: Function, words: frozenset[str], kept: Sequence[str]) -> Cover:
    """What a function makes of what calls by those words give it, and of what is kept under those names."""
    calls = frozenset(n for n in walk(function) if isinstance(n, ast.Call) and not words.isdisjoint(_said_here(n.func)))
    tracer = Tracer(scenes, scene, calls)
    tracer.found.names |= set(kept)
    return tracer.over(function.body)


def _own(write: ast.AST, scope: ast.AST) -> bool:
    """Is what is written to made in the function itself, so that nobody else has it?"""
    target = write.targets[0] if isinstance(write, ast.Assign) else None
    name = word_of(target.value) if isinstance(target, ast.Attribute) else ""
    makers = [each for each in walk(scope) if isinstance(each, (ast.Assign, ast.For, ast.NamedExpr, ast.AugAssign,
                                                                ast.withitem)) and name in bound(each)]
    return name.isidentifier() and bool(makers) and all(
        isinstance(each, ast.Assign) and isinstance(each.value, ast.Call) for each in makers if each is not write)


def _leaves(cover: Cover, scope: ast.AST) -> bool:
    """Is it returned, kept on an object, or bound to a global?"""
    return bool(cover.leaves or _kept(cover, scope)) or isinstance(scope, ast.Module)


def _kept(cover: Cover, scope: ast.AST) -> frozenset[str]:
    """The attributes, by their last word, and the globals that hold it when a function is over."""
    shared = {name for each in walk(scope) if isinstance(each, (ast.Global, ast.Nonlocal)) for name in each.names}
    if isinstance(scope, ast.Module):
        shared = cover.names
    return frozenset(name.rpartition(".")[2] for name in cover.names if "." in name or name in shared)


def _words(scene: Scene, scope: Function) -> frozenset[str]:
    """What code says that comes to a function: its name; of one inside of another, that of the outer one, too."""
    names: list[str] = []
    for each in (scope, *scene.above(scope)):
        if isinstance(each, ast.ClassDef):
            if names[-1].startswith("__"):
                names.append(each.name)
            break
        if isinstance(each, FUNCTIONS):
            names.append(each.name)
    return frozenset(name for name in names if not (name.startswith("__") and name.endswith("__")))


def _aliases(scenes: Scenes, words: frozenset[str], path: str) -> frozenset[str]:
    """The words, and the names that are bound to what mentions them: ``make = partial(f)``, ``TABLE = {"a": f}``."""
    found = set(words)
    for scene in scenes.mentioning(words, path):
        for node in walk(scene.tree):
            if isinstance(node, ast.Assign):
                binds = scene.scope(node) is scene.tree or not isinstance(node.value, ast.Call)
                if binds and not words.isdisjoint(_said(node.value)):
                    found |= {t.id if isinstance(t, ast.Name) else t.attr for t in node.targets
                              if isinstance(t, (ast.Name, ast.Attribute))}
            elif isinstance(node, ast.ImportFrom):
                found |= {alias.asname for alias in node.names if alias.asname and alias.name in words}
    return frozenset(found)


def _said(node: ast.AST) -> set[str]:
    """The names, attributes and strings of a node."""
    found = set()
    for each in walk(node):
        if isinstance(each, ast.Name):
            found.add(each.id)
        elif isinstance(each, ast.Attribute):
            found.add(each.attr)
        elif isinstance(each, ast.Constant) and isinstance(each.value, str):
            found.add(each.value)
    return found


def _mentioning(
    scene: Scene, words: frozenset[str], attributes: frozenset[str]
) -> list[tuple[Unit, Function | None]]:
    """The functions of a module that mention one of the words; the module itself, if its body does.

    A function's own parameter or name is none of the ``attributes``.
    """
    found: dict[Unit, Function | None] = {}
    for node in walk(scene.tree):
        if not isinstance(node, (ast.Name, ast.Attribute, ast.Constant)) or words.isdisjoint(_said_here(node)):
            continue
        scope = scene.scope(node)
        if isinstance(node, ast.Name) and node.id in attributes and node.id in _bound_in(scope):
            continue
        if isinstance(scope, ast.Module):
            statement = scene.statement(node)
            if isinstance(statement, (ast.Assign, ast.ClassDef, *FUNCTIONS)):
                continue  # binding a name, or a default: nothing is called
            found[scene.module.path, ""] = None
        else:
            found[scene.module.path, scene.qualified(scope)] = scope
    return list(found.items())


def _bound_in(scope: ast.AST) -> frozenset[str]:
    """The parameters of a function, and the names that it binds."""
    if not isinstance(scope, FUNCTIONS):
        return frozenset()
    outer = {name for n in walk(scope) if isinstance(n, (ast.Global, ast.Nonlocal)) for name in n.names}
    bound_here = {n.id for n in walk(scope) if isinstance(n, ast.Name) and not isinstance(n.ctx, ast.Load)}
    return frozenset({*bound_here, *(n.arg for n in walk(scope.args) if isinstance(n, ast.arg))} - outer)


def _said_here(node: ast.AST) -> set[str]:
    if isinstance(node, ast.Constant):
        return {node.value} if isinstance(node.value, str) else set()
    return {getattr(node, "id", getattr(node, "attr", ""))}
