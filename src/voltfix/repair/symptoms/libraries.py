"""NumPy, Pillow, SciPy, scikit-learn, YAML, gym: what their newer versions want, where the new call is known."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from voltfix.model import DeleteStatement, DropArgument, EnsureImport, ReplaceExpression, ReplaceStatement, Span
from voltfix.repair.place import Mend, Place, called
from voltfix.repair.symptom import Symptom

_NUMPY2 = "https://numpy.org/doc/stable/numpy_2_0_migration_guide.html"
_NAMES = {
    "numpy.float": "float", "numpy.int": "int", "numpy.bool": "bool", "numpy.object": "object", "numpy.str": "str",
    "numpy.complex": "complex", "numpy.long": "int", "numpy.unicode": "str",
}  # fmt: skip
_RENAMED = {
    "numpy.product": "prod", "numpy.cumproduct": "cumprod", "numpy.in1d": "isin", "numpy.row_stack": "vstack",
    "numpy.trapz": "trapezoid", "numpy.float_": "float64", "numpy.int_": "int64", "numpy.Inf": "inf",
    "numpy.NaN": "nan", "numpy.NAN": "nan", "numpy.infty": "inf", "numpy.alltrue": "all", "numpy.sometrue": "any",
    "numpy.string_": "bytes_", "numpy.unicode_": "str_", "numpy.complex_": "complex128", "numpy.PINF": "inf",
    "numpy.round_": "round", "PIL.Image.ANTIALIAS": "LANCZOS", "PIL.Image.CUBIC": "BICUBIC",
    "PIL.Image.LINEAR": "BILINEAR", "numpy.mat": "asmatrix", "numpy.msort": "sort", "numpy.int0": "intp",
    "numpy.uint0": "uintp", "numpy.bool8": "bool_", "numpy.object0": "object_", "numpy.singlecomplex": "complex64",
    "numpy.cfloat": "complex128", "numpy.clongfloat": "clongdouble", "numpy.longfloat": "longdouble",
    "scipy.integrate.simps": "simpson", "scipy.integrate.trapz": "trapezoid",
    "scipy.integrate.cumtrapz": "cumulative_trapezoid", "matplotlib.cm.spectral": "nipy_spectral",
    "matplotlib.cm.Vega10": "tab10", "matplotlib.cm.Vega20": "tab20",
    "matplotlib.pyplot.cm.spectral": "nipy_spectral", "collections.Iterable": "abc.Iterable",
    "collections.Mapping": "abc.Mapping", "collections.Sequence": "abc.Sequence",
    "collections.Callable": "abc.Callable", "collections.Set": "abc.Set",
    "collections.MutableMapping": "abc.MutableMapping", "collections.Hashable": "abc.Hashable",
    "collections.MutableSequence": "abc.MutableSequence", "collections.Sized": "abc.Sized",
}  # fmt: skip
_MODULES = {
    "sklearn.cross_validation": "sklearn.model_selection", "sklearn.grid_search": "sklearn.model_selection",
    "sklearn.externals.joblib": "joblib", "sklearn.datasets.samples_generator": "sklearn.datasets",
    "torch.utils.serialization": "torchfile",
}  # fmt: skip
# what is in another module today: module, and name in it
_ELSEWHERE = {
    **{f"scipy.misc.{name}": ("scipy.special", name) for name in ("logsumexp", "comb", "factorial", "factorial2")},
    **{
        f"scipy.signal.{name}": ("scipy.signal.windows", name)
        for name in ("gaussian", "hamming", "hanning", "hann", "blackman", "kaiser", "boxcar", "triang", "bartlett")
    },
    "matplotlib.cm.get_cmap": ("matplotlib.pyplot", "get_cmap"),
    "sklearn.preprocessing.Imputer": ("sklearn.impute", "SimpleImputer"),
    "scipy.integrate.simps": ("scipy.integrate", "simpson"),
    "scipy.integrate.trapz": ("scipy.integrate", "trapezoid"),
    "scipy.integrate.cumtrapz": ("scipy.integrate", "cumulative_trapezoid"),
    "fractions.gcd": ("math", "gcd"),
    "torch._utils._accumulate": ("itertools", "accumulate"),
}
_IMAGES = frozenset({"imread", "imsave", "imresize", "imrotate", "toimage", "fromimage"})
# an attribute of an object, by the type's name: what it is today; {} is the object
_ATTRIBUTES = {
    ("Dataset", "value"): "{}[()]",
    ("ndarray", "tostring"): "{}.tobytes",
    ("Image", "tostring"): "{}.tobytes",
    ("array", "tostring"): "{}.tobytes",
    ("array", "fromstring"): "{}.frombytes",
    ("FreeTypeFont", "getsize"): "(lambda text: {}.getbbox(text)[2:])",
    ("ImageFont", "getsize"): "(lambda text: {}.getbbox(text)[2:])",
    ("ImageDraw", "textsize"): "(lambda text, *given, **more: {}.textbbox((0, 0), text, *given, **more)[2:])",
    ("Axes", "set_axis_bgcolor"): "{}.set_facecolor",
    ("AxesSubplot", "set_axis_bgcolor"): "{}.set_facecolor",
}
_METHODS = frozenset({"ptp"})  # of arrays, that are functions of NumPy today
WANTED = {
    "torchtext": "torchtext 0.8 or older (datasets and fields left it in 0.9)", "gym": "gym 0.25 or older",
    "visdom": "visdom", "torchvision": "torchvision", "tensorboard_logger": "tensorboard_logger",
    "torch.utils.ffi": "a C extension for torch 0.4 or older", "torch.legacy": "torch 0.4 or older",
    "torch._six": "torch 1.12 or older", "pkg_resources": "setuptools 81 or older (pkg_resources is a part of it)",
    "torchnet": "torchnet", "tensorflow": "tensorflow 1",
}  # fmt: skip


def renamed(place: Place, match: re.Match[str]) -> Iterator[Mend]:
    """A name that a library gave up."""
    attribute = place.event.name or match.group(1) or match.group(2)
    for node in place.attributes(attribute):
        base = place.value(node.value) or place.event.owner
        name = f"{base.value}.{attribute}" if base is not None and base.kind == "module" else place.outside(node)
        call = place.parent(node)
        if name in _NAMES:
            yield place.mend("VF209", node, _NAMES[name], f"is {_NAMES[name]} today")
        elif name in _RENAMED:
            yield place.mend("VF209", node, f"{place.text(node.value)}.{_RENAMED[name]}", f"is {_RENAMED[name]} today")
        elif name == "numpy.asscalar" and isinstance(call, ast.Call) and call.args:
            yield place.mend("VF209", call, f"{place.atom(call.args[0])}.item()", "is .item() today")
        elif name in _ELSEWHERE:
            module, new = _ELSEWHERE[name]
            yield place.mend("VF209", node, f"{module}.{new}", f"is {module}.{new} today", EnsureImport(module))
        elif name.startswith("scipy.misc.") and attribute in _IMAGES and isinstance(call, ast.Call):
            yield from _pictured(place, call, attribute)
        elif base is not None and isinstance(call, ast.Call) and base.kind == "array" and attribute in _METHODS:
            inner = ", ".join([place.text(node.value), *(place.text(a) for a in (*call.args, *call.keywords))])
            yield place.mend("VF209", call, f"numpy.{attribute}({inner})", "is a function of NumPy today",
                             EnsureImport("numpy"))  # fmt: skip
        elif base is not None and (base.type.rpartition(".")[2], attribute) in _ATTRIBUTES:
            text = _ATTRIBUTES[base.type.rpartition(".")[2], attribute].format(place.atom(node.value))
            yield place.mend("VF209", node, text, "is called otherwise today", seen=place.seen(node.value))
        elif attribute == "hold" and name == "matplotlib.pyplot.hold" and isinstance(place.statement, ast.Expr):
            edit = DeleteStatement(place.span(place.statement))
            yield place.edited("VF209", node, (edit,), "is what every plot does today", seen=place.event.head)
        elif attribute == "tostring_rgb" and isinstance(call, ast.Call):
            text = f"numpy.asarray({place.text(node.value)}.buffer_rgba())[..., :3].tobytes()"
            yield place.mend(
                "VF209", call, text, "is buffer_rgba() today", EnsureImport("numpy"), seen=place.event.head
            )


def _pictured(place: Place, call: ast.Call, name: str) -> Iterator[Mend]:
    """What ``scipy.misc`` did with Pillow, in Pillow's own words."""
    made = _picture([place.text(a) for a in call.args], {k.arg or "": place.text(k.value) for k in call.keywords}, name)
    if made is not None:
        modules = [EnsureImport("numpy"), EnsureImport("PIL.Image")]
        yield place.mend("VF209", call, made, "was done with Pillow", *modules, seen=place.event.head)


