"""``dataclass`` as the standard library's, made in a fifth of the time.

The standard decorator compiles up to six methods for each class, and those of a hundred classes were half of the time
that a small project takes. Here only ``__init__`` is compiled, by the standard decorator itself; the rest is shared by
all classes. ``frozen=True`` is kept by type checkers alone: nothing guards an assignment when the program runs, which
also makes instances three times as fast to build.

The part of the verifier that runs alone under torch does without it, as it does without the rest of voltfix.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from dataclasses import dataclass as dataclass
else:
    import dataclasses
    from operator import attrgetter

    def dataclass(cls=None, /, *, frozen=False, eq=True, order=False):
        """Add ``__init__``, ``__repr__``, ``__eq__`` and, to what is frozen, ``__hash__``."""
        if cls is None:
            return lambda cls: dataclass(cls, frozen=frozen, eq=eq, order=order)
        own = set(vars(cls))
        made = dataclasses.dataclass(repr=False, eq=False)(cls)
        fields = dataclasses.fields(made)
        if "__repr__" not in own:
            made.__repr__ = _repr
        if not eq:
            return made
        content = _content([field.name for field in fields if field.compare])
        if "__eq__" not in own:
            made.__eq__ = _comparison(content, "__eq__")
        if "__hash__" not in own:
            made.__hash__ = (lambda self: hash(content(self))) if frozen else None
        if order:
            for name in ("__lt__", "__le__", "__gt__", "__ge__"):
                setattr(made, name, _comparison(content, name))
        return made

    def _content(names):
        """A function from an instance to what it is compared by; never the bare value of a single field."""
        if len(names) > 1:
            return attrgetter(*names)
        return (lambda self: (getattr(self, names[0]),)) if names else lambda self: ()

    def _comparison(content, name):
        compared = getattr(tuple, name)

        def method(self, other):
            if other.__class__ is not self.__class__:
                return NotImplemented
            return compared(content(self), content(other))

        return method

    def _repr(self):
        values = ", ".join(
            f"{field.name}={getattr(self, field.name)!r}" for field in dataclasses.fields(self) if field.repr
        )
        return f"{self.__class__.__qualname__}({values})"
