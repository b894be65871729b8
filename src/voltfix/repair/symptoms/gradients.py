"""Backward passes that today's autograd refuses."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from voltfix.model import Edit, InsertStatement, ReplaceExpression, ReplaceStatement, Span, WrapStatements
from voltfix.modernize.writing import torch_name
from voltfix.repair.place import Mend, Place, called
from voltfix.repair.symptom import Symptom

_NOTES = "https://docs.pytorch.org/docs/stable/notes/autograd.html"
_NONE = "https://github.com/pytorch/pytorch/releases/tag/v2.0.0"


def shaped(place: Place, match: re.Match[str]) -> Iterator[Mend]:
    """``err.backward(one)`` where one of them has no dimensions today."""
    for node in place.outwards():
        if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute) or node.func.attr != "backward":
            continue
        given = [
            *node.args,
            *(keyword.value for keyword in node.keywords if keyword.arg in ("gradient", "grad_tensors")),
        ]
        for gradient in given[:1]:
            if isinstance(node.func.value, (ast.Name, ast.Attribute)):
                text = f"{place.atom(gradient)}.view_as({place.text(node.func.value)})"
                yield place.mend("VF216", gradient, text, "has one element, like what goes backward")
            yield place.mend(
                "VF216", gradient, f"{place.atom(gradient)}.view(())", "has no dimensions, like what goes backward"
            )


def emptied(place: Place, match: re.Match[str]) -> Iterator[Mend]:
    """``p.grad.data`` after ``zero_grad()``, which sets None today and zeros then."""
    if not any(isinstance(node, ast.Attribute) and node.attr == "grad" for node in place.expressions()) and not any(
        isinstance(node, ast.Name) and "grad" in node.id for node in place.expressions()
    ):
        return
    scene = place.scene
    edits: list[tuple[str, tuple[Edit, ...]]] = []
    for path in scene.project.paths:
        mine: list[Edit] = []
        for call in scene.calls(path):
            if (
                isinstance(call.func, ast.Attribute)
                and call.func.attr == "zero_grad"
                and not call.args
                and not call.keywords
            ):
                mine.append(
                    ReplaceExpression(scene.span(path, call), f"{scene.text(path, call.func)}(set_to_none=False)")
                )
        if mine:
            edits.append((path, tuple(mine)))
    if edits:
        told = "zero_grad() made zeros, and makes None today: set_to_none=False"
        yield Mend("VF219", told, f"{place.event.head} at {place.where}", place.where, tuple(edits), path=place.path)


def overwritten(place: Place, match: re.Match[str]) -> Iterator[Mend]:
    """What a backward needs was written in place; the frame is where it was made, or the statement that"
    " went backward."""
    scene, path = place.scene, place.path
    around = scene.project.scope(path, place.statement) if place.statement is not None else None
    for node in scene.nodes(path):
        if scene.project.scope(path, node) is not around and around is not None:
            continue
        if isinstance(node, ast.AugAssign) and isinstance(node.target, (ast.Name, ast.Attribute)):
            symbol = {ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.Div: "/"}.get(type(node.op))
            if symbol is not None and _touches(place, node.target):
                target, value = scene.text(path, node.target), scene.text(path, node.value)
                value = f"({value})" if isinstance(node.value, (ast.BinOp, ast.IfExp, ast.Compare)) else value
                edit = ReplaceStatement(scene.span(path, node), f"{target} = {target} {symbol} {value}")
                yield place.edited(
                    "VF219", node, (edit,), "wrote over what a backward needs: made anew", seen=place.event.head
                )
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr.endswith("_"):
            above = scene.project.parent(path, node)
            name = node.func.attr[:-1]
            if (
                isinstance(above, ast.Expr)
                and isinstance(node.func.value, ast.Name)
                and name
                and _touches(place, node.func.value)
            ):
                owner = scene.text(path, node.func.value)
                rest = scene.source(path)[scene.span(path, node.func).end : scene.span(path, node).end]
                statement = ReplaceStatement(scene.span(path, above), f"{owner} = {owner}.{name}{rest}")
                yield place.edited(
                    "VF219", node, (statement,), "wrote over what a backward needs: made anew", seen=place.event.head
                )
            elif not isinstance(above, ast.Expr) and name and _touches(place, node.func.value):
                span = scene.span(path, node.func)
                edit2 = scene.rewritten(path, node, [(Span(span.end - 1, span.end), "")])
                yield place.edited(
                    "VF219", node, (edit2,), "wrote over what a backward needs: made anew", seen=place.event.head
                )
    for other in scene.project.paths:
        found: list[Edit] = []
        for call in scene.calls(other):
            for keyword in call.keywords:
                if keyword.arg == "inplace" and isinstance(keyword.value, ast.Constant) and keyword.value.value is True:
                    found.append(ReplaceExpression(scene.span(other, keyword.value), "False"))
        if found:
            yield Mend("VF219", "inplace=True writes over what a backward needs", place.event.head, place.where,
                       ((other, tuple(found)),), path=other)  # fmt: skip


