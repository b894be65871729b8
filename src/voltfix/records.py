"""``dataclass`` as the standard library's, made in a fifth of the time.

The standard decorator compiles up to six methods for each class, and those of a hundred classes were half of the time
that a small project takes. Here only ``__init__`` is compiled, when the first instance is made, which most classes
never see; the rest is shared by all classes. ``frozen=True`` is kept by type checkers alone: nothing guards an
assignment when the program runs, which also makes instances three times as fast to build.

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
        made = dataclasses.dataclass(init=False, repr=False, eq=False)(cls)
        fields = dataclasses.fields(made)
        if "__init__" not in own:
            made.__init__ = _compiled_when_called(made)
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

    def _compiled_when_called(cls):
        def first(self, *args, **kwargs):
            cls.__init__ = compiled = _initializer(cls)
            compiled(self, *args, **kwargs)

        return first

    def _initializer(cls):
        """What the standard decorator compiles."""
        given, body, known = ["self"], [], {"_missing": dataclasses.MISSING}
        for field in dataclasses.fields(cls):
            name = field.name
            default, factory = f"_default_{name}", f"_make_{name}"
            makes = field.default_factory is not dataclasses.MISSING
            known |= {default: field.default, factory: field.default_factory}
            value = name
            if field.init:
                optional = makes or field.default is not dataclasses.MISSING
                given.append(f"{name}={default}" if optional else name)
                value = f"{factory}() if {name} is _missing else {name}" if makes else name
            elif makes:
                value = f"{factory}()"
            if field.init or makes:
                body.append(f"self.{name} = {value}")
        if hasattr(cls, "__post_init__"):
            body.append("self.__post_init__()")
        exec(f"def __init__({', '.join(given)}):\n " + "\n ".join(body or ["pass"]), known)
        made = known["__init__"]
        made.__qualname__ = f"{cls.__qualname__}.__init__"
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
