"""Something volatile is put into an object that a function above was handed: whoever calls that has it."""

from __future__ import annotations

from textwrap import dedent

import pytest

from helpers import check_noop, check_transformed

START = "import torch\nfrom torch.autograd import Variable\n\n\n"
DRIVER = """\
class Driver(object):
    def __init__(self, model):
        self.model = model

    def _step(self, batch, fill):
        fill(batch)
        return self.model(batch['x'])

    def _run(self, batch):
        return self._step(batch, self._fill)

    def run(self, rows):
        return self._run({'rows': rows})

    @staticmethod
    def _fill(batch):
        batch['x'] = Variable(next(batch['rows']), volatile=True)
"""
HANDED = "        return self._step(batch, self._fill)\n"


def blocked(line: str) -> str:
    indent = line[:len(line) - len(line.lstrip())]
    return f"{indent}with torch.no_grad():\n    {line}"


def wrapped(before: str, line: str) -> None:
    check_transformed(START + before, START + before.replace(", volatile=True", "").replace(line, blocked(line)))


def test_what_is_put_into_it_by_a_function_that_is_handed_on_is_the_callers() -> None:
    wrapped(DRIVER, HANDED)


@pytest.mark.parametrize("put", ["batch['x'] = ROWS", "batch.x = ROWS", "batch.append(ROWS)"])
def test_so_it_is_where_the_function_that_puts_it_there_is_called_by_name(put: str) -> None:
    taken = {"batch['x'] = ROWS": "batch['x']", "batch.x = ROWS": "batch.x", "batch.append(ROWS)": "batch[-1]"}[put]
    made = {"batch['x'] = ROWS": "{}", "batch.x = ROWS": "Batch()", "batch.append(ROWS)": "[]"}[put]
    before = f"""\
class Batch(object):
    pass


def fill(batch, x):
    {put.replace("ROWS", "Variable(x, volatile=True)")}


def step(model, batch, x):
    fill(batch, x)
    return model({taken})


def run(model, x):
    return step(model, {made}, x)
"""
    wrapped(before, f"    return model({taken})\n")


def test_not_where_a_caller_of_the_function_that_was_handed_it_is_not_in_sight() -> None:
    check_noop(START + DRIVER.replace("self._run({'rows': rows})", "self._run(rows)"), reason="unseen-callers")


def test_nor_where_that_is_kept_for_whoever_likes() -> None:
    check_noop(START + DRIVER + "\n\nRUNS = [Driver._run, make()]\n", reason="unseen-callers")


def test_nor_where_it_is_put_into_what_came_with_the_object() -> None:
    before = DRIVER.replace("self._run({'rows': rows})", "self._run(rows)").replace(
        "fill(batch)\n", "fill(batch.inner)\n").replace("self.model(batch['x'])", "self.model(batch.inner['x'])")
    check_noop(START + before, reason="escapes-by-attribute")


def test_nor_where_the_object_is_what_unseen_code_gives() -> None:
    before = DRIVER.replace("fill(batch)\n", "batch = take(batch)\n        fill(batch)\n")
    check_noop(START + before, reason="mixed-statement")


def test_a_caller_that_trains_on_what_was_put_there_is_in_no_block() -> None:
    before = DRIVER.replace("        return self._run({'rows': rows})\n", dedent("""\
        batch = {'rows': rows}
        self._run(batch)
        self.model(batch['x']).sum().backward()
""").replace("\n", "\n        ").join(("        ", "")).rstrip() + "\n")
    check_noop(START + before, reason="gradient-demanded")
