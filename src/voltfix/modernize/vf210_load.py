"""VF210: ``torch.load`` of a whole model says ``weights_only=False``."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from voltfix.model import Refusal, Span
from voltfix.modernize import messages
from voltfix.modernize.finding import Finding, Rule
from voltfix.modernize.kinds.reaching import Reach
from voltfix.modernize.scene import Scene
from voltfix.rules.text import RuleText
from voltfix.torchmodel.tables import having
from voltfix.torchmodel.traits import OF_MODEL

TEXT = RuleText(
    code="VF210",
    name="loading whole objects says so",
    what="""
        Adds `weights_only=False` to `torch.load` where what it gives is used as an object: called, asked for
        methods of a module, unpacked, or returned.
    """,
    why="Since 2.6 `torch.load` reads tensors and plain containers alone, and raises on a pickled model.",
    before="""
        model = torch.load(f)
        model.eval()
    """,
    after="""
        model = torch.load(f, weights_only=False)
        model.eval()
    """,
    safety="""
        Restores what 0.3 did, with its risk: a pickle runs code when it is loaded. Do it for files that
        you trust. What only goes into `load_state_dict` is left alone.
    """,
    refusals=("target-too-old",),
    references=("https://docs.pytorch.org/docs/stable/generated/torch.load.html",),
    default=False,
)
_OF_MODELS = having(OF_MODEL)
_SINCE = (1, 13)


def find(scene: Scene, path: str) -> Iterator[Finding]:
    """Calls of ``torch.load`` whose result is more than tensors."""
    for call in scene.calls(path):
        if scene.outside(path, call.func) != "torch.load" or not call.args:
            continue
        if any(k.arg in ("weights_only", None) for k in call.keywords) or not _is_object(scene, path, call):
            continue
        span = scene.span(path, call)
        if scene.target < _SINCE:
            message = messages.too_old("weights_only=", "1.13")
            yield Finding(TEXT.code, path, span, message, refusal=Refusal("target-too-old", message))
            continue
        last = [*call.args, *(k.value for k in call.keywords)][-1]
        end = scene.span(path, last).end
        edit = scene.rewritten(path, call, [(Span(end, end), ", weights_only=False")])
        yield Finding(TEXT.code, path, span, messages.loads_objects(), (edit,))


def _is_object(scene: Scene, path: str, call: ast.Call) -> bool:
    above = scene.project.parent(path, call)
    if isinstance(above, ast.Attribute):
        return above.attr in _OF_MODELS
    if not isinstance(above, ast.Assign) or len(above.targets) != 1:
        return False
    target = above.targets[0]
    if isinstance(target, ast.Tuple):
        return True
    return isinstance(target, ast.Name) and _is_used_as_object(scene, path, target.id, above)


def _is_used_as_object(scene: Scene, path: str, name: str, assign: ast.Assign) -> bool:
    """Is the name called, or asked for what modules have, where this value reaches? Globals: anywhere."""
    made = Reach("value", assign, assign.value)
    for node in scene.nodes(path):
        if not isinstance(node, ast.Name) or node.id != name or not isinstance(node.ctx, ast.Load):
            continue
        reached = scene.kinds.reaches(path, node)
        if reached and made not in reached:
            continue
        above = scene.project.parent(path, node)
        if isinstance(above, ast.Attribute) and above.attr in _OF_MODELS:
            return True
        if isinstance(above, ast.Call) and above.func is node:
            return True
    return False


RULE = Rule(TEXT, find)
