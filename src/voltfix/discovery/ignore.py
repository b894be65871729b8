"""``.gitignore`` files (nested ones too) and ``--exclude`` patterns, by pathspec.

These files come with a repository, so nothing in them may take for ever. A backtracking engine takes time that grows
with the length of a path to the power of a pattern's wildcards: long paths are held against patterns of few wildcards
alone, and a pattern of more than ``MAX_WILDCARDS`` is left out. What is no regular file, and what comes after so many
bytes or patterns, is not read.
"""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Iterable, Sequence
from itertools import islice
from typing import TYPE_CHECKING, NamedTuple

from voltfix.discovery.tracked import git_root

if TYPE_CHECKING:
    from pathspec import GitIgnoreSpec

# Folders that hold no source of the project: the list that ruff and black share.
_SKIPPED = """
    .bzr .direnv .eggs .git .git-rewrite .hg .ipynb_checkpoints .mypy_cache .nox .pants.d .pyenv
    .pytest_cache .pytype .ruff_cache .svn .tox .venv .vscode __pycache__ __pypackages__ _build buck-out
    build dist node_modules site-packages venv
"""
SKIPPED_FOLDERS = frozenset(_SKIPPED.split())
MAX_WILDCARDS = 4
MAX_IGNORE_BYTES = 1 << 18
MAX_PATTERNS = 5_000
_LONGEST = 4096  # of a pattern: no path is longer
_REACH = {1: 1 << 16, 2: 300, 3: 60, 4: 30}  # wildcards -> how long a path they are held against
_MANY = 200  # patterns of more than one wildcard that count
_STARS = re.compile(r"\*+")
_WILD = re.compile(r"[*?\[\]]")
_LISTED = re.compile(r"\*?([\w.-]*)\[(\w+)\]")  # one of some letters, and no range
_KEPT = 1_000  # sets of patterns that stay compiled
# where a folder's rules lie -> whether git follows a link there
_PLACES = {".gitignore": False, ".git/info/exclude": True}


class Pattern(NamedTuple):
    """One pattern: as it is written, how long a path it is held against, and what a path that it speaks of must have.

    ``name``: this name of a file or folder, where the pattern has one without wildcards; else one of the ``parts``.
    """

    text: str
    reach: int
    name: str | None
    parts: tuple[str, ...]


class Rules:
    """The patterns of one file, and the folder (absolute, with a final slash) that they start from.

    Most patterns speak of what a project does not have. So pathspec is imported, and a pattern compiled, when a path
    has what it must have. What is left out would match nothing, and the last that matches decides.
    """

    def __init__(self, base: str, patterns: Sequence[Pattern]) -> None:
        self.base = base
        self._patterns = patterns
        self._by_name: dict[str, list[int]] = {}
        self._others: list[int] = []
        for number, pattern in enumerate(patterns):
            (self._others if pattern.name is None else self._by_name.setdefault(pattern.name, [])).append(number)
        self._specs: dict[tuple[tuple[int, ...], bool], GitIgnoreSpec] = {}

    def verdict(self, path: str, folder: bool) -> bool | None:
        """Whether ``path`` (absolute) is ignored: True, False (re-included), or None.

        No pattern speaks of it.
        """
        relative = path[len(self.base) :]
        patterns, long = self._patterns, len(relative)
        found = [number for number in self._others if any(part in relative for part in patterns[number].parts)]
        found += [number for name in {*relative.split("/")} for number in self._by_name.get(name, ())]
        speaking = tuple(number for number in sorted(found) if long < patterns[number].reach)
        if not speaking:
            return None
        return self._spec(speaking, folder).check_file(relative).include

    def _spec(self, numbers: tuple[int, ...], folder: bool) -> GitIgnoreSpec:
        if (numbers, folder) not in self._specs:
            if len(self._specs) == _KEPT:
                self._specs.clear()
            texts = [self._patterns[number].text for number in numbers]
            self._specs[numbers, folder] = _compiled([*map(_of_folders, texts)] if folder else texts)
        return self._specs[numbers, folder]


