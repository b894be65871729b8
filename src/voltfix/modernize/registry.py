"""The VF2xx rules, in the order in which they act, and which of them are on."""

from __future__ import annotations

from voltfix.model import Options
from voltfix.modernize import vf203_async
from voltfix.modernize.finding import Rule
from voltfix.pipeline.suppression import selected

RULES: tuple[Rule, ...] = (vf203_async.RULE,)


def rules_on(options: Options, *, with_site: bool) -> tuple[Rule, ...]:
    """The rules that act on a file; ``with_site``: the file holds a volatile site."""
    return tuple(rule for rule in RULES if _is_on(rule, options, with_site))


def _is_on(rule: Rule, options: Options, with_site: bool) -> bool:
    asked = tuple(prefix for prefix in options.select if prefix.startswith("VF2"))
    if not asked and not options.modernize and not (rule.text.default and with_site and not options.select):
        return False
    return selected(rule.code, asked, options.ignore)
