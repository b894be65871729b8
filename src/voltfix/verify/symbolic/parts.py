"""What a part of something unknown is (``model.encoder(x)``, of a ``model`` that callers hand over), where everything
that the project ever puts under that name is an object of one class of its own.

What is unknown gives something volatile for something volatile. A class whose ``forward`` goes on with the data alone
does not, so of such a class the project's own text is run. For all others both readings come to the same.
"""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field

from voltfix.verify.symbolic.walking import last_word, walk

_DATA = frozenset({"data", "detach"})
# what gives attributes names that no text says, or has another function run than ``forward``
_OPEN = frozenset({"setattr", "__setattr__", "add_module", "register_module", "exec", "eval", "register_forward_hook",
                   "register_forward_pre_hook"})
_RUNS = frozenset({"forward", "__call__", "__class__", "__dict__"})
_UNPLAIN = frozenset({"__call__", "__new__", "__getattr__", "__getattribute__", "__setattr__"})
_ABOVE = frozenset({"Module", "object"})


@dataclass
class Put:
    """What one module says of attributes, and of the names of classes."""

    under: dict[str, list[str | None]] = field(default_factory=dict)  # what ``x.name = Class()`` makes; None: another
    classes: dict[str, list[bool]] = field(default_factory=dict)  # those at its top: may data alone go on in it?
    bound: Counter[str] = field(default_factory=Counter)  # names of functions, of classes, and of what is assigned
    imports: list[tuple[str, int, str]] = field(default_factory=list)  # module, level, name
    named: set[str] = field(default_factory=set)  # what ``setattr(x, "name", value)`` says
    open: bool = False


def put_in(tree: ast.Module, nodes: Iterable[ast.AST]) -> Put:
    """What the nodes of a module say."""
    found, plain, every = Put(), set[int](), list(nodes)
    tops = {id(each) for each in tree.body}
    read = {id(each.value) for each in every if isinstance(each, ast.Subscript) and isinstance(each.ctx, ast.Load)}
    for each in every:
        if isinstance(each, ast.Assign) and len(each.targets) == 1 and isinstance(each.targets[0], ast.Attribute):
            plain.add(id(each.targets[0]))
            made = each.value.func if isinstance(each.value, ast.Call) else None
            name = made.id if isinstance(made, ast.Name) else None
            found.under.setdefault(each.targets[0].attr, []).append(name)
        elif isinstance(each, ast.Attribute):
            if each.attr == "__class__" or (each.attr == "__dict__" and id(each) not in read):
                found.open = True  # ``models.__dict__[name]`` only looks something up
            if id(each) not in plain and not isinstance(each.ctx, ast.Load):
                found.under.setdefault(each.attr, []).append(None)
        elif isinstance(each, ast.Name) and not isinstance(each.ctx, ast.Load):
            found.bound[each.id] += 1
        elif isinstance(each, ast.ClassDef):
            found.bound[each.name] += 1
            if id(each) in tops:
                found.classes.setdefault(each.name, []).append(_lets_go(each))
        elif isinstance(each, (ast.FunctionDef, ast.AsyncFunctionDef)):
            found.bound[each.name] += 1
        elif isinstance(each, ast.arg):
            found.bound[each.arg] += 1
        elif isinstance(each, ast.ImportFrom):
            found.imports += [(each.module or "", each.level, name.asname or name.name) for name in each.names]
            found.bound.update(name.asname for name in each.names if name.asname)
        elif isinstance(each, ast.Call):
            _note_call(found, each)
    return found


def _note_call(found: Put, call: ast.Call) -> None:
    word = last_word(call.func)
    if word not in _OPEN or (word in ("eval", "exec") and isinstance(call.func, ast.Attribute)):  # ``net.eval()``
        return
    said = [each.value for each in call.args if isinstance(each, ast.Constant) and isinstance(each.value, str)]
    if word in ("setattr", "__setattr__", "add_module", "register_module") and said:
        found.named.add(said[0])
    else:
        found.open = True


def _lets_go(cls: ast.ClassDef) -> bool:
    """Is it a plain module whose ``forward`` asks something for its data alone?"""
    if cls.decorator_list or cls.keywords or not all(last_word(base) in _ABOVE for base in cls.bases):
        return False
    own = {each.name: each for each in cls.body if isinstance(each, (ast.FunctionDef, ast.AsyncFunctionDef))}
    method = own.get("forward")
    if not isinstance(method, ast.FunctionDef) or method.decorator_list or not _UNPLAIN.isdisjoint(own):
        return False
    return any(isinstance(each, ast.Attribute) and each.attr in _DATA for each in walk(method))


def parts_in(
    texts: Mapping[str, Put], resolve: Callable[[str, str, int], str | None]
) -> dict[str, tuple[str, str]]:
    """Of attributes whose class can be told, and lets go of graphs: where that stands, and its name."""
    if any(each.open or not _RUNS.isdisjoint(each.under) for each in texts.values()):
        return {}
    where = {name: path for path, each in texts.items() for name, told in each.classes.items() if told == [True]}
    named = {name for each in texts.values() for name in each.named}
    bound: Counter[str] = sum((each.bound for each in texts.values()), Counter())
    foreign = {name for path, each in texts.items() for module, level, name in each.imports
               if resolve(path, module, level) is None}
    under: dict[str, set[str | None]] = {}
    for each in texts.values():
        for attribute, made in each.under.items():
            under.setdefault(attribute, set()).update(made)
    found: dict[str, tuple[str, str]] = {}
    functions = {name for each in texts.values() for name in each.bound}
    for attribute, names in under.items():
        name = next(iter(names))
        known = len(names) == 1 and name is not None and name in where and bound[name] == 1 and name not in foreign
        if known and name is not None and attribute not in named | functions:
            found[attribute] = where[name], name
    return found