def compile_rules(base: str, patterns: Iterable[str]) -> Rules | None:
    """Patterns in .gitignore's language; None if none of them can be used."""
    usable = [Pattern(pattern, _REACH[max(wildcards, 1)], *_needed(pattern))
              for pattern, wildcards in islice(_usable(patterns), MAX_PATTERNS)]
    return Rules(base if base.endswith("/") else base + "/", usable) if usable else None


def _needed(pattern: str) -> tuple[str | None, tuple[str, ...]]:
    """What a path must have for a pattern to speak of it: a whole name, or one of some parts; ("",) is anything."""
    text = pattern.removeprefix("!")
    if "\\" in text or text != text.strip():
        return None, ("",)
    pieces = text.split("/")
    names = [piece for piece in pieces if piece and not _WILD.search(piece)]
    if names:
        return max(names, key=len), ()
    for piece in pieces:
        if listed := _LISTED.fullmatch(piece):  # *.py[cod]
            return None, tuple(listed[1] + each for each in listed[2])
    plain = [part for part in _WILD.split(text.split("[")[0].replace("/", "*")) if part]
    return None, (max(plain, key=len, default=""),)


def _usable(patterns: Iterable[str]) -> Iterable[tuple[str, int]]:
    """Patterns that can be held against paths, and how many wildcards they have."""
    many = 0
    for pattern in patterns:
        stripped = pattern.strip()
        if not stripped or stripped.startswith("#") or len(pattern) > _LONGEST:
            continue
        wildcards = len(_STARS.findall(pattern))
        many += wildcards > 1
        if wildcards <= MAX_WILDCARDS and (wildcards <= 1 or many <= _MANY):
            yield pattern, wildcards


def _of_folders(pattern: str) -> str:
    """What a pattern says of folders: ``build/`` is ``build`` there, and as good as any (pathspec puts it last)."""
    text = pattern if pattern.endswith("\\ ") else pattern.rstrip()
    return text[:-1] if text.endswith("/") and not text.endswith("\\/") else pattern


def _compiled(patterns: Sequence[str]) -> GitIgnoreSpec:
    from pathspec import GitIgnoreSpec

    try:
        return GitIgnoreSpec.from_lines(patterns)
    except (ValueError, re.error):
        return GitIgnoreSpec.from_lines(filter(_compiles, patterns))


def _compiles(pattern: str) -> bool:
    from pathspec import GitIgnoreSpec

    try:
        GitIgnoreSpec.from_lines([pattern])
    except (ValueError, re.error):
        return False
    return True


def read_rules(folder: str, name: str = ".gitignore") -> Rules | None:
    """The rules that ``folder/.gitignore`` holds; None where there is none, or none that can be read."""
    flags = os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC | (0 if _PLACES[name] else os.O_NOFOLLOW)
    try:
        fd = os.open(os.path.join(folder, name), flags)
    except OSError:
        return None
    try:
        data = os.read(fd, MAX_IGNORE_BYTES) if stat.S_ISREG(os.fstat(fd).st_mode) else b""
    except OSError:
        return None
    finally:
        os.close(fd)
    return compile_rules(folder, data.decode("utf-8", "surrogateescape").splitlines())


def rules_above(folder: str) -> list[Rules]:
    """The rules that hold in ``folder`` from files above it, outermost first; git's root ends the search.

    Where no git repository is around, nothing above counts. Rules that ignore ``folder`` itself are left out:
    who names a folder on the command line wants it read.
    """
    root = git_root(folder)
    if root is None:
        return []
    above: list[str] = []
    here = folder
    while here != root:
        here = os.path.dirname(here)
        above.append(here)
    found = [rules for parent in reversed(above) if (rules := read_rules(parent)) is not None]
    private = read_rules(root, ".git/info/exclude")
    if private is not None:
        found.insert(0, private)
    return [rules for rules in found if folder == root or not rules.verdict(folder, folder=True)]


def ignored(path: str, folder: bool, chain: Sequence[Rules]) -> bool:
    """Whether the innermost rules that speak of ``path`` ignore it."""
    for rules in reversed(chain):
        verdict = rules.verdict(path, folder)
        if verdict is not None:
            return verdict
    return False