_BYTES = (
    "(lambda x: x if x.dtype == 'uint8' else numpy.uint8((x - x.min()) * 255.0 / ((x.max() - x.min()) or 1) + 0.5))"
    "(numpy.asarray({}))"
)


def _picture(given: list[str], named: dict[str, str], name: str) -> str | None:
    image = f"PIL.Image.fromarray({_BYTES.format(given[0])})" if given else ""
    if name == "imread" and len(given) + len(named) <= 2 and given:
        mode = named.get("mode") or (given[1] if len(given) > 1 else None)
        flat = named.get("flatten")
        if flat is not None or mode in ("True", "False"):
            return None
        convert = f".convert({mode})" if mode else ""
        return f"numpy.array(PIL.Image.open({given[0]}){convert})"
    if name == "imsave" and len(given) >= 2:
        return f"PIL.Image.fromarray({_BYTES.format(given[1])}).save({given[0]})"
    if name == "toimage" and len(given) == 1 and not named:
        return image
    if (name == "imresize" and len(given) >= 2) or (name == "imresize" and "size" in named):
        size = given[1] if len(given) > 1 else named["size"]
        modes = {"'nearest'": "NEAREST", "'bicubic'": "BICUBIC", "'lanczos'": "LANCZOS", "'cubic'": "BICUBIC"}
        how = (named.get("interp") or (given[2] if len(given) > 2 else "'bilinear'")).replace('"', "'")
        fit = (
            "(lambda im, s: im.resize("
            "(int(s[1]), int(s[0])) if isinstance(s, (tuple, list)) or hasattr(s, 'shape') and s.shape "
            "else tuple(int(n * (s if isinstance(s, float) else s / 100.0)) for n in im.size), "
            f"PIL.Image.{modes.get(how, 'BILINEAR')}))"
        )
        return f"numpy.array({fit}({image}, {size}))"
    return None


