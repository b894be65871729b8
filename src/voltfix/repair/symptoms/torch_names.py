"""Modules, names and functions of torch that are gone, where what does the same today is known."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from voltfix.model import DeleteStatement, EnsureImport, ReplaceStatement
from voltfix.modernize.writing import torch_name
from voltfix.repair.observed import Value
from voltfix.repair.place import Mend, Place, called
from voltfix.repair.symptom import Symptom

_RELEASES = "https://github.com/pytorch/pytorch/releases"
_LINALG = "https://docs.pytorch.org/docs/stable/linalg.html"
_SIX = {
    "string_classes": "(str, bytes)", "int_classes": "int", "container_abcs": "collections.abc", "inf": 'float("inf")',
    "nan": 'float("nan")', "istuple": "lambda value: isinstance(value, tuple)", "queue": "queue", "FileNotFoundError":
    "FileNotFoundError", "PY3": "True", "PY2": "False", "zip": "zip", "range": "range",
}  # fmt: skip
_MODULES = {"container_abcs": "collections.abc", "queue": "queue"}
# names that only helped: what they were, in a statement
_ASIDE = {
    "torch.utils.data.dataloader._use_shared_memory": "False",
    "torch._utils._accumulate": "itertools.accumulate",
    "torch.utils.data.dataloader.string_classes": "(str, bytes)",
    "torch.utils.data.dataloader.int_classes": "int",
    "torch.utils.data.dataloader.numpy_type_map": None,
}


def six(place: Place, match: re.Match[str]) -> Iterator[Mend]:
    """``from torch._six import ...``: what it gave on Python 3."""
    statement = place.statement
    if isinstance(statement, ast.ImportFrom) and all(alias.name in _SIX for alias in statement.names):
        lines = [f"{alias.asname or alias.name} = {_SIX[alias.name]}" for alias in statement.names]
        imports = [EnsureImport(_MODULES[alias.name]) for alias in statement.names if alias.name in _MODULES]
        edit = ReplaceStatement(place.span(statement), "\n".join(lines))
        yield place.edited("VF206", statement, (edit, *imports), "is what it was on Python 3", seen=place.event.head)
    elif isinstance(statement, ast.Import) and len(statement.names) == 1 and statement.names[0].name == "torch._six":
        from voltfix.model import Edit, ReplaceExpression

        edits: list[Edit] = []
        for node in place.scene.nodes(place.path):
            if isinstance(node, ast.Attribute) and place.text(node.value) in ("torch._six", statement.names[0].asname):
                if node.attr not in _SIX:
                    return
                edits.append(ReplaceExpression(place.span(node), _SIX[node.attr]))
        drop = ReplaceStatement(place.span(statement), "import torch")
        yield place.edited("VF206", statement, (drop, *edits), "is what it was on Python 3", seen=place.event.head)


def aside(place: Place, match: re.Match[str]) -> Iterator[Mend]:
    """A name that a module of torch only used itself; and one that nobody here uses."""
    statement = place.statement
    if not isinstance(statement, ast.ImportFrom) or not (statement.module or "").startswith("torch"):
        return
    missing = re.search(r"cannot import name '(\w+)'", place.event.message)
    name = missing.group(1) if missing else ""
    kept = [alias for alias in statement.names if alias.name != name] if name else []
    gone = [alias for alias in statement.names if alias.name == name] if name else list(statement.names)
    lines = []
    if kept:
        names = ", ".join(f"{a.name} as {a.asname}" if a.asname else a.name for a in kept)
        lines.append(f"from {statement.module} import {names}")
    imports = []
    for alias in gone:
        new = _ASIDE.get(f"{statement.module}.{alias.name}")
        if new is not None:
            lines.append(f"{alias.asname or alias.name} = {new}")
            imports += [EnsureImport(new.partition(".")[0])] if "." in new else []
        elif alias.name == "*" or _is_used(place, alias.asname or alias.name):
            return
    told = "is what it was" if imports or len(lines) > bool(kept) else "is gone, and nobody here asks for it"
    span = place.span(statement)
    edit = ReplaceStatement(span, "\n".join(lines)) if lines else DeleteStatement(span)
    yield place.edited("VF206", statement, (edit, *imports), told, seen=place.event.head)


def _is_used(place: Place, name: str) -> bool:
    """Does anything in the project read that name, or take it from this module?"""
    for path in place.scene.project.paths:
        for node in place.scene.nodes(path):
            if isinstance(node, ast.Name) and node.id == name and isinstance(node.ctx, ast.Load) and path == place.path:
                return True
            if isinstance(node, ast.Attribute) and node.attr == name:
                return True
            if isinstance(node, ast.ImportFrom) and path != place.path and any(a.name == name for a in node.names):
                return True
    return False


def calculated(place: Place, match: re.Match[str]) -> Iterator[Mend]:
    """Linear algebra by its names of then, with what it gave then: the upper triangle, pairs, columns."""
    for found in place.outwards():
        node = place.parent(found) if isinstance(found, ast.Attribute) else found
        if not isinstance(node, ast.Call) or any(k.arg is None for k in node.keywords):
            continue
        value = place.value(node.func.value) if isinstance(node.func, ast.Attribute) else None
        is_module = value is not None and value.kind == "module"
        given = [place.text(argument) for argument in node.args]
        if isinstance(node.func, ast.Attribute) and not is_module:
            given.insert(0, place.text(node.func.value))
        named = {k.arg or "": place.text(k.value) for k in node.keywords}
        torch, imports = torch_name(place.scene, place.path, node)
        new = _algebra(called(node), given, named, torch)
        if new is not None:
            yield place.mend("VF206", node, new, "is called otherwise today", *imports, seen=place.event.head)


def _algebra(name: str, given: list[str], named: dict[str, str], torch: str) -> str | None:
    if "out" in named or not given:
        return None
    linalg = f"{torch}.linalg"
    one, two = given[0], given[1] if len(given) > 1 else ""
    upper = named.get("upper", given[1] if len(given) == 2 else "True")
    if name == "gels" and two:
        return f"(lambda b, a: ({linalg}.lstsq(a, b).solution, None))({one}, {two})"
    if name == "gesv" and two:
        return f"(lambda b, a: ({linalg}.solve(a, b), {linalg}.lu_factor(a)[0]))({one}, {two})"
    if name == "trtrs" and two:
        upper = named.get("upper", given[2] if len(given) > 2 else "True")
        return f"(lambda b, a: ({linalg}.solve_triangular(a, b, upper={upper}), a))({one}, {two})"
    if name == "potrf":
        return f"{linalg}.cholesky({one}, upper={upper})"
    if name == "potri":
        return f"{torch}.cholesky_inverse({one}, upper={upper})"
    if name == "symeig":
        wanted = named.get("eigenvectors", two or "False")
        vectors = f"{linalg}.eigh(a, UPLO='U')"
        none = f"({linalg}.eigvalsh(a, UPLO='U'), {torch}.Tensor())"
        return f"(lambda a: {vectors if wanted == 'True' else none})({one})"
    if name == "eig":
        wanted = named.get("eigenvectors", two or "False")
        if wanted == "True":
            return None  # pairs of columns of real numbers: nothing gives these today
        return f"(lambda a: ({torch}.view_as_real({linalg}.eigvals(a)), {torch}.Tensor()))({one})"
    if name == "btrifact":
        return f"{linalg}.lu_factor({one})"
    if name == "btrisolve" and len(given) == 3:
        return f"{torch}.lu_solve({one}.unsqueeze(-1), {two}, {given[2]}).squeeze(-1)"
    if name == "matrix_rank":
        return f"{linalg}.matrix_rank({one})"
    return None


def drawn(place: Place, match: re.Match[str]) -> Iterator[Mend]:
    """``p.multinomial()``: one sample."""
    for node in place.calls("multinomial"):
        if not node.keywords and len(node.args) == (0 if _is_method(place, node) else 1):
            yield place.mend("VF206", node, place.with_keyword(node, "1"), "draws one sample: 1", seen=place.event.head)


def _is_method(place: Place, node: ast.Call) -> bool:
    value = place.value(node.func.value) if isinstance(node.func, ast.Attribute) else None
    return value is None or value.is_tensor


def paired(place: Place, match: re.Match[str]) -> Iterator[Mend]:
    """``a + b`` of as many elements in shapes that do not go together: element by element, in the first one's shape."""
    for node in place.within():
        sides: tuple[ast.expr, ast.expr] | None = None
        if isinstance(node, ast.BinOp):
            sides = node.left, node.right
        elif isinstance(node, ast.AugAssign):
            sides = node.target, node.value
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.args:
            value = place.value(node.func.value)
            module = value is not None and value.kind == "module"
            if not module:
                sides = node.func.value, node.args[0]
            elif len(node.args) > 1:
                sides = node.args[0], node.args[1]
        if sides is not None:
            yield from _as_one(place, *sides)
    if isinstance(place.statement, ast.AugAssign):
        yield from _as_one(place, place.statement.target, place.statement.value)


