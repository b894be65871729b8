"""The loop: what is taken back, what ends it, and what it leaves alone."""

from __future__ import annotations

import pytest

from repair.support import Watched, repaired
from voltfix.repair.loop import Loop
from voltfix.repair.observed import Event, Frame, Run

pytest.importorskip("torch")


def written(folder):
    return (folder / "main.py").read_text()


def loop(folder, source, runs, **options):
    """A loop over runs that are made up: each is a function of the text that is there by then."""
    path = folder / "main.py"
    path.write_text(source)

    def write(files):
        for name, data in files.items():
            (folder / name).write_bytes(data)

    return Loop(str(folder), {"main.py": source.encode()}, lambda anomaly: runs(path), write, **options)


def stops(path, kind, message, line=1, name=None):
    event = Event("exception", kind, message, (kind,), (Frame(str(path), line, "<module>", None),), name=name)
    return Run(1, (event,))


def test_a_program_that_runs_is_run_once_and_not_touched(tmp_path, monkeypatch):
    story, text = repaired(tmp_path, monkeypatch, "x = 4 / 2\nprint(x)\n")
    assert (story.ending, story.runs, story.steps) == ("runs", 1, [])
    assert text == "x = 4 / 2\nprint(x)\n"


def test_a_repair_that_makes_things_no_better_is_taken_back(tmp_path, monkeypatch):
    source = "import torch\nnames = {'2': 'two'}\nbest = torch.tensor([2, 1])\nprint(names[best[0]])\n"
    story, text = repaired(tmp_path, monkeypatch, source)
    assert story.ending == "stops"
    assert text == source
    assert story.steps
    assert not any(step.kept for step in story.steps)


def test_what_stops_as_before_at_the_same_place_is_no_better(tmp_path):
    source = "for i in range(n / 2): pass\n"
    made = loop(
        tmp_path, source, lambda path: stops(path, "TypeError", "'float' object cannot be interpreted as an integer")
    )
    story = made.go()
    assert story.ending == "stops"
    assert written(tmp_path) == source
    assert story.steps
    assert not any(step.kept for step in story.steps)


def test_two_repairs_that_undo_each_other_end_the_loop_with_a_message(tmp_path):
    def runs(path):
        if "'rb'" in path.read_text() or '"rb"' in path.read_text():
            return stops(path, "TypeError", "a bytes-like object is required, not 'str'", 2)
        return stops(path, "TypeError", "write() argument must be str, not bytes", 2)

    story = loop(tmp_path, 'file = open(name, "r")\nfile.write(x)\n', runs).go()
    assert story.ending == "circle"
    assert "circle" in story.told


def test_the_number_of_runs_has_a_limit(tmp_path, monkeypatch):
    lines = "".join(f"print(torch.ones({n}).sum()[0])\n" for n in range(9))
    story, _ = repaired(tmp_path, monkeypatch, f"import torch\n{lines}", most=4)
    assert story.ending == "limit"
    assert story.runs == 4


def test_a_notice_whose_repair_makes_it_stop_is_taken_back(tmp_path, monkeypatch):
    source = """import torch
masks = [torch.ones(2).byte()]
def pick(x, m):
    assert m.dtype == torch.uint8
    return x[m]
pick(torch.ones(2), masks[0])
print(torch.ones(2)[masks[0]])
"""
    story, _ = repaired(tmp_path, monkeypatch, source)
    assert story.ending == "runs"


def test_an_exception_that_nobody_knows_is_told_with_its_operands(tmp_path, monkeypatch):
    from voltfix.repair.telling import Whole, lines

    story, text = repaired(tmp_path, monkeypatch, "import torch\nx = torch.ones(2)\nx.no_such_thing\n")
    assert story.ending == "stops"
    told = "\n".join(lines(Whole(("python", "main.py"), (), story)))
    assert "no_such_thing" in told
    assert "float32 tensor of shape [2]" in told
    assert text.endswith("x.no_such_thing\n")


def test_an_error_of_the_programs_own_is_left_alone(tmp_path, monkeypatch):
    source = "rows = {}\nrows['missing']\n"
    story, text = repaired(tmp_path, monkeypatch, source)
    assert (story.ending, story.steps, text) == ("stops", [], source)


