"""The flag alone goes: nothing that computes on the value has a graph, or its block is there already."""

from __future__ import annotations

from collections.abc import Iterator

from voltfix.search.draft import Draft, Sketch
from voltfix.search.group import Group
from voltfix.search.kinds.flag import without_flag
from voltfix.search.scene import Scenes


def drafts(scenes: Scenes, group: Group) -> Iterator[Draft]:
    """The flag taken out."""
    sketch = Sketch()
    if without_flag(sketch, group):
        yield sketch.draft("the flag alone", "drop")