def stylish(place: Place, match: re.Match[str]) -> Iterator[Mend]:
    """The styles that matplotlib had of seaborn."""
    for node in place.within():
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and node.value.startswith("seaborn"):
            new = node.value.replace("seaborn", "seaborn-v0_8", 1)
            yield place.mend("VF209", node, repr(new), f"is {new} today", seen=place.event.head)


def keyworded(place: Place, match: re.Match[str]) -> Iterator[Mend]:
    """An argument of a library that is called otherwise today, or is gone."""
    word = match.group(1)
    for node in place.outwards():
        for keyword in node.keywords if isinstance(node, ast.Call) else ():
            if keyword.arg != word or not isinstance(node, ast.Call):
                continue
            new = _WORDS.get((called(node), word), _WORDS.get(("", word)))
            start = place.span(keyword).start
            if new is not None:
                edit = place.scene.rewritten(place.path, node, [(Span(start, start + len(word)), new)])
                edits = (edit, *_elsewhere(place, node, word, new))  # the same function is called so elsewhere
                yield place.edited("VF209", node, edits, f"{word} is called {new} today", seen=place.event.head)
            elif (called(node), word) in _NEEDLESS:
                drop = DropArgument(place.span(node), place.span(keyword))
                yield place.edited("VF209", node, (drop,), f"takes no {word} today", seen=place.event.head)


