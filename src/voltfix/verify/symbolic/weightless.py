"""What names hold nothing but what has no parameters: losses of torch, functions, numbers.

By the name alone, as everywhere here: what all assignments give it and, where it is a parameter, all calls in sight.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import cast

import torch

from voltfix.verify.symbolic import tables
from voltfix.verify.symbolic.walking import last_word, unpacks, walk

Source = bool | str  # has it no parameters? Or: it is what is called so


@dataclass(frozen=True)
class Taken:
    """A parameter of a function that is called ``word``: its place, its default, and of an ``__init__`` the class."""

    word: str
    place: int
    default: ast.expr | None
    owner: str = ""


@dataclass
class Given:
    """What the nodes of a module give to names: by assignments (``stored``: as ``self.x = x``), by calls of functions;
    ``taken``: which functions take something of that name, at which place among their arguments, with what default."""

    assigned: dict[str, list[Source]] = field(default_factory=dict)
    stored: set[str] = field(default_factory=set)
    calls: dict[str, list[ast.Call]] = field(default_factory=dict)
    taken: dict[str, list[Taken]] = field(default_factory=dict)
    # what is called for its effect alone; of a container it is ``hooks[]``, and what loops give its items to
    effects: set[str] = field(default_factory=set)
    rounds: dict[str, set[str]] = field(default_factory=dict)
    listed: set[str] = field(default_factory=set)  # containers of which the text says what is in them
    bases: dict[str, set[str]] = field(default_factory=dict)  # of each class, by their names
    renamed: set[str] = field(default_factory=set)  # names that imports give to what is called otherwise
    within: dict[ast.Call, set[str]] = field(default_factory=dict)  # the classes around a ``super().__init__()``
    bound: set[str] = field(default_factory=set)  # in whatever way: ``for x in``, ``with y as x``
    passed: set[str] = field(default_factory=set)  # to a call, or kept in a list or a table


def given_in(nodes: Iterable[ast.AST]) -> Given:
    """What one module says."""
    found, own = Given(), set[ast.AST]()
    for each in nodes:
        if isinstance(each, ast.Assign):
            for target in each.targets:
                if isinstance(target, (ast.Name, ast.Attribute)):
                    _assign(found, target, each.value)
                if not _is_empty(each.value):
                    found.listed.add(items_of(target))
        elif isinstance(each, ast.Expr) and isinstance(each.value, ast.Call):
            item = items_of(each.value.func) if isinstance(each.value.func, ast.Subscript) else ""
            found.effects.add(item or last_word(each.value.func))
        elif isinstance(each, (ast.For, ast.AsyncFor)) and isinstance(each.target, ast.Name):
            found.rounds.setdefault(each.target.id, set()).add(items_of(each.iter))
        elif isinstance(each, ast.Call):
            found.calls.setdefault(last_word(each.func), []).append(each)
        elif isinstance(each, ast.ClassDef):
            makers = (inner for inner in each.body if isinstance(inner, ast.FunctionDef) and inner.name == "__init__")
            for inner in makers:
                own.add(inner)
                _take(found, inner, each.name)
                _take(found, inner, "__init__", each.name)
            found.bases.setdefault(each.name, set()).update(map(last_word, each.bases))
            for call in filter(_asks_above, walk(each)):
                found.within.setdefault(cast(ast.Call, call), set()).add(each.name)
        elif isinstance(each, (ast.FunctionDef, ast.AsyncFunctionDef)) and each not in own:
            _take(found, each, each.name)
        elif isinstance(each, (ast.Name, ast.Attribute)) and not isinstance(each.ctx, ast.Load):
            found.bound.add(last_word(each))
        elif isinstance(each, (ast.Import, ast.ImportFrom)):
            found.renamed.update(alias.asname for alias in each.names if alias.asname)
        if isinstance(each, ast.Expr) and isinstance(each.value, ast.Call):
            found.calls.setdefault(last_word(each.value.func), []).append(each.value)
        found.passed.update(last_word(held) for held in _held(each) if isinstance(held, (ast.Name, ast.Attribute)))
    return found


def items_of(node: ast.expr) -> str:
    """What the items of a container are called together (``hooks[]``), or of what it holds by a key."""
    while isinstance(node, ast.Subscript):
        node = node.value
    return f"{last_word(node)}[]"


def _is_empty(node: ast.expr) -> bool:
    """A container that something is put into later, or some of them: ``{name: [] for name in names}``, ``{"end": []}``.
    """
    if isinstance(node, (ast.DictComp, ast.ListComp)):
        return _is_empty(node.value if isinstance(node, ast.DictComp) else node.elt)
    if isinstance(node, ast.Call):
        told = [*node.args, *node.keywords]
        return last_word(node.func) in _CONTAINERS and all(last_word(each) in _CONTAINERS for each in told)
    return (isinstance(node, (ast.List, ast.Tuple)) and not node.elts) or (
        isinstance(node, ast.Dict) and None not in node.keys and all(map(_is_empty, node.values)))


_CONTAINERS = frozenset({"list", "dict", "OrderedDict", "defaultdict"})


def _held(node: ast.AST) -> Iterable[ast.expr | None]:
    """What a call is given, but to ask for a class, and what a name, a list or a table has."""
    if isinstance(node, ast.Assign):
        return (node.value,)
    if isinstance(node, ast.Call):
        return () if last_word(node.func) in _ASK else (*node.args, *(each.value for each in node.keywords))
    if isinstance(node, (ast.Tuple, ast.List, ast.Set)):
        return node.elts
    return node.values if isinstance(node, ast.Dict) else ()


_ASK = frozenset({"super", "isinstance", "issubclass"})


def _asks_above(node: ast.AST) -> bool:
    """``super().__init__(...)``"""
    func = node.func if isinstance(node, ast.Call) else None
    held = func.value if isinstance(func, ast.Attribute) and func.attr == "__init__" else None
    return isinstance(held, ast.Call) and isinstance(held.func, ast.Name) and held.func.id == "super"


def _assign(found: Given, target: ast.Name | ast.Attribute, value: ast.expr) -> None:
    name, source = last_word(target), _source(value)
    moved = isinstance(value, ast.Call)
    if source != name:
        found.assigned.setdefault(name, []).append(source)
    elif not moved:  # ``loss = loss.cuda()`` gives it nothing else
        found.stored.add(name)


def _take(found: Given, function: ast.FunctionDef | ast.AsyncFunctionDef, word: str, owner: str = "") -> None:
    positional = [*function.args.posonlyargs, *function.args.args]
    defaults = [None] * (len(positional) - len(function.args.defaults)) + list(function.args.defaults)
    skip = 1 if positional and positional[0].arg in ("self", "cls") else 0
    for place, (each, default) in enumerate(zip(positional, defaults, strict=True)):
        if place >= skip:
            found.taken.setdefault(each.arg, []).append(Taken(word, place - skip, default, owner))
    for each, default in zip(function.args.kwonlyargs, function.args.kw_defaults, strict=True):
        found.taken.setdefault(each.arg, []).append(Taken(word, _NOWHERE, default, owner))


_NOWHERE = 1 << 20  # of what is given by its name alone


def _source(node: ast.expr) -> Source:
    """What is given: for certain, or by its name."""
    if is_function(node):
        return True
    while isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in tables.VIEWS:
        node = node.func.value
    if isinstance(node, ast.Name):
        return node.id
    own = isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == "self"
    return last_word(node) if own else False


class Names:
    """The names of a project, by what all of its modules say."""

    def __init__(self, parts: Iterable[Given]) -> None:
        self.parts = list(parts)
        self._known: dict[object, bool] = {}

    def __contains__(self, name: object) -> bool:
        """Is a name given to something, and to nothing but what has no parameters?"""
        if name not in self._known:
            self._known[name] = isinstance(name, str) and self._is_weightless(name)
        return self._known[name]

    def _is_weightless(self, name: str, seen: frozenset[str] = frozenset()) -> bool:
        if name in seen:
            return False
        assigned = [each for part in self.parts for each in part.assigned.get(name, ())]
        if not all(self._holds(each, seen | {name}) for each in assigned):
            return False
        if assigned and not any(name in part.stored for part in self.parts):
            return True
        handed = [each for each in self._handed(name) if each != name or not assigned]
        return bool(handed or (assigned and self._handed(name))) and all(
            self._holds(each, seen | {name}) for each in handed)

    def _holds(self, source: Source, seen: frozenset[str]) -> bool:
        return source if isinstance(source, bool) else self._is_weightless(source, seen)

    def _handed(self, name: str) -> list[Source]:
        """What calls give to the functions that take something of this name."""
        found: list[Source] = []
        for taken in (each for part in self.parts for each in part.taken.get(name, ())):
            for call in (each for part in self.parts for each in part.calls.get(taken.word, ())):
                if taken.word != "__init__" or (_gives(call, name, taken.place) and self._may_be_of(taken.owner, call)):
                    found.append(_argument(call, name, taken.place, taken.default))
        return found

    def _may_be_of(self, owner: str, call: ast.Call) -> bool:
        """May a call of an ``__init__`` be one of a class? ``super()`` means what stands above the class around it, or
        above one that is derived from that."""
        around = {name for part in self.parts for name in part.within.get(call, ())}
        if not owner or not around:
            return True
        while more := self._below(around) - around:
            around |= more
        while more := self._above(around) - around:
            around |= more
        known = {name for part in self.parts for name in (*part.renamed, *part.bound, *part.taken, *part.passed)}
        # another name may be one of that class; one that is handed over may be derived from together with another
        return owner in around or "" in around or owner in known or not known.isdisjoint(around)

    def _below(self, names: set[str]) -> set[str]:
        return {name for part in self.parts for name, bases in part.bases.items() if not names.isdisjoint(bases)}

    def _above(self, names: set[str]) -> set[str]:
        return {base for part in self.parts for name in names for base in part.bases.get(name, ())}


def _gives(call: ast.Call, name: str, place: int) -> bool:
    return unpacks(call) or place < len(call.args) or any(each.arg == name for each in call.keywords)


def _argument(call: ast.Call, name: str, place: int, default: ast.expr | None) -> Source:
    if unpacks(call):
        return False
    given = next((each.value for each in call.keywords if each.arg == name), None)
    if given is None and place < len(call.args):
        given = call.args[place]
    given = default if given is None else given
    return _source(given) if given is not None else False


def is_function(node: ast.expr) -> bool:
    """What has no parameters: a function of torch, an object of a class of torch that has none, a lambda, a number."""
    while isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in tables.VIEWS:
        node = node.func.value  # ``nn.CrossEntropyLoss().cuda()``
    if isinstance(node, ast.IfExp):
        return is_function(node.body) and is_function(node.orelse)
    if isinstance(node, ast.Call):
        word = last_word(node.func)
        return word[:1].isupper() and tables.is_parameter_free(word) and hasattr(torch.nn, word)
    if isinstance(node, ast.Attribute):
        return hasattr(torch.nn.functional, node.attr) and last_word(node.value) in ("F", "functional", "torch")
    return isinstance(node, (ast.Constant, ast.Lambda))
