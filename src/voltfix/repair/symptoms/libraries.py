"""NumPy, Pillow, SciPy, scikit-learn, YAML, gym: what their newer versions want, where the new call is known."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from voltfix.model import ReplaceStatement
from voltfix.repair.place import Mend, Place
from voltfix.repair.symptom import Symptom

_NUMPY2 = "https://numpy.org/doc/stable/numpy_2_0_migration_guide.html"
_NAMES = {
    "numpy.float": "float", "numpy.int": "int", "numpy.bool": "bool", "numpy.object": "object", "numpy.str": "str",
    "numpy.complex": "complex", "numpy.long": "int", "numpy.unicode": "str",
}  # fmt: skip
_RENAMED = {
    "numpy.product": "prod", "numpy.cumproduct": "cumprod", "numpy.in1d": "isin", "numpy.row_stack": "vstack",
    "numpy.trapz": "trapezoid", "numpy.float_": "float64", "numpy.int_": "int64", "numpy.Inf": "inf",
    "numpy.NaN": "nan",
    "numpy.NAN": "nan", "numpy.infty": "inf", "numpy.alltrue": "all", "numpy.sometrue": "any",
    "numpy.string_": "bytes_",
    "numpy.unicode_": "str_", "numpy.complex_": "complex128", "numpy.PINF": "inf", "numpy.round_": "round",
    "PIL.Image.ANTIALIAS": "LANCZOS", "collections.Iterable": "abc.Iterable", "collections.Mapping": "abc.Mapping",
    "collections.Sequence": "abc.Sequence", "collections.Callable": "abc.Callable", "collections.Set": "abc.Set",
    "collections.MutableMapping": "abc.MutableMapping", "collections.Hashable": "abc.Hashable",
    "collections.MutableSequence": "abc.MutableSequence", "collections.Sized": "abc.Sized",
}  # fmt: skip
_MODULES = {
    "sklearn.cross_validation": "sklearn.model_selection", "sklearn.grid_search": "sklearn.model_selection",
    "sklearn.externals.joblib": "joblib", "sklearn.datasets.samples_generator": "sklearn.datasets",
    "scipy.misc.imread": "imageio.v2", "torch.utils.serialization": "torchfile",
}  # fmt: skip
WANTED = {
    "torchtext": "torchtext 0.8 or older (datasets and fields left it in 0.9)", "gym": "gym 0.25 or older",
    "visdom": "visdom", "torchvision": "torchvision", "tensorboard_logger": "tensorboard_logger",
    "torch.utils.ffi": "a C extension for torch 0.4 or older", "torch.legacy": "torch 0.4 or older",
    "torch._six": "torch 1.12 or older", "torchnet": "torchnet", "tensorflow": "tensorflow 1",
}  # fmt: skip


def renamed(place: Place, match: re.Match[str]) -> Iterator[Mend]:
    """A name that a library gave up."""
    attribute = place.event.name or match.group(1)
    for node in place.attributes(attribute):
        base = place.value(node.value)
        name = f"{base.value}.{attribute}" if base is not None and base.kind == "module" else place.outside(node)
        call = place.parent(node)
        if name in _NAMES:
            yield place.mend("VF209", node, _NAMES[name], f"is {_NAMES[name]} today")
        elif name in _RENAMED:
            yield place.mend("VF209", node, f"{place.text(node.value)}.{_RENAMED[name]}", f"is {_RENAMED[name]} today")
        elif name == "numpy.asscalar" and isinstance(call, ast.Call) and call.args:
            yield place.mend("VF209", call, f"{place.atom(call.args[0])}.item()", "is .item() today")
        elif name == "scipy.misc.imread" and isinstance(call, ast.Call):
            from voltfix.model import EnsureImport

            yield place.mend("VF209", node, "imageio.imread", "is imageio's today", EnsureImport("imageio"))


def moved(place: Place, match: re.Match[str]) -> Iterator[Mend]:
    """A module that a library gave up."""
    missing = place.event.name or match.group(1)
    statement = place.statement
    if missing in _MODULES and isinstance(statement, ast.ImportFrom):
        names = ", ".join(f"{a.name} as {a.asname}" if a.asname else a.name for a in statement.names)
        edit = ReplaceStatement(place.span(statement), f"from {_MODULES[missing]} import {names}")
        yield place.edited("VF209", statement, (edit,), f"is {_MODULES[missing]} today", seen=place.event.head)


def parted(place: Place, match: re.Match[str]) -> Iterator[Mend]:
    """``from x import name`` of a name that is elsewhere today."""
    statement = place.statement
    if not isinstance(statement, ast.ImportFrom):
        return
    for alias in statement.names:
        if statement.module == "sklearn.externals" and alias.name == "joblib":
            edit = ReplaceStatement(place.span(statement), "import joblib")
            yield place.edited("VF209", statement, (edit,), "is a package of its own today", seen=place.event.head)
        if statement.module == "scipy.misc" and alias.name in ("logsumexp", "comb", "factorial"):
            edit = ReplaceStatement(place.span(statement), f"from scipy.special import {alias.name}")
            yield place.edited("VF209", statement, (edit,), "is in scipy.special today", seen=place.event.head)
        if statement.module == "itertools" and alias.name in ("izip", "imap", "ifilter"):
            edit = ReplaceStatement(place.span(statement), f"{alias.asname or alias.name} = {alias.name[1:]}")
            yield place.edited("VF218", statement, (edit,), f"is {alias.name[1:]} on Python 3", seen=place.event.head)
        if statement.module == "collections":
            names = ", ".join(f"{a.name} as {a.asname}" if a.asname else a.name for a in statement.names)
            edit = ReplaceStatement(place.span(statement), f"from collections.abc import {names}")
            yield place.edited("VF209", statement, (edit,), "is in collections.abc", seen=place.event.head)
        if statement.module == "torch.utils.data.dataloader" and alias.name in ("DataLoaderIter", "_DataLoaderIter"):
            name = "_BaseDataLoaderIter"
            edit = ReplaceStatement(
                place.span(statement), f"from {statement.module} import {name} as {alias.asname or alias.name}"
            )
            yield place.edited("VF206", statement, (edit,), f"is {name} today", seen=place.event.head)


def ragged(place: Place, match: re.Match[str]) -> Iterator[Mend]:
    """``np.array`` of rows of different lengths."""
    for node in place.outwards():
        if isinstance(node, ast.Call) and _makes_array(place, node):
            text = place.text(node).rstrip()[:-1].rstrip().rstrip(",")
            yield place.mend("VF213", node, f"{text}, dtype=object)", "has rows of different lengths: dtype=object")
            continue
        for argument in node.args if isinstance(node, ast.Call) else ():
            value, name = place.value(argument), place.text(node.func) if isinstance(node, ast.Call) else ""
            if value is not None and value.kind == "container" and value.length and "." in name:
                text = f"{name.rpartition('.')[0]}.array({place.text(argument)}, dtype=object)"
                yield place.mend("VF213", argument, text, "has rows of different lengths: dtype=object")


def _makes_array(place: Place, node: ast.Call) -> bool:
    told = any(keyword.arg in ("dtype", None) for keyword in node.keywords)
    return not told and len(node.args) == 1 and place.text(node.func).rpartition(".")[2] in ("array", "asarray")


def summed(place: Place, match: re.Match[str]) -> Iterator[Mend]:
    """``np.sum(x for x in y)``: Python's own sum, as NumPy took it."""
    for node in place.outwards():
        if isinstance(node, ast.Call) and len(node.args) == 1 and not node.keywords:
            text = place.text(node)
            rest = text[len(place.text(node.func)) :]
            yield place.mend(
                "VF209", node, f"sum{rest}", "is a generator, which Python's sum adds up", seen=place.event.head
            )