def stepped(place: Place, match: re.Match[str]) -> Iterator[Mend]:
    """A step of an optimizer between a forward and its backward: 0.3 wrote the parameters unseen, and went on."""
    if not any("backward" in function for _, function in place.event.beneath):
        return
    scene, path = place.scene, place.path
    scope = scene.project.scope(path, place.statement) if place.statement is not None else None
    edits: list[Edit] = []
    torch, imports = torch_name(scene, path, place.statement) if place.statement is not None else ("torch", ())
    for call in scene.calls(path):
        above = scene.project.parent(path, call)
        plain = isinstance(call.func, ast.Attribute) and call.func.attr == "step" and not call.args
        if not plain or not isinstance(above, ast.Expr) or scene.project.scope(path, call) is not scope:
            continue
        assert isinstance(call.func, ast.Attribute)
        owner = scene.text(path, call.func.value)
        if owner not in _filled_with_zeros(place):
            continue
        kept = f'tuple(p for group in {owner}.param_groups for p in group["params"])'
        span = scene.span(path, above)
        edits.append(WrapStatements(span, span, f"{torch}.autograd._unsafe_preserve_version_counter({kept})"))
    if edits:
        told = "steps between a forward and its backward, which goes on with the new parameters, as it did"
        yield Mend("VF219", told, place.event.head, place.where, ((path, (*edits, *imports)),), path=path)


def _filled_with_zeros(place: Place) -> set[str]:
    """What is asked to ``zero_grad()`` in the module, or is made by torch.optim: optimizers, by their text."""
    scene, found = place.scene, set()
    for call in scene.calls(place.path):
        if isinstance(call.func, ast.Attribute) and call.func.attr in ("zero_grad", "step"):
            kind = scene.kind(place.path, call.func.value)
            known = str(getattr(kind, "cls", "")).startswith("torch.optim.")
            if known or call.func.attr == "zero_grad":
                found.add(scene.text(place.path, call.func.value))
    return found


def _touches(place: Place, node: ast.expr) -> bool:
    """May it be a tensor? (What the run saw on its line says so, or nobody looked.)"""
    value = place.value(node)
    kind = place.scene.kind(place.path, node)
    from voltfix.modernize.kinds import NUMBER, OTHER

    return (value is None or value.is_tensor) and kind not in (NUMBER, OTHER)


def leaf(place: Place, match: re.Match[str]) -> Iterator[Mend]:
    """A parameter written in place: through ``.data``, as code of then does it."""
    statement = place.statement
    if isinstance(statement, ast.AugAssign):
        target = statement.target
        owner = target.value if isinstance(target, ast.Subscript) else target
        edit = ReplaceExpression(place.span(owner), f"{place.text(owner)}.data")
        yield place.edited("VF219", owner, (edit,), "is a parameter, and written through .data")
    for node in place.expressions():
        if (
            isinstance(node, ast.Subscript)
            and isinstance(node.ctx, ast.Store)
            and not isinstance(statement, ast.AugAssign)
        ):
            yield place.mend(
                "VF219", node.value, f"{place.text(node.value)}.data", "is a parameter, and written through .data"
            )
    for node in place.outwards():
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr.endswith("_"):
            owner = node.func.value
            base = owner.value if isinstance(owner, ast.Subscript) else owner
            yield place.mend("VF219", base, f"{place.text(base)}.data", "is a parameter, and written through .data")


