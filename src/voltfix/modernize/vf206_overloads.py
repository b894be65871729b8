"""Part of VF206: overloads of 0.3 that take their factors by position, in front of what they scale."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from dataclasses import replace

from voltfix.model import Span
from voltfix.modernize import messages
from voltfix.modernize.finding import Finding
from voltfix.modernize.kinds import NUMBER, Kind, Many, Tensor
from voltfix.modernize.scene import Scene

_SCALED = {"add": "alpha", "sub": "alpha", "addcmul": "value", "addcdiv": "value"}
# NAME(beta, x, alpha, a, b): both factors, the first, or none of them
_PRODUCTS = frozenset({"addmm", "addmv", "addr", "addbmm", "baddbmm"})


def methods(scene: Scene, path: str, call: ast.Call, code: str) -> Iterator[Finding]:
    """``x.add_(2, y)``, ``x.addmm_(2, a, b)`` and their kin, on what is shown to be a tensor."""
    func = call.func
    if not isinstance(func, ast.Attribute) or not _is_plain(call, ()):
        return
    name = func.attr.rstrip("_")
    if name not in _SCALED and name not in _PRODUCTS:
        return
    asked, last = scene.kind(path, func.value), _last(scene, path, call)
    if not isinstance(asked, Tensor) and not isinstance(last, Tensor):
        return
    found: Iterator[Finding] = iter(())
    if name in _SCALED:
        found = _swapped(scene, path, call, name, call.args, code)
    elif len(call.args) in (3, 4):
        beta, alpha = call.args[0], call.args[1] if len(call.args) == 4 else None
        found = _product(scene, path, call, beta, alpha, call.args[-2:], code)
    unsure = not _is_sure(last) and isinstance(asked, Tensor) and scene.kinds.settled(asked, func.attr) != ""
    yield from (replace(finding, suggested=unsure) for finding in found)


def _is_sure(kind: Kind | None) -> bool:
    return isinstance(kind, Tensor) and not kind.guessed


def functions(scene: Scene, path: str, call: ast.Call, name: str, code: str) -> Iterator[Finding]:
    """``torch.add(x, 2, y)``, ``torch.addmm(1, x, 2, a, b)`` and their kin."""
    plain = name.removeprefix("torch.")
    if plain in _SCALED and _is_plain(call, ("out",)):
        yield from _swapped(scene, path, call, plain, call.args[1:], code)
    elif plain in _PRODUCTS and len(call.args) in (4, 5) and _is_plain(call, ("out",)):
        alpha = call.args[2] if len(call.args) == 5 else None
        kept = [call.args[1], *call.args[-2:]]
        yield from _product(scene, path, call, call.args[0], alpha, kept, code)


def _is_plain(call: ast.Call, allowed: Sequence[str]) -> bool:
    starred = any(isinstance(argument, ast.Starred) for argument in call.args)
    return not starred and all(keyword.arg in allowed for keyword in call.keywords)


def _last(scene: Scene, path: str, call: ast.Call) -> Kind | None:
    return scene.kind(path, call.args[-1]) if len(call.args) > 1 else None


def _swapped(
    scene: Scene, path: str, call: ast.Call, name: str, given: Sequence[ast.expr], code: str
) -> Iterator[Finding]:
    wanted = 3 if name.startswith("addc") else 2
    if len(given) != wanted or isinstance(scene.kind(path, given[0]), (Tensor, Many)):
        return
    if scene.kind(path, given[-1]) == NUMBER:
        return
    value, rest = given[0], given[1:]
    texts = [*(scene.text(path, one) for one in rest), f"{_SCALED[name]}={scene.text(path, value)}"]
    yield _finding(scene, path, call, given, texts, messages.keywords(f"{_SCALED[name]}="), code)


def _product(
    scene: Scene,
    path: str,
    call: ast.Call,
    beta: ast.expr,
    alpha: ast.expr | None,
    kept: Sequence[ast.expr],
    code: str,
) -> Iterator[Finding]:
    if isinstance(scene.kind(path, beta), (Tensor, Many)):
        return
    texts = [*(scene.text(path, one) for one in kept), f"beta={scene.text(path, beta)}"]
    texts += [f"alpha={scene.text(path, alpha)}"] if alpha is not None else []
    yield _finding(scene, path, call, call.args, texts, messages.keywords("beta= and alpha="), code)


def _finding(
    scene: Scene, path: str, call: ast.Call, old: Sequence[ast.expr], texts: Sequence[str], message: str, code: str
) -> Finding:
    whole = Span(scene.span(path, old[0]).start, scene.span(path, old[-1]).end)
    edit = scene.rewritten(path, call, [(whole, ", ".join(texts))])
    return Finding(code, path, scene.span(path, call.func), message, (edit,))
