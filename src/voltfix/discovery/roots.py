"""The project around the files: where it starts, and whether others install it."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterable, Sequence

_BUILD_FILES = ("pyproject.toml", "setup.py", "setup.cfg")
_BUILT = (b"[build-system]", b"[project]", b"[tool.poetry]", b"[tool.flit")


def root_of(path: str) -> str:
    """The root of the project that ``path`` (a file or folder) lies in, absolute.

    The nearest folder with ``.git`` at or above it; failing that, the nearest with a build file; failing
    that, the folder itself. git comes first because projects of the volatile era keep a ``setup.py`` for a
    CUDA extension deep inside.
    """
    start = os.path.abspath(path)
    if not os.path.isdir(start):
        start = os.path.dirname(start)
    return marked_root(start) or start


def marked_root(folder: str) -> str | None:
    """The nearest folder at or above ``folder`` that says of itself that it is a project's root."""
    built: str | None = None
    for here in ancestors(folder):
        if os.path.exists(os.path.join(here, ".git")):
            return here
        if built is None and any(os.path.isfile(os.path.join(here, name)) for name in _BUILD_FILES):
            built = here
    return built


def ancestors(folder: str) -> Iterable[str]:
    """``folder`` and everything above it, innermost first."""
    while True:
        yield folder
        parent = os.path.dirname(folder)
        if parent == folder:
            return
        folder = parent


def roots(paths: Sequence[str]) -> list[str]:
    """The roots of the projects that ``paths`` lie in; one inside another counts as part of the outer one.

    Paths without any marker share the folder that they have in common, if that lies in the working directory.
    """
    found: set[str] = set()
    unmarked: set[str] = set()
    for path in paths:
        start = os.path.abspath(path)
        start = start if os.path.isdir(start) else os.path.dirname(start)
        marked = marked_root(start)
        (unmarked if marked is None else found).add(marked or start)
    found |= _common(unmarked)
    return [root for root in sorted(found) if not any(_inside(root, other) for other in found)]


def _common(folders: set[str]) -> set[str]:
    if len(folders) < 2:
        return folders
    common = os.path.commonpath(folders)
    here = os.getcwd()
    return {common} if common == here or _inside(common, here) else folders


def _inside(path: str, folder: str) -> bool:
    return path != folder and path.startswith(folder if folder.endswith("/") else folder + "/")


def installable(root: str) -> bool:
    """Whether the project is built into a package: it may have callers that nobody sees here."""
    return (
        _mentions(os.path.join(root, "setup.py"), b"packages", b"py_modules")
        or _mentions(os.path.join(root, "setup.cfg"), b"packages")
        or _mentions(os.path.join(root, "pyproject.toml"), *_BUILT)
    )


def packaged(root: str, path: str) -> bool:
    """Whether the file at ``path`` (absolute) would be installed: it is in a package, or a listed module.

    A package is a chain of folders with ``__init__.py`` that starts in the root, in ``src`` or in ``lib``.
    """
    folder = os.path.dirname(path)
    if folder == root:
        # ``package_dir={'mine': '.'}``: the root itself is a package
        words = (b"package_dir", b"package-dir") if os.path.isfile(os.path.join(root, "__init__.py")) else ()
        return any(_mentions(os.path.join(root, name), b"py_modules", b"py-modules", *words) for name in _BUILD_FILES)
    while folder != root and os.path.isfile(os.path.join(folder, "__init__.py")):
        folder = os.path.dirname(folder)
    inside = folder != os.path.dirname(path)
    return inside and folder in (root, os.path.join(root, "src"), os.path.join(root, "lib"))


def imported_from(root: str) -> str:
    """The folder that Python finds a root in by its name: its own, or the one above a package, of which it is a part.

    ``from mine.tools import load`` in a repository ``mine`` with an ``__init__.py`` means ``tools.py`` in it. A folder
    ``_mine`` says where it was put, and not that nobody else imports what is in it.
    """
    while (name := os.path.basename(root)).isidentifier() and not name.startswith("_") and (
            os.path.isfile(os.path.join(root, "__init__.py"))):
        root = os.path.dirname(root)
    return root


def _mentions(path: str, *words: bytes) -> bool:
    try:
        fd = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)  # a pipe would be waited for
    except OSError:
        return False
    try:
        data = os.read(fd, 1 << 20) if stat.S_ISREG(os.fstat(fd).st_mode) else b""
    except OSError:
        return False
    finally:
        os.close(fd)
    return any(word in data for word in words)
