"""What is said of a flag that goes: the comment behind it or on the line above, and the entry of a docstring,
or a sentence of it that begins with what the parameter does.

``# volatile: inference only`` becomes ``# inference only``; a comment that says nothing without the word goes; one that
does not speak of it stays. Of several sentences, each on lines of its own, those at the end that speak of it go; of
several in one line those before it stay, and so does what stands round a parenthesis that speaks of it. A comment at
the head of a paragraph speaks of all flags in it. A comment below speaks of a flag where it says that what the
statement above it binds is volatile. What tells what the word means goes with the last of it in a function. Where the
flag is asked of a name ``volatile`` that stays, comments may speak of that.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Sequence
from itertools import takewhile

from voltfix.edit.conflicts import cover
from voltfix.edit.statements import DIRECTIVE
from voltfix.model import DeleteStatement, DropArgument, DropParameter, Edit, ReplaceExpression, ReplaceStatement, Span
from voltfix.records import dataclass
from voltfix.sources.lexer import CLOSING, OPENING, lex

_WORD = re.compile(r"\bvolatile\b", re.I)
_LEADING = re.compile(r"#\s*volatile\s*(?:[:,;-]+|=(?!=)(?!\s*\w))\s*(?P<rest>\S.*)", re.I)
_AS_IN_CODE = re.compile(r"\bvolatile\s*=")
_ATTRIBUTE = re.compile(r"\.volatile\b")
_KEYWORD = re.compile(r"^\s*volatile\s*=(?!=)")
_MORE = re.compile(r"[.!?]\s+\w|;|\b(?:TODO|FIXME|XXX|HACK)\b")  # another sentence, or work that somebody has to do
_BEGINS = re.compile(r"(?P<word>[A-Z][a-z']*)\b")  # a sentence, unless it is a name of the code
_GLOSS = re.compile(r"#+\s*[`'\"*]{0,2}volatile[`'\"*]{0,2}\s+means\b", re.I)  # a sentence, however it is written
_BOUND = re.compile(r"[ \t]*(?P<names>\w+(?:[ \t]*,[ \t]*\w+)*)[ \t]*=(?!=)")
_DEF = re.compile(r"^[ \t]*(?:async[ \t]+)?def\b", re.M)
_ASIDE = re.compile(r"\s\([^()]*\bvolatile\b[^()]*\)|(?<=#)\s*\([^()]*\bvolatile\b[^()]*\)(?=\s*\w)", re.I)
_PART = re.compile(r"(?<=;)\s+|(?<=\w{4}[.!])\s+(?=[A-Z])")  # a short word may be one cut short: "etc. ", "cf. "
_SECTION = re.compile(r"\s*(?:Args|Arguments|Parameters|Params|Keyword Args|Keyword Arguments)\s*:?\s*$")


_QUOTES = re.compile(r"\"{3}|'{3}|[\"']")

_WHOLE = (DeleteStatement, ReplaceExpression, ReplaceStatement)


@dataclass(frozen=True)
class Remark:
    """Put ``text`` in the place of a comment, or of lines of a docstring."""

    span: Span
    text: str


def remarks(text: str, edits: Sequence[Edit]) -> list[Remark]:
    """What has to be said otherwise, or no more, once ``edits`` are carried out."""
    replaced = [cover(edit) for edit in edits if isinstance(edit, (ReplaceExpression, ReplaceStatement))]
    going = [cover(edit) for edit in edits if isinstance(edit, (DropArgument, DropParameter, *_WHOLE))]
    found = dict.fromkeys(remark for edit in edits for of in (_of_edit, _above) for remark in of(text, edit, going))
    for of_all in (_below, _glosses):
        more = [remark for edit in edits if isinstance(edit, DropArgument) for remark in of_all(text, edit, going)]
        found.update(dict.fromkeys(each for each in more if not any(_meets(each.span, other.span) for other in found)))
    return [each for each in found if not any(_meets(each.span, span) for span in replaced)]


def _of_edit(text: str, edit: Edit, going: Sequence[Span]) -> Iterator[Remark]:
    if isinstance(edit, DropArgument):
        if not _asks_what_stays(text, edit.argument, going):
            yield from _behind(text, edit.argument.end)
    elif isinstance(edit, DropParameter):
        yield from _behind(text, edit.parameter.end)
        name = re.match(r"\*{0,2}(\w+)", text[edit.parameter.start : edit.parameter.end])
        if name is not None:
            entries = list(_in_docstring(text, edit.function, name[1]))
            yield from entries
            yield from (each for each in _in_prose(text, edit.function, name[1])
                        if not any(_meets(each.span, entry.span) for entry in entries))


def _meets(one: Span, two: Span) -> bool:
    return one.start < two.end and two.start < one.end


def _behind(text: str, end: int) -> Iterator[Remark]:
    """The comment at the end of the line, where it speaks of the flag."""
    for token in lex(text, end):
        if token.kind == "newline":
            return
        if token.kind == "comment":
            comment = text[token.start : token.end]
            if _WORD.search(comment):
                rest = _rest(comment)
                start = token.start if rest else len(text[: token.start].rstrip(" \t"))
                yield Remark(Span(start, token.end), f"# {rest}" if rest else "")
            return


def _rest(comment: str) -> str:
    """What a comment says beside that something is volatile."""
    lead = _LEADING.match(comment)
    if lead is not None:
        return lead["rest"] if not _WORD.search(lead["rest"]) else ""
    if _is_code(said := comment.lstrip("#").strip(), [said]):
        return ""
    parts = _PART.split(_ASIDE.sub("", comment))
    before = list(takewhile(lambda part: not _WORD.search(part), parts))
    left = " ".join(before).lstrip("#").rstrip(" ;").strip()
    return left if left.count("(") == left.count(")") and re.search(r"[^\W\d_]", left) else ""


def _asks_what_stays(text: str, argument: Span, going: Sequence[Span]) -> bool:
    """Does a flag ask for a name ``volatile`` that the function still has, once the flag is gone?"""
    value = _KEYWORD.sub("", text[argument.start : argument.end])
    return _WORD.search(value) is not None and _stays_around(text, text.rfind("\n", 0, argument.start) + 1, going)


def _above(text: str, edit: Edit, going: Sequence[Span]) -> Iterator[Remark]:
    """The comment on the lines above, where it speaks of the flag and no other below it stays.

    Of several sentences on several lines nobody can take one out, unless all that they speak of is a statement that
    goes. Code that is commented out is no remark on what stands below it.
    """
    if isinstance(edit, DropArgument):
        places = {text.rfind("\n", 0, at): at for at in (edit.argument.start, edit.call.start)}
        for at in () if _asks_what_stays(text, edit.argument, going) else places.values():
            yield from _above_line(text, edit, at, going)
    elif isinstance(edit, DeleteStatement):
        yield from _above_line(text, edit, edit.span.start, going)


def _above_line(text: str, edit: DropArgument | DeleteStatement, at: int, going: Sequence[Span]) -> Iterator[Remark]:
    here = text.rfind("\n", 0, at) + 1
    line = text[here:at] if isinstance(edit, DropArgument) else f"{text[here:at]}x"
    head = _head(text, here, _indent(line))
    lines = list(_comments_above(text, head, _indent(line)))
    if not line.strip() or not _speaks(text, lines) or _stays_below(text, max(head - 1, 0), going):
        return
    whole = Span(lines[0].start, head)
    if len(lines) > 1:
        sentences = list(_sentences(text, lines))
        alone = isinstance(edit, DeleteStatement) and head == here and _ends_paragraph(text, edit.span.end)
        if alone or all(_is_about_it(text, sentence) for sentence in sentences):
            yield Remark(whole, "")
        elif (start := _last_about_it(text, sentences)) is not None:
            yield Remark(Span(start, head), "")
        return
    start = whole.start + _indent(line)
    comment = text[start:head].rstrip()
    rest = _rest(comment)
    yield Remark(Span(start, start + len(comment)), f"# {rest}") if rest else Remark(whole, "")


def _speaks(text: str, lines: Sequence[Span]) -> bool:
    """Do lines of comments speak of the flag? Code that is commented out does not, and what is said to voltfix."""
    said = _said(text, lines)
    asks = any(DIRECTIVE.search(text, span.start, span.end) for span in lines)
    plain = lines and "voltfix" not in said and _WORD.search(said) and not asks
    return bool(plain and not _is_code(said, [_said(text, [span]) for span in lines])
                and all(_is_comment(text, span) for span in lines))


def _said(text: str, lines: Sequence[Span]) -> str:
    return " ".join(text[span.start : span.end].strip().lstrip("#").strip() for span in lines)


def _sentences(text: str, lines: Sequence[Span]) -> Iterator[list[Span]]:
    """The lines of a comment by the sentences that begin on them; one that begins within a line has none of its own."""
    found: list[Span] = []
    names = {text[token.start : token.end] for token in lex(text, 0) if token.kind == "name"}
    for line in lines:
        word = _BEGINS.match(_said(text, [line]))
        begins = _tells_meaning(text, line) or (word is not None and word["word"] not in names)
        if found and (begins or _said(text, found).endswith((".", "!", "?"))):
            yield found
            found = []
        found.append(line)
    yield found


def _is_about_it(text: str, sentence: Sequence[Span]) -> bool:
    """Does what stands on these lines, and nothing else, speak of the flag?"""
    said = _said(text, sentence)
    return _WORD.search(said) is not None and not _MORE.search(said)


def _last_about_it(text: str, sentences: Sequence[Sequence[Span]]) -> int | None:
    """Where the sentences at the end of a comment begin that speak of the flag; None if one before them does, too."""
    count = 0
    while count < len(sentences) and _is_about_it(text, sentences[-1 - count]):
        count += 1
    before = [line for sentence in sentences[: len(sentences) - count] for line in sentence]
    if not count or _WORD.search(_said(text, before)):
        return None
    empty = list(takewhile(lambda line: not _said(text, [line]), reversed(before)))
    return empty[-1].start if empty else sentences[-count][0].start


def _below(text: str, edit: DropArgument, going: Sequence[Span]) -> Iterator[Remark]:
    """The comment between a statement and the next one, where it speaks of the flag of what the statement binds.

    Not where a flag stays in the function.
    """
    here = text.rfind("\n", 0, edit.call.start) + 1
    bound = _BOUND.match(text, here, edit.call.start)
    if bound is None:
        return
    lines = list(_comments_below(text, _end_of_statement(text, here), _indent(text[here : bound.end()])))
    name = rf"(?:{'|'.join(_names(bound))})"
    about = re.compile(rf"{name}\b(?:(?:,| and) {name}\b)* (?:is|are|was|were) volatile\b|volatile\W+{name}\b", re.I)
    if not _speaks(text, lines) or not about.match(_said(text, lines)):
        return
    sentences = _sentences(text, lines)
    if all(_is_about_it(text, sentence) for sentence in sentences) and not _stays_around(text, here, going):
        yield Remark(Span(lines[0].start, lines[-1].end), "")


def _glosses(text: str, edit: DropArgument, going: Sequence[Span]) -> Iterator[Remark]:
    """What tells in a function what the word means (``# volatile means ...``), where the word stays nowhere in it."""
    if _GLOSS.search(text) is None:
        return
    at = text.rfind("\n", 0, edit.call.start) + 1
    first, last = _around(text, at)
    comments = [token for token in lex(text, 0) if token.kind == "comment" and first <= token.start < last]
    glosses = [token for token in comments if _GLOSS.match(text, token.start)]
    for token in glosses if not _stays_around(text, at, going) else ():
        start = text.rfind("\n", 0, token.start) + 1
        lines = _whole_comment(text, start)
        if not text[start : token.start].strip() and lines and _speaks(text, lines):
            begins = _last_about_it(text, list(_sentences(text, lines)))
            if begins is not None:
                yield Remark(Span(begins, lines[-1].end), "")


def _whole_comment(text: str, at: int) -> list[Span]:
    """The lines of comments that one which begins at ``at`` is among."""
    end = at
    while text[end:].partition("\n")[0].lstrip().startswith("#"):
        end = text.find("\n", end) + 1 or len(text)
    return list(_comments_above(text, end, _indent(text[at:].partition("\n")[0])))


def _tells_meaning(text: str, line: Span) -> bool:
    return _GLOSS.match(text[line.start : line.end].strip()) is not None


def _names(bound: re.Match[str]) -> list[str]:
    return [name.strip() for name in bound["names"].split(",")]


def _end_of_statement(text: str, start: int) -> int:
    """Where the line ends on which the statement does that begins at ``start``."""
    depth = 0
    for token in lex(text, start):
        if token.kind == "newline" and depth <= 0:
            return token.end
        if token.kind == "op":
            piece = text[token.start : token.end]
            depth += (piece in OPENING) - (piece in CLOSING)
    return len(text)


def _comments_below(text: str, end: int, indent: int) -> Iterator[Span]:
    """The first lines of comments alone behind ``end``, of this indent, where no code stands before them."""
    found = False
    while end < len(text):
        start, end = end, (text.find("\n", end) + 1) or len(text)
        line = text[start:end]
        if not line.strip() and not found:
            continue
        if not line.strip().startswith("#") or _indent(line) != indent:
            return
        found = True
        yield Span(start, end)


def _around(text: str, at: int) -> tuple[int, int]:
    """From the head of a function to the next one."""
    heads = [head.start() for head in _DEF.finditer(text)]
    return (max((head for head in heads if head <= at), default=0),
            min((head for head in heads if head > at), default=len(text)))


def _stays_around(text: str, at: int, going: Sequence[Span]) -> bool:
    """Is there something volatile left in the code of the function, or of the file outside of any?"""
    first, last = _around(text, at)
    return any(not any(span.start <= token.start < span.end for span in going)
               for token in lex(text, first) if first <= token.start < last
               and token.kind == "name" and _WORD.fullmatch(text[token.start : token.end]))


def _is_code(said: str, lines: Sequence[str]) -> bool:
    """Was code commented out, and no sentence written? That parses, alone or all of it, or ends in the middle."""
    if _ATTRIBUTE.search(said) or not _AS_IN_CODE.search(said):
        return _ATTRIBUTE.search(said) is not None
    asked = [line for line in lines if _AS_IN_CODE.search(line)]
    return any(map(_parses, (said, *asked))) or any(
        line.endswith((":", ",", "\\")) or line.count("(") != line.count(")") for line in asked)


def _parses(line: str) -> bool:
    try:
        ast.parse(line)
    except (SyntaxError, ValueError):
        return False
    return True


def _head(text: str, here: int, indent: int) -> int:
    """Where the code of the paragraph begins which the line at ``here`` is in; that line, if no comment heads it."""
    start = here
    while start > 0:
        above = text.rfind("\n", 0, start - 1) + 1
        line = text[above:start]
        if line.strip().startswith("#"):
            return start
        if not line.strip() or _indent(line) != indent:
            return here
        start = above
    return here


def _comments_above(text: str, here: int, indent: int) -> Iterator[Span]:
    """The lines directly above one that begins at ``here`` which are comments alone; none if one stands elsewhere."""
    found: list[Span] = []
    end = here
    while end > 0:
        start = text.rfind("\n", 0, end - 1) + 1
        if not text[start:end].strip().startswith("#"):
            break
        found.append(Span(start, end))
        end = start
    if all(_indent(text[span.start : span.end]) == indent for span in found):
        yield from reversed(found)


def _is_comment(text: str, line: Span) -> bool:
    """Does a line that looks like a comment not stand in a string?"""
    start = line.start + _indent(text[line.start : line.end])
    return any(token.kind == "comment" and token.start == start for token in lex(text, line.start))


def _ends_paragraph(text: str, end: int) -> bool:
    """Does nothing follow directly that the comment above a statement could speak of, too?"""
    following = text[text.find("\n", end) + 1 :].partition("\n")[0] if "\n" in text[end:] else ""
    return not following.strip() or following.lstrip().startswith("#")


def _stays_below(text: str, at: int, going: Sequence[Span]) -> bool:
    """Is there something volatile left in the lines that follow, up to an empty one?"""
    start = text.find("\n", at) + 1 or len(text)
    empty = re.compile(r"^[ \t]*(#.*)?$", re.M).search(text, start)
    for word in _WORD.finditer(text, start, empty.start() if empty is not None else len(text)):
        if not any(span.start <= word.start() < span.end for span in going):
            return True
    return False


def _in_docstring(text: str, function: Span, name: str) -> Iterator[Remark]:
    """The lines of a function's docstring that tell of a parameter."""
    span = _docstring(text, function)
    if span is None or "\n" not in text[span.start : span.end]:
        return
    start = text.rfind("\n", 0, span.start) + 1
    lines = text[start : span.end].splitlines(keepends=True)
    entry = re.compile(
        rf"(?P<indent>\s*)(?:[-*+]\s+)?(?::(?:param|type|parameter|arg|keyword)\s+(?:[^:]*\s)?{name}\s*:|"
        rf"(?P<quote>[`'\"*]{{0,2}}){name}(?P=quote)\s*(?:\([^)]*\))?\s*:(?!:)|{name}\s+:\s)"
    )
    at = start
    for number, line in enumerate(lines):
        found = entry.match(line)
        inside = 0 < number < len(lines) - 1
        if found is not None and inside:
            last = number + 1
            while last < len(lines) - 1 and lines[last].strip() and _indent(lines[last]) > len(found["indent"]):
                last += 1
            first = number - 1 if _alone(lines, number, last) else number
            low = at - (len(lines[first]) if first < number else 0)
            yield Remark(Span(low, low + sum(map(len, lines[first:last]))), "")
        at += len(line)


def _in_prose(text: str, function: Span, name: str) -> Iterator[Remark]:
    """The sentences of a function's docstring that tell what a parameter does (``If volatile is set, ...``)."""
    span = _docstring(text, function)
    quotes = _QUOTES.match(text, span.start, span.end) if span is not None else None
    if span is None or quotes is None:
        return
    about = _subject(name)
    start, end = span.start + len(quotes[0]), span.end - len(quotes[0])
    if "\n" in text[start:end]:
        yield from _whole_lines(text, start, end, about)
        return
    parts = [(part, about.match(part)) for part in _PART.split(text[start:end].strip())]
    left = " ".join(part for part, found in parts if not found)
    if left and any(found for _, found in parts):
        yield Remark(Span(start, end), left)
    elif not left and parts[0][1] and not _may_be_read(text, function) and (
            whole := _own_lines(text, span)) is not None:
        yield Remark(whole, "")


def _may_be_read(text: str, function: Span) -> bool:
    """May somebody read the docstring of a function: a decorator (of a command), or who names ``__doc__``?"""
    head = text[: text.rfind("\n", 0, function.start) + 1].rstrip().rpartition("\n")[2].lstrip()
    return "__doc__" in text or text[function.start] == "@" or head.startswith(("@", ")"))


def _subject(name: str) -> re.Pattern[str]:
    """How a sentence begins that says what a parameter does. One of another name may be any word of the sentence."""
    bare = name if _WORD.fullmatch(name) else rf"{name}(?=\s*(?:is|=+)\s*(?:True|False)\b)"
    named = rf"(?:(?P<quote>[`'\"*]{{1,2}}){name}(?P=quote)|{bare})"
    begins = r"\s*(?:(?P<asks>(?:if|when|unless)\s+)|\w+\s+)?"
    return re.compile(rf"{begins}{named}\s*(?:=|:(?!:)|is\b|(?(asks),|(?!)))", re.I)


def _own_lines(text: str, span: Span) -> Span | None:
    """The lines of a statement which begins a suite that goes on below it; None of any other."""
    start, end = text.rfind("\n", 0, span.start) + 1, text.find("\n", span.end) + 1
    if text[start : span.start].strip() or not end or text[span.end : end].strip():
        return None
    code = (line for line in text[end:].splitlines() if line.strip() and not line.lstrip().startswith("#"))
    return Span(start, end) if _indent(next(code, "")) == span.start - start else None


def _whole_lines(text: str, start: int, end: int, about: re.Pattern[str]) -> Iterator[Remark]:
    """The lines of a docstring that are a sentence about something and nothing else; those with its quotes stay."""
    lines = text[start:end].splitlines(keepends=True)
    at = start + len(lines[0])
    first = 1
    while first < len(lines) - 1:
        last = first + 1
        while last < len(lines) - 1 and lines[last].strip() and not _is_end(lines[last - 1]):
            last += 1
        size = sum(map(len, lines[first:last]))
        sentence = "".join(lines[first:last])
        below = lines[last].strip() if last < len(lines) else ""
        if _is_end(lines[first - 1]) and about.match(sentence) and not _MORE.search(sentence.strip().rstrip(".!?")):
            alone = first > 1 and not lines[first - 1].strip() and not below
            low = at - len(lines[first - 1]) if alone else at
            yield Remark(Span(low, at + size), "")
        at, first = at + size, last


def _is_end(line: str) -> bool:
    """Does a sentence end with a line?"""
    return not line.strip() or line.rstrip().endswith((".", "!", "?"))


def _alone(lines: list[str], number: int, last: int) -> bool:
    """Is an entry the only one below the heading of its section?"""
    following = lines[last] if last < len(lines) else ""
    return bool(_SECTION.match(lines[number - 1])) and number > 1 and (
        not following.strip() or _indent(following) <= _indent(lines[number - 1]))


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip())


def _docstring(text: str, function: Span) -> Span | None:
    """Where the docstring of the function at a span stands."""
    tokens = [token for token in lex(text, function.start) if token.start < function.end]
    depth, colon = 0, False
    for token in tokens:
        piece = text[token.start : token.end]
        if token.kind == "op" and piece in "([{":
            depth += 1
        elif token.kind == "op" and piece in ")]}":
            depth -= 1
        elif token.kind == "op" and piece == ":" and not depth:
            colon = True
        elif colon and token.kind == "string":
            return Span(token.start, token.end) if _is_plain(piece) else None
        elif colon and token.kind not in ("space", "newline", "comment"):
            return None
    return None


def _is_plain(string: str) -> bool:
    """Is it a string that is a docstring as it is written?"""
    try:
        return isinstance(ast.literal_eval(string), str)
    except (SyntaxError, ValueError):
        return False
