"""Jupyter notebooks: all code cells are one module; only the source lines that change are written anew."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from voltfix.model import FileError, Module, Origin
from voltfix.records import dataclass
from voltfix.sources import decoding, rawjson
from voltfix.sources.alignment import opcodes
from voltfix.sources.decoding import Decoded
from voltfix.sources.document import Document
from voltfix.sources.joined import Joined, join
from voltfix.sources.legible import Readable, make_readable
from voltfix.sources.rawjson import Node, Spelling

# outputs hold images; only the code is parsed
MAX_BYTES = 200_000_000
# cell magics whose cell is Python all the same
_PYTHON_MAGICS = frozenset(["time", "timeit", "capture", "prun", "memit", "mprun", "lprun", "snakeviz"])
_CELL_MAGIC = re.compile(r"\s*%%(\w+)")


@dataclass(frozen=True)
class Cell:
    """A code cell: its number among all cells (from 1), where its source stands, and the source."""

    number: int
    node: Node
    source: str


@dataclass(frozen=True)
class NotebookDocument(Document):
    """A notebook: one module of all code cells, none where there is no Python in it."""

    path: str
    modules: tuple[Module, ...]
    decoded: Decoded
    cells: tuple[Cell, ...]
    joined: Joined

    def render(self, texts: Mapping[int, str]) -> bytes:
        """See ``Document.render``."""
        return self.written(self.joined.split(texts[0]) if 0 in texts else {})

    def written(self, changed: Mapping[int, str]) -> bytes:
        """The notebook with new sources of some cells, by their index among the code cells."""
        raw = self.decoded.text
        for index in sorted(changed, reverse=True):
            node = self.cells[index].node
            raw = raw[: node.start] + _written(raw, node, changed[index]) + raw[node.end :]
        return self.decoded.encode(raw)

    def locate(self, module: int, offset: int) -> tuple[int, int, int | None]:
        """See ``Document.locate``."""
        index, inner = self.joined.locate(offset)
        return (*self.joined.position(index, inner), self.cells[index].number)


def load(path: str, data: bytes) -> Document | FileError:
    """Load a notebook."""
    decoded = decoding.decode(path, data, cookies=False, limit=MAX_BYTES)
    if isinstance(decoded, FileError):
        return decoded
    try:
        root = rawjson.parse(decoded.text)
    except RecursionError:
        return FileError(path, None, "syntax", "the notebook's JSON is nested too deeply")
    except ValueError as error:
        return FileError(path, getattr(error, "lineno", None), "syntax", f"is no notebook: {error}")
    cells = _cells(root)
    if cells is None:
        return FileError(path, None, "syntax", "is no notebook: it has no cells")
    if not _speaks_python(root):
        cells = []
    readables: list[Readable | None] = []
    for cell in cells:
        readable = _readable(cell.source)
        if isinstance(readable, SyntaxError):
            if "volatile" in cell.source:
                place = f"cell {cell.number}, line {readable.lineno}: {readable.msg}"
                return FileError(path, readable.lineno, "syntax", place)
            readable = None
        readables.append(readable)
    joined = join(readables, [cell.source for cell in cells])
    origins = tuple(Origin(line, 1, cells[index].number) for index, line in joined.first_lines())
    magics = tuple(word for readable in readables if readable is not None and readable.shield is not None
                   for word in readable.shield.words.values() if word.startswith("%"))
    module = Module(path, joined.text, joined.barriers, "notebook", origins, magics, joined.python2)
    modules = (module,) if joined.text else ()
    return NotebookDocument(path, modules, decoded, tuple(cells), joined)


def _readable(source: str) -> Readable | SyntaxError | None:
    magic = _CELL_MAGIC.match(source)
    if magic and magic.group(1) not in _PYTHON_MAGICS:
        return None
    if len(source) > decoding.MAX_BYTES:
        return SyntaxError("the cell is too large")
    return make_readable(source, magics=True)


def _cells(root: Node) -> list[Cell] | None:
    """Return the code cells of format 4, or of format 3 with its worksheets; None if it is neither."""
    top = root.get("cells")
    sheets = root.get("worksheets")
    if top is not None:
        nodes, name = top.elements(), "source"
    elif sheets is not None:
        parts = [sheet.get("cells") for sheet in sheets.elements()]
        nodes, name = [node for part in parts if part for node in part.elements()], "input"
    else:
        return None
    found = []
    for number, node in enumerate(nodes, 1):
        kind, source = node.get("cell_type"), node.get(name)
        text = _source(source)
        if kind is not None and kind.string() == "code" and source is not None and text is not None:
            found.append(Cell(number, source, text))
    return found


def _source(node: Node | None) -> str | None:
    """Return a cell's source, which is a string or a list of them."""
    if node is None:
        return None
    if isinstance(node.value, list):
        lines = [element.string() for element in node.value]
        return None if None in lines else "".join(line for line in lines if line is not None)
    return node.string()


def _speaks_python(root: Node) -> bool:
    metadata = root.get("metadata")
    for part in ("language_info", "kernelspec"):
        node = metadata.get(part) if metadata else None
        name = node.get("name" if part == "language_info" else "language") if node else None
        value = name.string() if name else None
        if value:
            return "python" in value.lower()
    return True


# --- writing a cell's source


def _written(raw: str, node: Node, new: str) -> str:
    """Return the JSON of a cell's source with new text, in the shape it has."""
    strings = node.elements() if isinstance(node.value, list) else [node]
    raws = [raw[each.start : each.end] for each in strings]
    spelling = Spelling(raws, ascii_only=raw.isascii())
    new_lines = _lines(new)
    old = [spelled for each in raws for spelled in _spelled_lines(each)]
    bodies = _bodies(old, new_lines, spelling)
    if not isinstance(node.value, list):
        return '"' + "".join(bodies) + '"'
    if not strings:
        return raw[node.start : node.end]
    if not bodies:
        return "[]"
    head = raw[node.start : strings[0].start]
    tail = raw[strings[-1].end : node.end]
    between = raw[strings[0].end : strings[1].start] if len(strings) > 1 else _separator(head)
    return head + between.join(f'"{body}"' for body in bodies) + tail


def _separator(head: str) -> str:
    space = head[1:]
    return f",{space}" if space else ", "


def _bodies(old: Sequence[tuple[str, str]], new: list[str], spelling: Spelling) -> list[str]:
    """Return how each new line is spelled: as before where it is an old one."""
    bodies: list[str] = []
    for tag, i1, i2, j1, j2 in opcodes([line for line, _ in old], new):
        if tag == "equal":
            bodies += [body for _, body in old[i1:i2]]
        else:
            bodies += [spelling.body(line) for line in new[j1:j2]]
    return bodies


def _spelled_lines(raw: str) -> list[tuple[str, str]]:
    """Cut a JSON string into lines, each with its spelling."""
    import json

    lines: list[tuple[str, str]] = []
    current: list[str] = []
    for piece in [*rawjson.characters(raw), None]:
        if piece is not None:
            current.append(piece)
        if current and (piece is None or json.loads(f'"{piece}"') == "\n"):
            body = "".join(current)
            lines.append((json.loads(f'"{body}"'), body))
            current = []
    return lines


def _lines(text: str) -> list[str]:
    return re.findall(r"[^\n]*\n|[^\n]+", text)
