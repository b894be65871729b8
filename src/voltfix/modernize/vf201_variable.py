"""VF201: ``Variable(x)`` becomes ``x``."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from voltfix.model import DeleteStatement, Edit, Refusal
from voltfix.modernize import messages, vf201_import
from voltfix.modernize.finding import Finding, Rule
from voltfix.modernize.scene import Scene
from voltfix.modernize.vf201_flags import switched, truth
from voltfix.modernize.vf201_telling import cannot_tell, is_fresh, is_told
from voltfix.modernize.writing import atom, replaced, torch_name
from voltfix.program.bindings import VARIABLE
from voltfix.program.scopes import parameters_of
from voltfix.rules.text import RuleText

TEXT = RuleText(
    code="VF201",
    name="tensors are Variables",
    what="""
        Takes `Variable(x)` away, with its import once nothing uses it. Where somebody could tell the new
        object from `x` (its flags are set, it is written in place), `x.detach()` stands in.
        `requires_grad=`, and `p.requires_grad = flag` of a parameter or tensor, become `requires_grad_()`;
        `isinstance(x, Variable)` and `type(x) == Variable` ask
        for `torch.Tensor`.
    """,
    why="""
        Since 0.4 `Variable(x)` is no class of its own: it gives `x.detach()`. `type(x) == Variable` is never
        true, so the code behind it is never reached.
    """,
    before="""
        x = Variable(x)
        z = Variable(torch.zeros(2), requires_grad=True)
        if type(h) == Variable:
            h = Variable(h.data)
    """,
    after="""
        z = torch.zeros(2).requires_grad_()
        if isinstance(h, torch.Tensor):
            h = h.data
    """,
    safety="""
        Safe for code that ran on 0.3: there `Variable` took plain tensors only, which never require
        gradients. What is written in place, here or by a function of yours that gets it, becomes
        `x.detach()`. `isinstance` also holds for a Parameter, `type(x) == Variable` did not.
    """,
    refusals=("unresolved-arguments", "other-use"),
    references=("https://docs.pytorch.org/docs/stable/autograd.html#variable-deprecated",),
    default=False,
)


def find(scene: Scene, path: str) -> Iterator[Finding]:
    """Every use of torch's Variable, then the imports that are left without one."""
    uses = [node for node in scene.nodes(path) if _is_variable(scene, path, node)]
    for node in uses:
        yield from _use(scene, path, node)
    yield from switched(scene, path, TEXT.code)
    if not uses:
        yield from vf201_import.unused(scene, path, TEXT.code)


def _is_variable(scene: Scene, path: str, node: ast.AST) -> bool:
    if not isinstance(node, (ast.Name, ast.Attribute)) or not isinstance(node.ctx, ast.Load):
        return False
    last = node.id if isinstance(node, ast.Name) else node.attr
    return last[:1].isalpha() and scene.outside(path, node) == VARIABLE


def _use(scene: Scene, path: str, node: ast.AST) -> Iterator[Finding]:
    above = scene.project.parent(path, node)
    if isinstance(above, ast.Call) and above.func is node:
        yield from _call(scene, path, above)
        return
    check = _type_check(scene, path, node, above)
    if check is not None:
        target, text, edits = check
        if text:
            yield Finding(
                TEXT.code, path, scene.span(path, target), messages.asks_for_tensor(),
                (replaced(scene, path, target, text), *edits),
            )  # fmt: skip
        return
    message = messages.used_as_value()
    yield Finding(TEXT.code, path, scene.span(path, node), message, refusal=Refusal("other-use", message))


# --- calls -------------------------------------------------------------------------------------------------


def _call(scene: Scene, path: str, call: ast.Call) -> Iterator[Finding]:
    span = scene.span(path, call)
    given = _arguments(call)
    if given is None:
        message = messages.unknown_arguments()
        yield Finding(TEXT.code, path, span, message, refusal=Refusal("unresolved-arguments", message))
        return
    value, flag, volatile = given
    if volatile:  # a site that was not migrated: its row says why
        return
    if value is None:
        return
    tensor = atom(scene, path, value)
    plain = flag is None or (isinstance(flag, ast.Constant) and not flag.value)
    detached = tensor if is_fresh(scene, path, value) else f"{tensor}.detach()"
    bare = plain and cannot_tell(scene, path, call, value)
    if bare and (whole := _moot(scene, path, call)) is not None:
        yield Finding(TEXT.code, path, span, messages.no_variable(), (DeleteStatement(scene.span(path, whole)),))
        return
    if plain:
        text = scene.text(path, value) if bare else detached
    elif isinstance(flag, ast.Constant):
        text = f"{detached}.requires_grad_()"
    else:
        assert flag is not None
        text = f"{detached}.requires_grad_({truth(scene, path, flag)})"
    yield Finding(TEXT.code, path, span, messages.no_variable(), (replaced(scene, path, call, text),))


def _arguments(call: ast.Call) -> tuple[ast.expr | None, ast.expr | None, bool] | None:
    """The tensor, the requires_grad argument, and whether there is a volatile one; None if they cannot be
    told."""
    if any(isinstance(a, ast.Starred) for a in call.args) or any(k.arg is None for k in call.keywords):
        return None
    given: dict[str, ast.expr] = dict(zip(("data", "requires_grad", "volatile"), call.args, strict=False))
    given.update({k.arg: k.value for k in call.keywords if k.arg is not None})
    if not set(given) <= {"data", "requires_grad", "volatile"} or len(call.args) > 3:
        return None
    return given.get("data"), given.get("requires_grad"), "volatile" in given


