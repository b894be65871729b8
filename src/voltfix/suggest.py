"""What a person could do at a place: the patch of one change, and a guess where voltfix itself refused.

A suggestion is never written by voltfix. It is what the decision would have been with less care: the flag
goes and a block, or ``detach``, comes where it reads well. Whether that does what 0.3 did is for a person to
say.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence

from voltfix import core
from voltfix.analysis.decide import torch_alias
from voltfix.analysis.offsets import Offsets
from voltfix.model import (
    Change,
    Decision,
    Decorate,
    DeleteStatement,
    DropArgument,
    Edit,
    EnsureImport,
    Module,
    Options,
    Plan,
    ReplaceExpression,
    ReplaceStatement,
    Result,
    Site,
    SiteKind,
    SiteResult,
    Span,
    WrapStatements,
)
from voltfix.pipeline.loading import Project, load_project
from voltfix.records import dataclass

# refusals that came after a plan was made: its patch is the suggestion
AFTERWARDS = ("verification-failed", "held-together", "not-written", "outside-paths")
# What to do about these (``rules.refusals``) is no edit that the shape of the code gives away, and a block around all
# of it would do what the refusal warns of.
_FOR_A_PERSON = frozenset(
    {
        "forward-hook",
        "held",
        "mixed-statement",
        "not-provable",
        "state-mixed",
        "unknown-callee",
        "volatile-read",
        "write-into-graph",
    }
)
_BLOCK_ELSEWHERE = "the flag goes; the block belongs around the code that computes on the value, which is not in sight"
_TRAINS = "this is for the case that the line trains: the flag goes; nothing was proved"
# here the flag goes, and what else there is to do is done elsewhere
_FLAG_ALONE = {
    "unseen-callers": _BLOCK_ELSEWHERE,
    "escapes-by-attribute": _BLOCK_ELSEWHERE,
    "escapes-by-global": _BLOCK_ELSEWHERE,
    "gradient-demanded": _TRAINS,
}
_SHAPE = "this is a guess from the shape of the code; nothing was proved"
_Function = (ast.FunctionDef, ast.AsyncFunctionDef)


@dataclass(frozen=True)
class Suggestion:
    """New bytes by path, and a sentence on where they come from."""

    outputs: dict[str, bytes]
    origin: str


class Look:
    """A migrated project, for questions about single places of it."""

    def __init__(self, files: dict[str, bytes], options: Options, result: Result) -> None:
        self.options = options
        self.result = result
        self.project: Project = load_project(files, options)

    def decision(self, row: SiteResult) -> Decision | None:
        """The decision behind a row of the result."""
        return next((d for d in core.decisions(self.result.plan) if self._is(d.site, row)), None)

    def _is(self, site: Site, row: SiteResult) -> bool:
        if site.kind.value != row.code:
            return False
        path, (line, column, cell), _ = self.project.locate(site.path, site.span)
        return (path, line, column, cell) == (row.path, row.line, row.column, row.cell)

    def change(self, row: SiteResult) -> Change | None:
        """The change that fixes a row's site."""
        return _holding(self.result.plan, self.decision(row))

    def outputs(self, changes: Sequence[Change]) -> dict[str, bytes]:
        """The files as they would be with these changes alone; empty where they cannot be carried out."""
        from voltfix.pipeline.carrying import carry_out

        carried = carry_out(self.project, changes)
        return {} if carried.failures else self.project.render(carried.texts)

    def suggestion(self, row: SiteResult) -> Suggestion | None:
        """A patch for a site that was refused, one that its refusal's advice asks for; None where there is none."""
        decision = self.decision(row)
        if decision is None:
            return None
        if row.reason in AFTERWARDS:
            planned = _holding(core.solve(self.project, self.options, {}), decision)
            if planned is not None and (outputs := self.outputs([planned])):
                return Suggestion(outputs, "this is what voltfix planned before a check took it back")
        return None if row.reason in _FOR_A_PERSON else self._guess(decision.site, row.reason or "")

    def _guess(self, site: Site, reason: str) -> Suggestion | None:
        from voltfix.edit import EditError, apply

        module = self.project.module(site.path)
        for edits in guesses(module, site, reason):
            try:
                text = apply(module, list(edits))
                compile(text, site.path, "exec", ast.PyCF_ONLY_AST, dont_inherit=True)
            except (EditError, SyntaxError, ValueError, RecursionError):
                continue
            if outputs := self.project.render({site.path: text}):
                return Suggestion(outputs, _FLAG_ALONE.get(reason, _SHAPE))
        return None


