"""``.gitignore`` files (nested ones too) and ``--exclude`` patterns, by pathspec.

A pattern with very many wildcards takes exponential time to match in any backtracking engine. Such a
pattern is left out and reported: nobody writes one by accident.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from pathspec import GitIgnoreSpec

# Folders that hold no source of the project: the list that ruff and black share.
_SKIPPED = """
    .bzr .direnv .eggs .git .git-rewrite .hg .ipynb_checkpoints .mypy_cache .nox .pants.d .pyenv
    .pytest_cache .pytype .ruff_cache .svn .tox .venv .vscode __pycache__ __pypackages__ _build buck-out
    build dist node_modules site-packages venv
"""
SKIPPED_FOLDERS = frozenset(_SKIPPED.split())
MAX_WILDCARDS = 8
MAX_IGNORE_BYTES = 1 << 20


class Rules(NamedTuple):
    """The patterns of one file, and the folder (absolute, with a final slash) that they start from."""

    base: str
    spec: GitIgnoreSpec

    def verdict(self, path: str, folder: bool) -> bool | None:
        """Whether ``path`` (absolute) is ignored: True, False (re-included), or None.

        No pattern speaks of it.
        """
        relative = path[len(self.base) :]
        return self.spec.check_file(relative + "/" if folder else relative).include


def compile_rules(base: str, patterns: Iterable[str]) -> Rules | None:
    """Patterns in .gitignore's language; None if none of them can be used."""
    from pathspec import GitIgnoreSpec

    usable = [pattern for pattern in patterns if _usable(pattern)]
    if not usable:
        return None
    try:
        spec = GitIgnoreSpec.from_lines(usable)
    except ValueError:
        spec = GitIgnoreSpec.from_lines(filter(_compiles, usable))
    return Rules(base if base.endswith("/") else base + "/", spec)


def _usable(pattern: str) -> bool:
    stripped = pattern.strip()
    return bool(stripped) and not stripped.startswith("#") and stripped.count("*") <= MAX_WILDCARDS


def _compiles(pattern: str) -> bool:
    from pathspec import GitIgnoreSpec

    try:
        GitIgnoreSpec.from_lines([pattern])
    except ValueError:
        return False
    return True


def read_rules(folder: str, name: str = ".gitignore") -> Rules | None:
    """The rules that ``folder/.gitignore`` holds; None where there is none, or none that can be read."""
    try:
        fd = os.open(os.path.join(folder, name), os.O_RDONLY | os.O_NONBLOCK)
    except OSError:
        return None
    try:
        data = os.read(fd, MAX_IGNORE_BYTES)
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
    above: list[str] = []
    here = folder
    while not os.path.exists(os.path.join(here, ".git")):
        parent = os.path.dirname(here)
        if parent == here:
            return []
        above.append(parent)
        here = parent
    found = [rules for parent in reversed(above) if (rules := read_rules(parent)) is not None]
    private = read_rules(here, ".git/info/exclude")
    if private is not None:
        found.insert(0, Rules(here + "/", private.spec))
    return [rules for rules in found if folder == here or not rules.verdict(folder, folder=True)]


def ignored(path: str, folder: bool, chain: Sequence[Rules]) -> bool:
    """Whether the innermost rules that speak of ``path`` ignore it."""
    for rules in reversed(chain):
        verdict = rules.verdict(path, folder)
        if verdict is not None:
            return verdict
    return False
