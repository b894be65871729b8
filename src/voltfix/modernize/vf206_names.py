"""VF206: functions of torch that were renamed, or whose defaults moved."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from voltfix.model import Edit, Refusal
from voltfix.modernize.finding import Finding, Rule
from voltfix.modernize.kinds import NUMBER, Kind, Many, Tensor
from voltfix.modernize.scene import Scene
from voltfix.modernize.writing import renamed, replaced, torch_name
from voltfix.rules.text import RuleText

TEXT = RuleText(
    code="VF206",
    name="names and overloads that torch gave up",
    what="""
        Renames what torch renamed: `nn.init.xavier_uniform` and its siblings to `xavier_uniform_`,
        `clip_grad_norm` to `clip_grad_norm_`, `F.sigmoid` and `F.tanh` to `torch.sigmoid` and `torch.tanh`.
        Swaps the arguments of `add_(2, x)` and its kin to `add_(x, alpha=2)`. Writes `F.upsample` as
        `F.interpolate` and says `align_corners=True`, which was 0.3's way, where today's default is another.
        Gives `softmax` and `log_softmax` the `dim` that 0.3 chose by itself.
    """,
    why="The old names warn or are gone; a default that moved changes numbers without a word.",
    before="""
        nn.init.xavier_normal(m.weight)
        p.data.add_(-lr, p.grad.data)
        y = F.upsample(x, scale_factor=2, mode='bilinear')
    """,
    after="""
        nn.init.xavier_normal_(m.weight)
        p.data.add_(p.grad.data, alpha=-lr)
        y = F.interpolate(x, scale_factor=2, mode='bilinear', align_corners=True)
    """,
    safety="""
        Safe: the new names do the same, and what is written out is what 0.3 did. `softmax` without `dim` is
        rewritten only where the number of dimensions is shown; elsewhere torch still chooses as 0.3 did.
    """,
    refusals=("unknown-shape", "removed-function"),
    references=("https://docs.pytorch.org/docs/stable/nn.init.html",),
    default=False,
)
_INIT = (
    "constant dirac eye kaiming_normal kaiming_uniform normal orthogonal sparse uniform xavier_normal xavier_uniform"
)
_RENAMED = {
    **{f"torch.nn.init.{name}": f"{name}_" for name in _INIT.split()},
    "torch.nn.utils.clip_grad_norm": "clip_grad_norm_",
    "torch.nn.utils.clip_grad.clip_grad_norm": "clip_grad_norm_",
    "torch.nn.functional.nll_loss2d": "nll_loss",
    "torch.nn.NLLLoss2d": "NLLLoss",
    "torch.nn.functional.upsample": "interpolate",
}
_TO_TORCH = {"torch.nn.functional.sigmoid": "sigmoid", "torch.nn.functional.tanh": "tanh"}
_LINEAR = frozenset({"linear", "bilinear", "trilinear"})
_RESIZING = frozenset({"torch.nn.functional.upsample", "torch.nn.functional.interpolate", "torch.nn.Upsample"})
_SAMPLING = frozenset({"torch.nn.functional.grid_sample", "torch.nn.functional.affine_grid"})
_SOFTMAX = frozenset({"torch.nn.functional.softmax", "torch.nn.functional.log_softmax", "torch.nn.functional.softmin"})
_GONE = {
    "torch.gels": "torch.linalg.lstsq",
    "torch.gesv": "torch.linalg.solve",
    "torch.symeig": "torch.linalg.eigh",
    "torch.eig": "torch.linalg.eig",
    "torch.lstsq": "torch.linalg.lstsq",
    "torch.solve": "torch.linalg.solve",
    "torch.potrf": "torch.linalg.cholesky",
    "torch.potrs": "torch.cholesky_solve",
    "torch.potri": "torch.cholesky_inverse",
    "torch.trtrs": "torch.linalg.solve_triangular",
    "torch.btrifact": "torch.linalg.lu_factor",
    "torch.btrisolve": "torch.linalg.lu_solve",
    "torch.rfft": "torch.fft.rfft",
    "torch.irfft": "torch.fft.irfft",
    "torch.ifft": "torch.fft.ifft",
    "torch.triangular_solve": "torch.linalg.solve_triangular",
    "torch.matrix_rank": "torch.linalg.matrix_rank",
}
_SCALED = {"add": "alpha", "sub": "alpha", "addcmul": "value", "addcdiv": "value"}


def find(scene: Scene, path: str) -> Iterator[Finding]:
    """Old names and old overloads."""
    for call in scene.calls(path):
        name = scene.outside(path, call.func)
        if name is None or not name.startswith("torch."):
            yield from _scaled(scene, path, call)
            continue
        yield from _named(scene, path, call, name)
        yield from _scaled_function(scene, path, call, name)


def _named(scene: Scene, path: str, call: ast.Call, name: str) -> Iterator[Finding]:
    span = scene.span(path, call.func)
    if name in _GONE:
        message = f"{name} is gone: {_GONE[name]} takes other arguments or gives other results"
        yield Finding(TEXT.code, path, span, message, refusal=Refusal("removed-function", message))
    elif name in _TO_TORCH:
        torch, edits = torch_name(scene, path, call)
        new = replaced(scene, path, call.func, f"{torch}.{_TO_TORCH[name]}")
        yield Finding(TEXT.code, path, span, f"is torch.{_TO_TORCH[name]}", (new, *edits))
    elif name in _RESIZING or name in _SAMPLING:
        yield from _resized(scene, path, call, name)
    elif name in _RENAMED and isinstance(call.func, ast.Attribute):
        new = renamed(scene, path, call.func, _RENAMED[name])
        yield Finding(TEXT.code, path, span, f"is called {_RENAMED[name]}", (new,))
    elif name in _SOFTMAX:
        yield from _softmax(scene, path, call)


# --- defaults that moved -----------------------------------------------------------------------------------


def _resized(scene: Scene, path: str, call: ast.Call, name: str) -> Iterator[Finding]:
    """``align_corners``: True on 0.3 wherever it matters."""
    if any(k.arg is None for k in call.keywords) or any(isinstance(a, ast.Starred) for a in call.args):
        return
    parts = []
    if name in _RENAMED and isinstance(call.func, ast.Attribute):
        parts.append((scene.span(path, call.func), f"{scene.text(path, call.func.value)}.{_RENAMED[name]}"))
    given = {k.arg for k in call.keywords}
    if "align_corners" not in given and (name in _SAMPLING or _mode(call, name) in _LINEAR):
        last = [*call.args, *(k.value for k in call.keywords)][-1]
        end = scene.span(path, last).end
        parts.append((type(scene.span(path, last))(end, end), ", align_corners=True"))
    if parts:
        message = "0.3 aligned the corners" if len(parts) > 1 or name not in _RENAMED else "is called interpolate"
        edit: Edit = scene.rewritten(path, call, parts)
        yield Finding(TEXT.code, path, scene.span(path, call.func), message, (edit,))


def _mode(call: ast.Call, name: str) -> object:
    """The mode that a call for resizing names."""
    position = 2 if name == "torch.nn.Upsample" else 3
    node = next((k.value for k in call.keywords if k.arg == "mode"), None)
    if node is None and len(call.args) > position:
        node = call.args[position]
    return node.value if isinstance(node, ast.Constant) else None


def _softmax(scene: Scene, path: str, call: ast.Call) -> Iterator[Finding]:
    """0.3 chose dimension 0 for inputs of 0, 1 or 3 dimensions, else 1."""
    if len(call.args) != 1 or call.keywords or isinstance(call.args[0], ast.Starred):
        return
    kind = scene.kind(path, call.args[0])
    if not isinstance(kind, Tensor) or kind.dim is None:
        message = "0.3 chose dim by the number of dimensions, which cannot be told here; torch still does"
        refusal = Refusal("unknown-shape", message)
        yield Finding(TEXT.code, path, scene.span(path, call.func), message, refusal=refusal)
        return
    dim = 0 if kind.dim in (0, 1, 3) else 1
    end = scene.span(path, call.args[0]).end
    edit = scene.rewritten(path, call, [(type(scene.span(path, call))(end, end), f", dim={dim}")])
    yield Finding(TEXT.code, path, scene.span(path, call.func), f"0.3 chose dim={dim}", (edit,))


# --- the scalar first --------------------------------------------------------------------------------------


def _scaled(scene: Scene, path: str, call: ast.Call) -> Iterator[Finding]:
    """``x.add_(2, y)`` and its kin, on what is shown to be a tensor."""
    func = call.func
    if not isinstance(func, ast.Attribute) or func.attr.rstrip("_") not in _SCALED or call.keywords:
        return
    if isinstance(scene.kind(path, func.value), Tensor) or isinstance(_kind_at(scene, path, call, 1), Tensor):
        yield from _swapped(scene, path, call, func.attr.rstrip("_"), 0)


def _scaled_function(scene: Scene, path: str, call: ast.Call, name: str) -> Iterator[Finding]:
    plain = name.removeprefix("torch.")
    if plain in _SCALED and not call.keywords:
        yield from _swapped(scene, path, call, plain, 1)


def _kind_at(scene: Scene, path: str, call: ast.Call, position: int) -> Kind | None:
    return scene.kind(path, call.args[position]) if len(call.args) > position else None


def _swapped(scene: Scene, path: str, call: ast.Call, name: str, first: int) -> Iterator[Finding]:
    arguments = call.args[first:]
    wanted = 3 if name.startswith("addc") else 2
    if len(arguments) != wanted or any(isinstance(a, ast.Starred) for a in call.args):
        return
    if isinstance(scene.kind(path, arguments[0]), (Tensor, Many)) or scene.kind(path, arguments[-1]) == NUMBER:
        return
    value, rest = arguments[0], arguments[1:]
    texts = [scene.text(path, argument) for argument in rest] + [f"{_SCALED[name]}={scene.text(path, value)}"]
    span = scene.span(path, value)
    whole = type(span)(span.start, scene.span(path, rest[-1]).end)
    edit = scene.rewritten(path, call, [(whole, ", ".join(texts))])
    message = f"the factor is called {_SCALED[name]}="
    yield Finding(TEXT.code, path, scene.span(path, call.func), message, (edit,))


RULE = Rule(TEXT, find)
