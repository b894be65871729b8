"""Traces compared, without torch: what is a difference, and which words tell it."""

from __future__ import annotations

import base64
import struct
from typing import Any

import pytest

from voltfix.verify.differences import compare_traces, could_not_run, not_on_device
from voltfix.verify.values import RECURRENT, Values


def tensor(
    *values: float, dtype: str = "float32", shape: list[int] | None = None, grad: bool = False
) -> dict[str, Any]:
    return {
        "kind": "tensor",
        "dtype": dtype,
        "shape": [len(values)] if shape is None else shape,
        "digest": repr((dtype, values)),
        "elements": base64.b64encode(struct.pack(f"<{len(values)}d", *values)).decode(),
        "sum": sum(values),
        "requires_grad": grad,
        "reach": [],
        "storage": -1,
    }


def number(value: float) -> dict[str, Any]:
    return {"kind": "number", "value": repr(value)}


def trace(**changes: Any) -> dict[str, Any]:
    empty: dict[str, Any] = {
        "calls": [],
        "backwards": [],
        "result": number(1),
        "modules": {},
        "names": {},
        "recurrent": False,
        "error": None,
    }
    return {**empty, **changes}


def differences(one: dict[str, Any], two: dict[str, Any], legacy: bool = True) -> tuple[str, ...]:
    return compare_traces(one, two, legacy)[0]


def result(one: dict[str, Any], two: dict[str, Any], legacy: bool = True) -> tuple[str, ...]:
    return differences(trace(result=one), trace(result=two), legacy)


@pytest.mark.parametrize(
    ("one", "two"),
    [
        (tensor(1, 2), tensor(1, 2)),
        (tensor(1), tensor(1, shape=[])),
        (tensor(1), number(1)),
        (tensor(0, 1, dtype="uint8"), tensor(0, 1, dtype="bool")),
        (number(float("nan")), number(float("nan"))),
        (tensor(float("nan")), tensor(float("nan"))),
    ],
)
def test_the_same_value_in_the_words_of_two_torches_is_no_difference(one: Any, two: Any) -> None:
    assert result(one, two) == ()


@pytest.mark.parametrize(
    ("one", "two"),
    [
        (tensor(1, 2), tensor(1, 3)),
        (tensor(1, 2), tensor(1, 2.0000002)),
        (tensor(1, 2), tensor(1, 2, dtype="float64")),
        (tensor(1, 2), tensor(1, 2, shape=[2, 1])),
        (tensor(1, 2), number(1)),
        (number(1), number(2)),
        (number(1), {"kind": "plain", "value": "'a'"}),
        (tensor(0, 1, dtype="int64"), tensor(0, 1, dtype="bool")),
    ],
)
def test_another_value_dtype_or_shape_is_a_difference(one: Any, two: Any) -> None:
    assert len(result(one, two)) == 1


def test_today_against_today_bytes_are_no_bools() -> None:
    assert result(tensor(1, dtype="uint8"), tensor(1, dtype="bool"), legacy=False)


def test_of_more_elements_than_a_trace_keeps_the_digest_decides() -> None:
    one = tensor(1, 2, shape=[9000])
    assert result(one, one) == ()
    assert len(result(one, {**one, "digest": "other"})) == 1


def test_recurrent_layers_have_a_named_tolerance() -> None:
    one = trace(result=tensor(1.0), recurrent=True)
    assert compare_traces(one, trace(result=tensor(1.0 + 1e-8)), True) == ((), (RECURRENT,))
    assert differences(one, trace(result=tensor(1.001)))


def test_others_have_none() -> None:
    assert list(Values(True, False).differences("x", tensor(1.0), tensor(1.0 + 1e-8)))


def gradients(*rows: Any) -> dict[str, Any]:
    return trace(backwards=[{"site": ["a.py", 41, ""], "gradients": [list(row) for row in rows]}])


def test_a_gradient_of_zeros_is_none() -> None:
    assert differences(gradients(("w", tensor(0, 0))), gradients()) == ()


def test_gradients_are_told_by_the_name_that_the_user_knows() -> None:
    one = {**gradients(("Sequential#1.0.weight", tensor(1))), "names": {"Sequential#1": "netG"}}
    assert differences(gradients(), one) == (
        "a.py line 41 netG.0.weight: no gradient before, a gradient after",
    )


def test_leaves_of_one_name_are_told_apart() -> None:
    one = gradients(("leaf", tensor(1)), ("leaf", tensor(2)))
    assert differences(one, gradients(("leaf", tensor(1)), ("leaf", tensor(3)))) == (
        "a.py line 41 leaf (2): the gradient: values differ, [2] before, [3] after",
    )


def call(module: str, output: dict[str, Any]) -> dict[str, Any]:
    return {"module": module, "site": ["a.py", 3, "q"], "output": output}


def test_calls_are_compared_module_by_module() -> None:
    one = trace(calls=[call("A#1", tensor(1)), call("B#1", tensor(2))])
    two = trace(calls=[call("B#1", tensor(2)), call("A#1", tensor(1, grad=True))])
    assert differences(one, two) == ("a.py line 3 `q`: requires_grad False before, True after",)


def test_a_call_too_many_is_told() -> None:
    assert differences(trace(calls=[call("A#1", tensor(1))]), trace()) == (
        "A#1: called once before, 0 times after",
    )


