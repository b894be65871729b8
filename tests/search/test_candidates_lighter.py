"""A candidate is tried without the blocks in which nothing could have a graph, and taken if it says something then."""

from __future__ import annotations

from dataclasses import replace

import pytest
from trying import DIFFERENT, HEAD, SAME, WITHIN, Told, tried

from voltfix.model import Verification

TWO = WITHIN.replace("    second =", "    page(batch)\n    second =")
LENT = replace(SAME, lent="self.desk.open")


def text_of(item) -> str:
    return item.after["a.py"]


def line_of(text: str, inside: str) -> int:
    """The line of the block in which a statement stands."""
    lines = text.splitlines()
    at = next(n for n, line in enumerate(lines) if inside in line)
    return next(n for n in range(at, 0, -1) if "with torch" in lines[n]) + 1


def idle(item, inside: str = "first = model(x)", where: str = "a.py: evaluate") -> Verification:
    said = f"{where}: nothing in the block of line {line_of(text_of(item), inside)} could have a graph in what was run"
    return Verification(None, "not-run", detail=said)


def blocks(text: str) -> list[str]:
    """The statements that come first in a block that turns gradients off."""
    lines = text.splitlines()
    return [lines[n + 1].strip() for n, line in enumerate(lines) if line.strip() == "with torch.no_grad():"]


def two(text: str) -> bool:
    """Are gradients off for either, in blocks of their own, and on for what trains within?"""
    return len(blocks(text)) == 2 and "enable_grad" in text


def one(text: str) -> bool:
    return blocks(text) == ["second = Probe().measure(model, x)"] and "enable_grad" in text


def test_a_block_that_does_nothing_stays_out():
    def say(item):
        text = text_of(item)
        return idle(item) if two(text) else SAME if one(text) else DIFFERENT

    result = tried(TWO, Told(say))
    (site,) = result.sites
    assert (site.status, site.strategy) == ("fixed", "no_grad")
    assert one(result.outputs["a.py"].decode())


def test_so_do_several_one_after_the_other():
    three = TWO.replace("    page(batch)\n", "    page(batch)\n    third = model(x + 1)\n    page(batch)\n")

    def say(item):
        text = text_of(item)
        if "enable_grad" not in text:
            return DIFFERENT
        if len(blocks(text)) == 3:
            return idle(item)
        return idle(item, "third =") if len(blocks(text)) == 2 else SAME if one(text) else DIFFERENT

    result = tried(three, Told(say))
    assert [site.status for site in result.sites] == ["fixed"]
    assert one(result.outputs["a.py"].decode())


@pytest.mark.parametrize("lighter", [
    DIFFERENT, LENT, replace(SAME, fails=3), Verification(None, "not-run", detail="a.py: evaluate: it never ended"),
])
def test_one_that_is_not_the_same_without_it_is_refused(lighter):
    def say(item):
        text = text_of(item)
        return idle(item) if two(text) else lighter if one(text) else DIFFERENT

    assert [site.status for site in tried(TWO, Told(say)).sites] == ["refused"]


def test_where_no_other_block_is_left_the_flag_alone_is_another_candidate():
    verifier = Told(lambda item: idle(item, "second") if "with torch.no" in text_of(item) else DIFFERENT)
    (site,) = tried(WITHIN, verifier).sites
    assert site.status == "refused"
    asked = [text_of(item) for item in verifier.items]
    assert asked.count(HEAD + WITHIN.lstrip("\n").replace(", volatile=True", "")) <= 1


@pytest.mark.parametrize("said", [
    "b.py: evaluate: nothing in the block of line 20 could have a graph in what was run",
    "a.py: evaluate: nothing in the block of line 1 could have a graph in what was run",
    "a.py: evaluate: the flag was never on (line 20)",
])
def test_a_verdict_that_names_no_block_of_it_changes_nothing(said):
    verifier = Told(lambda item: Verification(None, "not-run", detail=said))
    assert [site.status for site in tried(TWO, verifier).sites] == ["refused"]
    assert not [item for item in verifier.items if one(text_of(item))]


def test_a_block_of_the_same_words_in_another_function_stays():
    twice = TWO + "\n\ndef again(model, x):\n    first = model(x)\n    return first\n"

    def say(item):
        text = text_of(item)
        return idle(item) if two(text) else SAME if one(text) else DIFFERENT

    result = tried(twice, Told(say))
    assert [site.status for site in result.sites] == ["fixed"]
    assert result.outputs["a.py"].decode().endswith("    first = model(x)\n    return first\n")


def test_one_whose_tensor_is_handed_on_to_nobody_who_was_run_with_the_flag_is_refused():
    handed = TWO.replace("return first, second", "return x") + (
        "\n\ndef again(model, batch):\n    return model(evaluate(model, batch))\n")

    def tell(lighter):
        def say(item):
            return idle(item) if two(text_of(item)) else lighter if one(text_of(item)) else DIFFERENT
        return [site.status for site in tried(handed, Told(say)).sites]

    assert tell(SAME) == ["fixed"]
    assert tell(replace(SAME, alone="line 9")) == ["refused"]


def vacant(item, *inside: str) -> Verification:
    """The same, and nothing needed the blocks around these statements."""
    text = text_of(item)
    return replace(SAME, vacant=tuple(("a.py", line_of(text, each)) for each in inside))


def without_vacant(text: str, say) -> list[str]:
    (site,) = (result := tried(text, Told(say))).sites
    assert site.status == "fixed"
    return blocks(result.outputs["a.py"].decode())


def test_of_one_that_does_the_same_the_blocks_that_nothing_needed_go_at_once():
    three = TWO.replace("    page(batch)\n", "    page(batch)\n    third = model(x + 1)\n    page(batch)\n")

    def say(item):
        text = text_of(item)
        many = len(blocks(text))
        return DIFFERENT if "enable_grad" not in text or not many else vacant(item, "first =", "third =") if (
            many == 3) else SAME if one(text) else DIFFERENT

    assert without_vacant(three, say) == ["second = Probe().measure(model, x)"]


@pytest.mark.parametrize("lighter", [
    DIFFERENT, LENT, replace(SAME, fails=3), Verification(None, "not-run", detail="a.py: evaluate: it never ended"),
    replace(SAME, alone="line 14", through=1),
])
def test_they_stay_where_it_is_not_the_same_without_them(lighter):
    def say(item):
        text = text_of(item)
        return vacant(item, "first =") if two(text) else lighter if one(text) else DIFFERENT

    assert len(without_vacant(TWO, say)) == 2


@pytest.mark.parametrize("first", [
    "first = model(x) if batch.n else model.head(x)", "first = batch.n and model(x)",
    "first = model([part for part in x if batch.n])", "first = (lambda part: model(part))(x)",
])
def test_one_in_which_something_is_asked_stays_for_what_no_run_came_by(first):
    def say(item):
        text = text_of(item)
        return vacant(item, "first =") if two(text) else SAME if one(text) else DIFFERENT

    assert len(without_vacant(TWO.replace("first = model(x)", first), say)) == 2


def test_the_last_block_stays_whatever_runs_say_of_it():
    def say(item):
        text = text_of(item)
        return vacant(item, "first =", "second =") if two(text) else SAME if "enable_grad" in text else DIFFERENT

    assert len(without_vacant(TWO, say)) == 2
