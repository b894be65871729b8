"""Few dependencies, each with its reason in the docs; what development installs is pinned, with hashes."""

from __future__ import annotations

import re
import shlex
import sys
from pathlib import Path

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

ROOT = Path(__file__).parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
EXTRAS = PROJECT["optional-dependencies"]
WANTED = [*PROJECT["dependencies"], *(each for extra in EXTRAS.values() for each in extra)]
PAGE = (ROOT / "docs" / "supply-chain.md").read_text()
PINNED = re.compile(r"^([\w.-]+)==([^ \n]+)", re.M)


def canonical(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


def name_of(requirement: str) -> str:
    return re.match(r"[\w.-]+", requirement).group()


def test_rewriting_needs_few_packages():
    assert {name_of(each) for each in PROJECT["dependencies"]} == {"click", "libcst", "pathspec", "rich", "tomli"}


def test_every_dependency_has_its_reason_in_the_docs():
    assert [each for each in map(name_of, WANTED) if not re.search(rf"\b{re.escape(each)}\b", PAGE)] == []


def test_no_version_has_an_upper_bound():
    assert [each for each in WANTED if re.search(r"[<~]|==", each.split(";")[0])] == []


def test_the_lock_has_a_hash_for_each_file_and_the_versions_of_the_constraints():
    lock = (ROOT / "requirements-dev.txt").read_text()
    blocks = re.split(r"\n(?=[\w.-]+==)", lock)[1:]
    assert len(blocks) > 50
    assert [block.split("==")[0] for block in blocks if "--hash=sha256:" not in block] == []
    constraints = {canonical(name): version for name, version in PINNED.findall((ROOT / "constraints.txt").read_text())}
    for name, version in PINNED.findall(lock):
        assert constraints.get(canonical(name)) == version, name


def test_what_development_needs_is_pinned():
    pinned = {canonical(name) for name, _ in PINNED.findall((ROOT / "constraints.txt").read_text())}
    assert [each for each in map(name_of, EXTRAS["dev"]) if canonical(each) not in pinned] == []


def test_the_page_gives_the_command_that_made_the_lock():
    """Options that say where to look for packages are the machine's own; every other decides what is in the lock."""
    lock = (ROOT / "requirements-dev.txt").read_text()
    made = re.search(r"^#    (pip-compile .*)$", lock, re.M).group(1)
    wanted = [word for word in shlex.split(made) if not re.match(r"--(no-emit-|pip-args)", word)]
    told = re.search(r"^pip-compile .*$", PAGE, re.M).group()
    assert shlex.split(told) == wanted
