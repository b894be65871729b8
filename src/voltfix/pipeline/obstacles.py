"""What else keeps a project from today's torch, beyond what the rules fix: the findings of ``voltfix
doctor``."""

from __future__ import annotations

import ast
import builtins
import re
from collections.abc import Iterator, Mapping
from dataclasses import replace

from voltfix.model import FileError, Options
from voltfix.modernize import divisions, vf213_ragged
from voltfix.modernize.guarded import is_guarded, is_own_method
from voltfix.modernize.python2 import unparsed
from voltfix.modernize.scene import Scene
from voltfix.pipeline.loading import Project, load_project
from voltfix.pipeline.suppression import skips_file, skips_line
from voltfix.program.bindings import Builtin, External, ProjectClass, Unknown
from voltfix.records import dataclass
from voltfix.rules import obstacles as sentences
from voltfix.rules.messages import planned

# module or name -> since when it is gone, and what to use instead
_GONE_MODULES = {
    "torch.utils.ffi": ("PyTorch 1.0", "use torch.utils.cpp_extension"),
    "torch.legacy": ("PyTorch 1.0", ""),
    "torch.utils.trainer": ("PyTorch 0.4", ""),
    "torch.utils.serialization": ("PyTorch 1.0", "package torchfile reads what load_lua read"),
    "torch.nn.backends.thnn": ("PyTorch 1.5", ""),
    "torch._thnn": ("PyTorch 1.5", ""),
    "torch._six": ("PyTorch 1.13", ""),
}
_PRIVATE_MODULES = ("torch._utils_internal",)
_PRIVATE_NAMES = ("torch.utils.data.dataloader.DataLoaderIter",)
_GONE_NAMES = {
    "torch.autograd.function.InplaceFunction": ("PyTorch 1.5", ""),
    "torch.nn.Embedding._backend": ("PyTorch 1.5", ""),
    "scipy.misc.imread": ("SciPy 1.2", "use imageio.imread"),
    "scipy.misc.imresize": ("SciPy 1.3", "use PIL.Image.resize"),
    "scipy.misc.imsave": ("SciPy 1.2", "use imageio.imwrite"),
    "scipy.misc.toimage": ("SciPy 1.2", "use PIL.Image.fromarray"),
}
_PYTHON_2 = {
    "xrange": "range", "raw_input": "input", "unicode": "str", "basestring": "str", "reduce":
    "functools.reduce", "unichr": "chr", "execfile": "exec(open(...).read())", "cmp": "", "long": "int",
    "file": "open", "reload": "importlib.reload",
}  # fmt: skip
_OF_A_LIST = re.compile(r"torch\.(?:cuda\.)?(?:[A-Z][a-z]+)?Tensor|torch\.tensor|numpy\.(?:as)?array")
_OF_DICTIONARIES = ("iteritems", "itervalues", "iterkeys", "has_key")
_PYTHON_2_MODULES = {
    "cPickle": "pickle", "Queue": "queue", "ConfigParser": "configparser", "StringIO": "io", "urllib2":
    "urllib", "urlparse": "urllib.parse", "itertools.izip": "zip", "itertools.imap": "map",
}  # fmt: skip


@dataclass(frozen=True)
class Obstacle:
    """One place; lines and columns from 1, in a notebook inside ``cell``.

    ``fix``: the rule that mends it, None where a person has to; ``suggested``: with ``--unsafe-fixes`` only.
    """

    path: str
    line: int
    column: int
    kind: str
    message: str
    fix: str | None = None
    cell: int | None = None
    suggested: bool = False

    @property
    def order(self) -> tuple[str, int, int, int, str, str, str]:
        """By place, then by what is said."""
        return self.path, self.cell or 0, self.line, self.column, self.kind, self.message, self.fix or ""


def examine(files: Mapping[str, bytes], options: Options) -> list[Obstacle]:
    """Everything that keeps the project from starting on today's torch, ordered by place. Never raises."""
    project = load_project(files, options)
    found = [_unreadable(error) for error in project.errors]
    failed = {error.path for error in project.errors}
    found += [o for path, data in files.items() if path not in failed for o in _syntax(path, data)]
    scene = Scene(project.modules, options)
    found += _by_rules(project, scene, replace(options, modernize=True))
    for module in project.modules:
        skipped = project.suppressed(module.path)
        for node, kind, message in _obstacles(scene, module.path):
            span = scene.span(module.path, node)
            if skipped.covers("", span) or (kind == "python-2" and is_guarded(scene, module.path, node)):
                continue
            path, (line, column, cell), _ = project.locate(module.path, span)
            found.append(Obstacle(path, line, column, kind, message, cell=cell))
    editable = [o for o in found if project.editable(o.path)]
    return sorted(dict.fromkeys(editable), key=lambda o: o.order)


def _by_rules(project: Project, scene: Scene, options: Options) -> list[Obstacle]:
    """Volatile sites, and what ``fix --modernize`` would say of the VF2xx rules."""
    from voltfix.flags.sites import find
    from voltfix.modernize.registry import RULES
    from voltfix.pipeline.modernizing import modernize

    found: list[Obstacle] = []
    skipped = {path: project.suppressed(path) for path in scene.project.paths}
    for site in find(scene.project):
        if site in skipped[site.path]:
            continue
        path, (line, column, cell), _ = project.locate(site.path, site.span)
        found.append(Obstacle(path, line, column, "volatile", sentences.volatile(), site.kind.value, cell))
    names = {rule.code: rule.text.name for rule in RULES}
    for row in modernize(project, {}, options, ()).rows:
        if row.status == "suppressed":
            continue
        fix = row.code if row.status == "fixed" or row.suggested else None
        kind = row.reason if row.reason and fix is None else names[row.code]
        message = planned(row.message)
        found.append(Obstacle(row.path, row.line, row.column, kind, message, fix, row.cell, row.suggested))
    return found