def _holding(plan: Plan, decision: Decision | None) -> Change | None:
    site = decision.site if decision is not None else None
    return next((change for change in plan.changes if any(d.site == site for d in change.decisions)), None)


def guesses(module: Module, site: Site, reason: str) -> Iterator[list[Edit]]:
    """Edits that might do and that the advice on ``reason`` asks for, the likeliest first."""
    tree = ast.parse(module.text)
    offsets = Offsets(module.text)
    torch = torch_alias(tree)
    imports: list[Edit] = [] if torch else [EnsureImport("torch")]
    torch = torch or "torch"
    if site.kind is SiteKind.WRITE:
        yield from _write(module, tree, offsets, site)
        return
    if site.kind is SiteKind.READ:
        yield [ReplaceExpression(site.span, f"not {torch}.is_grad_enabled()"), *imports]
        return
    drop: list[Edit] = [] if _is_splat(module, site) else [DropArgument(site.node, site.span)]
    if reason in _FLAG_ALONE:
        yield drop
        return
    function, suite = _around(tree, offsets, site)
    if isinstance(function, ast.AsyncFunctionDef) and reason == "yield-in-region":
        return  # neither a decorator nor a block may be around an await
    if function is not None and _yields(function):
        yield [*drop, Decorate(offsets.span(function), f"{torch}.no_grad()"), *imports]
    value = _value(module, site)
    header = f"{torch}.no_grad()" if value == "True" else f"{torch}.set_grad_enabled(not ({value}))"
    for first, last in _stretches(suite, offsets, site):
        if first is last and reason == "lazy-evaluation":
            return  # what computes is not in the block
        yield [*drop, WrapStatements(offsets.span(first), offsets.span(last), header), *imports]
    if drop:
        yield drop


def _write(module: Module, tree: ast.Module, offsets: Offsets, site: Site) -> Iterator[list[Edit]]:
    """``x.volatile = False`` cuts the graph; another write marks what follows."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Assign) and offsets.span(node) == site.node:
            target, value = node.targets[0], node.value
            if isinstance(target, ast.Attribute) and isinstance(value, ast.Constant) and not value.value:
                name = ast.unparse(target.value)
                yield [ReplaceStatement(site.node, f"{name} = {name}.detach()")]
    yield [DeleteStatement(site.node)]


def _is_splat(module: Module, site: Site) -> bool:
    return module.text[site.span.start : site.span.start + 2] == "**"


def _value(module: Module, site: Site) -> str:
    """What the flag was set to, as source."""
    text = module.text[site.span.start : site.span.end]
    value = text.partition("=")[2] if text.startswith("volatile") else text
    return "True" if _is_splat(module, site) else value.strip()


def _around(tree: ast.Module, offsets: Offsets, site: Site) -> tuple[ast.AST | None, list[ast.stmt]]:
    """The innermost function around a site, and the innermost suite with a statement that holds it."""
    function: ast.AST | None = None
    suite: list[ast.stmt] = tree.body
    for node in ast.walk(tree):  # breadth first: what comes later is further in
        for name in ("body", "orelse", "finalbody"):
            statements = getattr(node, name, None)
            if isinstance(statements, list) and any(_holds(offsets, s, site.node) for s in statements):
                suite = statements
        if isinstance(node, _Function) and _holds(offsets, node, site.node):
            function = node
    return function, suite


def _stretches(suite: list[ast.stmt], offsets: Offsets, site: Site) -> Iterator[tuple[ast.stmt, ast.stmt]]:
    """From the site's statement to the end of its suite; the statement alone."""
    first = next((s for s in suite if _holds(offsets, s, site.node)), None)
    if first is not None:
        yield first, suite[-1]
        yield first, first


def _yields(function: ast.AST) -> bool:
    return any(isinstance(node, (ast.Yield, ast.YieldFrom)) for node in ast.walk(function))


def _holds(offsets: Offsets, node: ast.AST, span: Span) -> bool:
    """Does the node lie around the span?"""
    own = offsets.span(node)
    return own.start <= span.start and span.end <= own.end
