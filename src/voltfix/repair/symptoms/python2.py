"""Names, methods and lists of Python 2."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from voltfix.model import Edit, EnsureImport, ReplaceStatement
from voltfix.repair.place import Mend, Place
from voltfix.repair.symptom import Symptom

_NEW = "https://docs.python.org/3/whatsnew/3.0.html"
_BUILTINS = {
    "xrange": "range", "raw_input": "input", "unicode": "str", "basestring": "str", "unichr": "chr", "long": "int",
    "reduce": "functools.reduce", "file": "open", "reload": "importlib.reload", "buffer": "memoryview", "izip": "zip",
    "imap": "map", "ifilter": "filter",
}  # fmt: skip
_MODULES = {
    "cPickle": "pickle", "Queue": "queue", "ConfigParser": "configparser", "StringIO": "io", "cStringIO": "io",
    "urllib2": "urllib.request", "urlparse": "urllib.parse", "HTMLParser": "html.parser", "Tkinter": "tkinter",
    "commands": "subprocess", "copy_reg": "copyreg", "SocketServer": "socketserver", "__builtin__": "builtins",
    "thread": "_thread", "httplib": "http.client", "itertools.izip": "builtins.zip", "exceptions": "builtins",
}  # fmt: skip
_METHODS = {"iteritems": "items", "itervalues": "values", "iterkeys": "keys", "viewitems": "items"}
_GONE = {
    "string.letters": "ascii_letters", "string.lowercase": "ascii_lowercase", "string.uppercase": "ascii_uppercase",
    "sys.maxint": "maxsize", "os.getcwdu": "getcwd", "time.clock": "perf_counter", "itertools.izip": None,
    "itertools.imap": None, "itertools.ifilter": None, "inspect.getargspec": "getfullargspec",
    "string.maketrans": None, "itertools.izip_longest": "zip_longest",
}  # fmt: skip
_BARE = {
    "itertools.izip": "zip",
    "itertools.imap": "map",
    "itertools.ifilter": "filter",
    "string.maketrans": "str.maketrans",
}


def unknown(place: Place, match: re.Match[str]) -> Iterator[Mend]:
    """A built-in that is gone."""
    old = place.event.name or match.group(1)
    new = _BUILTINS.get(old)
    edits: tuple[Edit, ...] = (EnsureImport(new.partition(".")[0]),) if new and "." in new else ()
    for node in place.scene.nodes(place.path):
        if new and isinstance(node, ast.Name) and node.id == old and isinstance(node.ctx, ast.Load):
            yield place.edited("VF218", node, (*_everywhere(place, old, new), *edits), f"{old} is {new} on Python 3")
            return


def _everywhere(place: Place, old: str, new: str) -> Iterator[Edit]:
    """Every use of a built-in's name in the module: they are the same object."""
    from voltfix.model import ReplaceExpression

    for node in place.scene.nodes(place.path):
        if isinstance(node, ast.Name) and node.id == old and isinstance(node.ctx, ast.Load):
            yield ReplaceExpression(place.span(node), new)


def moved(place: Place, match: re.Match[str]) -> Iterator[Mend]:
    """A module that has another name, or is the file beside this one."""
    missing = place.event.name or match.group(1)
    statement = place.statement
    if missing in _MODULES and isinstance(statement, (ast.Import, ast.ImportFrom)):
        text = _imported(statement, missing, _MODULES[missing])
        yield _statement(place, statement, text, f"{missing} is {_MODULES[missing]} on Python 3")
    elif isinstance(statement, (ast.Import, ast.ImportFrom)):
        yield from _beside(place, statement, missing)


def _imported(statement: ast.Import | ast.ImportFrom, old: str, new: str) -> str:
    if isinstance(statement, ast.ImportFrom):
        names = ", ".join(f"{a.name} as {a.asname}" if a.asname else a.name for a in statement.names)
        return f"from {new} import {names}"
    lines = []
    for alias in statement.names:
        if alias.name == old:
            lines.append(f"import {new} as {alias.asname or old}")
        else:
            lines.append(f"import {alias.name} as {alias.asname}" if alias.asname else f"import {alias.name}")
    return "\n".join(lines)


def _beside(place: Place, statement: ast.Import | ast.ImportFrom, missing: str) -> Iterator[Mend]:
    """``import helpers`` of the file beside, as Python 2 did inside of a package."""
    folder = place.path.rpartition("/")[0]
    first = missing.split(".")[0]
    known = set(place.scene.project.paths)
    prefix = f"{folder}/" if folder else ""
    if f"{prefix}{first}.py" not in known and f"{prefix}{first}/__init__.py" not in known:
        return
    if isinstance(statement, ast.ImportFrom) and not statement.level:
        names = ", ".join(f"{a.name} as {a.asname}" if a.asname else a.name for a in statement.names)
        yield _statement(place, statement, f"from .{statement.module} import {names}", "is the module beside this one")
    elif isinstance(statement, ast.Import) and all("." not in alias.name for alias in statement.names):
        here = [
            a for a in statement.names if f"{prefix}{a.name}.py" in known or f"{prefix}{a.name}/__init__.py" in known
        ]
        lines = [f"import {a.name}" + (f" as {a.asname}" if a.asname else "") for a in statement.names if a not in here]
        lines += ["from . import " + ", ".join(a.name + (f" as {a.asname}" if a.asname else "") for a in here)]
        yield _statement(place, statement, "\n".join(lines), "is the module beside this one")


