"""What a rule says about itself: one text for ``voltfix rule``, the documentation and SARIF."""

from __future__ import annotations

from collections.abc import Iterator
from textwrap import dedent, indent

from voltfix.records import dataclass


@dataclass(frozen=True)
class RuleText:
    """A rule under fixed headings. ``before`` and ``after`` are Python; ``refusals`` are kebab-case
    reasons."""

    code: str
    name: str
    what: str
    why: str
    before: str
    after: str
    safety: str
    refusals: tuple[str, ...] = ()
    references: tuple[str, ...] = ()
    default: bool = True  # on without --modernize
    when: str | None = None  # when else it acts

    @property
    def summary(self) -> str:
        """One line for lists: code, name, and whether it is on by default."""
        where = "" if self.default else " (in repair)" if self.when else " (with --modernize)"
        return f"{self.code}  {self.name}{where}"

    def markdown(self) -> str:
        """The whole text as Markdown."""
        return "\n".join(self._parts()).rstrip() + "\n"

    def _parts(self) -> Iterator[str]:
        yield f"# {self.code}: {self.name}\n"
        on = "On by default." if self.default else "On with `--modernize`, or by `--select`."
        yield f"{self.when or on}\n"
        yield from _section("What it does", self.what)
        yield from _section("Why", self.why)
        yield f"## Example\n\n{_code(self.before)}\n"
        yield f"## Becomes\n\n{_code(self.after)}\n"
        yield from _section("Fix safety", self.safety)
        if self.refusals:
            yield from _section("Refuses", "\n".join(f"- `{reason}`" for reason in self.refusals))
        if self.references:
            yield from _section("References", "\n".join(f"- {reference}" for reference in self.references))


def _section(title: str, body: str) -> Iterator[str]:
    yield f"## {title}\n"
    yield dedent(body).strip("\n").rstrip() + "\n"


def _code(source: str) -> str:
    return indent(dedent(source).strip("\n"), "    ")
