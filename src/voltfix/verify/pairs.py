"""Two files, or two folders of one shape, as work for the symbolic tier: which functions differ."""

from __future__ import annotations

import ast
import contextlib
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, cast

from voltfix.model import DeviceVerdict, FileError, Module, Verification
from voltfix.sources import load
from voltfix.verify.client import devices, functions, verify
from voltfix.verify.plan import SECONDS, Item, as_rows
from voltfix.verify.witness import script

Texts = Mapping[str, str]
Modules = dict[str, Module]
Function = tuple[str, str]  # path, qualified name; "" for the body of the module
_SUFFIX = ".py"
_WORD = "volatile"


def compare(
    before: Path | str,
    after: Path | str,
    *,
    device: str = "auto",
    timeout: float = SECONDS,
    quick: bool = False,
    weak: bool = False,
    witness: Callable[[str], None] | None = None,
) -> Verification:
    """Run the functions that differ on stand-ins; ``before`` means what 0.3 made of it.

    ``detail`` says what differs, or why nothing could be run. A single file stands for a project of one
    file. ``weak``: where a layer of the sandbox is missing, too.
    """
    modules = _modules(Path(before), Path(after))
    first, second = ({name: module.text for name, module in side.items()} for side in modules)
    touched = touched_functions(first, second)
    if not touched:
        if _trees(first) == _trees(second):  # nothing to run, and nothing that could differ
            return _equal(device)
        return Verification(detail="no function is in both and differs")
    rows = [{name: as_rows(module.origins) for name, module in side.items() if module.origins} for side in modules]
    origins = {side: found for side, found in zip(("before", "after"), rows, strict=True) if found}
    item = Item("pair", first, second, touched, origins=origins)
    more: dict[str, Any] = {**({"quick": True} if quick else {}), **({"weak": True} if weak else {})}
    found = verify([item], device=device, timeout=timeout, **more)[0]
    if witness is not None and "different" in (found.cpu, found.cuda):
        told = next((each for each in functions(item, device, timeout, weak) if each.verdict == "different"), None)
        if told is not None:
            witness(script(item, told))
    return found


def _equal(device: str) -> Verification:
    """The verdict on equal code: identical on each device that is asked for and is there."""
    names = ["cpu", "cuda"] if device == "auto" else device.split(",")
    states = {"cpu": "run"} if names == ["cpu"] else devices(device)
    cpu, cuda = ("identical" if name in names and states.get(name) == "run" else "not-run" for name in ("cpu", "cuda"))
    told = f"cuda: {states['cuda']}" if cuda == "not-run" and "cuda" in states else None
    ran = "identical" in (cpu, cuda)
    return Verification("symbolic" if ran else None, cast(DeviceVerdict, cpu), cast(DeviceVerdict, cuda), told)


def changed_functions(before: Mapping[str, str], after: Mapping[str, str]) -> Iterator[Function]:
    """The functions in both versions that differ in more than layout; outer ones stand for inner ones."""
    for path in sorted(before.keys() & after.keys()):
        first, second = _functions(before[path]), _functions(after[path])
        for name in first.keys() & second.keys():
            if first[name] != second[name]:
                yield path, name


def touched_functions(before: Mapping[str, str], after: Mapping[str, str]) -> tuple[Function, ...]:
    """The functions that differ; where there are any, also those in which flags were left: they mean nothing today."""
    found = dict.fromkeys(changed_functions(before, after))
    for path in sorted(before.keys() & after.keys()) if found else ():
        if _WORD in after[path]:
            old, words = _functions(before[path]), _words(after[path])
            found.update(
                (((path, name), None) for name, dumped in _functions(after[path]).items()
                 if name in old and any(word in dumped for word in words))
            )  # fmt: skip
    return tuple(found)


def _words(text: str) -> list[str]:
    """How a dumped tree mentions the flag: its name, and the names that the module gives to that name."""
    found = [f"'{_WORD}'"]
    with contextlib.suppress(SyntaxError, ValueError):
        for node in ast.parse(text).body:
            if isinstance(node, ast.Assign) and isinstance(node.value, ast.Constant) and node.value.value == _WORD:
                found += [f"Name(id='{each.id}'" for each in node.targets if isinstance(each, ast.Name)]
    return found


def _trees(texts: Texts) -> dict[str, str]:
    """Every file without its layout; as it stands where it does not parse."""
    found = {}
    for path, text in texts.items():
        try:
            found[path] = ast.dump(ast.parse(text))
        except (SyntaxError, ValueError):
            found[path] = text
    return found


def _functions(text: str) -> dict[str, str]:
    """Every function outside of functions by its qualified name, and the rest of the module as ""."""
    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError):
        return {}
    found: dict[str, str] = {}
    rest = _collect(tree, "", found)
    return {**found, "": rest}


def _collect(node: ast.Module | ast.ClassDef, prefix: str, found: dict[str, str]) -> str:
    rest = []
    for child in node.body:
        if isinstance(child, (ast.FunctionDef, ast.AsyncFunctionDef)):
            found[prefix + child.name] = ast.dump(child)
        elif isinstance(child, ast.ClassDef):
            rest.append(_collect(child, f"{prefix}{child.name}.", found))
        elif not isinstance(child, (ast.Import, ast.ImportFrom)):
            rest.append(ast.dump(child))
    return "\n".join(rest)


def _modules(before: Path, after: Path) -> tuple[Modules, Modules]:
    if before.is_dir():
        return _folder(before), _folder(after)
    name = before.name
    return _file(before, name), _file(after, name)


def _folder(folder: Path) -> Modules:
    files = (path for path in sorted(folder.rglob(f"*{_SUFFIX}")) if path.is_file())
    return {name: module for path in files for name, module in _file(path, _relative(path, folder)).items()}


def _relative(path: Path, folder: Path) -> str:
    return path.relative_to(folder).as_posix()


def _file(path: Path, name: str) -> Modules:
    """The Python text of a file as it parses today; as it stands where it does not, for that can differ, too."""
    data = path.read_bytes()
    document = load(name, data)
    if isinstance(document, FileError) or not document.modules:
        return {name: Module(name, data.decode("latin-1"))}
    return {name: document.modules[0]}  # further ones are sessions of docstrings
