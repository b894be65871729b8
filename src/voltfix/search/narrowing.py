"""A block that was chosen by running is no wider than it has to be: where a narrower one does the same, that is taken.

Of the statements in a wide one those at its ends are left out, by halves; a loop or a choice that is left gives way to
blocks in it; of several blocks each is left out once, and where time is short nothing else is asked. What does the same
without is no part of what a person wraps. At the end each block, wide or not, begins with the first statement that
needs it and ends with the last: the loss and the sum of losses behind ``out = net(x)`` have no graph by themselves.
What stays out may make no graph that volatile saved, whether or not anybody has it at the end.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence
from dataclasses import replace

from voltfix.model import Decorate, Edit, Span, WrapStatements
from voltfix.records import dataclass
from voltfix.search.draft import Draft
from voltfix.search.scene import DEFINITIONS, Scene, Scenes, suites

WIDE = 7  # lines of code in a block that is looked at
SPARED = 2  # lines that stay out of blocks in a statement, or one goes around it
FEW = 2  # blocks in the place of one, and questions where time is short
MOST = 10  # questions
ENDS = 8  # questions about the ends of blocks


def is_narrower(one: Draft, other: Draft) -> bool:
    """Are two drafts the same but for their blocks, and does each block of the one lie in one of the other?

    One without a block says something else: that there is nothing to be turned off.
    """
    narrow, wide = _blocks_of(one), _blocks_of(other)
    if not narrow or set(narrow) == set(wide) or _without_blocks(one) != _without_blocks(other):
        return False
    return all(any(path == where and _lies_in(edit, around) for where, around in wide) for path, edit in narrow)


def _blocks_of(draft: Draft) -> list[tuple[str, Edit]]:
    return [(path, edit) for path, found in draft.edits for edit in found if is_block(edit)]


def is_block(edit: Edit) -> bool:
    """Does an edit turn gradients off? What turns them on again for what trains stays where it is."""
    return isinstance(edit, Decorate) or (
        isinstance(edit, WrapStatements) and not edit.header.endswith("enable_grad()"))


def _without_blocks(draft: Draft) -> dict[str, frozenset[Edit]]:
    rest = {path: frozenset(edit for edit in found if not is_block(edit)) for path, found in draft.edits}
    return {path: edits for path, edits in rest.items() if edits}


def _lies_in(edit: Edit, around: Edit) -> bool:
    one, other = (_place(each) for each in (edit, around))
    return one[0] == other[0] and other[1].start <= one[1].start and one[1].end <= other[1].end


def _place(edit: Edit) -> tuple[str, Span]:
    if isinstance(edit, WrapStatements):
        return edit.header, Span(edit.first.start, edit.last.end)
    assert isinstance(edit, Decorate)
    return edit.decorator, edit.function


@dataclass(frozen=True, eq=False)
class Block:
    """A block around statements ``first`` to ``last`` of a suite."""

    path: str
    suite: list[ast.stmt]
    first: int
    last: int
    header: str


class Narrowing:
    """Makes the blocks of one draft narrower, if all stand in the function ``scope``.

    ``holds``: does a draft do the same as before?
    """

    def __init__(self, scenes: Scenes, draft: Draft, scope: ast.AST, holds: Callable[[Draft], bool]) -> None:
        self.scenes, self.draft, self.scope, self.holds = scenes, draft, scope, holds
        self.left = MOST

    def narrowed(self) -> Draft:
        """The draft with blocks that hold half of it at most; the same where there are none."""
        blocks = self._blocks()
        for block in blocks:
            others = [each for each in blocks if each is not block]
            if self._lines([block]) < WIDE:
                continue
            fewer = self._shrunk(block, others)
            if 2 * self._lines(fewer) <= self._lines([block]):
                blocks = [*others, *fewer]
        return self._with(blocks) if blocks else self.draft

    def trimmed(self) -> Draft:
        """The draft with blocks, in whatever function, that begin and end with what needs them."""
        self.left = ENDS
        blocks = self._halved(self._blocks(everywhere=True))
        for block in sorted(blocks, key=lambda each: -self._lines([each])):
            others = [each for each in blocks if each is not block]
            shorter = self._shorter(self._shorter(block, others, at_end=True), others, at_end=False)
            blocks = [shorter if each is block else each for each in blocks]
        return self._with(blocks) if blocks else self.draft

    def _halved(self, blocks: list[Block]) -> list[Block]:
        """Several blocks with their ends left out together, as often as that does: copies of a loop end alike."""
        while len(blocks) > 1 and any(each.first < each.last for each in blocks):
            tried = [_cut(each, (each.last - each.first + 2) // 2, at_end=True) for each in blocks]
            if not self._does(tried):
                break
            blocks = tried
        return blocks

    def fewer(self) -> Draft:
        """The draft without the blocks that others do without, the longest asked first: what takes least time."""
        blocks = self._blocks()
        self.left = FEW
        for block in sorted(blocks, key=lambda each: -self._lines([each])):
            others = [each for each in blocks if each is not block]
            if others and self._does(others):
                blocks = others
        return self._with(blocks) if blocks else self.draft

    def _shrunk(self, block: Block, others: list[Block]) -> list[Block]:
        if others and self._does(others):
            return []
        block = self._shorter(block, others, at_end=True)
        block = self._shorter(block, others, at_end=False)
        statement = block.suite[block.first]
        inner = [Block(block.path, suite, 0, len(suite) - 1, block.header) for suite in suites(statement)]
        if block.first < block.last or isinstance(statement, DEFINITIONS) or not 0 < len(inner) <= FEW or not (
                self._does([*others, *inner])):
            return [block]
        found: list[Block] = []
        for at, each in enumerate(inner):
            found += self._shrunk(each, [*others, *found, *inner[at + 1 :]])
        saved = self._lines([block]) - self._lines(found)
        return found if len(found) <= FEW and saved > SPARED else [block]

    def _shorter(self, block: Block, others: list[Block], *, at_end: bool) -> Block:
        """The shortest that does: its end, or its beginning, left out by halves."""
        few, all_ = 1, block.last - block.first + 1
        while few < all_:
            half = (few + all_) // 2
            tried = _cut(block, half, at_end=at_end)
            if self._does([*others, tried]):
                all_ = half
            else:
                few = half + 1
        return _cut(block, all_, at_end=at_end)

    def _does(self, blocks: Sequence[Block]) -> bool:
        self.left -= 1
        return self.left >= 0 and self.holds(self._with(blocks))

    def _blocks(self, *, everywhere: bool = False) -> list[Block]:
        """The blocks that turn gradients off; none where one is no block of statements, or in another function."""
        found = []
        for path, edits in self.draft.edits:
            for edit in edits:
                if isinstance(edit, Decorate):
                    return []
                if isinstance(edit, WrapStatements) and is_block(edit):
                    scene = self.scenes.of(path)
                    block = block_of(scene, edit)
                    if block is None or not (everywhere or scene.scope(block.suite[block.first]) is self.scope):
                        return []
                    found.append(block)
        return found

    def _with(self, blocks: Sequence[Block]) -> Draft:
        edits = []
        blocks = sorted(blocks, key=lambda each: (each.path, each.suite[each.first].lineno))
        for path, found in self.draft.edits:
            scene = self.scenes.of(path)
            kept = [edit for edit in found if not is_block(edit)]
            kept += [WrapStatements(scene.span(each.suite[each.first]), scene.span(each.suite[each.last]), each.header)
                     for each in blocks if each.path == path]
            edits.append((path, tuple(kept)))
        how = f"{self.draft.how.split(' (')[0]}, no wider than it has to be"
        return replace(self.draft, how=how, edits=tuple(edits))

    def _lines(self, blocks: Sequence[Block]) -> int:
        """How many lines of code stand in blocks."""
        count = 0
        for block in blocks:
            lines = self.scenes.of(block.path).module.text.split("\n")
            first, last = block.suite[block.first], block.suite[block.last]
            inside = (line.strip() for line in lines[first.lineno - 1 : last.end_lineno])
            count += sum(bool(line) and not line.startswith("#") for line in inside)
        return count


def _cut(block: Block, count: int, *, at_end: bool) -> Block:
    if at_end:
        return Block(block.path, block.suite, block.first, block.first + count - 1, block.header)
    return Block(block.path, block.suite, block.last - count + 1, block.last, block.header)


def block_of(scene: Scene, edit: WrapStatements) -> Block | None:
    """The suite that a block stands in."""
    for node in ast.walk(scene.tree):
        for name in ("body", "orelse", "finalbody"):
            suite = getattr(node, name, None)
            if not isinstance(suite, list) or not suite or not isinstance(suite[0], ast.stmt):
                continue
            at = [n for n, each in enumerate(suite) if scene.span(each) in (edit.first, edit.last)]
            if at:
                return Block(scene.module.path, suite, at[0], at[-1], edit.header)
    return None
