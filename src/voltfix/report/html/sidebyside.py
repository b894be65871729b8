"""A diff in two columns: old lines on the left, new ones on the right, what changed inside a line marked."""

from __future__ import annotations

import difflib
from collections.abc import Callable, Iterator

from voltfix.report.html.highlight import Highlighted
from voltfix.report.hunks import lines_of
from voltfix.sources.alignment import grouped, opcodes

Escape = Callable[[str], str]
Pair = tuple["int | None", "int | None"]  # a line of the old text, a line of the new one
CONTEXT = 3
MAX_LINES = 20_000  # past that the page would be of no use in a browser


def side_by_side(before: str, after: str, anchor: str, escape: Escape) -> Iterator[str]:
    """The HTML of a diff. Old lines have the id ``ANCHOR-LINE``."""
    old, new = lines_of(before), lines_of(after)
    if max(len(old), len(new)) > MAX_LINES:
        yield '<p class="note">The file is too long to be shown here; see <code>voltfix --diff</code>.</p>'
        return
    left, right = Highlighted(before, escape), Highlighted(after, escape)
    yield '<div class="pair">'
    for index, group in enumerate(grouped(old, new, CONTEXT)):
        if index or group[0][1]:
            yield '<div class="gap">⋯</div>'
        for tag, first, last, start, end in group:
            yield '<div class="same">' if tag == "equal" else '<div class="changed">'
            for one, other in _aligned(old[first:last], new[start:end]):
                a = None if one is None else first + one
                b = None if other is None else start + other
                yield from _row(a, b, old, new, left, right, anchor)
            yield "</div>"
    yield "</div>"


def _aligned(old: list[str], new: list[str]) -> Iterator[Pair]:
    """Lines that say the same but for their indentation stand side by side; the others in turn."""
    for tag, first, last, start, end in opcodes([x.strip() for x in old], [x.strip() for x in new]):
        if tag == "replace" and last - first != end - start:
            yield from _by_likeness(old[first:last], new[start:end], first, start)
        else:
            for n in range(max(last - first, end - start)):
                yield (first + n if first + n < last else None, start + n if start + n < end else None)


def _by_likeness(old: list[str], new: list[str], first: int, start: int) -> Iterator[Pair]:
    """Pair the lines so that they are alike in sum, in order; those that are like nothing stand alone."""
    if len(old) * len(new) > 2500:
        yield from ((first + n, None) for n in range(len(old)))
        yield from ((None, start + n) for n in range(len(new)))
        return
    best = [[0.0] * (len(new) + 1) for _ in range(len(old) + 1)]
    alike = [[difflib.SequenceMatcher(None, one.strip(), two.strip()).ratio() - 0.4 for two in new] for one in old]
    for i in reversed(range(len(old))):
        for j in reversed(range(len(new))):
            best[i][j] = max(alike[i][j] + best[i + 1][j + 1], best[i + 1][j], best[i][j + 1])
    i = j = 0
    while i < len(old) or j < len(new):
        if i < len(old) and j < len(new) and best[i][j] == alike[i][j] + best[i + 1][j + 1]:
            yield first + i, start + j
            i, j = i + 1, j + 1
        elif j == len(new) or (i < len(old) and best[i][j] == best[i + 1][j]):
            yield first + i, None
            i += 1
        else:
            yield None, start + j
            j += 1


def _row(
    a: int | None,
    b: int | None,
    old: list[str],
    new: list[str],
    left: Highlighted,
    right: Highlighted,
    anchor: str,
) -> Iterator[str]:
    same = a is not None and b is not None and old[a] == new[b]
    marks: tuple[list[range], list[range]] = ([], [])
    if a is not None and b is not None and not same:
        marks = changed_ranges(old[a], new[b])
    yield _cell("old", "" if same else "-", a, left, marks[0], f' id="{anchor}-{a + 1}"' if a is not None else "")
    yield _cell("new", "" if same else "+", b, right, marks[1], "")


def _cell(side: str, sign: str, line: int | None, text: Highlighted, marks: list[range], identity: str) -> str:
    if line is None:
        return f'<div class="{side} blank"></div>'
    kind = f"{side} edit" if sign else side
    depth = min(text.depth(line), 60)  # lines that wrap go on below where they begin
    return (
        f'<div class="{kind}"{identity}><span class="no">{line + 1}</span>'
        f'<span class="sign">{sign}</span><code style="--in:{depth}">{text.line(line, marks)}</code></div>'
    )


def changed_ranges(old: str, new: str) -> tuple[list[range], list[range]]:
    """The characters that differ between two lines; nothing is marked where hardly anything is the same."""
    matcher = difflib.SequenceMatcher(None, old, new, autojunk=False)
    if len(old) + len(new) > 2000 or matcher.ratio() < 0.4:
        return [], []
    ours, theirs = [], []
    for tag, first, last, start, end in matcher.get_opcodes():
        if tag != "equal":
            ours += [range(first, last)] if last > first else []
            theirs += [range(start, end)] if end > start else []
    return ours, theirs
