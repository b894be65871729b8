"""How the house stands: its size, whether its arrows point one way, and how far one site has to walk through it.

    python benchmarks/house.py [SRC]      figures of a source tree (this one), as docs/architecture.md has them

- *lines, files*: of SRC/voltfix.
- *circles*: groups of modules that import each other, wherever in a file the import stands; with and without those
  for type checkers alone.
- *arrows up*: imports from a package to one above it, by the order in ``LAYERS``.
- *words in tables*: texts in collections that are constants of a module or class; messages (with a space in them),
  and the folders whose business is words, are not counted.
- *guesses*: the tables of ``torchmodel/names.py``, where every guess from a name has to stand.
- *files that one site passes through*: of a small program, with the number of calls from one file into another.
"""

from __future__ import annotations

import argparse
import ast
import itertools
import sys
from collections.abc import Iterator
from pathlib import Path
from types import FrameType
from typing import Any

# From the bottom to the top; those in one line may not know each other's insides but where the order here says so.
LAYERS = (
    ("records", "version", "model", "deadline", "tokens", "torchmodel", "domains", "processes", "rules"),
    ("sources", "program", "strategies"),
    ("flags", "discovery"),
    ("machine", "edit"),
    ("solver", "modernize"),
    ("pipeline", "writes"),
    ("search",),
    ("core",),
    ("repair",),
    ("rulebook",),
    ("report",),
    ("api",),
    ("lsp", "batch", "cli"),
)
WORDY = ("rules", "report", "cli", "batch", "lsp", "verify", "repair")  # messages, options, columns; the runner's own
PROGRAM = """\
import torch
from torch.autograd import Variable

def evaluate(model, loader):
    total = 0
    for data, target in loader:
        output = model(Variable(data, volatile=True))
        total += (output.data.max(1)[1] == target).sum()
    return total
"""


class Import:
    """One import: of which module, by which, in which line; only for type checkers or not."""

    def __init__(self, source: str, target: str, line: int, typing: bool) -> None:
        self.source, self.target, self.line, self.typing = source, target, line, typing


def modules(root: Path) -> dict[str, Path]:
    found = {}
    for path in sorted((root / "voltfix").rglob("*.py")):
        name = ".".join(path.relative_to(root).with_suffix("").parts)
        found[name.removesuffix(".__init__")] = path
    return found


def statements(node: ast.AST) -> Iterator[ast.AST]:
    """The statements in a node: no expression holds one."""
    for field in ("body", "handlers", "orelse", "finalbody", "cases"):
        for inner in getattr(node, field, ()):
            yield inner
            yield from statements(inner)


def imports(files: dict[str, Path]) -> Iterator[Import]:
    for name, path in files.items():
        tree = ast.parse(path.read_text())
        nodes = list(statements(tree))
        blocks = [n for n in nodes if isinstance(n, ast.If) and "TYPE_CHECKING" in ast.unparse(n.test)]
        typing = {id(inner) for block in blocks for inner in statements(block)}
        for node in nodes:
            wanted = []
            if isinstance(node, ast.Import):
                wanted = [alias.name for alias in node.names]
            elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
                wanted = [
                    full if (full := f"{node.module}.{alias.name}") in files else node.module for alias in node.names
                ]
            for target in {each for each in wanted if each in files and each != name}:
                yield Import(name, target, node.lineno, id(node) in typing)


def circles(edges: dict[str, set[str]]) -> list[list[str]]:
    """Strongly connected groups of more than one module (Tarjan 1972)."""
    number: dict[str, int] = {}
    low: dict[str, int] = {}
    stack: list[str] = []
    found: list[list[str]] = []

    def visit(at: str) -> None:
        number[at] = low[at] = len(number)
        stack.append(at)
        for other in sorted(edges.get(at, ())):
            if other not in number:
                visit(other)
                low[at] = min(low[at], low[other])
            elif other in stack:
                low[at] = min(low[at], number[other])
        if low[at] == number[at]:
            group = [stack.pop()]
            while group[-1] != at:
                group.append(stack.pop())
            if len(group) > 1:
                found.append(sorted(group))

    for each in sorted(edges):
        if each not in number:
            visit(each)
    return found


def layer(module: str) -> int | None:
    part = module.split(".")[1] if "." in module else ""
    return next((at for at, some in enumerate(LAYERS) if part in some), None)


def goes_up(each: Import) -> bool:
    source, target = layer(each.source), layer(each.target)
    return source is not None and target is not None and source < target


