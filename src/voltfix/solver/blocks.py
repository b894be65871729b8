"""From a layout to edits: blocks, wrapped expressions, decorated functions, and what is said of them."""

from __future__ import annotations

import ast
from collections.abc import Iterable

from voltfix.machine.facts import Fact
from voltfix.model import (
    Site,
    Strategy,
)
from voltfix.program.telling import lines, stretch
from voltfix.rules import premises
from voltfix.rules.messages import Done, How
from voltfix.solver.case import Case
from voltfix.solver.roots import Body, Planned
from voltfix.strategies import block, detach

_COVERED = {"call": premises.call_covered, "detached": premises.detached, "whole": premises.whole_covered}


def layouts(case: Case, _: set[Site]) -> None:
    """The edits of all regions."""
    for key, planned in case.outcome.planned.items():
        body = case.outcome.bodies[key]
        if not isinstance(body.node, ast.AST):
            continue
        regions(case, body, planned)
        wraps(case, body, planned)
        if planned.layout.whole is not None:
            whole(case, body, planned)


def regions(case: Case, body: Body, planned: Planned) -> None:
    """The blocks around statements."""
    for region in planned.layout.regions:
        torch, imports = case.torch_name(body.path, region.first)
        sites = case.sites_of({s for f in region.facts for s in f.sites})
        text = planned.texts[id(region.first)]
        context = block.header(torch, text, id(region.first) in case.outcome.reentered)
        first, last = case.project.span(body.path, region.first), case.project.span(body.path, region.last)
        case.edits.append((sites, body.path, [block.block(first, last, context), *imports]))
        strategy: Strategy = "set_grad_enabled" if text else "no_grad"
        end = region.last.end_lineno or region.last.lineno
        tell(case, sites, strategy, body.path, (region.first.lineno, end), "wrapped", context, region.facts)


def wraps(case: Case, body: Body, planned: Planned) -> None:
    """The expressions that are covered on their own."""
    for wrap in planned.layout.wraps:
        torch, imports = case.torch_name(body.path, wrap.node)
        sites = case.sites_of({s for f in wrap.facts for s in f.sites})
        at = wrap.node.lineno, wrap.node.lineno
        if wrap.how == "call" and isinstance(wrap.node, ast.Call):
            edit = block.wrapped(case.project.span(body.path, wrap.node.func), torch)
            case.edits.append((sites, body.path, [edit, *imports]))
            tell(case, sites, "no_grad", body.path, at, "call", "", wrap.facts)
        else:
            case.edits.append((sites, body.path, [detach.result(case.project.span(body.path, wrap.node))]))
            tell(case, sites, "detach", body.path, at, "detached", "", wrap.facts)


def whole(case: Case, body: Body, planned: Planned) -> None:
    """The function that runs under ``no_grad`` as a whole."""
    torch, imports = case.torch_name(body.path, body.node)
    facts = planned.layout.whole or ()
    sites = case.sites_of({s for f in facts for s in f.sites})
    span = case.project.span(body.path, body.node)
    edit = block.wrapped(span, torch) if isinstance(body.node, ast.Lambda) else block.decorator(span, torch)
    case.edits.append((sites, body.path, [edit, *imports]))
    line = getattr(body.node, "lineno", 0)
    tell(case, sites, "no_grad", body.path, (line, line), "whole", "", facts)


def _name_of(node: ast.AST) -> str:
    """What a call calls, as it stands in the code; empty where that is more than a name."""
    text = ast.unparse(node.func) if isinstance(node, ast.Call) else ""
    return text if text.replace(".", "").replace("_", "").isalnum() else ""


def tell(
    case: Case, sites: Iterable[Site], strategy: Strategy, path: str, at: tuple[int, int], how: How, header: str,
    facts: Iterable[object],
) -> None:  # fmt: skip
    """Note for sites what was done from line to line of a module, and on what grounds."""
    grounds: dict[bool, set[int]] = {}
    for f in facts:
        in_view = not (isinstance(f, Fact) and f.text == "call")
        grounds.setdefault(in_view, set()).add(getattr(getattr(f, "chain", (None,))[0], "lineno", 0))
    told = [(premises.needs_block, grounds.get(True, set())),
            (premises.may_need_block, grounds.get(False, set()) - grounds.get(True, set()))]
    for site in sites:
        lines_of = stretch(case.project, path, *at, read_in=site.path)
        case.done.setdefault(site, []).append(Done(how, lines_of, header))
        sentence = premises.covered(lines_of, header) if header else _COVERED[how](lines_of)
        proof = [say(lines(case.project, path, at_lines, read_in=site.path)) for say, at_lines in told if at_lines]
        if case.strategies.get(site) not in ("set_grad_enabled", "requires_grad_"):
            case.strategies[site] = strategy
        unknown: dict[str, set[int]] = {}
        for fact in (f for f in facts if isinstance(f, Fact) and f.text == "call"):
            unknown.setdefault(_name_of(fact.chain[-1]), set()).add(getattr(fact.chain[0], "lineno", 0))
        taken = [
            premises.counts_as_volatile(lines(case.project, path, at_lines, read_in=site.path), name)
            for name, at_lines in unknown.items()
        ]
        for text in (sentence, *proof, *taken):
            if text not in case.evidence.setdefault(site, []):
                case.evidence[site].append(text)