def _moot(scene: Scene, path: str, call: ast.Call) -> ast.Assign | None:
    """The statement around, if it is ``x = Variable(x)`` or ``x, y = Variable(x), Variable(y)`` and no
    more."""
    above = scene.project.parent(path, call)
    if isinstance(above, ast.Tuple):
        above = scene.project.parent(path, above)
    if not isinstance(above, ast.Assign) or len(above.targets) != 1:
        return None
    targets, values = [above.targets[0]], [above.value]
    if isinstance(above.value, ast.Tuple) and isinstance(above.targets[0], ast.Tuple):
        targets, values = above.targets[0].elts, above.value.elts
    if len(targets) != len(values) or isinstance(scene.project.scope(path, above), ast.ClassDef):
        return None
    return above if all(_same(scene, path, *pair) for pair in zip(targets, values, strict=True)) else None


def _same(scene: Scene, path: str, target: ast.expr, value: ast.expr) -> bool:
    if not isinstance(value, ast.Call) or len(value.args) != 1 or value.keywords or not isinstance(target, ast.Name):
        return False
    inner = value.args[0]
    same = isinstance(inner, ast.Name) and inner.id == target.id and scene.outside(path, value.func) == VARIABLE
    return same and not is_told(scene, path, value, target.id)


# --- type checks -------------------------------------------------------------------------------------------


_Check = tuple[ast.expr, str, tuple[Edit, ...]]


def _type_check(scene: Scene, path: str, node: ast.AST, above: ast.AST | None) -> _Check | None:
    """What to put in the place of ``isinstance(x, Variable)`` and ``type(x) == Variable``, and of annotations;
    None for anything else."""
    if isinstance(above, ast.Call) and _is_isinstance(above) and above.args[1] is node:
        return _instance_check(scene, path, above, node)
    if isinstance(above, (ast.Tuple, ast.List)):
        outer = scene.project.parent(path, above)
        if isinstance(outer, ast.Compare) and len(outer.ops) == 1:
            return _one_of(scene, path, node, outer)
        if isinstance(outer, ast.Call) and _is_isinstance(outer) and outer.args[1] is above:
            return _instance_check(scene, path, outer, node)
    if isinstance(above, ast.Compare) and len(above.ops) == 1:
        return _comparison(scene, path, above)
    if isinstance(node, ast.expr) and _is_annotation(scene, path, node):
        name, edits = torch_name(scene, path, node)
        return node, f"{name}.Tensor", edits
    return None


def _is_isinstance(call: ast.Call) -> bool:
    return isinstance(call.func, ast.Name) and call.func.id in ("isinstance", "issubclass") and len(call.args) == 2


def _instance_check(scene: Scene, path: str, call: ast.Call, node: ast.AST) -> _Check | None:
    name, edits = torch_name(scene, path, call)
    span = scene.span(path, node)
    edit = scene.rewritten(path, call, [(span, f"{name}.Tensor")])
    return call, edit.text, edits


def _comparison(scene: Scene, path: str, node: ast.Compare) -> _Check | None:
    """``type(x) == Variable``, ``x.__class__ is Variable``."""
    asked = next((a for a in map(_typed, (node.left, node.comparators[0])) if a is not None), None)
    if asked is None or not isinstance(node.ops[0], (ast.Eq, ast.Is, ast.NotEq, ast.IsNot)):
        return None
    name, edits = torch_name(scene, path, node)
    text = f"isinstance({scene.text(path, asked)}, {name}.Tensor)"
    return node, text if isinstance(node.ops[0], (ast.Eq, ast.Is)) else f"not {text}", edits


def _one_of(scene: Scene, path: str, node: ast.AST, above: ast.Compare) -> _Check | None:
    """``type(x) in (Variable, Parameter)``."""
    asked, kinds = _typed(above.left), above.comparators[0]
    if (
        asked is None
        or not isinstance(above.ops[0], (ast.In, ast.NotIn))
        or not isinstance(kinds, (ast.Tuple, ast.List))
    ):
        return None
    name, edits = torch_name(scene, path, above)
    texts = [f"{name}.Tensor" if one is node else scene.text(path, one) for one in kinds.elts]
    text = f"isinstance({scene.text(path, asked)}, ({', '.join(texts)}{',' if len(texts) == 1 else ''}))"
    return above, text if isinstance(above.ops[0], ast.In) else f"not {text}", edits


def _typed(node: ast.expr) -> ast.expr | None:
    """``x`` of ``type(x)`` and ``x.__class__``."""
    if isinstance(node, ast.Attribute) and node.attr == "__class__":
        return node.value
    plain = isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "type"
    return node.args[0] if plain and isinstance(node, ast.Call) and len(node.args) == 1 else None


def _is_annotation(scene: Scene, path: str, node: ast.AST) -> bool:
    """Does the name stand in an annotation, alone or as a part of one?"""
    above = scene.project.parent(path, node)
    while isinstance(above, (ast.Subscript, ast.Tuple, ast.BinOp)):
        node, above = above, scene.project.parent(path, above)
    if isinstance(above, (ast.FunctionDef, ast.AsyncFunctionDef)):
        return above.returns is node or any(one.annotation is node for one in parameters_of(above))
    return isinstance(above, ast.AnnAssign) and above.annotation is node


RULE = Rule(TEXT, find)
