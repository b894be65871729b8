"""The golden cases as items for the verifier: texts by path, and the functions that a rewrite touched."""

from __future__ import annotations

import ast
import re
import tokenize
from functools import lru_cache
from pathlib import Path

from voltfix.verify.plan import Item

CASES = Path(__file__).resolve().parent.parent / "fixtures" / "golden" / "cases"


def names() -> list[str]:
    """All golden cases."""
    return sorted(path.name for path in CASES.iterdir() if (path / "legacy").is_dir())


def texts(folder: Path) -> dict[str, str]:
    """The Python texts of a folder; old syntax shielded as ``voltfix.sources`` does (they parse today)."""
    found = {}
    for path in sorted(folder.rglob("*.py")):
        with tokenize.open(path) as handle:
            text = handle.read()
        text = re.sub(r"\basync(\s*=)", r"async_\1", text)
        text = re.sub(r"(?m)^(\s*)print (\".*)$", r"\1print(\2)", text)
        found[path.relative_to(folder).as_posix()] = text
    return found


@lru_cache(maxsize=4)
def units(text: str) -> dict[str, str]:
    """Qualified name -> dumped tree of every function; "" -> the rest of the module."""
    found = {}
    try:
        tree = ast.parse(text)
    except SyntaxError:
        return {"": text}

    def walk(body: list[ast.stmt], prefix: str) -> None:
        for node in body:
            if isinstance(node, ast.FunctionDef):
                found[prefix + node.name] = ast.dump(node)
            elif isinstance(node, ast.ClassDef):
                walk(node.body, f"{prefix}{node.name}.")

    walk(tree.body, "")
    kept = [
        n for n in tree.body if not isinstance(n, (ast.FunctionDef, ast.ClassDef, ast.Import, ast.ImportFrom))
    ]
    found[""] = "".join(ast.dump(node) for node in kept)
    return found


def touched(before: dict[str, str], after: dict[str, str]) -> tuple[tuple[str, str], ...]:
    """The functions whose text differs."""
    found = []
    for path in sorted(set(before) | set(after)):
        old, new = units(before.get(path, "")), units(after.get(path, ""))
        found += [(path, name) for name in sorted(set(old) | set(new)) if old.get(name) != new.get(name)]
    return tuple(found)


def item(case: str, after: dict[str, str], name: str | None = None) -> Item | None:
    """What is to be verified between the legacy code of a case and ``after``; None: nothing differs."""
    before = texts(CASES / case / "legacy")
    changed = touched(before, after)
    return Item(name or case, before, after, changed) if changed else None
