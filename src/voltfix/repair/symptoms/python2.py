"""Names, methods and lists of Python 2."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from voltfix.model import DeleteStatement, Edit, EnsureImport, ReplaceStatement
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
    "thread": "_thread", "httplib": "http.client", "itertools.ifilter": "builtins.filter",
    "cookielib": "http.cookiejar", "xmlrpclib": "xmlrpc.client", "dummy_thread": "_dummy_thread", "md5": "hashlib",
    "sets": "builtins", "UserDict": "collections", "Cookie": "http.cookies", "BaseHTTPServer": "http.server",
    "itertools.izip": "builtins.zip", "exceptions": "builtins",
}  # fmt: skip
_METHODS = {"iteritems": "items", "itervalues": "values", "iterkeys": "keys", "viewitems": "items"}
_GONE = {
    "string.letters": "ascii_letters",
    "string.lowercase": "ascii_lowercase",
    "string.uppercase": "ascii_uppercase",
    "sys.maxint": "maxsize",
    "os.getcwdu": "getcwd",
    "time.clock": "perf_counter",
    "itertools.izip": None,
    "itertools.imap": None,
    "itertools.ifilter": None,
    "inspect.getargspec": "getfullargspec",
    "string.maketrans": None,
    "itertools.izip_longest": "zip_longest",
    "base64.encodestring": "encodebytes",
    "base64.decodestring": "decodebytes",
    "os.errno": None,
    "cgi.escape": None,
    "fractions.gcd": None,
}
# what is in another module today, by the name that it had: module, and name in it
_ELSEWHERE = {
    "os.errno": ("errno", ""),
    "cgi.escape": ("html", "escape"),
    "fractions.gcd": ("math", "gcd"),
    "urllib.quote": ("urllib.parse", "quote"),
    "urllib.unquote": ("urllib.parse", "unquote"),
    "urllib.quote_plus": ("urllib.parse", "quote_plus"),
    "urllib.urlencode": ("urllib.parse", "urlencode"),
    "urllib.unquote_plus": ("urllib.parse", "unquote_plus"),
    "urllib.urlopen": ("urllib.request", "urlopen"),
    "urllib.urlretrieve": ("urllib.request", "urlretrieve"),
    "urllib.URLopener": ("urllib.request", "URLopener"),
    "urllib.FancyURLopener": ("urllib.request", "FancyURLopener"),
}
_OF_TYPES = {
    "types.StringType": "str",
    "types.ListType": "list",
    "types.DictType": "dict",
    "types.TupleType": "tuple",
    "types.IntType": "int",
    "types.FloatType": "float",
    "types.BooleanType": "bool",
    "types.UnicodeType": "str",
    "types.StringTypes": "str",
    "types.NoneType": "type(None)",
    "types.LongType": "int",
    "types.ObjectType": "object",
    "types.ClassType": "type",
    "types.FileType": "object",
}
# methods, by their new names
_ALWAYS = {"isAlive": "is_alive", "getchildren": "iter", "has_key": "__contains__"}
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
            base = place.value(node.value) or place.event.owner
            if base is not None and base.kind == "module":
                name = f"{base.value}.{attribute}"
            if name in _BARE:
                yield place.mend("VF218", node, _BARE[name], f"is {_BARE[name]} on Python 3")
            elif name in _OF_TYPES:
                yield place.mend("VF218", node, _OF_TYPES[name], f"is {_OF_TYPES[name]} on Python 3")
            elif name in _ELSEWHERE:
                module, new = _ELSEWHERE[name]
                text = f"{module}.{new}" if new else module
                yield place.mend("VF218", node, text, f"is {text} on Python 3", EnsureImport(module))
            elif name == "sys.setdefaultencoding" and isinstance(place.statement, ast.Expr):
                told = "text is unicode on Python 3: dropped"
                edit = DeleteStatement(place.span(place.statement))
                yield place.edited("VF218", node, (edit,), told, seen=place.event.head)
            elif name in ("string.join", "string.split", "string.replace", "string.strip", "string.lower"):
                yield from _of_string(place, node)
            elif attribute in _ALWAYS:
                yield place.mend("VF218", node, f"{owner}.{_ALWAYS[attribute]}", f"is {_ALWAYS[attribute]} today")
            elif (
                attribute == "message" and base is not None and base.type.endswith(("Error", "Exception", "Interrupt"))
            ):
                yield place.mend("VF218", node, f"str({owner})", "is what str() tells")
            elif _GONE.get(name):
                yield place.mend("VF218", node, f"{owner}.{_GONE[name]}", f"is {_GONE[name]} today")


def _of_string(place: Place, node: ast.Attribute) -> Iterator[Mend]:
    """``string.join(words, sep)``: the method of the text that it is."""
    call = place.parent(node)
    if not isinstance(call, ast.Call) or not call.args or call.keywords:
        return
    words = [place.text(argument) for argument in call.args]
    if node.attr == "join":
        separator = place.atom(call.args[1]) if len(words) > 1 else '" "'
        text = f"{separator}.join({words[0]})"
    else:
        text = f"{place.atom(call.args[0])}.{node.attr}({', '.join(words[1:])})"
    yield place.mend("VF218", call, text, "is a method of text on Python 3")


def parted(place: Place, match: re.Match[str]) -> Iterator[Mend]:
    """``from urllib import quote, urlopen``: each from where it is today."""
    statement = place.statement
    if not isinstance(statement, ast.ImportFrom) or statement.level:
        return
    lines: dict[str, list[str]] = {}
    moved = False
    for alias in statement.names:
        module, new = _ELSEWHERE.get(f"{statement.module}.{alias.name}", (statement.module or "", alias.name))
        moved |= module != statement.module
        name = f"{new} as {alias.asname}" if alias.asname else new
        lines.setdefault(module, []).append(name)
    if moved:
        text = "\n".join(f"from {module} import {', '.join(names)}" for module, names in lines.items())
        yield _statement(place, statement, text, "is elsewhere on Python 3")


def decoded(place: Place, match: re.Match[str]) -> Iterator[Mend]:
    """``unicode(text, "utf-8")`` of what is text already."""
    for node in place.calls("str"):
        if len(node.args) > 1 or node.keywords:
            yield place.mend("VF218", node, place.text(node.args[0]), "is text already", seen=place.event.head)


def _sorted(place: Place, node: ast.Attribute) -> Iterator[Mend]:
    """``keys.sort()`` where keys came from a dictionary."""
    if isinstance(node.value, ast.Name):
        for reach in place.scene.kinds.reaches(place.path, node.value):
            if isinstance(reach.value, ast.Call):
                text = f"list({place.text(reach.value)})"
                yield place.mend("VF218", reach.value, text, "was a list on Python 2")


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
    Symptom("VF218", "import-of-python-2", ("ImportError",), r"cannot import name", "it was there", _NEW, parted),
    Symptom(
        "VF218",
        "text-that-is-decoded",
        ("TypeError",),
        r"decoding str is not supported",
        "text was bytes, and unicode() decoded it",
        _NEW,
        decoded,
    ),
)