def _unreadable(error: FileError) -> Obstacle:
    return Obstacle(error.path, error.line or 1, 1, "unreadable", error.message)


def _syntax(path: str, data: bytes) -> Iterator[Obstacle]:
    """What today's Python does not read in a file, as it stands."""
    if path.endswith(".py"):
        text = data.decode("utf-8", "replace").replace("\r\n", "\n").replace("\r", "\n")
        lines = text.splitlines()
        for line, column, message in unparsed(text) if not skips_file(text) else ():
            if skips_line(lines[line - 1] if line <= len(lines) else ""):
                continue
            yield Obstacle(path, line, column, "python-2", message)


# --- what no rule fixes ------------------------------------------------------------------------------------


def _obstacles(scene: Scene, path: str) -> Iterator[tuple[ast.AST, str, str]]:
    for node in scene.nodes(path):
        if isinstance(node, (ast.Import, ast.ImportFrom)):
            yield from _import(node)
        elif isinstance(node, ast.ClassDef):
            yield from _function_class(scene, path, node)
        elif isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Load):
            name = scene.outside(path, node)
            if name in _GONE_NAMES:
                yield node, "removed-name", sentences.gone(name, *_GONE_NAMES[name])
            elif name in _PRIVATE_NAMES:
                yield node, "removed-name", sentences.private(name)
            elif node.attr == "_backend":
                yield node, "private-name", sentences.gone("the private _backend", "PyTorch 1.5", "")
            elif node.attr in _OF_DICTIONARIES and not is_own_method(scene, path, node):
                yield node, "python-2", sentences.method_of_dictionaries(node.attr)
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load) and node.id in _PYTHON_2:
            yield from _builtin(scene, path, node)
        elif isinstance(node, ast.Call) and vf213_ragged.may_be_ragged(scene, path, node):
            yield node, "ragged-array", sentences.ragged()
        yield from divisions.find(scene, path, node)
        if isinstance(node, (ast.Call, ast.Subscript)):
            yield from _no_list(scene, path, node)


def _no_list(scene: Scene, path: str, node: ast.Call | ast.Subscript) -> Iterator[tuple[ast.AST, str, str]]:
    """What gave a list on Python 2 where only a list will do: counted, indexed, made an array or a tensor of."""
    if isinstance(node, ast.Subscript):
        given: ast.expr | None = node.value
    else:
        made = scene.project.resolve(path, None, node.func) if node.args else None
        wants = made == Builtin("len") or (isinstance(made, External) and bool(_OF_A_LIST.fullmatch(made.name)))
        given = node.args[0] if wants else None
    if isinstance(given, ast.Call):
        lazy = scene.project.resolve(path, None, given.func)
        if isinstance(lazy, Builtin) and lazy.name in ("map", "filter", "zip"):
            yield given, "python-2", sentences.no_list(lazy.name)


def _builtin(scene: Scene, path: str, node: ast.Name) -> Iterator[tuple[ast.AST, str, str]]:
    """A built-in of Python 2, where nothing binds the name."""
    if not hasattr(builtins, node.id) and isinstance(scene.project.resolve(path, None, node), Unknown):
        yield node, "python-2", sentences.builtin(node.id, _PYTHON_2[node.id])


def _import(node: ast.Import | ast.ImportFrom) -> Iterator[tuple[ast.AST, str, str]]:
    names = [alias.name for alias in node.names]
    if isinstance(node, ast.ImportFrom):
        if node.level:
            return
        names = [node.module or "", *(f"{node.module}.{name}" for name in names)]
    for name in names:
        gone = next((m for m in _GONE_MODULES if name == m or name.startswith(f"{m}.")), None)
        if gone is not None:
            yield node, "removed-module", sentences.gone(gone, *_GONE_MODULES[gone])
            return
        if name in _PRIVATE_MODULES:
            yield node, "removed-module", sentences.private(name)
            return
        if name in _GONE_NAMES:
            yield node, "removed-name", sentences.gone(name, *_GONE_NAMES[name])
        elif name in _PRIVATE_NAMES:
            yield node, "removed-name", sentences.private(name)
        elif name in _PYTHON_2_MODULES:
            yield node, "python-2", sentences.renamed(name, _PYTHON_2_MODULES[name])


def _function_class(scene: Scene, path: str, node: ast.ClassDef) -> Iterator[tuple[ast.AST, str, str]]:
    """An autograd.Function whose forward is no static method."""
    cls = ProjectClass(path, scene.project.qualname(path, node), node)
    names = {base.name for base in scene.project.mro(cls) if isinstance(base, External)}
    if not any(name in ("torch.autograd.Function", "torch.autograd.function.Function") for name in names):
        return
    for method in node.body:
        if not isinstance(method, ast.FunctionDef) or method.name not in ("forward", "backward"):
            continue
        decorators = [d.id for d in method.decorator_list if isinstance(d, ast.Name)]
        if "staticmethod" not in decorators:
            yield method, "old-style-function", sentences.old_function(f"{node.name}.{method.name}")
