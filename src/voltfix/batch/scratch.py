"""A private checkout: a repository of its own that borrows the objects of the source.

Nothing is registered in the source (a worktree would be), no hook or filter runs, submodules stay empty, and
without a command to run only the files that voltfix can read are checked out: large data and LFS pointers are
never touched.
"""

from __future__ import annotations

import os
import shutil

from voltfix.batch.git import git
from voltfix.batch.source import Source
from voltfix.discovery.walk import SUFFIXES

_BESIDE = (".gitignore", "pyproject.toml", "setup.py", "setup.cfg")


def check_out(source: Source, folder: str, whole: bool) -> None:
    """Make ``folder`` a checkout of the base, of all files or of those that matter."""
    own = os.path.join(folder, ".git")
    for name in ("objects/info", "refs/heads", "info"):
        os.makedirs(os.path.join(own, name))
    _write(own, "HEAD", "ref: refs/heads/none\n")
    _write(own, "objects/info/alternates", source.objects + "\n")
    _write(own, "config", _config(source, whole))
    if source.shallow:
        shutil.copyfile(os.path.join(os.path.dirname(source.objects), "shallow"), os.path.join(own, "shallow"))
    if not whole:
        patterns = [f"*{suffix}" for suffix in SUFFIXES] + list(_BESIDE)
        _write(own, "info/sparse-checkout", "".join(f"{pattern}\n" for pattern in patterns))
    git(folder, "checkout", "--quiet", "--detach", source.base)


def _config(source: Source, whole: bool) -> str:
    version = 1 if source.object_format != "sha1" else 0
    lines = [
        "[core]",
        f"repositoryformatversion = {version}",
        "bare = false",
        f"sparseCheckout = {str(not whole).lower()}",
    ]
    if version:
        lines += ["[extensions]", f"objectFormat = {source.object_format}"]
    return "\n".join(lines) + "\n"


def _write(folder: str, name: str, text: str) -> None:
    with open(os.path.join(folder, name), "w", encoding="utf-8", errors="surrogateescape") as file:
        file.write(text)


def head(folder: str) -> str:
    """The commit that a detached checkout stands on."""
    with open(os.path.join(folder, ".git/HEAD"), encoding="ascii") as file:
        return file.read().strip()
