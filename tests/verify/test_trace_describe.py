"""Values of a run as data: what is kept of tensors, arrays and objects, and where it is not looked further."""

from __future__ import annotations

import collections
from typing import Any

import pytest

torch = pytest.importorskip("torch")

from voltfix.verify.trace import sites, tracer  # noqa: E402
from voltfix.verify.trace.describe import Describer, contents  # noqa: E402
from voltfix.verify.values import elements  # noqa: E402


def described(value: Any) -> dict[str, Any]:
    return Describer({}).value(value)


class Box:
    def __init__(self, **held: Any) -> None:
        self.__dict__.update(held)


def test_tensors_are_found_in_containers_and_on_objects() -> None:
    found = described(Box(a=[torch.ones(1)], b=(1, {"c": torch.zeros(1, requires_grad=True)})))
    assert (found["kind"], found["type"]) == ("object", "Box")
    assert found["items"]["a"]["items"][0]["kind"] == "tensor"
    assert found["items"]["b"]["items"][1]["items"]["c"]["requires_grad"] is True


def test_classes_modules_and_what_has_no_attributes_are_named_alone() -> None:
    for value, name in ((Box, "type"), (torch.nn.Linear(1, 1), "Linear"), (object(), "object")):
        assert described(value) == {"kind": "object", "type": name, "items": {}}


def test_what_holds_itself_or_lies_too_deep_is_named_alone() -> None:
    box = Box()
    box.me = box
    assert described(box)["items"]["me"] == {"kind": "object", "type": "Box", "items": {}}
    deep: Any = torch.ones(1)
    for _ in range(9):
        deep = [deep]
    text = repr(described(deep))
    assert "tensor" not in text
    assert text.count("list") == 9


def test_the_same_object_twice_is_described_twice() -> None:
    box = Box(a=1)
    first, second = described([box, box])["items"]
    assert first == second
    assert first["items"]


@pytest.mark.parametrize("value", [float("nan"), -float("nan")])
def test_every_nan_is_the_same_number(value: float) -> None:
    assert described(value) == {"kind": "number", "value": "nan"}


def test_arrays_are_tensors_without_a_graph_and_arrays_of_objects_are_text() -> None:
    numpy = pytest.importorskip("numpy")
    found = described(numpy.array([1.0, 2.0]))
    assert (found["kind"], found["dtype"], elements(found)) == ("tensor", "float64", [1.0, 2.0])
    assert described(numpy.float32(3)) == described(numpy.float32(3))
    assert described(numpy.array(["a", None], dtype=object)) == {
        "kind": "plain",
        "value": "array(['a', None], dtype=object)",
    }


def test_sparse_tensors_are_compared_by_what_they_hold() -> None:
    dense = torch.tensor([[0.0, 2.0], [0.0, 0.0]])
    found = described(dense.to_sparse())
    assert found["storage"] == -1
    assert {**found, "storage": 0} == {**described(dense), "storage": 0}


def test_complex_tensors_keep_both_parts() -> None:
    found = contents(torch.tensor([1 + 2j, 3 - 4j]))
    assert (found["dtype"], found["shape"], elements(found)) == ("complex64", [2], [1.0, 2.0, 3.0, -4.0])


def test_tensors_without_elements_share_no_memory() -> None:
    first, second = described([torch.zeros(0), torch.zeros(0)])["items"]
    assert (first["storage"], second["storage"]) == (-1, -1)
    assert elements(first) == []


def test_calls_beyond_those_that_are_kept_are_counted(tmp_path: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tracer, "MAX_CALLS", 2)
    listener = tracer.Tracer(tmp_path)
    with listener.listening():
        net = torch.nn.Linear(1, 1)
        for _ in range(5):
            net(torch.ones(1))
    trace = listener.finish(None, None)
    assert (len(trace["calls"]), trace["calls_left_out"]) == (2, 3)


def test_a_line_of_a_file_that_is_gone_or_does_not_parse_has_no_name(tmp_path: Any) -> None:
    (tmp_path / "a.py").write_text("out = net(\n    x)\n")
    (tmp_path / "b.py").write_text("out = (\n")
    found = [sites._target(str(tmp_path / name), 2) for name in ("a.py", "b.py", "gone.py")]
    assert found == ["out", "", ""]


def test_a_pair_with_names_is_a_list() -> None:
    pair = collections.namedtuple("Pair", "a b")
    assert described(pair(1, 2)) == described([1, 2])