def freed(place: Place, match: re.Match[str]) -> Iterator[Mend]:
    """A second backward through what a first one freed: 0.3 asked for that only where a buffer was needed again."""
    scene, path = place.scene, place.path
    around = scene.project.scope(path, place.statement) if place.statement is not None else None
    edits: list[Edit] = []
    for call in scene.calls(path):
        same = scene.project.scope(path, call) is around
        if same and called(call) == "backward" and not any(k.arg in ("retain_graph", None) for k in call.keywords):
            edits.append(ReplaceExpression(scene.span(path, call), place.with_keyword(call, "retain_graph=True")))
    if edits and place.statement is not None:
        told = "goes through a graph again that today's operations need: retain_graph=True"
        yield place.edited("VF219", place.statement, tuple(edits), told, seen=place.event.head)


def listed(place: Place, match: re.Match[str]) -> Iterator[Mend]:
    """Gradients in ``autograd.backward([a], [one])`` and ``autograd.grad(a, x, one)``: of what they belong to."""
    for node in place.calls("backward", "grad"):
        named = {keyword.arg: keyword.value for keyword in node.keywords}
        outputs = node.args[0] if node.args else named.get("tensors", named.get("outputs"))
        at = 1 if called(node) == "backward" else 2
        given = node.args[at] if len(node.args) > at else named.get("grad_tensors", named.get("grad_outputs"))
        if outputs is None or given is None:
            continue
        listy = (ast.List, ast.Tuple)
        ones = outputs.elts if isinstance(outputs, listy) else [outputs]
        gradients = given.elts if isinstance(given, listy) else [given]
        edits: list[Edit] = []
        for one, gradient in zip(ones, gradients, strict=False):
            value = place.value(gradient)
            if value is None or value.is_tensor:
                text = f"{place.atom(gradient)}.view({place.atom(one)}.size())"
                edits.append(ReplaceExpression(place.span(gradient), text))
        if edits:
            yield place.edited(
                "VF216", node, tuple(edits), "has one element, like what goes backward", seen=place.event.head
            )


def retained(place: Place, match: re.Match[str]) -> Iterator[Mend]:
    """``backward(retain_variables=True)``."""
    for node in place.calls("backward"):
        for keyword in node.keywords:
            if keyword.arg == "retain_variables":
                text = place.text(node).replace("retain_variables", "retain_graph")
                yield place.mend(
                    "VF206", node, text, "retain_variables is called retain_graph today", seen=place.event.head
                )


def sliced(place: Place, match: re.Match[str]) -> Iterator[Mend]:
    """``h[0] = 0`` of what a backward needs: into a copy of it."""
    scene, path = place.scene, place.path
    around = scene.project.scope(path, place.statement) if place.statement is not None else None
    for node in scene.nodes(path):
        if scene.project.scope(path, node) is not around and around is not None:
            continue
        targets = (
            node.targets if isinstance(node, ast.Assign) else [node.target] if isinstance(node, ast.AugAssign) else []
        )
        for target in targets:
            if (
                isinstance(target, ast.Subscript)
                and isinstance(target.value, ast.Name)
                and _touches(place, target.value)
            ):
                name = place.text(target.value)
                edit = InsertStatement(scene.span(path, node), f"{name} = {name}.clone()")
                told = "wrote over what a backward needs: into a copy"
                yield place.edited("VF219", node, (edit,), told, seen=place.event.head)
        name_of = node.func.value if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) else None
        above = scene.project.parent(path, node)
        if not isinstance(name_of, ast.Subscript) or not isinstance(above, ast.Expr) or not isinstance(node, ast.Call):
            continue
        if isinstance(name_of.value, ast.Name) and called(node).endswith("_") and _touches(place, name_of.value):
            name = place.text(name_of.value)
            edit = InsertStatement(scene.span(path, above), f"{name} = {name}.clone()")
            told = "wrote over what a backward needs: into a copy"
            yield place.edited("VF219", node, (edit,), told, seen=place.event.head)


