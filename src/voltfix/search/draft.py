"""A candidate before it is tried: an ordinary set of edits, and which functions it changes."""

from __future__ import annotations

from voltfix.model import Edit, EnsureImport, Strategy
from voltfix.records import dataclass
from voltfix.search.scene import Scene


@dataclass(frozen=True)
class Draft:
    """``how`` says in words what it does; ``edits`` by module, ``touched`` as in ``Change``."""

    how: str
    strategy: Strategy
    edits: tuple[tuple[str, tuple[Edit, ...]], ...]
    touched: tuple[tuple[str, str], ...]


class Sketch:
    """Edits as they come together, over several modules."""

    def __init__(self) -> None:
        self._edits: dict[str, dict[Edit, None]] = {}
        self._touched: dict[tuple[str, str], None] = {}

    def add(self, scene: Scene, where: object, *edits: Edit) -> None:
        """Edits in the function ``where`` of a module."""
        path = scene.module.path
        self._edits.setdefault(path, {}).update(dict.fromkeys(edits))
        self._touched[path, scene.qualified(where)] = None  # type: ignore[arg-type]

    def touch(self, scene: Scene, where: object) -> None:
        """A function whose behaviour hangs on the edits without being edited."""
        self._touched[scene.module.path, scene.qualified(where)] = None  # type: ignore[arg-type]

    def torch(self, scene: Scene) -> str:
        """The name of torch in a module, imported there if it is not."""
        if scene.torch is None:
            self._edits.setdefault(scene.module.path, {})[EnsureImport("torch")] = None
        return scene.torch or "torch"

    def draft(self, how: str, strategy: Strategy) -> Draft:
        """What came together."""
        edits = tuple((path, tuple(found)) for path, found in sorted(self._edits.items()))
        return Draft(how, strategy, edits, tuple(self._touched))
