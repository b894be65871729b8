"""Which names hold nothing but an object of a class in view that has no weights: one that only computes from what it is
given (``class Accuracy(nn.Module)`` with a ``forward`` of arithmetic).

Stricter than ``weightless.py``, for nothing in such a name says so: everything that could give it anything else has to
be in sight, and everything in the class has to be known.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from voltfix.verify.symbolic import tables
from voltfix.verify.symbolic.walking import last_word, unpacks, walk

_ABOVE = frozenset({"Module", "object"})
_BUILTINS = frozenset({"range", "len", "float", "int", "bool", "print", "zip", "enumerate", "sum", "min", "max", "abs"})
_TORCH = frozenset({"torch", "F"})
# what puts another method, another attribute or a hook on an object, or keeps names out of sight
_OUT_OF_SIGHT = frozenset({"setattr", "globals", "locals", "vars", "exec", "eval"})
_MEDDLES = frozenset({"__setattr__", "setattr", "register_forward_hook", "register_forward_pre_hook"})
_METHODS = frozenset({"forward", "__call__", "__class__", "__dict__", "__bases__"})
_Function = (ast.FunctionDef, ast.AsyncFunctionDef)


@dataclass
class Text:
    """What one module says that matters here."""

    classes: dict[str, list[bool]] = field(default_factory=dict)  # of each class by its name: has it no weights?
    functions: dict[str, list[ast.FunctionDef | ast.AsyncFunctionDef]] = field(default_factory=dict)
    given: dict[str, list[ast.expr]] = field(default_factory=dict)  # what ``x = value`` gives to names
    calls: dict[str, list[ast.Call]] = field(default_factory=dict)  # of functions, by their names
    loose: set[str] = field(default_factory=set)  # bound in any other way, or an attribute
    aside: set[str] = field(default_factory=set)  # functions that are mentioned but not called: others may call them
    imports: list[tuple[str, str]] = field(default_factory=list)  # (module or "" where it is this package, name or "*")
    opened: list[str] = field(default_factory=list)  # ``vars(x)``
    meddles: bool = False


def text_of(nodes: Iterable[ast.AST]) -> Text:
    """What the nodes of a module say."""
    found, plain, called = Text(), set[int](), set[int]()
    every = list(nodes)
    for each in every:
        if isinstance(each, ast.Assign) and len(each.targets) == 1 and isinstance(each.targets[0], ast.Name):
            plain.add(id(each.targets[0]))
            found.given.setdefault(each.targets[0].id, []).append(each.value)
        elif isinstance(each, ast.Call):
            called.add(id(each.func))
            found.calls.setdefault(last_word(each.func), []).append(each)
            among = _OUT_OF_SIGHT if isinstance(each.func, ast.Name) else _MEDDLES  # ``net.eval()`` is another thing
            options = [last_word(arg) for arg in each.args if isinstance(arg, ast.Name)]
            if last_word(each.func) == "vars" and len(options) == 1:
                found.opened += options
            else:
                found.meddles = found.meddles or last_word(each.func) in among
        elif isinstance(each, ast.ClassDef):
            found.classes.setdefault(each.name, []).append(_has_none(each))
        elif isinstance(each, _Function):
            found.functions.setdefault(each.name, []).append(each)
            found.loose.update(_rest(each.args))
        elif isinstance(each, ast.Lambda):
            found.loose.update(inner.arg for inner in walk(each.args) if isinstance(inner, ast.arg))
    for each in every:
        _bind(found, each, plain, called)
    return found


def _bind(found: Text, node: ast.AST, plain: set[int], called: set[int]) -> None:
    if isinstance(node, ast.Name):
        if isinstance(node.ctx, ast.Load):
            if id(node) not in called:
                found.aside.add(node.id)
        elif id(node) not in plain:
            found.loose.add(node.id)
    elif isinstance(node, ast.Attribute):
        if not isinstance(node.ctx, ast.Load):
            found.loose.add(node.attr)
        elif id(node) not in called:
            found.aside.add(node.attr)
    elif isinstance(node, ast.ImportFrom):
        module = "" if node.level else node.module or ""
        found.imports += [(module, each.name) for each in node.names]
        found.loose.update(each.asname for each in node.names if each.asname)
    elif isinstance(node, ast.Import):
        found.loose.update((each.asname or each.name).split(".")[0] for each in node.names)
    elif isinstance(node, ast.ExceptHandler) and node.name:
        found.loose.add(node.name)
    elif type(node).__name__ == "Match":
        found.meddles = True


def _rest(args: ast.arguments) -> Iterable[str]:
    return (each.arg for each in (args.vararg, args.kwarg) if each is not None)


def _has_none(cls: ast.ClassDef) -> bool:
    """Does a class compute from arguments alone, by operations of torch and of tensors, and keep nothing?"""
    if cls.decorator_list or cls.keywords or not all(last_word(base) in _ABOVE for base in cls.bases):
        return False
    for part in cls.body:
        if isinstance(part, ast.Pass) or (isinstance(part, ast.Expr) and isinstance(part.value, ast.Constant)):
            continue
        if not isinstance(part, ast.FunctionDef) or part.decorator_list or not _computes(part, cls.name):
            return False
    return True


def _computes(function: ast.FunctionDef, cls: str) -> bool:
    if function.name not in ("__init__", "forward", "__call__"):
        return False
    defaults = [*function.args.defaults, *function.args.kw_defaults]
    if not all(each is None or isinstance(each, ast.Constant) for each in defaults):
        return False
    body = [each for each in function.body if not _begins_above(each, cls)]
    inner = [node for part in body for node in walk(part)]
    own = {each.arg for each in walk(function.args) if isinstance(each, ast.arg)} - {"self"}
    own |= {each.id for each in inner if isinstance(each, ast.Name) and not isinstance(each.ctx, ast.Load)}
    if own & (_TORCH | _BUILTINS | {"self"}) or any(map(_is_odd, [*walk(function.args), *inner])):
        return False
    funcs = {id(each.func) for each in inner if isinstance(each, ast.Call)}
    roots = {id(each.value) for each in inner if isinstance(each, ast.Attribute) and id(each) in funcs}
    for each in inner:
        if isinstance(each, ast.Call) and not _is_known(each.func, own):
            return False
        if isinstance(each, ast.Name) and isinstance(each.ctx, ast.Load) and each.id not in own:
            called = id(each) in funcs and each.id in _BUILTINS
            if not (called or (id(each) in roots and each.id in _TORCH)):
                return False
    return True


def _begins_above(node: ast.stmt, cls: str) -> bool:
    """``super(Accuracy, self).__init__()``, or without what it is told."""
    call = node.value if isinstance(node, ast.Expr) else None
    return call is not None and ast.unparse(call) in ("super().__init__()", f"super({cls}, self).__init__()",
                                                      "nn.Module.__init__(self)")


def _is_odd(node: ast.AST) -> bool:
    """What may bring weights along, keep something, or is more than arithmetic."""
    kinds = (ast.Global, ast.Nonlocal, ast.Import, ast.ImportFrom, ast.ClassDef, ast.Lambda, ast.Yield, ast.YieldFrom,
             ast.Await, ast.With, *_Function)
    stored = isinstance(node, ast.Attribute) and not isinstance(node.ctx, ast.Load)
    return stored or isinstance(node, kinds) or (isinstance(node, ast.keyword) and node.arg in (None, "requires_grad"))


def _is_known(func: ast.expr, own: set[str]) -> bool:
    """An operation of torch, or a method of a tensor that comes from what was given."""
    if isinstance(func, ast.Name):
        return func.id in _BUILTINS and func.id not in own
    return isinstance(func, ast.Attribute) and func.attr in tables.TENSOR_METHODS and "requires_grad" not in func.attr


class Unweighted:
    """The names of a project that hold such objects alone."""

    def __init__(self, texts: Mapping[str, Text]) -> None:
        self.texts = list(texts.values())
        self._tops = {part.removesuffix(".py") for path in texts for part in path.split("/")}
        self._known: dict[str, bool] = {}

    def __contains__(self, name: object) -> bool:
        """Is this a name that nothing but an object of a class without weights is ever given to?"""
        if not isinstance(name, str):
            return False
        if name not in self._known:
            self._known[name] = not self._meddled() and self._holds(name, frozenset())
        return self._known[name]

    def _meddled(self) -> bool:
        opened = {name for text in self.texts for name in text.opened}
        return not all(map(self._is_options, opened)) or any(
            text.meddles or not _METHODS.isdisjoint(text.loose) for text in self.texts)

    def _is_options(self, name: str) -> bool:
        """Is it what a command line gives, wherever it is called so?"""
        given = [value for text in self.texts for value in text.given.get(name, ())]
        read = all(isinstance(each, ast.Call) and last_word(each.func) == "parse_args" for each in given)
        return bool(given) and read and not self._taking(name) and not self._otherwise(name)

    def _holds(self, name: str, seen: frozenset[str]) -> bool:
        if name in seen:
            return True  # it is what it is called elsewhere
        if self._otherwise(name) or any(name in text.classes or name in text.functions for text in self.texts):
            return False
        sources = [value for text in self.texts for value in text.given.get(name, ())]
        for function in self._taking(name):
            calls = self._all_calls(function)
            if not calls:
                return False
            sources += [_handed(call, name, function) or ast.Constant(None) for call in calls]
        made = [each for each in sources if not (isinstance(each, ast.Name) and each.id in seen | {name})]
        return bool(made) and all(self._is_one(each, seen | {name}) for each in made)

    def _otherwise(self, name: str) -> bool:
        return any(name in text.loose or any(name == each for _, each in text.imports) for text in self.texts)

    def _is_one(self, value: ast.expr, seen: frozenset[str]) -> bool:
        if isinstance(value, ast.Name):
            return self._holds(value.id, seen)
        if not isinstance(value, ast.Call) or not isinstance(value.func, ast.Name):
            return False
        word = value.func.id
        if [each for text in self.texts for each in text.classes.get(word, ())] != [True]:
            return False
        if any(word in text.loose or word in text.given or word in text.functions for text in self.texts):
            return False
        return not self._taking(word) and not any(
            each in (word, "*") and not self._is_ours(module) for text in self.texts for module, each in text.imports)

    def _is_ours(self, module: str) -> bool:
        return not module or module.split(".")[0] in self._tops

    def _taking(self, name: str) -> list[ast.FunctionDef | ast.AsyncFunctionDef]:
        """The functions that take something by this name."""
        every = (each for text in self.texts for same in text.functions.values() for each in same)
        return [each for each in every if name in _parameters(each) or name in {a.arg for a in each.args.kwonlyargs}]

    def _all_calls(self, function: ast.FunctionDef | ast.AsyncFunctionDef) -> list[ast.Call]:
        """All calls of a function; none where others than those in sight may call it."""
        word = function.name
        alone = sum(len(text.functions.get(word, ())) for text in self.texts) == 1
        first = _parameters(function)[:1]
        open_to = self._otherwise_but_ours(word) or any(word in text.aside or word in text.given for text in self.texts)
        if not alone or open_to or function.decorator_list or first in (["self"], ["cls"]) or word.startswith("__"):
            return []
        return [call for text in self.texts for call in text.calls.get(word, ())]

    def _otherwise_but_ours(self, word: str) -> bool:
        foreign = (each for text in self.texts for module, each in text.imports if not self._is_ours(module))
        return word in foreign or any(word in text.loose for text in self.texts)


def _parameters(function: ast.FunctionDef | ast.AsyncFunctionDef) -> list[str]:
    return [each.arg for each in (*function.args.posonlyargs, *function.args.args)]


def _handed(call: ast.Call, name: str, function: ast.FunctionDef | ast.AsyncFunctionDef) -> ast.expr | None:
    """What a call gives to a parameter; None where that is not said, or its default is used."""
    if unpacks(call):
        return None
    by_name = next((each.value for each in call.keywords if each.arg == name), None)
    names = _parameters(function)
    place = names.index(name) if name in names else len(call.args)
    return by_name or (call.args[place] if place < len(call.args) else None)