def told_of(place: Place, match: re.Match[str]) -> Iterator[Mend]:
    """``.numpy()`` and ``np.array`` of what has a graph."""
    for node in place.outwards():
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "numpy":
            owner = node.func.value
            yield place.mend(
                "VF207", owner, f"{place.atom(owner)}.detach()", "has a graph, which an array has not: .detach()"
            )
        elif isinstance(node, ast.Call):
            for argument in node.args:
                value = place.value(argument)
                if value is not None and value.is_tensor and value.grad:
                    text = f"{place.atom(argument)}.detach()"
                    yield place.mend("VF207", argument, text, "has a graph, which an array has not: .detach()")
                elif value is not None and value.items and any(item.grad for item in value.items):
                    text = f"[each.detach() for each in {place.text(argument)}]"
                    yield place.mend("VF207", argument, text, "have graphs, which an array has not: .detach()")
        elif isinstance(node, ast.BinOp):
            for side in (node.left, node.right):
                value = place.value(side)
                if value is not None and value.is_tensor and value.grad:
                    text = f"{place.atom(side)}.detach()"
                    yield place.mend("VF207", side, text, "has a graph, which an array has not: .detach()")


SYMPTOMS = (
    Symptom(
        "VF216",
        "shape-of-a-gradient",
        ("RuntimeError",),
        r"Mismatch in shape: grad_output",
        "both had one element",
        "https://pytorch.org/blog/pytorch-0_4_0-migration-guide/",
        shaped,
    ),
    Symptom(
        "VF216",
        "shape-of-listed-gradients",
        ("RuntimeError",),
        r"Mismatch in shape: grad_output",
        "both had one element",
        "https://pytorch.org/blog/pytorch-0_4_0-migration-guide/",
        listed,
    ),
    Symptom(
        "VF219",
        "graph-that-is-freed",
        ("RuntimeError",),
        r"backward through the graph a second time",
        "fewer operations kept what a second backward needs",
        _NOTES,
        freed,
    ),
    Symptom(
        "VF206",
        "variables-retained",
        ("TypeError",),
        r"unexpected keyword argument 'retain_variables'",
        "it was called so until 0.2",
        "https://github.com/pytorch/pytorch/releases/tag/v0.2.0",
        retained,
    ),
    Symptom(
        "VF219",
        "gradient-that-is-none",
        ("AttributeError", "TypeError"),
        r"'NoneType' object has no attribute '(data|zero_|fill_|clone|norm|view|mul_|add_|copy_|numpy|cpu"
        r"|detach|detach_"
        r"|size|clamp_|pow|abs|sum|mean|requires_grad|volatile)'",
        "zero_grad() filled gradients with zeros",
        _NONE,
        emptied,
    ),
    Symptom(
        "VF219",
        "saved-tensor-overwritten",
        ("RuntimeError",),
        r"modified by an inplace operation",
        "fewer operations looked, and .data and optimizers went unseen",
        _NOTES,
        overwritten,
        outward=True,
    ),
    Symptom(
        "VF219",
        "part-of-a-saved-tensor",
        ("RuntimeError",),
        r"modified by an inplace operation",
        "fewer operations looked, and .data went unseen",
        _NOTES,
        sliced,
        outward=True,
    ),
    Symptom(
        "VF219",
        "step-before-a-backward",
        ("RuntimeError",),
        r"modified by an inplace operation",
        "optimizers wrote parameters unseen, and the backward went on with the new ones",
        _NOTES,
        stepped,
    ),
    Symptom(
        "VF219",
        "parameter-written-in-place",
        ("RuntimeError",),
        r"leaf Variable that requires grad",
        "the same, where it was no leaf then",
        _NOTES,
        leaf,
    ),
    Symptom(
        "VF207",
        "array-of-what-has-a-graph",
        ("RuntimeError",),
        r"Can't call numpy\(\) on Tensor that requires grad",
        "data had no graph",
        _NOTES,
        told_of,
    ),
)
