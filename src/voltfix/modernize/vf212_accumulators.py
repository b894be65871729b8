"""VF212: a sum of losses that is only looked at keeps no graphs."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from voltfix.model import Refusal
from voltfix.modernize import messages
from voltfix.modernize.finding import Finding, Rule
from voltfix.modernize.flows import Flow, mentions, name_of
from voltfix.modernize.kinds import NUMBER, Tensor
from voltfix.modernize.scene import Scene
from voltfix.modernize.writing import atom, replaced
from voltfix.program.scopes import FUNCTIONS, Scope
from voltfix.rules.text import RuleText

TEXT = RuleText(
    code="VF212",
    name="sums that are only looked at keep no graphs",
    what="""
        Adds `.detach()` to a loss that a loop adds to a number, or appends to a list, where every use of the
        sum or list ends in numbers, text or comparisons: printing, `.item()`, `float()`, formatting, NumPy.
    """,
    why="""
        `total += loss` keeps the graph of every batch until the epoch is over; memory grows with each step.
        It did on 0.3 as well, and most who migrated by hand mended it on the way.
    """,
    before="""
        total = 0
        for x, y in batches:
            loss = F.mse_loss(net(x), y)
            loss.backward()
            total += loss
        print(total.item() / len(batches))
    """,
    after="""
        total = 0
        for x, y in batches:
            loss = F.mse_loss(net(x), y)
            loss.backward()
            total += loss.detach()
        print(total.item() / len(batches))
    """,
    safety="""
        Safe: the numbers stay what they were (`.item()` would add up in double precision), and no gradient
        can be asked of the sum: all its uses are in sight. A sum that is sent backward is left alone; one
        that is returned, handed on, or kept as an attribute or by a module is refused. Where only its use says
        that a value is a tensor, the edit is suggested, and written with `--unsafe-fixes` only.
    """,
    refusals=("gradient-may-be-asked", "may-be-no-tensor"),
    references=(
        "https://docs.pytorch.org/docs/stable/notes/faq.html#my-model-reports-cuda-runtime-error-2-out-of-memory",
    ),
    default=False,
)
_MODES = ("no_grad", "inference_mode", "set_grad_enabled")
_CUTTING = frozenset({"detach", "item", "numpy", "tolist"})


def find(scene: Scene, path: str) -> Iterator[Finding]:
    """Sums and lists in loops, of what carries a graph."""
    for node in scene.nodes(path):
        found = _added(node)
        if found is None or not _keeps_graphs(scene, path, found[1]):
            continue
        target, value = found
        if _loop(scene, path, node) is None or _is_off(scene, path, node):
            continue
        if isinstance(target, ast.Name):
            yield from _of_name(scene, path, target, value)
        elif isinstance(target, ast.Attribute) and isinstance(node, ast.AugAssign):
            yield _refused(scene, path, value)


def _added(node: ast.AST) -> tuple[ast.expr, ast.expr] | None:
    """What is added to, and what is added: ``t += x``, ``t = t + x``, ``t.append(x)``."""
    if isinstance(node, ast.AugAssign) and isinstance(node.op, ast.Add):
        return node.target, node.value
    if isinstance(node, ast.Assign) and len(node.targets) == 1 and isinstance(node.value, ast.BinOp):
        target, left = node.targets[0], node.value.left
        same = isinstance(target, ast.Name) and isinstance(left, ast.Name) and target.id == left.id
        return (target, node.value.right) if same and isinstance(node.value.op, ast.Add) else None
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "append":
        plain = len(node.args) == 1 and not node.keywords and isinstance(node.func.value, ast.Name)
        return (node.func.value, node.args[0]) if plain else None
    return None


def _keeps_graphs(scene: Scene, path: str, value: ast.expr) -> bool:
    """Is it shown to be one number with a graph behind it?"""
    kind = scene.kind(path, value)
    shown = isinstance(kind, Tensor) and (kind.dim == 0 or kind.single) and kind.plain is False and not kind.maybe
    return shown and isinstance(kind, Tensor) and kind.dtype in (None, "float") and not _is_cut(value)


def _is_cut(value: ast.expr) -> bool:
    """Is every tensor in the expression detached already, as it is written?"""
    if isinstance(value, ast.BinOp):
        return _is_cut(value.left) and _is_cut(value.right)
    if isinstance(value, ast.Call) and isinstance(value.func, ast.Attribute):
        return value.func.attr in _CUTTING
    return isinstance(value, ast.Constant) or (isinstance(value, ast.Attribute) and value.attr == "data")


def _loop(scene: Scene, path: str, node: ast.AST) -> ast.AST | None:
    """The loop around, in the same function."""
    for above in scene.project.parents(path, node):
        if isinstance(above, (ast.For, ast.While)):
            return above
        if isinstance(above, (*FUNCTIONS, ast.ClassDef)):
            return None
    return None


def _is_off(scene: Scene, path: str, node: ast.AST) -> bool:
    """Is grad mode switched by something around, so that there may be no graph anyway?"""
    for above in scene.project.parents(path, node):
        around: list[ast.expr] = []
        if isinstance(above, ast.With):
            around = [item.context_expr for item in above.items]
        elif isinstance(above, ast.FunctionDef):
            around = above.decorator_list
        if any(mode in scene.text(path, expression) for expression in around for mode in _MODES):
            return True
    return False


def _of_name(scene: Scene, path: str, target: ast.Name, value: ast.expr) -> Iterator[Finding]:
    name = name_of(scene, path, target)
    if not _begins_empty(scene, path, name) or _is_inside(scene, path, target, name):
        return
    fate = Flow(scene, path).name(name)
    if fate == "ends" and name[1].parent is not None:  # what a module holds can be seen from outside
        edit = replaced(scene, path, value, f"{atom(scene, path, value)}.detach()")
        kind = scene.kind(path, value)
        unsure, told = isinstance(kind, Tensor) and kind.unsure, messages.only_looked_at()
        yield Finding(TEXT.code, path, scene.span(path, value), told, (edit,), suggested=unsure)
    elif fate != "asked":
        yield _refused(scene, path, value)


def _refused(scene: Scene, path: str, value: ast.expr) -> Finding:
    message = messages.keeps_graphs()
    refusal = Refusal("gradient-may-be-asked", message)
    return Finding(TEXT.code, path, scene.span(path, value), message, refusal=refusal)


def _begins_empty(scene: Scene, path: str, name: tuple[str, Scope]) -> bool:
    """Is the name given numbers, empty lists, and what is added to them, and nothing else?"""
    begun = False
    for node in mentions(scene, path, name):
        if not isinstance(node.ctx, ast.Store):
            continue
        given = _given(scene, path, node)
        if given is None:
            return False
        begun = begun or given != "more"
    return begun


def _given(scene: Scene, path: str, node: ast.Name) -> str | None:
    """What a name is given here: a ``number``, a ``list``, ``more`` of what it is; None for anything else."""
    above = scene.project.parent(path, node)
    if isinstance(above, ast.AugAssign):
        return "more"
    if isinstance(above, ast.Tuple):
        around = scene.project.parent(path, above)
        whole = isinstance(around, ast.Assign) and isinstance(around.value, ast.Tuple)
        if not whole or not isinstance(around, ast.Assign) or not isinstance(around.value, ast.Tuple):
            return None
        values = around.value.elts
        return _begins(scene, path, values[above.elts.index(node)]) if len(values) == len(above.elts) else None
    if not isinstance(above, ast.Assign):
        return None
    return "more" if _added(above) is not None else _begins(scene, path, above.value)


def _begins(scene: Scene, path: str, value: ast.expr) -> str | None:
    if isinstance(value, ast.List) and not value.elts:
        return "list"
    return "number" if scene.kind(path, value) == NUMBER else None


def _is_inside(scene: Scene, path: str, target: ast.Name, name: tuple[str, Scope]) -> bool:
    """Does the sum begin anew in every round of the innermost loop, so that it is no accumulator of rounds?"""
    loop = _loop(scene, path, target)
    stores = [node for node in mentions(scene, path, name) if isinstance(node.ctx, ast.Store)]
    begins = [node for node in stores if _given(scene, path, node) != "more"]
    return all(any(above is loop for above in scene.project.parents(path, node)) for node in begins)


RULE = Rule(TEXT, find)
