"""Part of VF206: functions that are gone, to what gives the same today; the others are refused."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence

from voltfix.model import Edit, Refusal, ReplaceStatement
from voltfix.modernize import messages
from voltfix.modernize.finding import Finding
from voltfix.modernize.kinds import UNKNOWN, Instance, Tensor
from voltfix.modernize.scene import Scene
from voltfix.modernize.writing import replaced, torch_name
from voltfix.program.bindings import External
from voltfix.records import dataclass

_GONE = {
    "gels": "torch.linalg.lstsq",
    "gesv": "torch.linalg.solve",
    "symeig": "torch.linalg.eigh",
    "eig": "torch.linalg.eig",
    "lstsq": "torch.linalg.lstsq",
    "solve": "torch.linalg.solve",
    "potrf": "torch.linalg.cholesky",
    "potrs": "torch.cholesky_solve",
    "potri": "torch.cholesky_inverse",
    "trtrs": "torch.linalg.solve_triangular",
    "btrifact": "torch.linalg.lu_factor",
    "btrisolve": "torch.linalg.lu_solve",
    "rfft": "torch.fft.rfft",
    "irfft": "torch.fft.irfft",
    "ifft": "torch.fft.ifft",
    "triangular_solve": "torch.linalg.solve_triangular",
    "matrix_rank": "torch.linalg.matrix_rank",
}
# as methods, these are nobody else's
_TELLING = frozenset({"gels", "gesv", "symeig", "potrf", "potrs", "potri", "trtrs", "btrifact", "btrisolve"})


@dataclass(frozen=True)
class _Given:
    """A call of a function that is gone: the texts of its arguments, by position and by name."""

    values: tuple[str, ...]
    named: dict[str, str]
    first: bool  # is the first of the two results alone asked for?

    def flag(self, position: int, name: str, default: str) -> str:
        return self.values[position] if len(self.values) > position else self.named.get(name, default)

    def only(self, count: int, *names: str) -> bool:
        """Are there ``count`` arguments by position, or more by these names?"""
        allowed = count + len(names)
        return count <= len(self.values) <= allowed and set(self.named) <= set(names)


def find(scene: Scene, path: str, call: ast.Call, name: str | None, code: str) -> Iterator[Finding]:
    """A call of a function of torch (``name``, dotted) or of a method that is gone."""
    short = _short(scene, path, call, name)
    if short is None:
        yield from _embedding(scene, path, call, code)
        return
    span = scene.span(path, call.func)
    whole, first = _asked(scene, path, call)
    given = None if _is_open(call) else _given(scene, path, call, name is None, first)
    new, since = _successor(short, given) if given is not None else (None, (0, 0))
    if new is None:
        message = messages.gone(f"torch.{short}", _GONE[short])
        yield Finding(code, path, span, message, refusal=Refusal("removed-function", message))
    elif scene.target < since:
        message = messages.too_old(new.partition("(")[0], f"{since[0]}.{since[1]}")
        yield Finding(code, path, span, message, refusal=Refusal("target-too-old", message))
    else:
        torch, edits = torch_name(scene, path, call)
        text = f"{torch}.{new.removeprefix('torch.')}"
        alone = "first" not in _needs_first(short, given) or not first
        edit = _edit(scene, path, call if alone else whole, text)
        yield Finding(code, path, span, messages.successor(f"torch.{short}", new.partition("(")[0]), (edit, *edits))


def _short(scene: Scene, path: str, call: ast.Call, name: str | None) -> str | None:
    if name is not None:
        short = name.removeprefix("torch.")
        return short if short in _GONE else None
    func = call.func
    if not isinstance(func, ast.Attribute) or func.attr not in _GONE or not scene.kinds.speaks_torch(path):
        return None
    kind = scene.kind(path, func.value)
    asked = kind if isinstance(kind, Tensor) else Tensor(guessed="module") if kind == UNKNOWN else None
    told = kind != UNKNOWN or func.attr in _TELLING
    shown = asked is not None and told and not scene.kinds.settled(asked, func.attr)
    return func.attr if shown else None


def _is_open(call: ast.Call) -> bool:
    return any(isinstance(a, ast.Starred) for a in call.args) or any(k.arg is None for k in call.keywords)


def _given(scene: Scene, path: str, call: ast.Call, method: bool, first: bool) -> _Given:
    values = [call.func.value] if method and isinstance(call.func, ast.Attribute) else []
    texts = tuple(scene.text(path, value) for value in [*values, *call.args])
    return _Given(texts, {str(k.arg): scene.text(path, k.value) for k in call.keywords}, first)


def _asked(scene: Scene, path: str, call: ast.Call) -> tuple[ast.AST, bool]:
    """What holds the call and asks for its first result alone; else the call, and False."""
    above = scene.project.parent(path, call)
    if isinstance(above, ast.Subscript) and above.value is call:
        index = above.slice
        return (above, True) if isinstance(index, ast.Constant) and index.value == 0 else (call, False)
    if isinstance(above, ast.Assign) and len(above.targets) == 1 and isinstance(above.targets[0], ast.Tuple):
        targets = above.targets[0].elts
        second = targets[1] if len(targets) == 2 else None
        if isinstance(second, ast.Name) and not _is_read(scene, path, second.id):
            return above, True
    return call, False


def _is_read(scene: Scene, path: str, name: str) -> bool:
    loads = (n for n in scene.nodes(path) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Load))
    return any(node.id == name for node in loads)


def _edit(scene: Scene, path: str, node: ast.AST, text: str) -> Edit:
    if isinstance(node, ast.Assign):
        target = node.targets[0]
        assert isinstance(target, ast.Tuple)
        return ReplaceStatement(scene.span(path, node), f"{scene.text(path, target.elts[0])} = {text}")
    assert isinstance(node, ast.expr)
    return replaced(scene, path, node, text)


def _needs_first(short: str, given: _Given | None) -> str:
    """``first`` where the successor gives the first result alone."""
    vectors = given is not None and given.flag(1, "eigenvectors", "False") == "True"
    return "first" if short in ("gesv", "trtrs") or (short == "symeig" and not vectors) else ""


def _successor(short: str, given: _Given) -> tuple[str | None, tuple[int, int]]:
    """What gives the same as the call, and since which torch; None where nothing is exact."""
    values = given.values
    if short == "gesv" and given.first and given.only(2):
        return f"torch.linalg.solve({values[1]}, {values[0]})", (1, 8)
    if short == "trtrs" and given.first and given.only(2, "upper"):
        upper = given.flag(2, "upper", "True")
        return f"torch.linalg.solve_triangular({values[1]}, {values[0]}, upper={upper})", (1, 11)
    if short == "symeig" and given.only(1, "eigenvectors"):
        vectors = given.flag(1, "eigenvectors", "False")
        if vectors == "True":
            return f"torch.linalg.eigh({values[0]}, UPLO='U')", (1, 8)
        return f"torch.linalg.eigvalsh({values[0]}, UPLO='U')" if vectors == "False" and given.first else None, (1, 8)
    return _triangular(short, given)


def _triangular(short: str, given: _Given) -> tuple[str | None, tuple[int, int]]:
    values = given.values
    if short == "potrf" and given.only(1, "upper"):
        upper = given.flag(1, "upper", "True")
        return f"torch.linalg.cholesky({values[0]}{'' if upper == 'False' else f', upper={upper}'})", (1, 11)
    if short == "potrs" and given.only(2, "upper"):
        return f"torch.cholesky_solve({values[0]}, {values[1]}, upper={given.flag(2, 'upper', 'True')})", (1, 1)
    if short == "potri" and given.only(1, "upper"):
        return f"torch.cholesky_inverse({values[0]}, upper={given.flag(1, 'upper', 'True')})", (1, 1)
    if short == "btrifact" and given.only(1):
        return f"torch.linalg.lu_factor({values[0]})", (1, 11)
    return None, (0, 0)


# --- the private functions behind modules ------------------------------------------------------------------


def _embedding(scene: Scene, path: str, call: ast.Call, code: str) -> Iterator[Finding]:
    """``embed._backend.Embedding.apply(...)`` of a module that is an Embedding, as 0.3's own forward called
    it."""
    owner = _backend_of(call.func, "Embedding")
    if owner is None or len(call.args) != 7 or _is_open(call) or call.keywords or not _embeds(scene, path, owner):
        return
    torch, edits = torch_name(scene, path, call)
    words, weight, padding, *rest = (scene.text(path, argument) for argument in call.args)
    # -1 meant none there; today it would be the last row
    padding = "None" if padding in ("-1", "None") else f"{padding} if {padding} >= 0 else None"
    text = f"{torch}.nn.functional.embedding({', '.join([words, weight, padding, *rest])})"
    message = messages.successor("_backend", "F.embedding")
    yield Finding(code, path, scene.span(path, call.func), message, (replaced(scene, path, call, text), *edits))


def _backend_of(func: ast.expr, name: str) -> ast.expr | None:
    """``x`` of ``x._backend.NAME.apply``."""
    for attribute in ("apply", name, "_backend"):
        if not isinstance(func, ast.Attribute) or func.attr != attribute:
            return None
        func = func.value
    return func


def _embeds(scene: Scene, path: str, owner: ast.expr) -> bool:
    kind = scene.kind(path, owner)
    found: Sequence[Instance] = (kind, *kind.others) if isinstance(kind, Instance) else ()
    return bool(found) and all(_is_embedding(scene, one) for one in found)


def _is_embedding(scene: Scene, kind: Instance) -> bool:
    if isinstance(kind.cls, str):
        return kind.cls in ("torch.nn.Embedding", "torch.nn.modules.sparse.Embedding")
    return External("torch.nn.Embedding") in scene.project.mro(kind.cls)
