"""One look of a rule at a project: modules in, findings out. Pure; nothing is edited here."""

from __future__ import annotations

from collections.abc import Collection

from voltfix.model import Options, Refusal, Span
from voltfix.modernize import messages
from voltfix.modernize.choosing import is_on
from voltfix.modernize.finding import Finding, Rule
from voltfix.modernize.scene import Scene


def look(
    scene: Scene, rule: Rule, options: Options, paths: Collection[str], with_sites: Collection[str]
) -> list[Finding]:
    """What one rule finds in the modules at ``paths`` where it is on."""
    found = [
        finding
        for path in paths
        if is_on(rule, options, with_site=path in with_sites)
        for finding in _found(scene, rule, path)
    ]
    return sorted(set(found), key=lambda f: (f.path, f.span))


def _found(scene: Scene, rule: Rule, path: str) -> list[Finding]:
    """What a rule finds in a module; a rule that fails says so, and leaves the module alone."""
    try:
        return list(rule.find(scene, path))
    except Exception as error:  # no input makes the core raise, and no rule takes the others down
        message = messages.failed(rule.code, f"{type(error).__name__}: {error}")
        return [Finding(rule.code, path, Span(0, 0), message, refusal=Refusal("internal-error", message))]
