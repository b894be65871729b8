"""VF202: ``loss.data[0]`` becomes ``loss.item()``."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from voltfix.model import Refusal
from voltfix.modernize import messages
from voltfix.modernize.criteria import maker
from voltfix.modernize.finding import Finding, Rule
from voltfix.modernize.kinds import NUMBER, UNKNOWN, Tensor
from voltfix.modernize.kinds.tables import REDUCTIONS, SCALARS
from voltfix.modernize.numbers import was_number
from voltfix.modernize.scene import Scene
from voltfix.modernize.writing import atom, is_written, replaced
from voltfix.rules.text import RuleText

TEXT = RuleText(
    code="VF202",
    name="the number in a tensor is .item()",
    what="""
        Rewrites `[0]` on what has no dimensions today: losses, sums, means, what the project's functions
        make of them, and whatever `backward()` is called on without a gradient. A trailing `.data`, `.cpu()`,
        `.numpy()` goes with it. A reduction of `.data` that is added up, and an element of it that is used
        as a key, an index, or to fill a tensor, were Python numbers on 0.3 and get `.item()` as well.
    """,
    why="""
        Since 0.4 such a value is a tensor without dimensions; `[0]` on one raises IndexError. A reduction
        that is added up as a tensor prints as `tensor(9)` and stays on its device.
    """,
    before="""
        meter.update(loss.data[0], x.size(0))
        correct += pred.eq(target.data).cpu().sum()
    """,
    after="""
        meter.update(loss.item(), x.size(0))
        correct += pred.eq(target.data).cpu().sum().item()
    """,
    safety="""
        Safe: acts only where the value is shown to hold one element, and was cut off from its graph by
        `.data`. `x[0]` of a Variable that may carry a graph is refused, since `.item()` would end the graph;
        so is `.data[0]` of what a criterion gave that nobody sees being made. Where only the use of a value says
        that it is a tensor, the edit is suggested, and written with `--unsafe-fixes` only.
    """,
    refusals=("unknown-shape", "may-carry-a-graph", "may-be-no-tensor"),
    references=("https://pytorch.org/blog/pytorch-0_4_0-migration-guide/",),
    default=False,
)
_STRIPPED = frozenset({"data"})
_STRIPPED_CALLS = frozenset({"cpu", "numpy", "detach"})


def find(scene: Scene, path: str) -> Iterator[Finding]:
    """Indexing of what has no dimensions, and reductions that were numbers."""
    for node in scene.nodes(path):
        if isinstance(node, ast.Subscript) and not is_written(node):
            found = list(_indexed(scene, path, node)) if _is_zero(node.slice) else []
            yield from found or element(scene, path, node)
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            yield from _reduced(scene, path, node, node.func)


def _indexed(scene: Scene, path: str, node: ast.Subscript) -> Iterator[Finding]:
    base, through = _stripped(node.value)
    kind = scene.kind(path, node.value if not through else base)
    if not isinstance(kind, Tensor):
        if kind == UNKNOWN and _ends_in_data(node.value):
            yield from _of_a_criterion(scene, path, node, base)
        return
    plain = kind.plain is True or through
    span = scene.span(path, node)
    known = kind.dim == 0 or (kind.single and kind.dim in (None, 1) and plain)
    if known and plain:
        text = f"{atom(scene, path, base)}.item()"
        edit, unsure = replaced(scene, path, node, text), kind.guessed != ""
        yield Finding(TEXT.code, path, span, messages.item_for_index(), (edit,), suggested=unsure)
    elif kind.dim == 0:
        message = messages.graph_would_end()
        yield Finding(TEXT.code, path, span, message, refusal=Refusal("may-carry-a-graph", message))
    elif through and kind.dim is None and _ends_in_data(node.value):
        message = messages.unknown_shape()
        yield Finding(TEXT.code, path, span, message, refusal=Refusal("unknown-shape", message))


def _of_a_criterion(scene: Scene, path: str, node: ast.Subscript, base: ast.expr) -> Iterator[Finding]:
    """``loss.data[0]`` of a criterion that comes in as a parameter: most likely one number, and not shown to be."""
    criterion = maker(scene, path, base) if scene.kinds.speaks_torch(path) else None
    if criterion is not None:
        message = messages.unknown_result(criterion)
        yield Finding(TEXT.code, path, scene.span(path, node), message, refusal=Refusal("unknown-shape", message))


def element(scene: Scene, path: str, node: ast.Subscript) -> Iterator[Finding]:
    """``x.data[i]`` of a vector, where only a number can have been meant."""
    if isinstance(node.slice, (ast.Slice, ast.Tuple)):
        return
    kind = scene.kind(path, node.value)
    if not isinstance(kind, Tensor) or kind.plain not in (True, "detached") or kind.dim not in (None, 1):
        return
    need = was_number(scene, path, node) if scene.kind(path, node.slice) == NUMBER else None
    if need is not None:
        edit = replaced(scene, path, node, f"{scene.text(path, node)}.item()")
        unsure = kind.guessed != "" or kind.plain is not True or (kind.dim is None and need == "maybe")
        message = messages.item_of_element()
        yield Finding(TEXT.code, path, scene.span(path, node), message, (edit,), suggested=unsure)


def _stripped(node: ast.expr) -> tuple[ast.expr, bool]:
    """``x`` of ``x.data.cpu().numpy()``, and whether something cut it off from its graph."""
    cut = False
    while True:
        if isinstance(node, ast.Attribute) and node.attr in _STRIPPED:
            node, cut = node.value, True
        elif (
            isinstance(node, ast.Call)
            and isinstance(node.func, ast.Attribute)
            and node.func.attr in _STRIPPED_CALLS
            and not node.args
            and not node.keywords
        ):
            cut = cut or node.func.attr in ("numpy", "detach")
            node = node.func.value
        else:
            return node, cut


def _ends_in_data(node: ast.expr) -> bool:
    return isinstance(node, ast.Attribute) and node.attr == "data"


def _is_zero(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and node.value == 0 and type(node.value) is int


def _reduced(scene: Scene, path: str, call: ast.Call, func: ast.Attribute) -> Iterator[Finding]:
    """``x.data.sum()`` where its result is used as a number."""
    if func.attr not in REDUCTIONS | SCALARS or not _is_used_as_number(scene, path, call):
        return
    kind = scene.kind(path, call)
    if not isinstance(kind, Tensor) or kind.dim != 0 or kind.plain is not True or kind.maybe:
        return
    if _is_cut_off(scene, path, func.value):
        edit = replaced(scene, path, call, f"{scene.text(path, call)}.item()")
        message = messages.item_of_element()
        yield Finding(TEXT.code, path, scene.span(path, call), message, (edit,), suggested=kind.guessed != "")


def _is_used_as_number(scene: Scene, path: str, call: ast.Call) -> bool:
    """Is it added to something, or handed to formatting or NumPy? (float(...) and the like take a tensor
    too.)"""
    above = scene.project.parent(path, call)
    return isinstance(above, ast.AugAssign) and above.value is call


def _is_cut_off(scene: Scene, path: str, node: ast.expr) -> bool:
    """Does a ``.data`` in the expression itself, or in what made its names, say that there is no graph?"""
    kind = scene.kind(path, node)
    return isinstance(kind, Tensor) and kind.plain is True


RULE = Rule(TEXT, find)
