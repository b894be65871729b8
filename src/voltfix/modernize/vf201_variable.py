"""VF201: ``Variable(x)`` becomes ``x``."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from voltfix.analysis.bindings import VARIABLE
from voltfix.model import DeleteStatement, Edit, Refusal
from voltfix.modernize import vf201_import
from voltfix.modernize.finding import Finding, Rule
from voltfix.modernize.scene import Scene
from voltfix.modernize.writing import atom, replaced, torch_name
from voltfix.rules.text import RuleText

TEXT = RuleText(
    code="VF201",
    name="tensors are Variables",
    what="""
        Takes `Variable(x)` away, with its import once nothing uses it. Where somebody could tell the new
        object from `x` (its flags are set, it is written in place), `x.detach()` stands in.
        `requires_grad=` becomes `requires_grad_()`; `isinstance(x, Variable)` and `type(x) == Variable` ask
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
        gradients. Unsafe where a function of yours writes into its argument in place with something that
        requires gradients. `isinstance` also holds for a Parameter, `type(x) == Variable` did not.
    """,
    refusals=("unresolved-arguments", "other-use"),
    references=("https://docs.pytorch.org/docs/stable/autograd.html#variable-deprecated",),
    default=False,
)
_FLAGGED = re.compile(r"\.requires_grad\s*=\s*True|\.requires_grad_\(\s*(?:True)?\s*\)|\.retain_grad\(")
_TELLING = frozenset({"requires_grad", "volatile", "grad", "data"})


def find(scene: Scene, path: str) -> Iterator[Finding]:
    """Every use of torch's Variable, then the imports that are left without one."""
    uses = [node for node in scene.nodes(path) if _is_variable(scene, path, node)]
    for node in uses:
        yield from _use(scene, path, node)
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
                TEXT.code, path, scene.span(path, target), "asks for a tensor",
                (replaced(scene, path, target, text), *edits),
            )  # fmt: skip
        return
    message = "Variable is used as a value here: torch.Tensor may be meant"
    yield Finding(TEXT.code, path, scene.span(path, node), message, refusal=Refusal("other-use", message))


# --- calls -------------------------------------------------------------------------------------------------


def _call(scene: Scene, path: str, call: ast.Call) -> Iterator[Finding]:
    span = scene.span(path, call)
    given = _arguments(call)
    if given is None:
        message = "cannot tell which arguments Variable gets here"
        yield Finding(TEXT.code, path, span, message, refusal=Refusal("unresolved-arguments", message))
        return
    value, flag, volatile = given
    if volatile:  # a site that was not migrated: its row says why
        return
    if value is None:
        return
    tensor = atom(scene, path, value)
    plain = flag is None or (isinstance(flag, ast.Constant) and not flag.value)
    detached = tensor if _is_fresh(value) else f"{tensor}.detach()"
    bare = plain and _cannot_tell(scene, path, call, value)
    if bare and (whole := _moot(scene, path, call)) is not None:
        yield Finding(TEXT.code, path, span, "a tensor needs no Variable", (DeleteStatement(scene.span(path, whole)),))
        return
    if plain:
        text = scene.text(path, value) if bare else detached
    elif isinstance(flag, ast.Constant):
        text = f"{detached}.requires_grad_()"
    else:
        assert flag is not None
        text = f"{detached}.requires_grad_({scene.text(path, flag)})"
    if isinstance(value, ast.Starred):
        return
    yield Finding(TEXT.code, path, span, "a tensor needs no Variable", (replaced(scene, path, call, text),))


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
    return same and not _is_told(scene, path, value, target.id)


def _is_fresh(value: ast.expr) -> bool:
    """Is it made on the spot, so that nobody else holds it?"""
    if not isinstance(value, ast.Call):
        return False
    func = value.func
    if isinstance(func, ast.Name):
        return func.id[:1].isupper()
    while isinstance(func, ast.Attribute) and isinstance(func.value, ast.Call):
        if func.attr not in (
            "cuda",
            "zero_",
            "fill_",
            "normal_",
            "uniform_",
            "float",
            "long",
            "double",
            "resize_",
        ):
            return False
        func = func.value.func
    return isinstance(func, ast.Attribute) and isinstance(func.value, ast.Name) and func.value.id in ("torch", "th")


