"""What a value can be, as far as the rules care."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Literal

from voltfix.program.bindings import ProjectClass
from voltfix.records import dataclass

DType = Literal["bool", "byte", "long", "float"]
Guess = Literal["", "module", "table", "own"]
Plainness = bool | Literal["detached"] | None


@dataclass(frozen=True)
class Tensor:
    """A tensor. ``dim``: its dimensions on today's torch, None where that is not known.

    ``single``: it holds one element for sure. ``dtype``: what today's torch makes it. ``strided``: it may
    not be contiguous today. ``maybe``: it may be a number or None instead. ``plain``: it was a plain
    tensor on 0.3, cut off from any graph (True), or a Variable (False); ``detached``: by ``.detach()``, which may have
    been ``.data`` before somebody modernised it. ``guessed``: only a use says so, which
    something else may have as well: a module (also a packed sequence, or options), a table, an object of a class of
    the project's own.
    """

    dim: int | None = None
    single: bool = False
    dtype: DType | None = None
    strided: bool = False
    maybe: bool = False
    plain: Plainness = None
    guessed: Guess = ""

    @property
    def unsure(self) -> bool:
        """May it be something else: what only looks like a tensor, a number, or None?"""
        return self.guessed != "" or self.maybe


@dataclass(frozen=True)
class Many:
    """A list, tuple, loader or generator: its items in order where they are known, else what each of them
    is."""

    items: tuple[Kind, ...] | None
    element: Kind

    def item(self, index: int | None) -> Kind:
        """What stands at ``index``; None for any place."""
        if self.items is not None and index is not None and -len(self.items) <= index < len(self.items):
            return self.items[index]
        return self.element


@dataclass(frozen=True)
class Instance:
    """An object of a class: of the project, or by its dotted name (``torch.nn.MSELoss``).

    ``scalar``: for losses, whether calling it gives a single number.
    """

    cls: ProjectClass | str
    scalar: bool = False
    others: tuple[Instance, ...] = ()  # what it may be instead


@dataclass(frozen=True)
class Plain:
    """A value without more to it: ``number``, ``other`` (surely no tensor), ``unknown``, ``nothing``
    (never arrives).

    ``numpy`` is what NumPy made.
    """

    name: Literal["number", "other", "unknown", "nothing", "none", "numpy"]


Kind = Tensor | Many | Instance | Plain
NUMBER, OTHER, UNKNOWN = Plain("number"), Plain("other"), Plain("unknown")
NOTHING, NONE, NUMPY = Plain("nothing"), Plain("none"), Plain("numpy")


def many(items: Iterable[Kind]) -> Many:
    """A sequence with these items."""
    found = tuple(items)
    return Many(found, join(found) if found else UNKNOWN)


def join(kinds: Iterable[Kind]) -> Kind:
    """What a value is that may be each of ``kinds``."""
    distinct = [kind for kind in dict.fromkeys(kinds) if kind != NOTHING]
    if len(distinct) < 2:
        return distinct[0] if distinct else NOTHING
    tensors = [kind for kind in distinct if isinstance(kind, Tensor)]
    rest = [kind for kind in distinct if not isinstance(kind, Tensor) and kind != NONE]
    if tensors and all(kind == NUMBER for kind in rest):
        return replace(_merged(tensors), maybe=len(tensors) < len(distinct) or any(t.maybe for t in tensors))
    if not tensors and all(isinstance(kind, Instance) for kind in rest):
        return _either([kind for kind in rest if isinstance(kind, Instance)])
    if not tensors and len(rest) == 1:
        return rest[0]
    if not tensors and all(isinstance(kind, Many) for kind in rest):
        return _merged_many([kind for kind in rest if isinstance(kind, Many)])
    if not tensors and all(kind in (NUMBER, OTHER, NUMPY) for kind in rest):
        return OTHER
    return UNKNOWN


def _either(found: list[Instance]) -> Instance:
    flat = dict.fromkeys(one for kind in found for one in (replace(kind, others=()), *kind.others))
    first, *others = flat
    return replace(first, others=tuple(others))


def _merged(tensors: list[Tensor]) -> Tensor:
    dims, dtypes = {t.dim for t in tensors}, {t.dtype for t in tensors}
    return Tensor(
        dim=dims.pop() if len(dims) == 1 else None,
        single=all(t.single for t in tensors),
        dtype=dtypes.pop() if len(dtypes) == 1 else None,
        strided=any(t.strided for t in tensors),
        maybe=any(t.maybe for t in tensors),
        plain=together([t.plain for t in tensors]),
        guessed=next((t.guessed for t in tensors if t.guessed), ""),
    )


def together(plain: list[Plainness]) -> Plainness:
    """Whether a result is plain that may be, or is made of, tensors that are."""
    return plain[0] if len(set(plain)) == 1 else False if False in plain else None


def _merged_many(found: list[Many]) -> Many:
    lengths = {None if kind.items is None else len(kind.items) for kind in found}
    element = join(kind.element for kind in found)
    if len(lengths) > 1 or None in lengths:
        return Many(None, element)
    columns = zip(*(kind.items or () for kind in found), strict=True)
    return Many(tuple(join(column) for column in columns), element)
