"""One look of the rules at a project: modules in, findings out. Pure; nothing is edited here."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from voltfix.model import Module, Options
from voltfix.modernize.finding import Finding
from voltfix.modernize.registry import rules_on
from voltfix.modernize.scene import Scene


def run(
    modules: Sequence[Module],
    options: Options,
    *,
    with_sites: Collection[str] = (),
    editable: Collection[str] | None = None,
) -> list[Finding]:
    """What the rules that are on find in ``modules``, ordered by place.

    ``with_sites`` are the modules that hold a volatile site (there the default rules act too); modules that are
    not ``editable`` (None: all are) are read, and nothing is reported of them.
    """
    found: list[Finding] = []
    scene: Scene | None = None
    for module in modules:
        if editable is not None and module.path not in editable:
            continue
        rules = rules_on(options, with_site=module.path in with_sites)
        if not rules:
            continue
        scene = scene or Scene(modules, options)
        for rule in rules:
            found += rule.find(scene, module.path)
    return sorted(set(found), key=lambda f: (f.path, f.span, f.code))
