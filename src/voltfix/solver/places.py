"""Sites by where they stand, and sites that share a change: look-ups that stay cheap when there are thousands."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Sequence

from voltfix.model import Site, SiteKind, Span


class Places:
    """The sites of a project by path and offset."""

    def __init__(self, sites: Sequence[Site]) -> None:
        self._by_path: dict[str, list[tuple[int, int, Site]]] = {}  # start, number among all sites, site
        for number, site in enumerate(sites):
            self._by_path.setdefault(site.path, []).append((site.span.start, number, site))
        for found in self._by_path.values():
            found.sort(key=lambda item: item[:2])

    def within(self, path: str, span: Span) -> list[tuple[int, Site]]:
        """The sites in a span, with their numbers among all sites, in the order of those."""
        found = self._by_path.get(path, [])
        first = bisect_left(found, (span.start, -1), key=lambda item: item[:2])
        last = bisect_left(found, (span.end, -1), key=lambda item: item[:2])
        return sorted((number, site) for _, number, site in found[first:last] if site.span.end <= span.end)

    def around(self, site: Site, kinds: frozenset[SiteKind]) -> list[Site]:
        """The other sites of some kinds on the path of ``site`` that begin where it begins, or before."""
        found = self._by_path.get(site.path, [])
        last = bisect_left(found, (site.span.start + 1, -1), key=lambda item: item[:2])
        return [other for _, _, other in found[:last] if other.kind in kinds and other is not site]


class Groups:
    """Sites that share edits (union-find)."""

    def __init__(self) -> None:
        self._numbers: dict[Site, int] = {}
        self._sites: list[Site] = []
        self._above: list[int] = []

    def find(self, site: Site) -> Site:
        """The site that stands for the group."""
        return self._sites[self._find(self._number(site))]

    def join(self, sites: Iterable[Site]) -> None:
        """Put sites into one group, which the first one's stands for."""
        first: int | None = None
        for site in sites:
            root = self._find(self._number(site))
            if first is None:
                first = root
            self._above[root] = first

    def _number(self, site: Site) -> int:
        number = self._numbers.setdefault(site, len(self._sites))
        if number == len(self._sites):
            self._sites.append(site)
            self._above.append(number)
        return number

    def _find(self, number: int) -> int:
        above = self._above
        while above[number] != number:
            above[number] = number = above[above[number]]  # half the way next time
        return number
