"""Of which class of the project annotations say that a value is.

Parameters, attributes declared in a class body, results of functions, elements of what a loop runs over, and what is
assigned from these. Nothing is believed of what is annotated as anything but a class, a union among it.
"""

from __future__ import annotations

import ast

from voltfix.program.bindings import Local, ProjectClass, ProjectFunction
from voltfix.program.mentioned import last_word
from voltfix.program.resolve import Project, find_scope

_DEEPEST = 6
_HOLD = frozenset("Iterable Iterator Sequence List Set list set frozenset".split())  # noqa: SIM905
Said = tuple[str, ast.expr]  # an annotation, and the module that it stands in


class Annotated:
    """Asked for one expression at a time."""

    def __init__(self, project: Project) -> None:
        self.project = project

    def of(self, path: str, expression: ast.expr, depth: int = 0) -> ProjectClass | None:
        """The class that ``expression`` is annotated to be an instance of."""
        said = self._said(path, expression, depth)
        return None if said is None else self.named(*said)

    def named(self, path: str, annotation: ast.expr) -> ProjectClass | None:
        """The class that an annotation names, written out or as a string."""
        text = annotation.value if isinstance(annotation, ast.Constant) else None
        found = self.project.resolve(path, None, text if isinstance(text, str) else annotation)
        return found if isinstance(found, ProjectClass) else None

    def _said(self, path: str, expression: ast.expr, depth: int) -> Said | None:
        if depth > _DEEPEST:
            return None
        if isinstance(expression, ast.Attribute):
            return self._declared(path, expression, depth)
        if isinstance(expression, ast.Call):
            called = self.project.resolve(path, None, expression.func)
            returns = getattr(called.node, "returns", None) if isinstance(called, ProjectFunction) else None
            return (called.path, returns) if isinstance(called, ProjectFunction) and returns is not None else None
        binding = self.project.resolve(path, None, expression) if isinstance(expression, ast.Name) else None
        if not isinstance(binding, Local):
            return None
        if binding.parameter is not None:
            annotation = None if binding.values else binding.parameter.annotation
            return None if annotation is None else (binding.path, annotation)
        if binding.complete and len(binding.values) == 1:
            return self._said(binding.path, binding.values[0], depth + 1)
        return self._element(path, expression, depth)

    def _declared(self, path: str, attribute: ast.Attribute, depth: int) -> Said | None:
        """``name: Class`` in the body of the class, or of one above it."""
        table = self.project.table(path)
        scope = table.owner.get(attribute.value) if table is not None else None
        holder = None if scope is None else self.project.hierarchy.instance(path, scope, attribute.value)
        holder = holder or self.of(path, attribute.value, depth + 1)
        for cls in self.project.mro(holder) if holder is not None else ():
            if isinstance(cls, ProjectClass) and (annotation := declared(cls).get(attribute.attr)) is not None:
                return cls.path, annotation
        return None

    def _element(self, path: str, name: ast.expr, depth: int) -> Said | None:
        """Of a name that one loop binds, and nothing else: what the loop runs over holds."""
        table = self.project.table(path)
        around = table.owner.get(name) if table is not None else None
        home = find_scope(around, name.id) if around is not None and isinstance(name, ast.Name) else None
        bound = home.definitions[name.id] if home is not None and isinstance(name, ast.Name) else ()
        loop = bound[0].node if len(bound) == 1 else None
        if not isinstance(loop, (ast.For, ast.comprehension)) or not isinstance(name, ast.Name):
            return None
        said = self._said(path, loop.iter, depth + 1)
        if said is None or not isinstance(said[1], ast.Subscript) or last_word(said[1].value) not in _HOLD:
            return None
        part = _taken(loop.target, name.id, said[1].slice)
        return None if part is None else (said[0], part)


def _taken(target: ast.expr, name: str, annotation: ast.expr) -> ast.expr | None:
    """What is said of one name of a target: ``a`` of ``a, b`` is an ``A`` where ``tuple[A, B]`` is said."""
    if isinstance(target, ast.Name):
        return annotation
    if not isinstance(target, ast.Tuple) or not isinstance(annotation, ast.Subscript) or not isinstance(
            annotation.slice, ast.Tuple) or last_word(annotation.value) not in ("tuple", "Tuple"):
        return None
    said = annotation.slice.elts
    if len(said) != len(target.elts) or any(isinstance(each, ast.Constant) and each.value is ... for each in said):
        return None
    own = [each for part, each in zip(target.elts, said, strict=True) if isinstance(part, ast.Name) and part.id == name]
    starred = any(isinstance(part, ast.Starred) for part in target.elts)
    return own[0] if len(own) == 1 and not starred else None


def declared(cls: ProjectClass) -> dict[str, ast.expr]:
    """The annotations of attributes in the body of a class."""
    return {line.target.id: line.annotation for line in cls.node.body
            if isinstance(line, ast.AnnAssign) and isinstance(line.target, ast.Name)}