def _as_one(place: Place, left: ast.expr, right: ast.expr) -> Iterator[Mend]:
    one, other = place.value(left), place.value(right)
    if one is None or other is None or not (one.is_tensor and other.is_tensor):
        return
    if one.count == other.count and one.shape != other.shape and not _spreads(one, other):
        text = f"{place.atom(right)}.view_as({place.text(left)})"
        yield place.mend("VF216", right, text, "has as many elements, and was paired with them: .view_as()")


def _spreads(one: Value, other: Value) -> bool:
    """Do the shapes broadcast?"""
    pairs = zip(reversed(one.shape or ()), reversed(other.shape or ()), strict=False)
    return all(1 in (a, b) or a == b for a, b in pairs)


def cast(place: Place, match: re.Match[str]) -> Iterator[Mend]:
    """``torch.from_numpy(x)`` of a list or a number."""
    torch, imports = torch_name(place.scene, place.path, place.statement) if place.statement else ("torch", ())
    for node in place.calls("from_numpy"):
        if node.args:
            text = f"{torch}.tensor({place.text(node.args[0])})"
            told = "is no array today: torch.tensor()"
            yield place.mend("VF216", node, text, told, *imports, seen=place.seen(node.args[0]))


def squeezed(place: Place, match: re.Match[str]) -> Iterator[Mend]:
    """A target with a dimension of one element too many."""
    for node in place.outwards():
        if isinstance(node, ast.Call) and len(node.args) >= 2:
            value = place.value(node.args[1])
            if value is not None and value.shape is not None and 1 in value.shape and len(value.shape) > 1:
                yield place.mend(
                    "VF216", node.args[1], f"{place.atom(node.args[1])}.view(-1)", "is told as a row: .view(-1)"
                )