@pytest.mark.parametrize(
    "program",
    [
        pytest.param(
            "import torch\ntorch.cat([torch.ones(2), torch.ones(3)], 1)",
            id="vectors joined along a dimension that they never had",
        ),
        pytest.param("import torch\ntorch.ones(2).view(3)", id="a view of another size"),
        pytest.param("import torch\ntorch.ones(2, 2).mm(torch.ones(3, 2))", id="matrices that do not fit"),
        pytest.param("import torch\n(torch.ones(2) + torch.ones(3))", id="sizes that do not fit"),
        pytest.param("raise ValueError('dimension')", id="an error that the program raises itself"),
        pytest.param("std = 0.5\n[1, 2][std]", id="a fraction that is none by division"),
        pytest.param("import nowhere_to_be_found", id="a package that is not there"),
        pytest.param("print(undefined_name)", id="a name that no Python had"),
        pytest.param(
            "import torch\ntorch.ones(2).backward()",
            id="a backward without a graph",
        ),
    ],
)
def test_leaves_alone(program, tmp_path, monkeypatch):
    story, text = repaired(tmp_path, monkeypatch, program)
    assert story.ending == "stops"
    assert text == program
    assert not any(step.kept for step in story.steps)


def test_other_places_of_the_shape_are_suggested_and_not_written(tmp_path, monkeypatch):
    source = """import torch
def never(other):
    return other[0]
loss = torch.ones(2).sum()
print(loss[0])
"""
    story, text = repaired(tmp_path, monkeypatch, source)
    assert "return other[0]" in text
    assert ("main.py", 3, "other[0]") in story.steps[0].alike


def test_lists_texts_and_numbers_are_not_suggested_beside_a_tensor(tmp_path, monkeypatch):
    source = """import torch
def words(line, sizes=[3, 4]):
    parts = [line, 'x']
    return parts[0], sizes[0], line
def blocks(other, rest):
    counts = [2, 2]
    pair = (rest, 1)
    return counts[0], pair[0], other[0]
loss = torch.ones(2).sum()
print(loss[0])
"""
    story, _ = repaired(tmp_path, monkeypatch, source)
    assert story.ending == "runs"
    assert [text for _, _, text in story.steps[0].alike] == ["other[0]"]


def test_a_mend_that_does_not_compile_is_not_written(tmp_path, monkeypatch):
    watched = Watched(tmp_path, monkeypatch)
    watched.write({"main.py": b"x = 1\n"})
    from voltfix.model import ReplaceExpression, Span
    from voltfix.repair.mending import Work
    from voltfix.repair.place import Mend

    work = Work(str(tmp_path), {"main.py": b"x = 1\n"})
    edit = ReplaceExpression(Span(4, 5), "1 1")
    assert work.carried(Mend("VF216", "", "", "main.py:1", (("main.py", (edit,)),))) is None


def test_another_exception_at_the_name_that_was_mended_is_progress(tmp_path, monkeypatch):
    story, text = repaired(tmp_path, monkeypatch, "n = 4\nhalf = n / 2\nfor i in xrange(half):\n    print(i)\n")
    assert story.ending == "runs"
    assert "half = n // 2\nfor i in range(half):" in text


def test_what_was_written_and_fails_itself_is_taken_back(tmp_path):
    source = "import torch\nprint(x[0])\n"

    def runs(path):
        if ".item()" in path.read_text():
            frame = Frame(str(path), 2, "<module>", (2, 6, 2, 12))
            return Run(
                1, (Event("exception", "AttributeError", "'list' object has no attribute 'item'", frames=(frame,)),)
            )
        frame = Frame(str(path), 2, "<module>", (2, 6, 2, 10))
        return Run(1, (Event("exception", "IndexError", "invalid index of a 0-dim tensor", frames=(frame,)),))

    story = loop(tmp_path, source, runs).go()
    assert written(tmp_path) == source
    assert [step.kept for step in story.steps] == [False]


def test_suggested_places_are_written_where_somebody_asks_for_them(tmp_path, monkeypatch):
    source = """import torch
def never(other):
    return other.data[0]
loss = torch.ones(2).sum()
print(loss.data[0])
"""
    watched = Watched(tmp_path, monkeypatch)
    watched.write({"main.py": source.encode()})
    made = Loop(str(tmp_path.resolve()), {"main.py": source.encode()}, watched.run, watched.write, 8)
    assert made.go().ending == "runs"
    assert "return other.data[0]" in written(tmp_path)
    made.widen()
    assert "return other.item()" in written(tmp_path)
    assert "print(loss.item())" in written(tmp_path)


