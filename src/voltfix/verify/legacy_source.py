"""Legacy source on today's Python: ``async=``, print statements, ``type(x) is Variable``.

Only what does not compile is changed, and tracebacks keep their lines.
"""

from __future__ import annotations

import ast
import contextlib
import re
import sys
from collections.abc import Iterator
from importlib.machinery import SOURCE_SUFFIXES, FileFinder, SourceFileLoader
from pathlib import Path
from types import CodeType

_ASYNC = re.compile(r"\basync(\s*=(?!=))")
_PRINT = re.compile(
    r"^(?P<indent>[ \t]*(?:[^#'\"\n]*?[:;][ \t]*)?)print(?P<rest>[ \t]+[^=(\n][^\n]*|[ \t]*)$", re.M
)
_EXCEPT = re.compile(r"^([ \t]*except[ \t]+[\w.]+(?:[ \t]*\([^)\n]*\))?)[ \t]*,[ \t]*(\w+)[ \t]*:", re.M)


def compile_legacy(data: bytes | str, path: str) -> CodeType:
    """Compile source of the volatile era; raises SyntaxError where even the shims do not help."""
    tree = parse_legacy(data, path)
    return compile(ast.fix_missing_locations(_TypeTests().visit(tree)), path, "exec", dont_inherit=True)


def parse_legacy(data: bytes | str, path: str) -> ast.Module:
    """The syntax tree of such source; raises SyntaxError."""
    try:
        return ast.parse(data, path)
    except SyntaxError:
        text = data if isinstance(data, str) else _decode(data)
    text = _ASYNC.sub(r"non_blocking\1", text)
    with contextlib.suppress(SyntaxError):
        return ast.parse(text, path)
    text = _EXCEPT.sub(r"\1 as \2:", _PRINT.sub(_print_call, text))
    return ast.parse(text, path)


def _decode(data: bytes) -> str:
    import io
    import tokenize

    with io.BytesIO(data) as handle:
        encoding, _ = tokenize.detect_encoding(handle.readline)
    return io.TextIOWrapper(io.BytesIO(data), encoding).read()


def _print_call(match: re.Match[str]) -> str:
    rest = match["rest"].strip()
    if rest.startswith(">>"):
        stream, _, values = rest[2:].partition(",")
        return f"{match['indent']}print({values.strip()}, file={stream.strip()})"
    if rest.endswith(","):
        return f"{match['indent']}print({rest} end=' ')"
    return f"{match['indent']}print({rest})"


class _TypeTests(ast.NodeTransformer):
    """``type(x) is Variable`` becomes ``==``, which can be taught (a Variable is a tensor here)."""

    def visit_Compare(self, node: ast.Compare) -> ast.AST:
        """Rewrite one comparison."""
        self.generic_visit(node)
        left = node.left
        if isinstance(left, ast.Call) and isinstance(left.func, ast.Name) and left.func.id == "type":
            operators: dict[type, ast.cmpop] = {ast.Is: ast.Eq(), ast.IsNot: ast.NotEq()}
            node.ops = [operators.get(type(operator), operator) for operator in node.ops]
        return node


class LegacyLoader(SourceFileLoader):
    """Loads legacy source files; leaves no bytecode behind."""

    def get_code(self, fullname: str) -> CodeType:
        """Always from source: bytecode of today's import would be the unshimmed one."""
        path = self.get_filename(fullname)
        return compile_legacy(self.get_data(path), path)


@contextlib.contextmanager
def legacy_imports(folder: Path) -> Iterator[None]:
    """While the block runs, modules below ``folder`` are imported as legacy source."""
    root = str(folder.resolve())

    def hook(path: str) -> FileFinder:
        if not (path + "/").startswith(root + "/"):
            raise ImportError("not below the folder of legacy code")
        return FileFinder(path, (LegacyLoader, SOURCE_SUFFIXES))

    sys.path_hooks.insert(0, hook)
    sys.path_importer_cache.clear()
    try:
        yield
    finally:
        sys.path_hooks.remove(hook)
        sys.path_importer_cache.clear()
