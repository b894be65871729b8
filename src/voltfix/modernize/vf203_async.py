"""VF203: ``async=True`` becomes ``non_blocking=True``."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from voltfix.model import Refusal, Span
from voltfix.modernize import messages
from voltfix.modernize.finding import Finding, Rule
from voltfix.modernize.kinds import NOTHING, OTHER, UNKNOWN, Instance, Tensor
from voltfix.modernize.scene import Scene
from voltfix.program.bindings import External, ProjectClass, ProjectFunction
from voltfix.rules.text import RuleText
from voltfix.sources.shields import is_async

TEXT = RuleText(
    code="VF203",
    name="async= is non_blocking=",
    what="""
        Renames the keyword `async` of `cuda`, `type`, `to` and `copy_` to `non_blocking`, in files that
        hold a volatile site; with `--modernize` in all files.
    """,
    why="""
        `async` is a keyword since Python 3.7: a file that uses it as a name does not even parse. torch
        renamed the argument in 0.4.
    """,
    before="target = target.cuda(async=True)",
    after="target = target.cuda(non_blocking=True)",
    safety="""
        Safe: torch gave the argument a new name and nothing else. Calls of functions and classes of the
        project with a parameter called `async` are refused: there the parameter would have to be renamed
        as well.
    """,
    refusals=("own-async-parameter",),
    references=("https://docs.pytorch.org/docs/stable/generated/torch.Tensor.cuda.html",),
)
_METHODS = frozenset({"cuda", "type", "to", "copy_"})


def find(scene: Scene, path: str) -> Iterator[Finding]:
    """All calls with an ``async`` argument."""
    own = None
    for call in scene.calls(path):
        for keyword in call.keywords:
            if keyword.arg is None or not is_async(keyword.arg):
                continue
            own = _own_methods(scene) if own is None else own
            if path in scene.torch_paths or isinstance(call.func, ast.Attribute):
                yield from _finding(scene, path, call, keyword, own)


def _finding(scene: Scene, path: str, call: ast.Call, keyword: ast.keyword, own: frozenset[str]) -> Iterator[Finding]:
    span = scene.span(path, keyword)
    method = call.func.attr if isinstance(call.func, ast.Attribute) else None
    found = scene.may_be(path, call.func)
    projects = any(isinstance(binding, (ProjectFunction, ProjectClass)) for binding in found)
    if method is None or method not in _METHODS:
        if projects:
            message = messages.own_parameter()
            refusal = Refusal("own-async-parameter", message)
            yield Finding(TEXT.code, path, span, message, refusal=refusal)
        return
    if projects or (method in own):
        message = messages.own_method(method)
        yield Finding(TEXT.code, path, span, message, refusal=Refusal("own-async-parameter", message))
        return
    if not _is_torchs(scene, path, call):
        return
    name = Span(span.start, span.start + len(keyword.arg or ""))
    edit = scene.rewritten(path, call, [(name, "non_blocking")])
    yield Finding(TEXT.code, path, span, messages.non_blocking(), (edit,))


def _is_torchs(scene: Scene, path: str, call: ast.Call) -> bool:
    """Is the method asked of a tensor or module: of what is shown to be one, or unknown where torch is spoken?"""
    if not isinstance(call.func, ast.Attribute):
        return False
    kind = scene.kind(path, call.func.value)
    if isinstance(kind, Instance):
        return all(_is_module(scene, one) for one in (kind, *kind.others))
    if kind is UNKNOWN and call.func.attr == "cuda" and path in scene.torch_paths:
        return True  # arrays of other libraries have `to` and `type` as well, but no `cuda` that takes `async`
    return isinstance(kind, Tensor) or (kind in (UNKNOWN, OTHER, NOTHING) and scene.kinds.speaks_torch(path))


def _is_module(scene: Scene, kind: Instance) -> bool:
    if isinstance(kind.cls, str):
        return kind.cls.startswith("torch.")
    bases = scene.project.mro(kind.cls)
    return any(isinstance(base, External) and base.name.startswith("torch.") for base in bases)


def _own_methods(scene: Scene) -> frozenset[str]:
    """Names of functions of the project that have a parameter called async."""
    names = set()
    for function in scene.project.functions():
        arguments = function.node.args
        parameters = [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs]
        if not isinstance(function.node, ast.Lambda) and any(is_async(p.arg) for p in parameters):
            names.add(function.node.name)
    return frozenset(names)


RULE = Rule(TEXT, find)
