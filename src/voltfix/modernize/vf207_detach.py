"""VF207: ``x.data`` becomes ``x.detach()`` where it is only read."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from voltfix.modernize import messages
from voltfix.modernize.finding import Finding, Rule
from voltfix.modernize.kinds import Tensor
from voltfix.modernize.scene import Scene
from voltfix.modernize.writing import is_written, renamed
from voltfix.program.bindings import Builtin
from voltfix.rules.text import RuleText
from voltfix.torchmodel.python import LOOKING
from voltfix.torchmodel.tables import having
from voltfix.torchmodel.traits import PASSING, READING

TEXT = RuleText(
    code="VF207",
    name="what is only read is detached",
    what="""
        Writes `x.data` as `x.detach()` where what follows only reads: `.data.cpu().numpy()`, `.data.max(1)`,
        `.data.view(-1)[0] + 1`, `print(x.data)`.
    """,
    why="`.data` hides writes from autograd, which then computes wrong gradients without a word.",
    before="pred = output.data.max(1)[1]",
    after="pred = output.detach().max(1)[1]",
    safety="""
        Safe: the two differ only when the result is written in place, so `p.data.add_(...)`, and a bare
        `.data` or a view of it that is stored or handed on, are left alone. Where only the use of a value
        says that it is a tensor, the edit is suggested, and written with `--unsafe-fixes` only.
    """,
    refusals=("may-be-no-tensor",),
    references=("https://docs.pytorch.org/docs/stable/generated/torch.Tensor.detach.html",),
    default=False,
)
_READING = having(READING)
_PASSING = having(PASSING)


def find(scene: Scene, path: str) -> Iterator[Finding]:
    """``.data`` of a tensor, followed by methods that end in a new value."""
    for node in scene.nodes(path):
        if not isinstance(node, ast.Attribute) or node.attr != "data" or is_written(node):
            continue
        kind = scene.kind(path, node.value) if _is_only_read(scene, path, node) else None
        if isinstance(kind, Tensor):
            edit, unsure = renamed(scene, path, node, "detach()"), kind.unsure
            span = scene.span(path, node)
            yield Finding(TEXT.code, path, span, messages.detach_for_data(), (edit,), suggested=unsure)


def _is_only_read(scene: Scene, path: str, node: ast.AST) -> bool:
    """Does everything that happens to the value, views of it included, end in something new?"""
    while True:
        above = scene.project.parent(path, node)
        if isinstance(above, (ast.BinOp, ast.Compare, ast.FormattedValue)):
            return True
        if isinstance(above, ast.Call):
            return above.func is not node and _reads(scene, path, above)
        if isinstance(above, ast.Subscript):
            if above.value is not node or is_written(above):
                return False
            node = above
            continue
        call = scene.project.parent(path, above) if isinstance(above, ast.Attribute) else None
        if not isinstance(above, ast.Attribute) or not isinstance(call, ast.Call) or call.func is not above:
            return False
        if above.attr in _READING:
            return True
        if above.attr not in _PASSING:
            return False
        node = call


def _reads(scene: Scene, path: str, call: ast.Call) -> bool:
    """Does the function that is called only look at its arguments?"""
    binding = scene.project.resolve(path, None, call.func)
    if isinstance(binding, Builtin):
        return binding.name in LOOKING
    name = scene.outside(path, call.func) or ""
    return name.startswith(("numpy.", "math.")) or name.removeprefix("torch.") in _READING


RULE = Rule(TEXT, find)
