"""Records do what dataclasses do."""

from __future__ import annotations

import dataclasses
import pickle
from typing import Any

import pytest

from voltfix import records

MAKERS = {"standard": dataclasses.dataclass, "ours": records.dataclass}


def _both(**options: Any) -> dict[str, Any]:
    def one(make: Any) -> Any:
        class Place:
            """A place."""

            line: int
            column: int = 0
            note: str = dataclasses.field(default="", compare=False)
            seen: list[int] = dataclasses.field(default_factory=list, compare=False, repr=False)

        return make(**options)(Place)

    return {name: one(make) for name, make in MAKERS.items()}


@pytest.mark.parametrize("options", [{}, {"frozen": True}, {"eq": False}, {"frozen": True, "order": True}])
def test_a_record_compares_and_prints_as_a_standard_dataclass(options: dict[str, Any]) -> None:
    answers = []
    for cls in _both(**options).values():
        first, same, other = cls(1, 2, "a"), cls(1, 2, note="b"), cls(2, 0)
        found: list[Any] = [first == same, first == other, first != same, repr(first), first == (1, 2), first.seen]
        if options.get("frozen") or options.get("eq") is False:
            found.append(hash(first) == hash(same))
        else:
            with pytest.raises(TypeError):
                hash(first)
        if options.get("order"):
            found += [first < other, first >= other, sorted([other, first]) == [first, other]]
        found += [dataclasses.asdict(first), dataclasses.replace(first, line=7) == cls(7, 2, "a")]
        answers.append([str(value) for value in found])
    assert answers[0] == answers[1]


def test_a_record_of_one_field_is_not_the_value_of_the_field() -> None:
    @records.dataclass(frozen=True)
    class Name:
        text: str

    assert Name("a") != "a"
    assert Name("a") == Name("a")
    assert len({Name("a"), Name("a"), "a"}) == 2


def test_a_record_without_fields_is_equal_to_its_like_alone() -> None:
    @records.dataclass(frozen=True)
    class Nothing: ...

    @records.dataclass(frozen=True)
    class Zilch: ...

    assert Nothing() == Nothing()
    assert Nothing() != Zilch()
    assert hash(Nothing()) == hash(Nothing())


def test_methods_of_the_class_itself_are_left_alone() -> None:
    @records.dataclass(frozen=True)
    class Caseless:
        text: str

        def __eq__(self, other: object) -> bool:
            return isinstance(other, Caseless) and self.text.lower() == other.text.lower()

        def __hash__(self) -> int:
            return hash(self.text.lower())

        def __repr__(self) -> str:
            return "it"

    assert Caseless("A") == Caseless("a")
    assert hash(Caseless("A")) == hash(Caseless("a"))
    assert repr(Caseless("A")) == "it"


def test_a_record_travels_between_processes() -> None:
    from voltfix.model import Span

    assert pickle.loads(pickle.dumps(Span(1, 2))) == Span(1, 2)
