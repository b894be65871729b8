"""Modules and their parameters: names that are taken no more, and what may be assigned to them."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from voltfix.model import DeleteStatement, Edit, ReplaceExpression
from voltfix.modernize.writing import torch_name
from voltfix.repair.place import Mend, Place, called
from voltfix.repair.symptom import Symptom

_MODULE = "https://docs.pytorch.org/docs/stable/generated/torch.nn.Module.html"
_RELEASES = "https://github.com/pytorch/pytorch/releases"


def dotted(place: Place, match: re.Match[str]) -> Iterator[Mend]:
    """``add_module("norm.1", ...)``: every such name of the file loses its dots; so do those that are looked up."""
    edits: list[Edit] = []
    for node in place.scene.calls(place.path):
        if called(node) in ("add_module", "register_parameter", "register_buffer") and node.args:
            for text in ast.walk(node.args[0]):
                span = place.span(text)
                old = place.scene.source(place.path)[span.start : span.end]
                plain = isinstance(text, ast.Constant) and isinstance(text.value, str)
                if plain and "." in old and old[:1] in "\"'":
                    edits.append(ReplaceExpression(span, re.sub(r"(?<!\{)\.(?![^{]*\})", "_", old)))
    if edits and place.statement is not None:
        yield place.edited(
            "VF206", place.statement, tuple(edits), "names of modules have no dots: _", seen=place.event.head
        )


def taken(place: Place, match: re.Match[str]) -> Iterator[Mend]:
    """``self.mask = x`` and then ``register_buffer("mask", x)``: the assignment goes."""
    for node in place.scene.nodes(place.path):
        if not isinstance(node, ast.Assign) or len(node.targets) != 1:
            continue
        target = node.targets[0]
        same = place.scene.project.scope(place.path, node)
        here = place.scene.project.scope(place.path, place.statement) if place.statement is not None else None
        if isinstance(target, ast.Attribute) and target.attr == match.group(1) and same is here:
            edit = DeleteStatement(place.span(node))
            yield place.edited(
                "VF206", node, (edit,), "is registered below, and was there before", seen=place.event.head
            )


def assigned(place: Place, match: re.Match[str]) -> Iterator[Mend]:
    """``layer.weight = tensor``: as a parameter; ``.data = array``: as a tensor."""
    statement = place.statement
    if not isinstance(statement, ast.Assign):
        return
    torch, imports = torch_name(place.scene, place.path, statement)
    text = place.text(statement.value)
    if "as parameter" in match.string:
        new, told = f"{torch}.nn.Parameter({text})", "is a parameter: nn.Parameter()"
        if "nn.Parameter" in text or "got" in text:
            return
    elif "numpy" in match.string:
        new, told = f"{torch}.from_numpy({text})", "is a tensor: torch.from_numpy()"
    else:
        return
    yield place.mend("VF206", statement.value, new, told, *imports)


def padded(place: Place, match: re.Match[str]) -> Iterator[Mend]:
    """A convolution whose padding, stride or size is a fraction: the division that made it, where it was built."""
    from voltfix.repair.symptoms.whole import floored_at

    if "float" not in match.string and place.event.type != "TypeError":
        return
    for path in place.scene.project.paths:
        edits: list[Edit] = []
        for call in place.scene.calls(path):
            if not re.match(r"(Conv|MaxPool|AvgPool|ConvTranspose|LPPool|Fold|Unfold|Upsample|ZeroPad|ReflectionPad"
                            r"|ReplicationPad)\w*$|conv\w*$", called(call)):  # fmt: skip
                continue
            for value in [*call.args, *(k.value for k in call.keywords)]:
                edits += [floored_at(place, path, division) for division in _divisions(place, path, value)]
        if edits:
            told = "has to be a whole number, which / gave on Python 2: //"
            yield Mend("VF218", told, place.event.head, place.where, ((path, tuple(dict.fromkeys(edits))),), path=path)


def _divisions(place: Place, path: str, node: ast.expr, depth: int = 2) -> Iterator[ast.BinOp]:
    for inner in ast.walk(node):
        if isinstance(inner, ast.BinOp) and isinstance(inner.op, ast.Div):
            yield inner
        elif isinstance(inner, (ast.Name, ast.Attribute)) and depth and isinstance(inner.ctx, ast.Load):
            for where, value in place.made_in(path, inner):
                if where == path:
                    yield from _divisions(place, path, value, depth - 1)


def convolved(place: Place, match: re.Match[str]) -> Iterator[Mend]:
    """A convolution of one's own, on top of torch's: it says how it pads."""
    for node in place.calls("__init__"):
        yield place.mend("VF206", node, place.with_keyword(node, 'padding_mode="zeros"'), "pads with zeros, as all did",
                         seen=place.event.head)  # fmt: skip


SYMPTOMS = (
    Symptom(
        "VF206",
        "padding-without-a-mode",
        ("TypeError",),
        r"missing 1 required positional argument: 'padding_mode'",
        "zeros were padded",
        _RELEASES,
        convolved,
    ),
    Symptom("VF206", "name-with-dots", ("KeyError",), r"name can\\*'t contain", "any name was taken", _MODULE, dotted),
    Symptom(
        "VF206",
        "name-that-is-taken",
        ("KeyError",),
        r"attribute '(\w+)' already exists",
        "it was replaced",
        _MODULE,
        taken,
    ),
    Symptom(
        "VF206",
        "tensor-for-a-parameter",
        ("TypeError",),
        r"cannot assign .* as parameter|Variable data has to be a tensor, but got numpy",
        "a Variable was taken",
        _RELEASES,
        assigned,
    ),
    Symptom(
        "VF218",
        "fraction-in-a-convolution",
        ("TypeError", "RuntimeError"),
        r"(conv|pool|unfold|pad)\w*\(\)?.*(invalid combination|must be (a )?tuple of ints|must be int)"
        r"|kernel_size must",
        "/ of whole numbers gave a whole number",
        "https://peps.python.org/pep-0238/",
        padded,
    ),
)
