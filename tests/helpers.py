"""What tests of whole rewrites share: nothing happens, or exactly this happens, and the result holds up."""

from __future__ import annotations

import subprocess
import tempfile
from collections.abc import Callable, Mapping
from pathlib import Path
from textwrap import dedent

from voltfix import core
from voltfix.model import Options, Result
from voltfix.rules.messages import LONGEST
from voltfix.sources.diffs import unified

# what the fixtures ``tree`` and ``voltfix`` are
Tree = Callable[[Mapping[str, "str | bytes"]], Path]
Run = Callable[..., subprocess.CompletedProcess[bytes]]


def migrated(source: str | bytes, *, path: str = "a.py", options: Options | None = None) -> Result:
    data = source if isinstance(source, bytes) else dedent(source).encode()
    result = core.migrate({path: data}, options)
    for row in (*result.sites, *result.modernized):
        assert "\n" not in row.message
        assert len(row.message) <= LONGEST, row.message
    return result


def check_noop(source: str | bytes, *, reason: str | None = None, path: str = "a.py", options=None) -> Result:
    """Not a byte changes; with ``reason``, every site is refused for it, without, there is no refusal."""
    result = migrated(source, path=path, options=options)
    assert result.outputs == {}
    assert result.errors == ()
    assert {site.reason for site in result.sites if site.status == "refused"} == (
        {reason} if reason else set()
    )
    assert not [site for site in result.sites if site.status == "fixed"]
    return result


def check_transformed(
    source: str | bytes, expected: str | bytes, *, path: str = "a.py", options: Options | None = None
) -> Result:
    """``source`` becomes ``expected``, which parses and is stable, and whose diff applies."""
    before = source if isinstance(source, bytes) else dedent(source).encode()
    after = expected if isinstance(expected, bytes) else dedent(expected).encode()
    result = migrated(before, path=path, options=options)
    assert result.errors == ()
    assert result.outputs.get(path, before).decode() == after.decode()
    assert before != after, "use check_noop"
    check_holds_up({path: before}, result, options)
    return result


def check_holds_up(files: dict[str, bytes], result: Result, options: Options | None = None) -> None:
    """What holds of every result: it compiles, a second pass finds nothing to do, the diff applies."""
    for path, data in result.outputs.items():
        if path.endswith(".py"):
            compile(data, path, "exec", dont_inherit=True)
        assert_diff_applies(path, files[path], data)
    again = core.migrate({**files, **result.outputs}, options)
    assert again.outputs == {}


def assert_diff_applies(path: str, before: bytes, after: bytes) -> None:
    """``git apply`` makes ``after`` of ``before``, given voltfix's own diff."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, path)
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(before)
        apply = subprocess.run(
            ["git", "apply", "-"], input=unified(path, before, after), cwd=folder, capture_output=True
        )
        assert apply.returncode == 0, apply.stderr.decode()
        assert file.read_bytes() == after