def _elsewhere(place: Place, wanted: ast.Call, word: str, new: str) -> Iterator[ReplaceExpression]:
    for other in place.scene.calls(place.path):
        if other is wanted or place.text(other.func) != place.text(wanted.func):
            continue
        for keyword in other.keywords:
            if keyword.arg == word:
                start = place.span(keyword).start
                yield place.scene.rewritten(place.path, other, [(Span(start, start + len(word)), new)])


# (function, argument): what it is called today; an empty function: wherever it stands
_WORDS = {
    ("attrib", "convert"): "converter",
    ("ib", "convert"): "converter",
    ("TSNE", "n_iter"): "max_iter",
    ("hist", "normed"): "density",
    ("histogram", "normed"): "density",
    ("histogram2d", "normed"): "density",
    ("", "axisbg"): "facecolor",
    ("xlim", "xmin"): "left",
    ("xlim", "xmax"): "right",
    ("ylim", "ymin"): "bottom",
    ("ylim", "ymax"): "top",
    ("set_xlim", "xmin"): "left",
    ("set_xlim", "xmax"): "right",
    ("set_ylim", "ymin"): "bottom",
    ("set_ylim", "ymax"): "top",
    ("boxplot", "labels"): "tick_labels",
}
_NEEDLESS = frozenset({
    ("use", "warn"), ("loads", "encoding"), ("load", "encoding"), ("KMeans", "n_jobs"),
    ("KMeans", "precompute_distances"), ("array2string", "style"),
})  # fmt: skip


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
        if f"{statement.module}.{alias.name}" in _ELSEWHERE or (
            statement.module == "scipy.misc" and alias.name in _IMAGES
        ):
            yield from _sorted_out(place, statement)
            return
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


def _sorted_out(place: Place, statement: ast.ImportFrom) -> Iterator[Mend]:
    """``from x import a, b``: each from where it is today; pictures by what Pillow does for them."""
    lines: dict[str, list[str]] = {}
    defined: list[str] = []
    for alias in statement.names:
        name = f"{statement.module}.{alias.name}"
        if statement.module == "scipy.misc" and alias.name in _IMAGES:
            called_so = alias.asname or alias.name
            made = _DEFINED.get(alias.name)
            if made is None:
                return
            defined.append(f"{called_so} = {made}")
            continue
        module, new = _ELSEWHERE.get(name, (statement.module or "", alias.name))
        wanted = alias.asname or alias.name
        lines.setdefault(module, []).append(f"{new} as {wanted}" if wanted != new else new)
    text = [f"from {module} import {', '.join(names)}" for module, names in lines.items()] + defined
    imports = [EnsureImport("numpy"), EnsureImport("PIL.Image")] if defined else []
    edit = ReplaceStatement(place.span(statement), "\n".join(text))
    told = "was done with Pillow" if defined else "is elsewhere today"
    yield place.edited("VF209", statement, (edit, *imports), told, seen=place.event.head)


_DEFINED = {
    "imread": "lambda name, mode=None: numpy.array("
    "PIL.Image.open(name) if mode is None else PIL.Image.open(name).convert(mode))",
    "imsave": f"lambda name, x: PIL.Image.fromarray({_BYTES.format('x')}).save(name)",
    "toimage": f"lambda x: PIL.Image.fromarray({_BYTES.format('x')})",
    "imresize": "lambda x, size: " + str(_picture(["x", "size"], {}, "imresize")),
}


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
        r"has no attribute '(\w+)'|`np\.(\w+)` was removed",
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
    Symptom(
        "VF209",
        "argument-of-a-library",
        ("TypeError", "AttributeError"),
        r"unexpected keyword argument '(\w+)'",
        "it was taken, or had that name",
        "https://matplotlib.org/stable/api/prev_api_changes/",
        keyworded,
    ),
    Symptom(
        "VF209",
        "style-of-a-library",
        ("OSError",),
        r"not a valid package style",
        "it had that name",
        "https://matplotlib.org/stable/api/prev_api_changes/api_changes_3.6.0.html",
        stylish,
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