SYMPTOMS = (
    Symptom(
        "VF206",
        "help-with-python-2",
        ("ImportError", "ModuleNotFoundError"),
        r"No module named 'torch\._six'",
        "it was there",
        _RELEASES,
        six,
    ),
    Symptom(
        "VF206",
        "name-aside",
        ("ImportError", "ModuleNotFoundError"),
        r"cannot import name '\w+' from '?torch|No module named 'torch\.",
        "it was there",
        _RELEASES,
        aside,
    ),
    Symptom(
        "VF206",
        "linear-algebra",
        ("AttributeError", "RuntimeError", "TypeError"),
        r"has no attribute '(gels|gesv|trtrs|potrf|potri|potrs|btrifact|btrisolve|symeig|eig|lstsq)'"
        r"|This function was deprecated since version 1\.9",
        "it had that name",
        _LINALG,
        calculated,
    ),
    Symptom(
        "VF206",
        "sample-without-a-number",
        ("TypeError",),
        r"multinomial\(\) missing 1 required",
        "it was one sample",
        _RELEASES,
        drawn,
    ),
    Symptom(
        "VF216",
        "shapes-that-were-paired",
        ("RuntimeError",),
        r"size of tensor a \(\d+\) must match the size of tensor b",
        "as many elements were paired, whatever their shapes were",
        "https://docs.pytorch.org/docs/stable/notes/broadcasting.html",
        paired,
    ),
    Symptom(
        "VF216",
        "array-that-is-none",
        ("TypeError",),
        r"expected np\.ndarray \(got",
        "reductions gave arrays",
        _RELEASES,
        cast,
    ),
    Symptom(
        "VF216",
        "target-in-a-column",
        ("RuntimeError", "ValueError"),
        r"multi-target not supported|Expected input batch_size|0D or 1D target tensor expected",
        "a column was taken for a row",
        _RELEASES,
        squeezed,
    ),
)
