"""Small sources for the tests of the solver: a body below the usual two imports, alone or among other files."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from textwrap import dedent

from helpers import check_holds_up, check_noop, check_transformed, migrated
from voltfix import core
from voltfix.model import Options, Result

HEAD = "import torch\nfrom torch.autograd import Variable\n\n\n"


def source(body: str) -> str:
    """``body``, dedented, below the imports."""
    return HEAD + dedent(body).strip("\n") + "\n"


def stays(body: str, reason: str | None = None, options: Options | None = None) -> Result:
    """Not a byte changes; every site is refused for ``reason``, or nothing is refused."""
    return check_noop(source(body), reason=reason, options=options)


def becomes(body: str, expected: str, options: Options | None = None) -> Result:
    """``body`` becomes ``expected``; what else holds of a rewrite is checked, too."""
    return check_transformed(source(body), source(expected), options=options)


def covers(body: str, inside: list[str], outside: list[str]) -> Result:
    """The flags go; the lines that hold a text of ``inside`` run with gradients off, those of ``outside`` do not.

    For shapes where more than one layout of blocks is right.
    """
    before = source(body).encode()
    result = migrated(before)
    assert result.errors == ()
    assert not refusals(result)
    check_holds_up({"a.py": before}, result)
    text = result.outputs["a.py"].decode()
    assert "volatile" not in text
    off = set(lines_without_gradients(text))
    for number, line in enumerate(text.splitlines(), 1):
        if any(part in line for part in inside):
            assert number in off or "no_grad()(" in line, text
        if any(part in line for part in outside):
            assert number not in off, text
    for part in [*inside, *outside]:
        assert part in text
    return result


def lines_without_gradients(text: str) -> Iterator[int]:
    """The numbers of the lines in blocks of ``no_grad``, or of ``set_grad_enabled``."""
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.With) and "grad" in ast.unparse(node.items[0].context_expr):
            yield from range(node.body[0].lineno, (node.end_lineno or 0) + 1)


def migrated_files(files: dict[str, str], options: Options | None = None) -> tuple[Result, dict[str, str]]:
    """A project of several files (bodies; the imports are added where Variable is used) and its texts afterwards."""
    before = {path: text_of(text).encode() for path, text in files.items()}
    result = core.migrate(before, options)
    assert result.errors == ()
    check_holds_up(before, result, options)
    return result, {path: result.outputs.get(path, data).decode() for path, data in before.items()}


def text_of(text: str) -> str:
    """A body with the imports where it makes Variables and does not import the name itself."""
    needs = "Variable(" in text and "import Variable" not in text
    return source(text) if needs else dedent(text).strip("\n") + "\n"


def files_become(files: dict[str, str], expected: dict[str, str], options: Options | None = None) -> Result:
    """The files named in ``expected`` become that; the others stay."""
    result, after = migrated_files(files, options)
    assert after == {path: expected_text(path, files, expected) for path in files}
    assert not refusals(result)
    return result


def expected_text(path: str, files: dict[str, str], expected: dict[str, str]) -> str:
    """What ``path`` is to be: with the imports that its source was given."""
    if path not in expected:
        return text_of(files[path])
    body = dedent(expected[path]).strip("\n") + "\n"
    return HEAD + body if text_of(files[path]).startswith(HEAD) else body


def files_stay(files: dict[str, str], reason: str | None = None, options: Options | None = None) -> Result:
    """No file changes; every site is refused for ``reason``, or nothing is refused."""
    result, _ = migrated_files(files, options)
    assert result.outputs == {}
    assert set(refusals(result).values()) == ({reason} if reason else set())
    assert {site.status for site in result.sites} <= {"refused", "kept"}
    return result


def refusals(result: Result) -> dict[str, str | None]:
    """``path:line`` → reason of all refusals."""
    return {f"{site.path}:{site.line}": site.reason for site in result.sites if site.status == "refused"}
