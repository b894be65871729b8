"""A solver small enough to be seen through: it drops ``volatile=...`` from every call of ``Variable``.

The pipeline around the solver is tested with it: what is held, taken back, guarded, verified and grouped
does not depend on how a plan was found. Names that start with ``refuse`` are refused, sites on lines with
``together`` share one change.
"""

from __future__ import annotations

import ast
from collections.abc import Sequence

from voltfix.model import (
    Change,
    Decision,
    DropArgument,
    Edit,
    Module,
    Options,
    Plan,
    Refusal,
    Site,
    SiteKind,
    Span,
)


def solve(modules: Sequence[Module], options: Options) -> Plan:
    left: list[Decision] = []
    alone: list[Change] = []
    together: list[tuple[Decision, str, Edit]] = []
    for module in modules:
        for site, edit in sites(module):
            line = line_of(module.text, site.span.start)
            if (site.path, site.span.start) in options.held:
                left.append(Decision(site, None, "held", refusal=Refusal("held", "held")))
            elif "refuse" in line:
                left.append(Decision(site, None, "no", refusal=Refusal("toy-reason", "the line says so")))
            elif "keep" in line:
                left.append(Decision(site, None, "is right as it is", kept=True))
            elif "together" in line:
                together.append((Decision(site, "drop", "goes"), module.path, edit))
            else:
                change = Change(
                    "", (Decision(site, "drop", "goes"),), ((module.path, (edit,)),), _touched(module, site)
                )
                alone.append(change)
    if together:
        edits = tuple((path, (edit,)) for _, path, edit in together)
        alone.append(Change("", tuple(decision for decision, _, _ in together), edits))
    changes = [Change(f"c{n}", c.decisions, c.edits, c.touched) for n, c in enumerate(alone, 1)]
    return Plan(tuple(changes), tuple(left))


def sites(module: Module) -> list[tuple[Site, Edit]]:
    found = []
    starts = [0]
    for line in module.text.split("\n"):
        starts.append(starts[-1] + len(line) + 1)

    def span(node: ast.expr | ast.keyword) -> Span:
        assert node.end_lineno is not None
        assert node.end_col_offset is not None
        return Span(
            starts[node.lineno - 1] + node.col_offset, starts[node.end_lineno - 1] + node.end_col_offset
        )

    for node in ast.walk(ast.parse(module.text)):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "Variable":
            for keyword in node.keywords:
                if keyword.arg == "volatile":
                    site = Site(module.path, SiteKind.ARGUMENT, span(keyword), span(node))
                    found.append((site, DropArgument(span(node), span(keyword))))
    return found


def line_of(text: str, offset: int) -> str:
    return text[text.rfind("\n", 0, offset) + 1 :].split("\n", 1)[0]


def _touched(module: Module, site: Site) -> tuple[tuple[str, str], ...]:
    for node in ast.walk(ast.parse(module.text)):
        if (
            isinstance(node, ast.FunctionDef)
            and node.lineno <= module.text[: site.span.start].count("\n") + 1
        ):
            return ((module.path, node.name),)
    return ()