def pickled(place: Place, match: re.Match[str]) -> Iterator[Mend]:
    """``np.load`` and ``pickle.load`` of what was written then."""
    option = "allow_pickle=True" if "allow_pickle" in match.string else 'encoding="latin1"'
    for node in place.outwards():
        if isinstance(node, ast.Call) and not any(k.arg == option.partition("=")[0] for k in node.keywords):
            if place.text(node.func).rpartition(".")[2] not in ("load", "loads"):
                continue
            text = place.text(node).rstrip()[:-1].rstrip().rstrip(",")
            yield place.mend("VF209", node, f"{text}, {option})", f"was written then: {option}", seen=place.event.head)


def opened(place: Place, match: re.Match[str]) -> Iterator[Mend]:
    """``yaml.load(file)``."""
    for node in place.outwards():
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "load":
            text = place.text(node).rstrip()[:-1].rstrip().rstrip(",")
            loader = f"{place.text(node.func.value)}.FullLoader"
            yield place.mend("VF209", node, f"{text}, Loader={loader})", "is told its loader", seen=place.event.head)


def binary(place: Place, match: re.Match[str]) -> Iterator[Mend]:
    """Bytes in a file that was opened for text, and text in one that was opened for bytes."""
    wants_text = "not 'str'" in match.string or "not str" in match.string
    for node in place.scene.calls(place.path):
        opens = isinstance(node.func, ast.Name) and node.func.id == "open"
        if not opens or not _is_near(place, node):
            continue
        mode = node.args[1] if len(node.args) > 1 else None
        if isinstance(mode, ast.Constant) and isinstance(mode.value, str):
            binary = "b" in mode.value
            new = mode.value.replace("b", "") if binary else f"{mode.value}b"
            if binary == wants_text:
                told = "holds text: opened as such" if wants_text else "holds bytes: opened as such"
                yield place.mend("VF218", mode, f'"{new}"', told, seen=place.event.head)
        elif mode is None and not wants_text and not node.keywords:
            text = f'{place.text(node).rstrip()[:-1]}, "rb")'
            yield place.mend("VF218", node, text, "holds bytes: opened as such", seen=place.event.head)