def _statement(place: Place, statement: ast.stmt, text: str, told: str) -> Mend:
    return place.edited(
        "VF218", statement, (ReplaceStatement(place.span(statement), text),), told, seen=place.event.head
    )


def gone(place: Place, match: re.Match[str]) -> Iterator[Mend]:
    """A name of a standard module, or a method of dictionaries, that is gone."""
    attribute = place.event.name or match.group(1)
    for node in place.attributes(attribute):
        owner = place.text(node.value)
        if attribute in _METHODS:
            yield place.mend(
                "VF218", node, f"{place.atom(node.value)}.{_METHODS[attribute]}", "is gone from dictionaries"
            )
        elif attribute == "has_key":
            call = place.parent(node)
            if isinstance(call, ast.Call) and len(call.args) == 1:
                text = f"({place.text(call.args[0])} in {place.atom(node.value)})"
                yield place.mend("VF218", call, text, "is `in` on Python 3")
        elif attribute == "next":
            call = place.parent(node)
            if isinstance(call, ast.Call) and call.func is node and not call.args:
                yield place.mend("VF209", call, f"next({place.text(node.value)})", "is next() of Python 3")
        elif attribute in ("sort",) and isinstance(place.statement, ast.Expr):
            yield from _sorted(place, node)
        elif attribute == "decode" and isinstance(place.parent(node), ast.Call):
            call = place.parent(node)
            assert call is not None
            yield place.mend("VF218", call, owner, "is text already")
        else:
            name = place.outside(node)
            base = place.value(node.value)
            if base is not None and base.kind == "module":
                name = f"{base.value}.{attribute}"
            if name in _BARE:
                yield place.mend("VF218", node, _BARE[name], f"is {_BARE[name]} on Python 3")
            elif _GONE.get(name):
                yield place.mend("VF218", node, f"{owner}.{_GONE[name]}", f"is {_GONE[name]} today")


def _sorted(place: Place, node: ast.Attribute) -> Iterator[Mend]:
    """``keys.sort()`` where keys came from a dictionary."""
    if isinstance(node.value, ast.Name):
        for reach in place.scene.kinds.reaches(place.path, node.value):
            if isinstance(reach.value, ast.Call):
                text = f"list({place.text(reach.value)})"
                yield place.mend("VF218", reach.value, text, "was a list on Python 2")


def listed(place: Place, match: re.Match[str]) -> Iterator[Mend]:
    """What was a list: ``map``, ``zip``, ``filter``, ``range``, and the views of dictionaries."""
    kinds = (
        "map",
        "zip",
        "filter",
        "range",
        "dict_keys",
        "dict_values",
        "dict_items",
        "odict_keys",
        "odict_values",
        "generator",
    )
    found = False
    for node in place.within():
        value = place.value(node)
        if (
            value is not None
            and value.type.rpartition(".")[2] in kinds
            and not isinstance(getattr(node, "ctx", None), ast.Store)
        ):
            for source in _sources(place, node):
                found = True
                yield place.mend("VF218", source, f"list({place.text(source)})", "was a list on Python 2")
    for node in place.within() if not found else ():
        if isinstance(node, ast.Call) and _makes_view(node):
            yield place.mend("VF218", node, f"list({place.text(node)})", "was a list on Python 2")


def _sources(place: Place, node: ast.expr) -> Iterator[ast.expr]:
    if isinstance(node, ast.Name):
        for reach in place.scene.kinds.reaches(place.path, node):
            if reach.value is not None and reach.how == "value" and not reach.path:
                yield reach.value
    yield node


def _makes_view(node: ast.Call) -> bool:
    name = (
        node.func.id
        if isinstance(node.func, ast.Name)
        else node.func.attr
        if isinstance(node.func, ast.Attribute)
        else ""
    )
    return name in ("map", "zip", "filter", "range", "keys", "values", "items")


SYMPTOMS = (
    Symptom(
        "VF218",
        "built-in-of-python-2",
        ("NameError",),
        r"name '(\w+)' is not defined",
        "Python 2 had it",
        _NEW,
        unknown,
    ),
    Symptom(
        "VF218",
        "module-of-python-2",
        ("ImportError", "ModuleNotFoundError"),
        r"No module named '?([\w.]+)'?",
        "Python 2 called it so, and looked beside the file first",
        _NEW,
        moved,
    ),
    Symptom(
        "VF218", "name-of-python-2", ("AttributeError",), r"has no attribute '(\w+)'", "it had that name", _NEW, gone
    ),
    Symptom(
        "VF218",
        "list-of-python-2",
        ("TypeError", "AttributeError"),
        r"'(map|zip|filter|range|dict_\w+|odict_\w+|generator)' object (is not subscriptable"
        r"|does not support item|has no|is not)"
        r"|object of type '(map|zip|filter|generator)' has no len|operand type\(s\) for [+*]=?: '(range"
        r"|dict_\w+|map|zip|list|filter)'"
        r"|can only concatenate|must be a list|expected a sequence|arrays to stack must be|(new"
        r"|tensor)\(\): data must be a sequence"
        r"|not '?dict_(keys|values)|needs to be a sequence|[Pp]opulation must be a sequence",
        "map, zip, filter, range and keys gave lists",
        _NEW,
        listed,
    ),
)