def functions(files: dict[str, Path]) -> list[tuple[int, str]]:
    found = []
    for name, path in files.items():
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                found.append(((node.end_lineno or 0) - node.lineno + 1, f"{name.removeprefix('voltfix.')}.{node.name}"))
    return sorted(found, reverse=True)


def tables(path: Path) -> Iterator[tuple[str, int]]:
    """The collections of words that are constants of a module or class, with the number of words in each."""
    tree = ast.parse(path.read_text())
    bodies = [tree.body, *(node.body for node in ast.walk(tree) if isinstance(node, ast.ClassDef))]
    for statement in itertools.chain(*bodies):
        if isinstance(statement, ast.Assign | ast.AnnAssign) and statement.value is not None:
            target = statement.targets[0] if isinstance(statement, ast.Assign) else statement.target
            words = list(words_of(statement.value))
            if words and isinstance(target, ast.Name) and target.id not in ("__all__", "__slots__"):
                yield target.id, len(words)


def words_of(value: ast.expr) -> Iterator[str]:
    """The words of collections, also of those written as one text that is split, by ``split`` or a ``_words``."""
    if isinstance(value, ast.Constant):
        return
    for node in ast.walk(value):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "split":
            text = node.func.value
            if isinstance(text, ast.Constant) and isinstance(text.value, str):
                yield from text.value.split()
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "_words":
            texts = [text.value for text in node.args if isinstance(text, ast.Constant)]
            yield from " ".join(map(str, texts)).split()
        elif isinstance(node, ast.Constant) and isinstance(node.value, str) and " " not in node.value.strip():
            yield node.value


def counted_tables(files: dict[str, Path]) -> dict[str, int]:
    found = {}
    for name, path in files.items():
        if name.split(".")[1:2] and name.split(".")[1] not in WORDY:
            found.update({f"{name}.{table}": count for table, count in tables(path) if count > 1})
    return found


def walked(root: Path) -> tuple[int, int]:
    """How many files of voltfix a small program's only site passes through, and how often the file changes."""
    from voltfix import core

    core.migrate({"warm.py": PROGRAM.encode()})
    core.forget()
    seen: list[str] = []

    def note(frame: FrameType, event: str, _: Any) -> None:
        if event == "call" and frame.f_code.co_filename.startswith(str(root)):
            seen.append(frame.f_code.co_filename)

    sys.setprofile(note)
    try:
        core.migrate({"program.py": PROGRAM.encode()})
    finally:
        sys.setprofile(None)
    return len(set(seen)), sum(one != two for one, two in itertools.pairwise(seen))


def main() -> int:
    """Print the figures; exit code 1 where an arrow points up or imports go round."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("src", nargs="?", type=Path, default=Path(__file__).resolve().parents[1] / "src")
    parser.add_argument("--details", action="store_true", help="each circle, arrow and table")
    given = parser.parse_args()
    root = given.src.resolve()
    sys.path.insert(0, str(root))
    files = modules(root)
    all_imports = list(imports(files))
    lines = sum(len(path.read_text().splitlines()) for path in files.values())
    print(f"lines {lines}, files {len(files)}")
    went_round = 0
    for title, some in (
        ("circles", [each for each in all_imports if not each.typing]),
        ("circles, with imports for type checkers", all_imports),
    ):
        edges: dict[str, set[str]] = {}
        for each in some:
            edges.setdefault(each.source, set()).add(each.target)
        groups = circles(edges)
        went_round += len(groups)
        print(f"{title} {len(groups)} ({sum(map(len, groups))} modules)")
        if given.details:
            print(*(f"    {' '.join(group)}" for group in groups), sep="\n")
    up = [each for each in all_imports if goes_up(each)]
    print(f"arrows up {len(up)}")
    if given.details:
        print(*(f"    {each.source}:{each.line} -> {each.target}" for each in up), sep="\n")
    print("longest functions", *(f"    {count:4} {name}" for count, name in functions(files)[:15]), sep="\n")
    found = counted_tables(files)
    print(f"words in tables {sum(found.values())}, tables {len(found)}")
    guesses = {name: count for name, count in found.items() if name.startswith("voltfix.torchmodel.names.")}
    print(f"guesses from names {sum(guesses.values())} words in {len(guesses)} tables of one file")
    if given.details:
        print(*(f"    {count:4} {name}" for name, count in sorted(found.items(), key=lambda x: -x[1])), sep="\n")
    passed, changes = walked(root)
    print(f"files that one site passes through {passed}, changes of file {changes}")
    return 1 if went_round or up else 0


if __name__ == "__main__":
    sys.exit(main())
