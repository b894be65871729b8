"""VF209: names that Python and NumPy gave up since, where they keep a file from starting."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from voltfix.model import Edit, EnsureImport, ReplaceStatement, Span
from voltfix.modernize import messages
from voltfix.modernize.finding import Finding, Rule
from voltfix.modernize.scene import Scene
from voltfix.modernize.writing import atom, renamed, replaced
from voltfix.program.bindings import Builtin
from voltfix.rules.text import RuleText

TEXT = RuleText(
    code="VF209",
    name="names that Python and NumPy gave up",
    what="""
        `np.float`, `np.int`, `np.bool` and `np.object` become Python's own names, `collections.Iterable`
        and its siblings come from `collections.abc`, `inspect.getargspec` is `getfullargspec`, and
        `it.next()` of what `iter()` made is `next(it)`.
    """,
    why="A script of 2017 that cannot import, or stops at its first batch, is not migrated.",
    before="""
        from collections import Iterable
        batch = data_iter.next()
        x = x.astype(np.float)
    """,
    after="""
        from collections.abc import Iterable
        batch = next(data_iter)
        x = x.astype(float)
    """,
    safety="""
        Safe: NumPy's names were Python's own types, and the others are the same objects. `next` is
        rewritten only where the name is shown to hold what the built-in `iter` made.
    """,
    references=("https://numpy.org/doc/stable/release/1.24.0-notes.html",),
    default=False,
)
_NUMPY = {f"numpy.{name}": name for name in ("float", "int", "bool", "object", "complex", "str")}
_NUMPY |= {"numpy.long": "int", "numpy.unicode": "str"}
_ABSTRACT = frozenset(
    "Callable Container Generator Hashable ItemsView Iterable Iterator KeysView Mapping MutableMapping"  # noqa: SIM905
    " MutableSequence MutableSet Sequence Set Sized ValuesView Awaitable Coroutine".split()
)


def find(scene: Scene, path: str) -> Iterator[Finding]:
    """Names that are gone."""
    for node in scene.nodes(path):
        if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Load):
            yield from _attribute(scene, path, node)
        elif isinstance(node, ast.ImportFrom) and node.module == "collections" and not node.level:
            yield from _import(scene, path, node)
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "next":
            yield from _next(scene, path, node, node.func)


def _attribute(scene: Scene, path: str, node: ast.Attribute) -> Iterator[Finding]:
    name = scene.outside(path, node)
    if name is None:
        return
    new: str | None = None
    edits: tuple[Edit, ...] = ()
    if name in _NUMPY and scene.project.resolve(path, None, _NUMPY[name]) == Builtin(_NUMPY[name]):
        new = _NUMPY[name]
    elif name == "inspect.getargspec":
        yield _argspec(scene, path, node)
        return
    elif name.rpartition(".")[0] == "collections" and node.attr in _ABSTRACT:
        new, edits = f"collections.abc.{node.attr}", (EnsureImport("collections.abc"),)
    if new is not None:
        finding = replaced(scene, path, node, new)
        message = messages.successor(scene.text(path, node), new)
        yield Finding(TEXT.code, path, scene.span(path, node), message, (finding, *edits))


def _argspec(scene: Scene, path: str, node: ast.Attribute) -> Finding:
    """``getfullargspec``, which gives seven values, the first four as before; ``keywords`` is called ``varkw``."""
    edit, end = renamed(scene, path, node, "getfullargspec"), scene.span(path, node).end
    name = Span(end - len(node.attr), end), "getfullargspec"
    call = scene.project.parent(path, node)
    above = scene.project.parent(path, call) if isinstance(call, ast.Call) and call.func is node else None
    if isinstance(above, ast.Attribute) and above.attr == "keywords":
        whole = scene.span(path, above)
        edit = scene.rewritten(path, above, [name, (Span(whole.end - len(above.attr), whole.end), "varkw")])
    elif isinstance(above, ast.Assign) and isinstance(above.targets[0], (ast.Tuple, ast.List)):
        assert isinstance(call, ast.Call)
        whole = scene.span(path, call)
        edit = scene.rewritten(path, call, [name, (Span(whole.end, whole.end), "[:4]")])
    message = messages.successor(scene.text(path, node), edit.text)
    return Finding(TEXT.code, path, scene.span(path, node), message, (edit,))


def _import(scene: Scene, path: str, node: ast.ImportFrom) -> Iterator[Finding]:
    moved = [alias for alias in node.names if alias.name in _ABSTRACT]
    if not moved:
        return
    lines = []
    for module, names in (
        ("collections", [alias for alias in node.names if alias not in moved]),
        ("collections.abc", moved),
    ):
        if names:
            listed = ", ".join(f"{a.name} as {a.asname}" if a.asname else a.name for a in names)
            lines.append(f"from {module} import {listed}")
    span = scene.span(path, node)
    above = scene.project.parent(path, node)
    if isinstance(above, (ast.Try, ast.ExceptHandler)):  # it minds both places already
        return
    yield Finding(TEXT.code, path, span, messages.abstract(), (ReplaceStatement(span, "\n".join(lines)),))


def _next(scene: Scene, path: str, call: ast.Call, func: ast.Attribute) -> Iterator[Finding]:
    if call.args or call.keywords or not isinstance(func.value, ast.Name):
        return
    reached = scene.kinds.reaches(path, func.value)
    made = [reach.value for reach in reached if reach.how == "value" and not reach.path]
    if reached and len(made) == len(reached) and all(_is_iter(scene, path, value) for value in made):
        text = f"next({atom(scene, path, func.value)})"
        span = scene.span(path, call)
        yield Finding(TEXT.code, path, span, messages.next_of(), (replaced(scene, path, call, text),))


def _is_iter(scene: Scene, path: str, value: ast.expr | None) -> bool:
    if not isinstance(value, ast.Call) or len(value.args) != 1:
        return False
    return scene.project.resolve(path, None, value.func) == Builtin("iter")


RULE = Rule(TEXT, find)