def test_suggested_places_that_make_it_stop_are_taken_back(tmp_path, monkeypatch):
    source = """import json, torch
def first(other):
    return other[0]
loss = torch.ones(2).sum()
print(loss[0])
assert first(json.loads("[3, 4]")) == 3
"""
    watched = Watched(tmp_path, monkeypatch)
    watched.write({"main.py": source.encode()})
    made = Loop(str(tmp_path.resolve()), {"main.py": source.encode()}, watched.run, watched.write, 8)
    assert made.go().ending == "runs"
    before = written(tmp_path)
    made.widen()
    assert written(tmp_path) == before
    assert not made.story.steps[-1].kept


def test_a_target_that_is_written_in_place_is_not_converted(tmp_path, monkeypatch):
    source = "import torch\nmask = torch.ones(3).byte()\nmask[torch.LongTensor([0])] = torch.ones(1).long() > 2\n"
    story, text = repaired(tmp_path, monkeypatch, source + "assert mask.tolist() == [0, 1, 1]\n")
    assert story.ending == "runs"
    assert "mask.long()[" not in text


def test_conversions_are_not_piled_up(tmp_path, monkeypatch):
    source = """import torch
import torch.nn as nn
nn.CrossEntropyLoss(weight=torch.ones(3).double())(torch.rand(2, 3), torch.zeros(2).long())
"""
    _, text = repaired(tmp_path, monkeypatch, source)
    assert ".float().long()" not in text
    assert ".long().float()" not in text


@pytest.mark.parametrize(
    ("before", "after", "stop", "said"),
    [
        ("a = n / 2\nb = 1\nuse(a)\n", "a = n // 2\nb = 1\nuse(a)\n", 3, "main.py:1 (stopped at main.py:3)"),
        ("b = 1\nuse(n / 2)\n", "b = 1\nuse(n // 2)\n", 2, "main.py:2"),
        ("b = 1\nuse(a)\n", "import c\nb = 1\nc.use(a)\n", 2, "main.py:2"),
    ],
)  # fmt: skip
def test_a_repair_is_named_by_the_line_that_it_changes(before, after, stop, said):
    from voltfix.repair.loop import mended_at
    from voltfix.repair.place import Mend

    mend = Mend("VF218", "told", "seen", f"main.py:{stop}", path="main.py")
    assert mended_at(mend, {"main.py": (before.encode(), after.encode())}) == said


ROUNDS = """import torch
left, picked = torch.arange(4), []
while left.numel() > 0:
    first = left[0]
    picked.append(int(first))
    if left.numel() == 1:
        break
    left = left[(left > first).nonzero().squeeze()]
assert picked == [0, 1, 2, 3]
"""


def test_what_has_no_dimensions_in_one_round_only_is_not_read_as_one_number(tmp_path, monkeypatch):
    story, text = repaired(tmp_path, monkeypatch, ROUNDS)
    assert story.ending == "runs"
    assert text == ROUNDS.replace("left[0]", "torch.atleast_1d(left)[0]")
    assert [step.kept for step in story.steps] == [False, True]


def test_a_kept_repair_is_taken_back_in_whichever_run_it_stops(tmp_path, monkeypatch):
    source = """import torch
total = 0
for size in (1, 3):
    row = torch.arange(size).squeeze()
    total += int(row[0])
    for step in xrange(2):
        total += step
assert total == 2
"""
    story, text = repaired(tmp_path, monkeypatch, source)
    assert story.ending == "runs"
    assert text == source.replace("row[0]", "torch.atleast_1d(row)[0]").replace("xrange", "range")
    assert len([step for step in story.steps if step.kept]) == 2


def test_a_repair_that_suits_some_values_only_is_not_left_where_nothing_else_helps(tmp_path):
    source = "import torch\nfor x in rows:\n    use(x[0])\n    n = xrange(2)\n"

    def runs(path):
        text = path.read_text()
        if "x[0]" in text:
            frame = Frame(str(path), 3, "<module>", (3, 8, 3, 12))
            return Run(1, (Event("exception", "IndexError", "invalid index of a 0-dim tensor", frames=(frame,)),))
        if "xrange" in text:
            frame = Frame(str(path), 4, "<module>", (4, 8, 4, 14))
            event = Event("exception", "NameError", "name 'xrange' is not defined", frames=(frame,), name="xrange")
            return Run(1, (event,))
        frame = Frame(str(path), 3, "<module>", (3, 8, 3, 16))
        told = "a Tensor with 3 elements cannot be converted to Scalar"
        return Run(1, (Event("exception", "RuntimeError", told, frames=(frame,)),))

    story = loop(tmp_path, source, runs).go()
    assert story.ending == "stops"
    assert written(tmp_path) == source.replace("xrange", "range")
    assert [(step.mend.code, step.kept) for step in story.steps] == [("VF202", False), ("VF218", True)]
