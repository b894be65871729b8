from __future__ import annotations

from voltfix.model import Site, SiteKind, Span
from voltfix.solver.places import Groups, Places


def site(start: int, end: int) -> Site:
    return Site("a.py", SiteKind.ARGUMENT, Span(start, end), Span(start, end))


def test_sites_within_a_span():
    one, two = site(1, 2), site(5, 6)
    assert [found for _, found in Places([one, two]).within("a.py", Span(0, 3))] == [one]


def test_sites_that_are_joined_have_one_head():
    one, two, three = site(1, 2), site(5, 6), site(8, 9)
    groups = Groups()
    groups.join([one, two])
    assert groups.find(one) == groups.find(two)
    assert groups.find(three) == three
