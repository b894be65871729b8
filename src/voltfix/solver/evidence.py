"""What a decision rests on, in sentences with places: the evidence of reports, JSON and ``explain``.

Blocks say what they cover when they are made. Here is said why a flag, or a read, could go without one: each premise
holds over everything that was interpreted, and where a caller decides, over all callers (``claims``).
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING

from voltfix.machine.facts import CallKey
from voltfix.machine.values import SiteKey
from voltfix.model import Site, SiteKind
from voltfix.program.telling import place
from voltfix.solver.claims import Callers

if TYPE_CHECKING:
    from voltfix.program.resolve import Project
    from voltfix.solver.fixpoint import Outcome

_SHOWN = 4  # places in one sentence


class Premises:
    """Finds what the decisions of one outcome rest on."""

    def __init__(self, project: Project, outcome: Outcome, callers: Callers) -> None:
        self.project = project
        self.callers = callers
        self.met: dict[SiteKey, dict[tuple[str, ast.AST], str]] = {}  # what its volatile values went into
        self.on: set[SiteKey] = set()  # flags that are true on some path
        for machine in outcome.machines.values():
            self.on |= machine.on
            for key, places in machine.met.items():
                self.met.setdefault(key, {}).update(places)

    def of_flag(self, site: Site, key: SiteKey, call: ast.AST, value: ast.AST | None) -> Iterator[str]:
        """Why a flag, or a write of one, could go without a block."""
        at = place(self.project, site.path, call)
        if site.kind is SiteKind.WRITE and (key not in self.on):
            yield f"{at}: the tensor that it is taken off has no graph: it is made in a block, or of what has none"
            return
        if isinstance(value, ast.Constant) and not value.value:
            yield f"{at}: the flag is {value.value!r}, which is what it is without it"
            return
        if key not in self.on:
            yield f"{at}: the flag is False on every path{self.by_callers(site, call)}"
            return
        met = self.met.get(key, {})
        if not met:
            yield f"{at}: nothing is computed with the tensor that it marks{self.by_callers(site, call)}"
            return
        shown = [f"{place(self.project, path, node)} ({what})" for (path, node), what in met.items()]
        more = f" and {len(shown) - _SHOWN} more" if len(shown) > _SHOWN else ""
        yield f"what it marks only goes where no graph is built, or none is reached: {', '.join(shown[:_SHOWN])}{more}"

    def of_run(self, key: SiteKey, harmless: Iterable[CallKey]) -> Iterator[str]:
        """That the program ran on 0.3: what unknown code gave, and was sent backward, was not volatile."""
        known = set(harmless)
        for path, node in self.met.get(key, {}):
            if (path, getattr(node, "lineno", 0), getattr(node, "col_offset", 0)) in known:
                at = place(self.project, path, node)
                yield f"{at}: the program ran on 0.3, and gradients are asked of what this call gives: not volatile"

    def by_callers(self, site: Site, node: ast.AST) -> str:
        """Where the callers stand that decide: `` (all callers: a.py:3, b.py:9)``."""
        for above in self.project.parents(site.path, node):
            function = self.project.function(site.path, above)
            if function is not None:
                calls = [place(self.project, path, call) for path, call in self.callers.seen(function)]
                if not calls:
                    return ""
                more = f" and {len(calls) - _SHOWN} more" if len(calls) > _SHOWN else ""
                return f" (all callers: {', '.join(calls[:_SHOWN])}{more})"
        return ""

    def of_wrapper(self, inner: list[Site], where: Callable[[Site], str]) -> Iterator[str]:
        """Why the argument of a function that hands the flag on has no effect of its own left."""
        if inner:
            shown = [where(site) for site in inner[:_SHOWN]]
            yield f"the flag goes to {', '.join(shown)} alone, where it was taken care of"

    def of_read(self, site: Site, node: ast.AST, constant: str | None) -> Iterator[str]:
        """Why a read could become what it became."""
        at = place(self.project, site.path, node)
        if constant is not None:
            yield f"{at}: the tensor is made in view, of nothing else: it is {constant} on every path"
        else:
            yield f"{at}: every call that hands in a volatile tensor, seen or possible, runs in a block now"

