"""Functions and arguments of torch that are gone, and what losses and files are asked for today."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from voltfix.model import DropArgument, Span
from voltfix.repair.place import Mend, Place, called
from voltfix.repair.symptom import Symptom

_RELEASES = "https://github.com/pytorch/pytorch/releases"
_LOAD = "https://docs.pytorch.org/docs/stable/generated/torch.load.html"
_BROADCAST = "https://docs.pytorch.org/docs/stable/notes/broadcasting.html"
_METHODS = {"creator": "grad_fn", "resize_as": "view_as", "unfold_": "unfold", "ormqr_": "ormqr"}
_RENAMED = {
    "torch.range": "arange", "torch.nn.utils.clip_grad_norm": "clip_grad_norm_", "torch.nn.NLLLoss2d": "NLLLoss",
    "torch.nn.utils.clip_grad_value": "clip_grad_value_", "torch.nn.functional.upsample": "interpolate",
    "torch.utils.data.dataloader.default_collate": "default_collate", "torch.ger": "outer",
    "torch.inverse": "linalg.inv", "torch.nn.functional.tanh": "tanh", "torch.nn.functional.sigmoid": "sigmoid",
    "torch.autograd.variable": "Variable", "torch.rfft": "fft.rfft",
    "torch.nn.utils.weight_norm": "parametrizations.weight_norm",
}  # fmt: skip
_ARGUMENTS = {
    ("torch.normal", "means"): "mean",
    ("numpy.histogram", "normed"): "density",
    ("torch.sum", "axis"): "dim",
    ("torch.topk", "return_sorted"): "sorted",
}
_DROPPED = frozenset({"verbose", "volatile", "async", "size_average", "reduce", "track_running_stats", "data_source"})


def sized(place: Place, match: re.Match[str]) -> Iterator[Mend]:
    """A loss of input and target with as many elements in another shape: element by element on 0.3, no table."""
    for node in place.outwards():
        if not isinstance(node, ast.Call) or len(node.args) < 2:
            continue
        given, target = node.args[0], node.args[1]
        one, other = place.value(given), place.value(target)
        if one is None or other is None or one.count == other.count:
            told = "is paired with the input element by element, as losses did"
            yield place.mend("VF216", target, f"{place.atom(target)}.view_as({place.text(given)})", told)


def lengthened(place: Place, match: re.Match[str]) -> Iterator[Mend]:
    """``norms.expand_as(x)`` of a reduction that kept its dimension once, and writes of as many elements."""
    statement = place.statement
    for node in place.outwards():
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.args:
            owner, given = place.value(node.func.value), place.value(node.args[0])
            if node.func.attr in ("expand_as", "expand") and owner is not None and owner.shape is not None:
                wanted = given.shape if given is not None and given.is_tensor else None
                sizes = [place.value(argument) for argument in node.args]
                if wanted is None and all(size is not None and isinstance(size.value, int) for size in sizes):
                    wanted = tuple(size.value for size in sizes if size is not None)
                for axis in _missing(owner.shape, wanted):
                    text = f"{place.atom(node.func.value)}.unsqueeze({axis})"
                    told = "lost the dimension that reductions kept: .unsqueeze()"
                    yield place.mend("VF216", node.func.value, text, told)
            elif node.func.attr == "copy_" and owner is not None and given is not None and owner.count == given.count:
                text = f"{place.atom(node.args[0])}.view_as({place.text(node.func.value)})"
                yield place.mend("VF211", node.args[0], text, "has as many elements as what it is copied to")
    if isinstance(statement, ast.Assign) and isinstance(statement.targets[0], ast.Subscript):
        target, value = statement.targets[0], place.value(statement.value)
        if value is not None and value.is_tensor and value.count != 0:
            text = f"{place.atom(statement.value)}.view_as({place.text(target)})"
            yield place.mend("VF211", statement.value, text, "has as many elements as its place: .view_as()")


def _missing(shape: tuple[int, ...], wanted: tuple[int, ...] | None) -> Iterator[int]:
    """Where a dimension of one element makes ``shape`` fit."""
    if wanted is None or len(wanted) != len(shape) + 1:
        return
    for axis in range(len(wanted) - 1, -1, -1):
        longer = (*shape[:axis], 1, *shape[axis:])
        if all(size in (1, want) or want == -1 for size, want in zip(longer, wanted, strict=True)):
            yield axis


def pieced(place: Place, match: re.Match[str]) -> Iterator[Mend]:
    """``view`` of what does not lie in one piece today."""
    for node in place.outwards():
        if (
            isinstance(node, ast.Call)
            and isinstance(node.func, ast.Attribute)
            and node.func.attr in ("view", "view_as")
        ):
            name = {"view": "reshape", "view_as": "reshape_as"}[node.func.attr]
            text = f"{place.text(node.func.value)}.{name}"
            yield place.mend(
                "VF208", node.func, text, f"does not lie in one piece: {name}", seen=place.seen(node.func.value)
            )


def loaded(place: Place, match: re.Match[str]) -> Iterator[Mend]:
    """``torch.load`` of a whole object."""
    for node in place.outwards():
        if isinstance(node, ast.Call) and not any(keyword.arg in ("weights_only", None) for keyword in node.keywords):
            text = place.text(node).rstrip()[:-1].rstrip().rstrip(",")
            told = "holds more than tensors: weights_only=False, as files were read then"
            yield place.mend("VF210", node, f"{text}, weights_only=False)", told, seen=place.event.head)


def unknown(place: Place, match: re.Match[str]) -> Iterator[Mend]:
    """A name of torch, or an attribute of tensors, that is gone."""
    attribute = place.event.name or match.group(1)
    for node in place.attributes(attribute):
        base = place.value(node.value)
        if base is not None and base.kind == "module":
            new = _RENAMED.get(f"{base.value}.{attribute}")
            if new is not None:
                yield place.mend("VF206", node, f"{place.text(node.value)}.{new}", f"is called {new} today")
        elif attribute in _METHODS:
            yield place.mend(
                "VF206", node, f"{place.atom(node.value)}.{_METHODS[attribute]}", f"is {_METHODS[attribute]} today"
            )
        elif attribute == "item" and (base is None or base.kind == "number"):
            call = place.parent(node)
            if isinstance(call, ast.Call):
                yield place.mend("VF202", call, place.text(node.value), "is a number already")
        elif attribute in ("data", "cpu", "detach") and (base is None or base.kind == "number"):
            call = place.parent(node)
            whole = call if attribute != "data" and isinstance(call, ast.Call) else node
            yield place.mend("VF202", whole, place.text(node.value), "is a number already")
        elif attribute == "numpy" and base is not None and base.kind == "number":
            call = place.parent(node)
            if isinstance(call, ast.Call):
                yield place.mend("VF202", call, place.text(node.value), "is a number already")


def argument(place: Place, match: re.Match[str]) -> Iterator[Mend]:
    """An argument that a function of torch takes no more."""
    name = match.group(1)
    if name not in _DROPPED:
        return
    for node in place.outwards():
        if isinstance(node, ast.Call):
            for keyword in node.keywords:
                if keyword.arg == name:
                    edit = DropArgument(place.span(node), place.span(keyword))
                    yield place.edited("VF206", node, (edit,), f"takes no {name} today", seen=place.event.head)


def renamed(place: Place, match: re.Match[str]) -> Iterator[Mend]:
    """An argument by its name of then."""
    for node in place.outwards():
        if not isinstance(node, ast.Call):
            continue
        for keyword in node.keywords:
            new = _ARGUMENTS.get((place.outside(node.func), keyword.arg or ""))
            if new is not None and keyword.arg is not None:
                start = place.span(keyword).start
                edit = place.scene.rewritten(place.path, node, [(Span(start, start + len(keyword.arg)), new)])
                yield place.edited(
                    "VF206", node, (edit,), f"{keyword.arg} is called {new} today", seen=place.event.head
                )


def built(place: Place, match: re.Match[str]) -> Iterator[Mend]:
    """``super().__init__(source)`` of a Sampler."""
    for node in place.outwards():
        if isinstance(node, ast.Call) and "__init__" in place.text(node.func) and node.args:
            yield place.mend(
                "VF206", node, f"{place.text(node.func)}()", "takes no arguments today", seen=place.event.head
            )


def numbered(place: Place, match: re.Match[str]) -> Iterator[Mend]:
    """``torch.Tensor(x)`` of a number that was a tensor of one element."""
    for node in place.outwards():
        if isinstance(node, ast.Call) and len(node.args) == 1:
            value = place.value(node.args[0])
            if value is None or value.kind == "number":
                text = f"{place.text(node.func)}([{place.text(node.args[0])}])"
                yield place.mend("VF216", node, text, "is one number: in a list", seen=place.seen(node.args[0]))


def stacked(place: Place, match: re.Match[str]) -> Iterator[Mend]:
    """``torch.cat`` and ``stack`` of numbers that were tensors."""
    for node in place.outwards():
        if isinstance(node, ast.Call) and node.args and isinstance(node.func, ast.Attribute):
            value = place.value(node.args[0])
            if value is None or (value.items and all(item.kind == "number" for item in value.items)):
                text = f"{place.atom(node.func.value)}.tensor({place.text(node.args[0])})"
                yield place.mend("VF216", node, text, "are numbers: torch.tensor", seen=place.seen(node.args[0]))


def dimensioned(place: Place, match: re.Match[str]) -> Iterator[Mend]:
    """``softmax`` without ``dim``: 0.3 took the first of tensors of 0, 1 and 3 dimensions, else the second."""
    for node in place.outwards():
        if (
            not isinstance(node, ast.Call)
            or any(keyword.arg == "dim" for keyword in node.keywords)
            or len(node.args) != 1
        ):
            continue
        value = place.value(node.args[0])
        maker = place.value(node.func)
        if value is not None and value.shape is not None and maker is not None and maker.kind == "other":
            yield from _built(place, node.func, 0 if len(value.shape) in (0, 1, 3) else 1)
            continue
        named = re.search(r"soft(max|min)$", place.text(node.func), re.IGNORECASE)
        if value is not None and value.shape is not None and named:
            axis = 0 if len(value.shape) in (0, 1, 3) else 1
            text = f"{place.text(node.func)}({place.text(node.args[0])}, dim={axis})"
            if place.scene.outside(place.path, node.func) or isinstance(node.func, ast.Attribute):
                yield place.mend("VF206", node, text, f"took dimension {axis} of these", seen=place.seen(node.args[0]))


def aligned(place: Place, match: re.Match[str]) -> Iterator[Mend]:
    """Sampling whose corners lay on those of the picture: 0.3 knew no other."""
    told = "lay corner on corner: align_corners=True"
    for node in place.outwards():
        if not isinstance(node, ast.Call) or any(keyword.arg == "align_corners" for keyword in node.keywords):
            continue
        if called(node) in ("grid_sample", "affine_grid", "upsample", "interpolate"):
            yield place.mend("VF206", node, place.with_keyword(node, "align_corners=True"), told, seen=place.event.head)
            continue
        for path, source in place.made(node.func):
            plain = isinstance(source, ast.Call) and called(source) == "Upsample"
            if plain and isinstance(source, ast.Call) and not any(k.arg == "align_corners" for k in source.keywords):
                text = place.scene.text(path, source).rstrip()[:-1].rstrip().rstrip(",")
                yield place.mend_at(path, "VF206", source, f"{text}, align_corners=True)", told)


def _built(place: Place, module: ast.expr, axis: int) -> Iterator[Mend]:
    """``nn.Softmax()`` where the module that was called is made."""
    for path, source in place.made(module):
        if isinstance(source, ast.Call) and not source.args and not source.keywords:
            text = f"{place.scene.text(path, source.func)}(dim={axis})"
            yield place.mend_at(path, "VF206", source, text, f"took dimension {axis} of these")


SYMPTOMS = (
    Symptom(
        "VF216",
        "loss-of-another-shape",
        ("ValueError", "UserWarning"),
        r"Using a target size|Target size \(",
        "losses paired elements, whatever the shapes were",
        _BROADCAST,
        sized,
    ),
    Symptom(
        "VF211",
        "written-in-another-shape",
        ("RuntimeError",),
        r"expanded size of the tensor|number of sizes provided|doesn't match the broadcast shape"
        r"|shape mismatch: value tensor",
        "as many elements were written in order, and reductions kept their dimension before 0.2",
        _BROADCAST,
        lengthened,
    ),
    Symptom(
        "VF208",
        "view-of-several-pieces",
        ("RuntimeError",),
        r"view size is not compatible",
        "results lay in one piece",
        _RELEASES,
        pieced,
    ),
    Symptom(
        "VF210",
        "whole-object-in-a-file",
        ("UnpicklingError", "RuntimeError"),
        r"[Ww]eights[ _]only",
        "whatever a file held was read",
        _LOAD,
        loaded,
    ),
    Symptom(
        "VF206",
        "name-of-torch",
        ("AttributeError", "ImportError"),
        r"has no attribute '(\w+)'",
        "it had that name",
        _RELEASES,
        unknown,
    ),
    Symptom(
        "VF206",
        "argument-of-torch",
        ("TypeError",),
        r"unexpected keyword argument '(\w+)'",
        "it was taken",
        _RELEASES,
        argument,
    ),
    Symptom(
        "VF206",
        "argument-of-another-name",
        ("TypeError",),
        r"invalid combination of arguments|unexpected keyword",
        "it had that name",
        _RELEASES,
        renamed,
    ),
    Symptom(
        "VF206",
        "sampler-of-a-source",
        ("TypeError",),
        r"takes no arguments|takes exactly one argument",
        "samplers took their source",
        _RELEASES,
        built,
    ),
    Symptom(
        "VF216",
        "tensor-of-a-number",
        ("TypeError",),
        r"data must be a sequence \(got (float|numpy\.\w+|int)\)",
        "it was a tensor of one element",
        _RELEASES,
        numbered,
    ),
    Symptom(
        "VF216",
        "numbers-among-tensors",
        ("TypeError",),
        r"expected Tensor as element \d+ in argument 0, but got (float|int)",
        "they were tensors of one element",
        _RELEASES,
        stacked,
    ),
    Symptom(
        "VF206",
        "corners-apart",
        ("UserWarning", "meaning"),
        r"align_corners=False since 1\.3|^corners-apart$",
        "corners lay on corners, as with align_corners=True",
        "https://github.com/pytorch/pytorch/releases/tag/v0.4.0",
        aligned,
    ),
    Symptom(
        "VF206",
        "softmax-without-dim",
        ("UserWarning",),
        r"Implicit dimension choice",
        "it depended on how many dimensions there were",
        _RELEASES,
        dimensioned,
    ),
)
