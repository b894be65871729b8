"""Lists that are iterators or views today, tensors taken for sequences, and what changes while it is looped over."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from voltfix.repair.place import Mend, Place, called
from voltfix.repair.symptom import Symptom

_NEW = "https://docs.python.org/3/whatsnew/3.0.html"
_RELEASES = "https://github.com/pytorch/pytorch/releases"
_GUIDE = "https://pytorch.org/blog/pytorch-0_4_0-migration-guide/"
_LAZY = frozenset({"map", "zip", "filter", "range", "generator"})
_VIEWS = frozenset({"dict_keys", "dict_values", "dict_items", "odict_keys", "odict_values", "odict_items"})
_MAKERS = frozenset({"map", "zip", "filter", "range", "keys", "values", "items"})
_TOLD = "was a list on Python 2"


def listed(place: Place, match: re.Match[str]) -> Iterator[Mend]:
    """What was a list: made one where it is made, so that it can be gone through twice, else where it is used."""
    found = False
    for node in place.within():
        value = place.value(node)
        if value is None or isinstance(getattr(node, "ctx", None), ast.Store):
            continue
        if value.type.rpartition(".")[2] in _LAZY | _VIEWS:
            found = True
            for path, source in place.made(node):
                yield place.mend_at(path, "VF218", source, f"list({place.scene.text(path, source)})", _TOLD)
            if not (isinstance(node, ast.Call) and called(node) == "list"):
                yield place.mend("VF218", node, f"list({place.text(node)})", _TOLD)
        elif value.kind == "array" and value.shape == () and value.dtype == "object":
            yield from _in_arrays(place, node)
    for node in place.within() if not found else ():
        if isinstance(node, (ast.GeneratorExp, ast.Call)) and (
            isinstance(node, ast.GeneratorExp) or called(node) in _MAKERS
        ):
            above = place.parent(node)
            if isinstance(node, ast.GeneratorExp) and isinstance(above, ast.Call) and len(above.args) == 1:
                inner = place.text(node)
                inner = inner[1:-1] if inner.startswith("(") else inner
                yield place.mend("VF218", above, f"{place.text(above.func)}(list({inner}))", _TOLD)
            else:
                yield place.mend("VF218", node, f"list({place.text(node)})", _TOLD)


def _in_arrays(place: Place, node: ast.expr) -> Iterator[Mend]:
    """``np.array(map(...))`` is an array of one object today: the map is made a list where it goes in."""
    for path, source in place.made(node):
        if isinstance(source, ast.Call) and source.args:
            inner = source.args[0]
            if (isinstance(inner, ast.Call) and called(inner) in _MAKERS) or isinstance(inner, ast.Name):
                yield place.mend_at(path, "VF218", inner, f"list({place.scene.text(path, inner)})", _TOLD)


def sampled(place: Place, match: re.Match[str]) -> Iterator[Mend]:
    """``random.sample`` of a set, or of the keys of a dictionary."""
    for node in place.calls("sample"):
        if node.args:
            yield place.mend("VF218", node.args[0], f"list({place.text(node.args[0])})", "is taken as a list")


def mutated(place: Place, match: re.Match[str]) -> Iterator[Mend]:
    """``for k in d.keys(): del d[k]``: Python 2 looped over a list of the keys."""
    statement = place.statement
    if isinstance(statement, ast.For):
        looped = statement.iter
        if isinstance(looped, ast.Call) and called(looped) in ("keys", "values", "items"):
            yield place.mend(
                "VF218", looped, f"list({place.text(looped)})", "was a list, which does not change with it"
            )


def unjoined(place: Place, match: re.Match[str]) -> Iterator[Mend]:
    """``torch.cat(x, dim)`` of one tensor: of its parts along the first dimension, as a sequence was wanted."""
    for node in place.calls("cat", "stack"):
        value = place.value(node.args[0]) if node.args else None
        if value is not None and value.is_tensor:
            text = f"tuple({place.text(node.args[0])})"
            yield place.mend("VF216", node.args[0], text, "stands for its parts along the first dimension: tuple()")


def unlisted(place: Place, match: re.Match[str]) -> Iterator[Mend]:
    """``x.tolist()``, ``x.numpy()`` of what has no dimensions: a number, where 0.3 gave a list of one."""
    for node in place.expressions():
        if isinstance(node, ast.Call) and called(node) in ("tolist", "numpy") and isinstance(node.func, ast.Attribute):
            owner = node.func.value
            value = place.value(owner)
            if value is not None and not (value.is_tensor and value.is_scalar):
                continue
            inner = owner
            while isinstance(inner, ast.Call) and isinstance(inner.func, ast.Attribute) and not inner.args:
                if called(inner) not in ("cpu", "numpy", "detach"):
                    break
                inner = inner.func.value
            text = place.text(node)
            at = len(place.text(inner))
            told = "had one element, as a list has: .view(-1)"
            yield place.mend("VF216", node, f"{text[:at]}.view(-1){text[at:]}", told)
    for node in place.expressions():
        value = place.value(node)
        names = isinstance(node, (ast.Name, ast.Attribute)) and isinstance(getattr(node, "ctx", None), ast.Load)
        if names and value is not None and value.kind == "array" and value.shape == ():
            yield place.mend("VF216", node, f"{place.text(node)}.reshape(-1)", "had one element: .reshape(-1)")


SYMPTOMS = (
    Symptom(
        "VF218",
        "list-of-python-2",
        ("TypeError", "AttributeError", "RuntimeError", "IndexError"),
        r"'(map|zip|filter|range|dict_\w+|odict_\w+|generator)' object (is not subscriptable"
        r"|does not support item|has no (?!attribute 'next')|is not)"
        r"|object of type '(map|zip|filter|generator)' has no len"
        r"|operand type\(s\) for \S+: '(range|dict_\w+|map|zip|list|filter|int|float)'"
        r"|operand type\(s\) for \S+: '[\w.]+' and '(range|dict_\w+|map|zip|filter)'"
        r"|can only concatenate|must be a list|expected a sequence|arrays to stack must be|(new"
        r"|tensor)\(\): data must be a sequence|first input argument needs to be a sequence"
        r"|not '?(dict_(keys|values)|map|zip|filter)|needs to be a sequence|not iterable|0-d array"
        r"|too many indices|not support generators",
        "map, zip, filter, range and keys gave lists",
        _NEW,
        listed,
    ),
    Symptom(
        "VF218",
        "sample-of-a-set",
        ("TypeError",),
        r"[Pp]opulation must be a sequence",
        "keys were a list, and sets were taken until Python 3.11",
        "https://docs.python.org/3/library/random.html#random.sample",
        sampled,
    ),
    Symptom(
        "VF218",
        "dictionary-that-changes",
        ("RuntimeError",),
        r"(dictionary|OrderedDict) (changed size|keys changed|mutated) during iteration",
        "keys and items gave lists",
        _NEW,
        mutated,
    ),
    Symptom(
        "VF216",
        "tensor-for-a-sequence",
        ("TypeError",),
        r"must be tuple of Tensors, not Tensor",
        "a tensor was taken for the sequence of its parts",
        _RELEASES,
        unjoined,
    ),
    Symptom(
        "VF216",
        "number-for-a-list",
        ("TypeError",),
        r"'(float|int|bool)' object is not (iterable|subscriptable)|iteration over a 0-d array"
        r"|object of type '(float|int)' has no len",
        "it had one element, and so a list of one",
        _GUIDE,
        unlisted,
    ),
)