def _cannot_tell(scene: Scene, path: str, call: ast.Call, value: ast.expr) -> bool:
    """Would nobody notice that the result is the very object that went in?"""
    if isinstance(value, ast.Call) and _is_fresh(value):
        return True
    above = scene.project.parent(path, call)
    if isinstance(above, (ast.Return, ast.Yield)) or _to_self(above):
        return not _flags_set(scene)
    if isinstance(above, ast.Assign) and isinstance(above.targets[0], ast.Name) and len(above.targets) == 1:
        name = above.targets[0].id
        return not _is_told(scene, path, call, name)
    return True


def _to_self(above: ast.AST | None) -> bool:
    return isinstance(above, ast.Assign) and any(isinstance(t, (ast.Attribute, ast.Subscript)) for t in above.targets)


def _flags_set(scene: Scene) -> bool:
    """Does any code of the project switch gradients on for a tensor?"""
    return any(_FLAGGED.search(module.text) for module in scene.project.modules.values())


def _is_told(scene: Scene, path: str, call: ast.Call, name: str) -> bool:
    """Does the function around set flags of ``name``, or write into it?"""
    around = next(
        (a for a in scene.project.parents(path, call) if isinstance(a, (ast.FunctionDef, ast.Lambda, ast.Module))),
        None,
    )
    for node in ast.walk(around) if around is not None else ():
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == name:
            stored = isinstance(node.ctx, ast.Store) and node.attr in _TELLING
            if stored or node.attr in ("register_hook", "retain_grad") or _in_place(node.attr):
                return True
        written: ast.expr | None = node.target if isinstance(node, ast.AugAssign) else None
        if isinstance(node, ast.Subscript) and isinstance(node.ctx, ast.Store):
            written = node.value
        if isinstance(written, ast.Name) and written.id == name:
            return True
    return False


def _in_place(name: str) -> bool:
    return name.endswith("_") and not name.endswith("__")


# --- type checks -------------------------------------------------------------------------------------------


def _type_check(
    scene: Scene, path: str, node: ast.AST, above: ast.AST | None
) -> tuple[ast.expr, str, tuple[Edit, ...]] | None:
    """What to put in the place of ``isinstance(x, Variable)`` and ``type(x) == Variable``; None for
    anything else."""
    if isinstance(above, ast.Call) and _is_isinstance(above) and above.args[1] is node:
        return _instance_check(scene, path, above, node)
    if isinstance(above, ast.Tuple):
        outer = scene.project.parent(path, above)
        if isinstance(outer, ast.Call) and _is_isinstance(outer) and outer.args[1] is above:
            return _instance_check(scene, path, outer, node)
    if isinstance(above, ast.Compare) and len(above.ops) == 1:
        return _comparison(scene, path, above)
    return None


def _is_isinstance(call: ast.Call) -> bool:
    return isinstance(call.func, ast.Name) and call.func.id in ("isinstance", "issubclass") and len(call.args) == 2


def _instance_check(
    scene: Scene, path: str, call: ast.Call, node: ast.AST
) -> tuple[ast.expr, str, tuple[Edit, ...]] | None:
    name, edits = torch_name(scene, path, call)
    span = scene.span(path, node)
    edit = scene.rewritten(path, call, [(span, f"{name}.Tensor")])
    return call, edit.text, edits


def _comparison(scene: Scene, path: str, node: ast.Compare) -> tuple[ast.expr, str, tuple[Edit, ...]] | None:
    sides = [node.left, node.comparators[0]]
    asked = next((s for s in sides if isinstance(s, ast.Call) and scene.text(path, s.func) == "type"), None)
    if asked is None or len(asked.args) != 1 or not isinstance(node.ops[0], (ast.Eq, ast.Is, ast.NotEq, ast.IsNot)):
        return None
    name, edits = torch_name(scene, path, node)
    text = f"isinstance({scene.text(path, asked.args[0])}, {name}.Tensor)"
    return node, text if isinstance(node.ops[0], (ast.Eq, ast.Is)) else f"not {text}", edits


RULE = Rule(TEXT, find)
