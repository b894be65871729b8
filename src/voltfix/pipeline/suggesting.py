"""What a person could do at a place: the patch of one change, and a guess where voltfix itself refused.

A suggestion is never written by voltfix. It is what the decision would have been with less care: the flag
goes and a block, or ``detach``, comes where it reads well. Whether that does what 0.3 did is for a person to
say.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence

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
from voltfix.pipeline.holds import decisions
from voltfix.pipeline.loading import Project, load_project
from voltfix.pipeline.settling import solve
from voltfix.program.positions import Offsets
from voltfix.records import dataclass
from voltfix.solver.case import torch_alias
from voltfix.sources.alignment import opcodes

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
_BLOCK_ELSEWHERE = "it removes the flag alone; the block belongs where the tensor is used, which is not in sight"
_TRAINS = "it removes the flag, for the case that the line trains; nothing was proved"
# here the flag goes, and what else there is to do is done elsewhere
_FLAG_ALONE = {
    "unseen-callers": _BLOCK_ELSEWHERE,
    "escapes-by-attribute": _BLOCK_ELSEWHERE,
    "escapes-by-global": _BLOCK_ELSEWHERE,
    "gradient-demanded": _TRAINS,
}
_SHAPE = "this is a guess from the shape of the code; nothing was proved"
_TAKEN_BACK = "this is what voltfix planned before a check took it back"
_GUESS = "it rests on what code outside of the project does; --unsafe-fixes writes it"
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
        return next((d for d in decisions(self.result.plan) if self._is(d.site, row)), None)

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

    def change_of_line(self, path: str, line: int) -> Change | None:
        """The change that rewrites a line of a file, whether or not a site stands on it."""
        old = self.project.files[path].splitlines()
        for change in self.result.plan.changes:
            if not any(self.project.file_of(each) == path for each, edits in change.edits if edits):
                continue
            new = self.outputs([change]).get(path, self.project.files[path]).splitlines()
            if any(tag != "equal" and start < line <= end for tag, start, end, _, _ in opcodes(old, new)):
                return change
        return None

    def suggestion(self, row: SiteResult) -> Suggestion | None:
        """A patch for a site that was refused, one that its refusal's advice asks for; None where there is none."""
        decision = self.decision(row)
        if decision is None:
            return None
        if row.reason in AFTERWARDS or row.suggested:
            planned = _holding(solve(self.project, self.options, {}), decision)
            if planned is not None and (outputs := self.outputs([planned])):
                return Suggestion(outputs, _GUESS if row.suggested else _TAKEN_BACK)
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
        yield from _write(tree, offsets, site)
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
    for first, last in _stretches(tree, suite, offsets, site):
        if first is last and reason == "lazy-evaluation":
            return  # what computes is not in the block
        yield [*drop, WrapStatements(offsets.span(first), offsets.span(last), header), *imports]
    if drop:
        yield drop


def _write(tree: ast.Module, offsets: Offsets, site: Site) -> Iterator[list[Edit]]:
    """``x.volatile = False`` cuts the graph of what reads x below; another write marks what follows."""
    function, suite = _around(tree, offsets, site)
    at = next((number for number, s in enumerate(suite) if _holds(offsets, s, site.node)), None)
    node = suite[at] if at is not None else None
    if at is None or not isinstance(node, ast.Assign):
        return
    target, value = node.targets[0], node.value
    owner = target.value if isinstance(target, ast.Attribute) else target
    if isinstance(owner, ast.Name) and _is_each(function or tree, owner.id, node):
        return  # one of many that somebody else holds: another object under that name changes none of them
    if isinstance(value, ast.Constant) and not value.value:
        name = ast.unparse(owner)
        if not isinstance(owner, ast.Name) or any(owner.id in _mentioned(s) for s in suite[at + 1 :]):
            yield [ReplaceStatement(site.node, f"{name} = {name}.detach()")]
    yield [DeleteStatement(site.node)]


def _is_each(around: ast.AST, name: str, statement: ast.stmt) -> bool:
    """Is it the name of a loop around the statement, that takes one element after another?"""
    loops = [n for n in ast.walk(around) if isinstance(n, (ast.For, ast.AsyncFor)) and statement in ast.walk(n)]
    return any(name in _mentioned(loop.target) for loop in loops)


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


def _stretches(
    tree: ast.Module, suite: list[ast.stmt], offsets: Offsets, site: Site
) -> Iterator[tuple[ast.stmt, ast.stmt]]:
    """From the site's statement to the last that computes on what it makes; the statement alone.

    Not beyond what trains, what defines or imports; none where nothing but the making would stand in it.
    """
    at = next((number for number, s in enumerate(suite) if _holds(offsets, s, site.node)), None)
    if at is None or _trains(suite[at], tree):
        return
    first = last = suite[at]
    names = _bound(first)
    for statement in suite[at + 1 :]:
        if isinstance(statement, (*_Function, ast.ClassDef, ast.Import, ast.ImportFrom)) or _trains(statement, tree):
            break
        if names & _mentioned(statement):
            last, names = statement, names | _bound(statement)
    if last is not first:
        yield first, last
    if not _only_makes(first, offsets, site):
        yield first, first


def _trains(node: ast.AST, tree: ast.Module) -> bool:
    """Is ``backward`` called in it, or by a function of the module that it mentions?"""
    direct = any(isinstance(n, ast.Attribute) and n.attr == "backward" for n in ast.walk(node))
    functions = {n.name: n for n in ast.walk(tree) if isinstance(n, _Function)}
    waiting, seen = [*(_mentioned(node) & functions.keys())], set[str]()
    while waiting and not direct:
        name = waiting.pop()
        if name not in seen:
            seen.add(name)
            body = functions[name]
            direct = any(isinstance(n, ast.Attribute) and n.attr == "backward" for n in ast.walk(body))
            waiting += _mentioned(body) & functions.keys()
    return direct


def _mentioned(node: ast.AST) -> set[str]:
    """The names that stand in a node, those of methods included."""
    nodes = [n for n in ast.walk(node) if isinstance(n, (ast.Name, ast.Attribute))]
    return {n.id if isinstance(n, ast.Name) else n.attr for n in nodes}


def _bound(node: ast.AST) -> set[str]:
    """The names that a statement binds."""
    return {n.id for n in ast.walk(node) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)}


def _only_makes(statement: ast.stmt, offsets: Offsets, site: Site) -> bool:
    """Is the site's call all that a statement does, but for moving what it makes?"""
    value = getattr(statement, "value", None)
    while isinstance(value, ast.Call) and isinstance(value.func, ast.Attribute) and offsets.span(value) != site.node:
        value = value.func.value
    return isinstance(value, ast.AST) and hasattr(value, "lineno") and offsets.span(value) == site.node


def _yields(function: ast.AST) -> bool:
    return any(isinstance(node, (ast.Yield, ast.YieldFrom)) for node in ast.walk(function))


def _holds(offsets: Offsets, node: ast.AST, span: Span) -> bool:
    """Does the node lie around the span?"""
    own = offsets.span(node)
    return own.start <= span.start and span.end <= own.end