def _is_near(place: Place, node: ast.Call) -> bool:
    """Is the file that is opened there the one that the statement speaks of: in it, around it, or by name?"""
    statement = place.statement
    if statement is None:
        return False
    names = {inner.id for inner in ast.walk(statement) if isinstance(inner, ast.Name)}
    for above in [node, *place.scene.project.parents(place.path, node)]:
        if above is statement:
            return True
        if isinstance(above, ast.withitem):
            return isinstance(above.optional_vars, ast.Name) and above.optional_vars.id in names
        if isinstance(above, ast.Assign):
            return any(isinstance(target, ast.Name) and target.id in names for target in above.targets)
    return False


def reversed_(place: Place, match: re.Match[str]) -> Iterator[Mend]:
    """An array that runs backwards."""
    for node in place.outwards():
        if isinstance(node, ast.Call) and node.args:
            yield place.mend("VF214", node.args[0], f"{place.atom(node.args[0])}.copy()", "runs backwards: .copy()")


def stepped(place: Place, match: re.Match[str]) -> Iterator[Mend]:
    """``o, r, done, info = env.step(a)`` of gym 0.26 and gymnasium, and what ``reset`` gives there."""
    statement = place.statement
    if (
        isinstance(statement, ast.Assign)
        and isinstance(statement.targets[0], ast.Tuple)
        and "step(" in place.text(statement.value)
    ):
        names = [place.text(item) for item in statement.targets[0].elts]
        if len(names) == 4:
            done = names[2] if names[2].isidentifier() else "ended"
            target = f"{names[0]}, {names[1]}, {done}, truncated, {names[3]}"
            lines = f"{target} = {place.text(statement.value)}\n{done} = {done} or truncated"
            edit = ReplaceStatement(place.span(statement), lines)
            yield place.edited(
                "VF209", statement, (edit,), "step() gives five values since gym 0.26", seen=place.event.head
            )


SYMPTOMS = (
    Symptom(
        "VF209",
        "name-of-a-library",
        ("AttributeError",),
        r"has no attribute '(\w+)'",
        "it had that name",
        _NUMPY2,
        renamed,
    ),
    Symptom(
        "VF209",
        "module-of-a-library",
        ("ImportError", "ModuleNotFoundError"),
        r"No module named '?([\w.]+)'?",
        "it was there",
        "https://scikit-learn.org/stable/whats_new/v0.20.html",
        moved,
    ),
    Symptom("VF209", "import-of-a-library", ("ImportError",), r"cannot import name", "it was there", _NUMPY2, parted),
    Symptom(
        "VF213",
        "ragged-array",
        ("ValueError",),
        r"inhomogeneous",
        "an array of objects was made",
        "https://numpy.org/neps/nep-0034-infer-dtype-is-object.html",
        ragged,
    ),
    Symptom(
        "VF209",
        "sum-of-a-generator",
        ("TypeError", "DeprecationWarning"),
        r"np\.sum\(generator\)",
        "Python's sum was called",
        _NUMPY2,
        summed,
    ),
    Symptom(
        "VF209",
        "file-of-then",
        ("ValueError", "UnicodeDecodeError"),
        r"allow_pickle=False|can't decode byte",
        "objects were read, and Python 2 wrote bytes",
        _NUMPY2,
        pickled,
    ),
    Symptom(
        "VF209",
        "yaml-without-loader",
        ("TypeError",),
        r"load\(\) missing 1 required positional argument: 'Loader'",
        "the full loader was taken",
        "https://github.com/yaml/pyyaml/wiki/PyYAML-yaml.load(input)-Deprecation",
        opened,
    ),
    Symptom(
        "VF218",
        "bytes-as-text",
        ("TypeError", "UnicodeDecodeError"),
        r"must be str, not bytes|bytes-like object is required|can't decode byte",
        "files were of bytes",
        "https://docs.python.org/3/whatsnew/3.0.html",
        binary,
    ),
    Symptom(
        "VF214",
        "array-that-runs-backwards",
        ("ValueError",),
        r"strides? .*negative",
        "its strides were taken",
        "https://docs.pytorch.org/docs/stable/generated/torch.from_numpy.html",
        reversed_,
    ),
    Symptom(
        "VF209",
        "step-of-five",
        ("ValueError",),
        r"too many values to unpack \(expected 4",
        "step() gave four values",
        "https://gymnasium.farama.org/introduction/migration_guide/",
        stepped,
    ),
)
