"""Where volatility is decided: the sites of a project (contract: "Sites"). Syntax and names only.

A site is a volatile argument of torch's Variable, or of a function of the project that hands it on to
Variable unchanged; or a read or write of ``.volatile`` on a tensor. A text (``'on'``) is a flag of chainer's: PyTorch
raised at one, so that it makes no site where torch is not imported.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from voltfix.flags.mappings import Holds, holds
from voltfix.flags.propagation import Argument, Passing
from voltfix.flags.tensors import Tensors
from voltfix.model import Site, SiteKind
from voltfix.program.rebound import written_strings
from voltfix.program.resolve import Project

_NAME = "volatile"


def find(project: Project, passing: Passing | None = None) -> list[Site]:
    """The sites of all modules, ordered by path and place; ``passing`` where it is there already."""
    passing = passing or project.computed(Passing)
    found = [site for path, call in passing.calls if passing.may_carry(call)
             for site in _of_call(project, passing, path, call)]
    tensors = Tensors(project, passing)
    for path in project.paths:
        if _NAME in project.modules[path].text or "attr(" in project.modules[path].text:
            found += _attributes(project, tensors, path)
    return sorted(set(found), key=lambda site: (site.path, site.span, site.kind.value))


def of_no_tensor(project: Project) -> frozenset[tuple[str, str]]:
    """The ``x.volatile`` that ask or set a setting of that name, not a tensor's flag: path and text."""
    tensors = Tensors(project, project.computed(Passing))
    asked: dict[bool, set[tuple[str, str]]] = {True: set(), False: set()}
    for path in project.paths:
        table = project.table(path) if _NAME in project.modules[path].text else None
        for node in table.owner if table is not None else ():
            if isinstance(node, ast.Attribute) and node.attr == _NAME:
                asked[_asks_tensor(project, tensors, path, node)].add((path, ast.unparse(node)))
    return frozenset(asked[False] - asked[True])


# --- arguments ---------------------------------------------------------------------------------------------


def _of_call(project: Project, passing: Passing, path: str, call: ast.Call) -> Iterator[Site]:
    flags, arguments = passing.arguments(path, call)
    kind = SiteKind.ARGUMENT if flags.direct else SiteKind.WRAPPER
    for argument in arguments:
        if flags.direct and _is_chainers(project, path, argument.value):
            continue
        if _counts(project, path, argument, flags.direct):
            yield Site(path, kind, project.span(path, argument.node), project.span(path, call))


def _counts(project: Project, path: str, argument: Argument, direct: bool) -> bool:
    """A ``**`` counts unless it surely holds no flag; into a wrapper, only if it surely holds one."""
    if argument.starred == "**":
        answer = holds(project, path, argument.value, argument.keywords)
        return answer is Holds.YES or (direct and answer is Holds.UNKNOWN)
    return not argument.starred


# --- attributes --------------------------------------------------------------------------------------------


def _attributes(project: Project, tensors: Tensors, path: str) -> Iterator[Site]:
    table = project.table(path)
    for node in table.owner if table is not None else ():
        if isinstance(node, ast.Attribute) and node.attr == _NAME:
            if _asks_tensor(project, tensors, path, node):
                yield _of_attribute(project, path, node)
        elif isinstance(node, ast.Call):
            kind = _by_string(project, path, node)
            if kind is SiteKind.WRITE and _is_chainers(project, path, node.args[2] if len(node.args) > 2 else None):
                continue
            if kind is not None and tensors.is_tensor(path, node.args[0]):
                yield _of_string(project, path, node, kind)


def _asks_tensor(project: Project, tensors: Tensors, path: str, node: ast.Attribute) -> bool:
    around = project.parent(path, node)
    written = around.value if isinstance(around, ast.Assign) else None
    return not _is_chainers(project, path, written) and tensors.is_tensor(path, node.value)


def _is_chainers(project: Project, path: str, written: ast.AST | None) -> bool:
    """A text for a flag, in a file that does not import torch."""
    texts = [written.body, written.orelse] if isinstance(written, ast.IfExp) else [written]
    return all(isinstance(each, ast.Constant) and isinstance(each.value, str) for each in texts) and (
        "torch" not in project.imported_libraries(path))


def _of_attribute(project: Project, path: str, node: ast.Attribute) -> Site:
    span = project.span(path, node)
    if isinstance(node.ctx, ast.Load):
        return Site(path, SiteKind.READ, span, span)
    return Site(path, SiteKind.WRITE, span, project.span(path, _statement(project, path, node)))


def _of_string(project: Project, path: str, call: ast.Call, kind: SiteKind) -> Site:
    span = project.span(path, call)
    around = _statement(project, path, call) if kind is SiteKind.WRITE else call
    return Site(path, kind, span, project.span(path, around))


def _by_string(project: Project, path: str, call: ast.Call) -> SiteKind | None:
    """``setattr(x, "volatile", ...)`` and ``getattr(x, "volatile", ...)``, the name written out or a constant's."""
    if not isinstance(call.func, ast.Name) or len(call.args) < 2:
        return None
    kind = {"setattr": SiteKind.WRITE, "getattr": SiteKind.READ}.get(call.func.id)
    return kind if kind is not None and _NAME in written_strings(project, path, call.args[1]) else None


def _statement(project: Project, path: str, node: ast.AST) -> ast.AST:
    return next((above for above in project.parents(path, node) if isinstance(above, ast.stmt)), node)
