"""The names of a module whose definitions and imports are carried out when somebody asks for them."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from voltfix.machine.outline import Outline
from voltfix.machine.values import Value


class ModuleNames(dict[str, Value]):
    """The environment of a module: what is bound, and what waits to be (see ``outline``).

    ``carry_out`` binds a name that waits; it is called once for each. The machine may use ``in``, ``get``, ``[]``,
    ``pop`` and ``items``, and assign.
    """

    def __init__(self, outline: Outline, carry_out: Callable[[str], object]) -> None:
        super().__init__()
        self._outline = outline
        self._carry_out = carry_out
        self._taken: set[str] = set()  # no longer waiting: bound, being bound, or deleted
        self._elsewhere: dict[str, ModuleNames] = {}  # names that a star import brought, and from where
        self._opened: dict[str, Callable[[Value, str], Value]] = {}  # of those, what makes of the value what it is here

    def waits(self, name: str) -> bool:
        """Is the name still to be bound?"""
        return name in self._elsewhere or (name in self._outline.waiting and name not in self._taken)

    def bring(self, names: Iterable[str], source: ModuleNames, line: int) -> None:
        """Take in what a star import on that line brings; what is defined below it stays."""
        for name in names:
            own = self._outline.waiting.get(name)
            if own is not None and own.statement.lineno > line:
                continue
            self._taken.add(name)
            super().pop(name, None)
            self._elsewhere[name] = source

    def open_later(self, name: str, opened: Callable[[Value, str], Value]) -> bool:
        """Have a name that a star import brought stand for what ``opened`` makes of it; False where none brings it now.

        It is carried out when somebody asks: what a star brings is often all of a library, and one name of it is used.
        """
        if name in self._elsewhere:
            self._opened[name] = opened
        return name in self._elsewhere

    def names(self) -> list[str]:
        """All names, bound or waiting."""
        waiting = [name for name in self._outline.waiting if name not in self._taken]
        return [*self, *waiting, *(name for name in self._elsewhere if not super(ModuleNames, self).__contains__(name))]

    def __contains__(self, name: object) -> bool:
        return super().__contains__(name) or (isinstance(name, str) and self.waits(name))

    def __getitem__(self, name: str) -> Value:
        self._settle(name)
        return super().__getitem__(name)

    def get(self, name: str, default: Any = None) -> Any:
        """As in a dict."""
        self._settle(name)
        return super().get(name, default)

    def __setitem__(self, name: str, value: Value) -> None:
        self._taken.add(name)
        self._elsewhere.pop(name, None)
        super().__setitem__(name, value)

    def pop(self, name: str, default: Any = None) -> Any:
        """As in a dict; a name that waits is given up."""
        self._taken.add(name)
        self._elsewhere.pop(name, None)
        return super().pop(name, default)

    def clear(self) -> None:
        """Let go of everything; nothing can be asked for any more."""
        self._carry_out = str
        self._elsewhere.clear()
        self._opened.clear()
        super().clear()

    def _settle(self, name: str) -> None:
        if name in self._elsewhere:
            source = self._elsewhere.pop(name)
            found = source.get(name)
            if found is not None:
                super().__setitem__(name, self._opened[name](found, name) if name in self._opened else found)
        elif name in self._outline.waiting and name not in self._taken:
            self._taken.add(name)
            self._carry_out(name)
