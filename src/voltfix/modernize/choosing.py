"""Which of the VF2xx rules are on; those that are not are not even imported."""

from __future__ import annotations

from voltfix.model import Options
from voltfix.modernize.finding import Rule
from voltfix.rules.selecting import selected


def rules(options: Options) -> tuple[Rule, ...]:
    """The rules that may be on somewhere, in the order in which they act."""
    if options.modernize or _asked(options):
        from voltfix.modernize.registry import RULES

        return RULES
    from voltfix.modernize import vf203_async  # the one that is on by default

    return (vf203_async.RULE,)


def is_on(rule: Rule, options: Options, *, with_site: bool) -> bool:
    """Does the rule act on a file? ``with_site``: the file holds a volatile site."""
    asked = _asked(options)
    if not asked and not options.modernize and not (rule.text.default and with_site and not options.select):
        return False
    return selected(rule.code, asked, options.ignore)


def _asked(options: Options) -> tuple[str, ...]:
    return tuple(prefix for prefix in options.select if prefix.startswith("VF2"))
