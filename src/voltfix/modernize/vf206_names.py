"""VF206: functions of torch that were renamed, or whose defaults moved."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from voltfix.model import Edit, Refusal, ReplaceStatement, Span
from voltfix.modernize import messages, vf206_gone, vf206_overloads
from voltfix.modernize.finding import Finding, Rule
from voltfix.modernize.kinds import Tensor
from voltfix.modernize.scene import Scene
from voltfix.modernize.vf201_import import is_taken
from voltfix.modernize.writing import renamed, replaced, torch_name
from voltfix.program.walking import walk
from voltfix.rules.text import RuleText

TEXT = RuleText(
    code="VF206",
    name="names and overloads that torch gave up",
    what="""
        Renames what torch renamed: `nn.init.xavier_uniform` and its siblings to `xavier_uniform_`,
        `clip_grad_norm` to `clip_grad_norm_`, `F.sigmoid` and `F.tanh` to `torch.sigmoid` and `torch.tanh`.
        Swaps the arguments of `add_(2, x)` and `addmm_(2, a, b)` and their kin to `add_(x, alpha=2)` and
        `addmm_(a, b, beta=2)`. Writes `F.upsample` as `F.interpolate` and says `align_corners=True`, which
        was 0.3's way, where today's default is another. Gives `softmax` and `log_softmax` the `dim` that 0.3
        chose by itself. Writes linear algebra that is gone (`gesv`, `symeig`, `potrf`, ...) as its
        successor where that gives the same, and `embed._backend.Embedding.apply` as `F.embedding`.
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
        rewritten only where the number of dimensions is shown; elsewhere torch still chooses as 0.3 did. Of
        what is gone, calls whose successor gives something else (`gels` with its residuals, the factors
        that `gesv` gave besides) are refused. Where only the use of a value says that it is a tensor, the edit
        is suggested, and written with `--unsafe-fixes` only.
    """,
    refusals=("unknown-shape", "may-be-no-tensor", "removed-function", "unresolved-arguments", "target-too-old"),
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
# an instance chooses the dimension when it is called
_SOFTMAX_CLASSES = frozenset({"torch.nn.Softmax", "torch.nn.LogSoftmax", "torch.nn.Softmin"})
_SAMPLING_SINCE = (1, 3)  # grid_sample and affine_grid know align_corners
_INTERPOLATE_SINCE = (1, 0)  # 0.4.1, to be precise


def find(scene: Scene, path: str) -> Iterator[Finding]:
    """Old names and old overloads."""
    for node in scene.nodes(path):
        if isinstance(node, ast.Call):
            name = scene.outside(path, node.func)
            name = name if name is not None and name.startswith("torch.") else None
            yield from vf206_gone.find(scene, path, node, name, TEXT.code)
            if name is None:
                yield from vf206_overloads.methods(scene, path, node, TEXT.code)
            else:
                yield from _defaults(scene, path, node, name)
                yield from vf206_overloads.functions(scene, path, node, name, TEXT.code)
        elif isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Load):
            yield from _renamed(scene, path, node)
        elif isinstance(node, ast.ImportFrom):
            yield from _imported(scene, path, node)


# --- names -------------------------------------------------------------------------------------------------


def _renamed(scene: Scene, path: str, node: ast.Attribute) -> Iterator[Finding]:
    """A function by its old name, called or handed on."""
    name = scene.outside(path, node)
    if name in _TO_TORCH:
        torch, edits = torch_name(scene, path, node)
        new = replaced(scene, path, node, f"{torch}.{_TO_TORCH[name]}")
        message = messages.successor(name, f"torch.{_TO_TORCH[name]}")
        yield Finding(TEXT.code, path, scene.span(path, node), message, (new, *edits))
    elif name in _RENAMED and name not in _RESIZING and scene.outside(path, node.value) is not None:
        # not of a module of the project that brings the name: what it is called there is a matter of its import
        edit = renamed(scene, path, node, _RENAMED[name])
        yield Finding(TEXT.code, path, scene.span(path, node), messages.renamed(_RENAMED[name]), (edit,))


def _imported(scene: Scene, path: str, node: ast.ImportFrom) -> Iterator[Finding]:
    """``from torch.nn.init import xavier_uniform``, with every use of the name in the module."""
    for alias in node.names if not node.level and (node.module or "").startswith("torch.") else ():
        name = f"{node.module}.{alias.name}"
        if name not in _RENAMED or name in _RESIZING:
            continue
        new = _RENAMED[name]
        span = scene.span(path, alias)
        if alias.asname is None:
            uses = _uses(scene, path, alias.name, name)
            if uses is None:
                continue
        else:
            uses, new = [], f"{new} as {alias.asname}"
        listed = ", ".join(new if a is alias else _written(a) for a in node.names)
        edits: list[Edit] = [ReplaceStatement(scene.span(path, node), f"from {node.module} import {listed}")]
        edits += [replaced(scene, path, use, new) for use in uses]
        yield Finding(TEXT.code, path, span, messages.renamed(_RENAMED[name]), tuple(edits))


def _written(alias: ast.alias) -> str:
    return f"{alias.name} as {alias.asname}" if alias.asname else alias.name


def _uses(scene: Scene, path: str, name: str, meant: str) -> list[ast.Name] | None:
    """The uses of an imported name; None where another module may take it from here, or it is bound again."""
    found = [node for node in scene.nodes(path) if isinstance(node, ast.Name) and node.id == name]
    if any(not isinstance(node.ctx, ast.Load) or scene.outside(path, node) != meant for node in found):
        return None
    return None if is_taken(scene, path, name) or _is_exported(scene, path, name) else found


def _is_exported(scene: Scene, path: str, name: str) -> bool:
    """Does ``__all__`` speak of the name?"""
    tree = scene.project.tree(path)
    for statement in tree.body if tree is not None else ():
        inside = walk(statement)
        listing = any(isinstance(node, ast.Name) and node.id == "__all__" for node in inside)
        if listing and any(isinstance(node, ast.Constant) and node.value == name for node in inside):
            return True
    return False


# --- defaults that moved -----------------------------------------------------------------------------------


def _defaults(scene: Scene, path: str, call: ast.Call, name: str) -> Iterator[Finding]:
    if name in _RESIZING or name in _SAMPLING:
        yield from _resized(scene, path, call, name)
    elif name in _SOFTMAX:
        yield from _softmax(scene, path, call)
    elif name in _SOFTMAX_CLASSES and not call.args and not call.keywords:
        yield _unknown_dim(scene, path, call)


def _resized(scene: Scene, path: str, call: ast.Call, name: str) -> Iterator[Finding]:
    """``align_corners``: True on 0.3 wherever it matters."""
    if any(k.arg is None for k in call.keywords) or any(isinstance(a, ast.Starred) for a in call.args):
        return
    since, parts = (0, 4), []
    span = scene.span(path, call.func)
    if name in _RENAMED and isinstance(call.func, ast.Attribute):
        since = _INTERPOLATE_SINCE
        parts.append((span, f"{scene.text(path, call.func.value)}.{_RENAMED[name]}"))
    mode = _mode(call, name)
    if mode is None and name in _RESIZING:
        message = messages.unknown_mode()
        yield Finding(TEXT.code, path, span, message, refusal=Refusal("unresolved-arguments", message))
        return
    aligned = all(k.arg != "align_corners" for k in call.keywords) and (name in _SAMPLING or mode in _LINEAR)
    if aligned:
        since = max(since, _SAMPLING_SINCE if name in _SAMPLING else since)
        end = scene.span(path, [*call.args, *(k.value for k in call.keywords)][-1]).end
        parts.append((Span(end, end), ", align_corners=True"))
    if parts and scene.target < since:
        message = messages.too_old("align_corners=" if aligned else "interpolate", ".".join(map(str, since)))
        yield Finding(TEXT.code, path, span, message, refusal=Refusal("target-too-old", message))
    elif parts:
        message = messages.corners() if aligned else messages.renamed("interpolate")
        yield Finding(TEXT.code, path, span, message, (scene.rewritten(path, call, parts),))


def _mode(call: ast.Call, name: str) -> object:
    """The mode that a call for resizing names; None where it is not written out."""
    position = 2 if name == "torch.nn.Upsample" else 3
    node = next((k.value for k in call.keywords if k.arg == "mode"), None)
    if node is None:
        node = call.args[position] if len(call.args) > position else ast.Constant("nearest")
    return node.value if isinstance(node, ast.Constant) else None


def _softmax(scene: Scene, path: str, call: ast.Call) -> Iterator[Finding]:
    """0.3 chose dimension 0 for inputs of 0, 1 or 3 dimensions, else 1."""
    if len(call.args) != 1 or call.keywords or isinstance(call.args[0], ast.Starred):
        return
    kind = scene.kind(path, call.args[0])
    if not isinstance(kind, Tensor) or kind.dim is None:
        yield _unknown_dim(scene, path, call)
        return
    dim = 0 if kind.dim in (0, 1, 3) else 1
    end = scene.span(path, call.args[0]).end
    edit = scene.rewritten(path, call, [(Span(end, end), f", dim={dim}")])
    told = messages.dimension(dim)
    yield Finding(TEXT.code, path, scene.span(path, call.func), told, (edit,), suggested=kind.guessed != "")


def _unknown_dim(scene: Scene, path: str, call: ast.Call) -> Finding:
    message = messages.unknown_dimension()
    refusal = Refusal("unknown-shape", message)
    return Finding(TEXT.code, path, scene.span(path, call.func), message, refusal=refusal)


RULE = Rule(TEXT, find)