def test_after_an_error_on_one_side_only_what_both_did_is_compared() -> None:
    error = {"type": "RuntimeError", "text": "no", "site": ["a.py", 4, ""]}
    one = trace(calls=[call("A#1", tensor(1)), call("A#1", tensor(1))])
    two = trace(calls=[call("A#1", tensor(1))], error=error)
    assert differences(one, two) == ("a.py line 4 nothing is raised before, RuntimeError (no) after",)


def test_a_process_that_died_says_nothing() -> None:
    assert could_not_run({"crash": "killed"}, trace()) == "before could not be run: killed"
    assert could_not_run(trace(), {"crash": "killed"}) == "after could not be run: killed"


def test_an_error_of_the_code_is_a_behaviour() -> None:
    error = {"type": "ValueError", "text": "no", "site": None}
    assert could_not_run(trace(error=error), trace(error=error)) is None


# --- a device that is not the CPU: no GPU is needed to tell what its traces say ------------------------------


def trace_on(devices: list[str], error: str | None = None) -> dict[str, Any]:
    found = {"type": "RuntimeError", "text": error, "site": None}
    return {"devices": devices, "error": found if error else None}


MIXED = [
    "Expected all tensors to be on the same device, but found at least two devices, cuda:0 and cpu!",
    "Input type (torch.FloatTensor) and weight type (torch.cuda.FloatTensor) should be the same",
    "Expected object of device type cuda but got device type cpu for argument #2 'mat2' in call to _th_mm",
]


@pytest.mark.parametrize("error", MIXED)
def test_legacy_code_that_builds_its_tensors_on_the_cpu_says_nothing_about_cuda(error: str) -> None:
    detail = not_on_device(trace_on(["cuda"], error), trace_on(["cuda"]), "cuda")
    assert detail is not None
    assert detail.startswith("before mixes tensors on the CPU with tensors on cuda")


def test_a_run_that_stayed_on_the_cpu_says_nothing_about_cuda() -> None:
    detail = not_on_device(trace_on(["cpu"]), trace_on(["cpu"]), "cuda:0")
    assert detail == "before: no tensor that was seen was on cuda:0"


def test_errors_of_other_kinds_are_compared_on_cuda() -> None:
    traces = [trace_on(["cuda"], "size mismatch, m1: [2 x 3], m2: [4 x 5]") for _ in range(2)]
    assert not_on_device(*traces, "cuda") is None


def test_on_the_cpu_every_device_is_right() -> None:
    assert not_on_device(trace_on([]), trace_on([]), "cpu") is None


# --- more sentences -----------------------------------------------------------------------------------------


def error(kind: str, text: str = "no") -> dict[str, Any]:
    return {"type": kind, "text": text, "site": None}


def test_an_error_that_is_gone_or_another_is_told() -> None:
    one = trace(error=error("ValueError"))
    assert differences(one, trace()) == ("ValueError (no) is raised before, nothing after",)
    assert differences(one, trace(error=error("KeyError", "yes"))) == (
        "ValueError (no) is raised before, KeyError (yes) after",
    )
    assert differences(one, trace(error=error("ValueError", "in other words"))) == ()


def listed(*items: Any) -> dict[str, Any]:
    return {"kind": "list", "items": list(items)}


def test_items_that_are_on_one_side_only_are_told() -> None:
    assert result(listed(number(1), number(2)), listed(number(1))) == ("the result: 2 items before, 1 after",)
    one = {"kind": "dict", "items": {"a": number(1), "b": number(2)}}
    assert result(one, {"kind": "dict", "items": {"a": number(1)}}) == ("the result: b only before",)
    assert result({"kind": "dict", "items": {"a": number(1)}}, one) == ("the result: b only after",)


def test_a_gradient_that_was_asked_for_is_compared() -> None:
    def asked(value: float) -> dict[str, Any]:
        return trace(backwards=[{"site": ["a.py", 7, ""], "gradients": [], "result": listed(tensor(value))}])

    assert differences(asked(1), asked(1)) == ()
    assert differences(asked(1), asked(2)) == (
        "a.py line 7 the gradient[0]: values differ, [1] before, [2] after",
    )


def test_of_many_leaves_some_are_named() -> None:
    one = {**tensor(1, grad=True), "reach": list("abcdef")}
    assert result(one, tensor(1, grad=True)) == (
        "the result: gradients reach a, b, c, d and 2 more before, not after",
    )
    assert result(tensor(1, grad=True), {**one, "reach": ["a"]}) == ("the result: gradients reach a after, not before",)


def test_complex_numbers_are_compared() -> None:
    def value(text: str) -> dict[str, Any]:
        return {"kind": "number", "value": text}

    assert result(value("(1+2j)"), value("(1+2j)")) == ()
    assert len(result(value("(1+2j)"), value("(3+2j)"))) == 1
    assert len(result(value("(1+2j)"), value("(1+3j)"))) == 1


def test_of_a_complex_tensor_both_parts_count_for_what_a_trace_keeps() -> None:
    one = tensor(1, 2, 3, 4, dtype="complex64", shape=[2])
    assert result(one, {**one, "digest": "of zeros with another sign"}) == ()
    more = tensor(1, 2, 3, 4, dtype="complex64", shape=[3])  # a part of it was left out
    assert len(result(more, {**more, "digest": "other"})) == 1
