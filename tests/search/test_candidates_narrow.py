"""Of what does the same as before the narrowest is taken; what a wide block takes in for nothing stays out of it."""

from __future__ import annotations

import ast
from dataclasses import replace
from textwrap import dedent, indent

import pytest
from trying import DIFFERENT, SAME, WITHIN, Told, project, tried

from voltfix.flags.sites import find
from voltfix.model import Decision, Decorate, DropArgument, Options, Span, WrapStatements
from voltfix.pipeline.loading import load_project
from voltfix.pipeline.surroundings import Surroundings
from voltfix.program.resolve import Project as Program
from voltfix.search import Budget, Memory
from voltfix.search.draft import Draft
from voltfix.search.group import grouped
from voltfix.search.kinds import around
from voltfix.search.narrowing import ENDS, FEW, MOST, Narrowing, is_narrower
from voltfix.search.oracle import Oracle
from voltfix.search.scene import Scenes
from voltfix.verify.client import verify
from voltfix.verify.plan import Item

OFF, ON = "torch.no_grad()", "torch.enable_grad()"
FLAG = DropArgument(Span(0, 10), Span(5, 9))


def draft(*edits, path: str = "a.py") -> Draft:
    return Draft("a block (lines 1-2)", "no_grad", ((path, edits),), ())


def block(first: int, last: int, header: str = OFF) -> WrapStatements:
    return WrapStatements(Span(first, first + 2), Span(last - 2, last), header)


@pytest.mark.parametrize(("one", "other"), [
    ([FLAG, block(10, 20)], [FLAG, block(10, 30)]),
    ([FLAG, block(10, 20), block(25, 30)], [FLAG, block(10, 30)]),
    ([FLAG, block(10, 20)], [FLAG, block(10, 20), block(30, 40)]),
    ([FLAG, block(10, 20)], [FLAG, Decorate(Span(5, 50), OFF)]),
    ([FLAG, block(30, 40, ON), block(10, 20)], [FLAG, block(30, 40, ON), block(10, 25)]),
])
def test_blocks_that_lie_in_those_of_another_are_narrower(one, other) -> None:
    assert is_narrower(draft(*one), draft(*other))
    assert not is_narrower(draft(*other), draft(*one))


@pytest.mark.parametrize(("one", "other"), [
    ([FLAG, block(10, 20)], [FLAG, block(10, 20)]),
    ([FLAG], [FLAG, block(10, 20)]),
    ([FLAG, block(10, 20)], [FLAG, block(15, 30)]),
    ([block(10, 20)], [FLAG, block(10, 30)]),
    ([FLAG, block(10, 20, "torch.set_grad_enabled(train)")], [FLAG, block(10, 30)]),
    ([FLAG, block(10, 20)], [FLAG, block(30, 40, ON), block(10, 25)]),
    ([FLAG, block(30, 40, ON), block(10, 20)], [FLAG, block(10, 50)]),
])
def test_others_are_not(one, other) -> None:
    assert not is_narrower(draft(*one), draft(*other))


def test_nor_are_blocks_of_another_file() -> None:
    assert not is_narrower(draft(FLAG, block(10, 20)), draft(FLAG, block(10, 30), path="b.py"))


# --- what a wide block takes in ---------------------------------------------------------------------------------------

BODY = """
    x = start(batch)
    y = model(x)
    for row in y:
        show(row)
        one(row)
        two(row)
        three(row)
    four(y)
    five(y)
    six(y)
"""


def narrowed(body: str, needed: list[str], wide: tuple[str, str], more: tuple[str, str] | None = None,
             brief: bool = False, ends: bool = False):
    """The lines that are in blocks at the end, and how often it was asked; ``needed``: what has to be in one.

    ``brief``: where time is short; ``ends``: only what begins and ends them is asked about.
    """
    text = f"import torch\n\n\ndef evaluate(model, batch):\n{indent(dedent(body).strip(chr(10)), '    ')}\n"
    code = load_project({"a.py": text.encode()}, Options())
    scenes = Scenes(code, Surroundings(code))
    scene = scenes.of("a.py")
    lines = {ast.unparse(node).split("\n")[0]: node for node in ast.walk(scene.tree) if isinstance(node, ast.stmt)}
    edits = [WrapStatements(*(scene.span(lines[each]) for each in pair), OFF) for pair in (wide, more) if pair]
    asked: list[Draft] = []

    def covered(found: Draft) -> list[str]:
        spans = [Span(edit.first.start, edit.last.end) for _, some in found.edits for edit in some
                 if isinstance(edit, WrapStatements)]
        return [line for line, node in lines.items() if any(
            span.start <= scene.span(node).start and scene.span(node).end <= span.end for span in spans)]

    def holds(found: Draft) -> bool:
        asked.append(found)
        return set(needed) <= set(covered(found))

    (function,) = scene.tree.body[1:]
    narrowing = Narrowing(scenes, draft(*edits), function, holds)
    made = narrowing.trimmed() if ends else narrowing.fewer() if brief else narrowing.narrowed()
    assert made.edits in [each.edits for each in (*asked, narrowing.draft)]  # nothing that was not asked about
    return covered(made), len(asked)


WHOLE = "x = start(batch)", "six(y)"


@pytest.mark.parametrize("needed", [["y = model(x)"], ["six(y)"], ["x = start(batch)", "y = model(x)"]])
def test_statements_at_its_ends_that_do_not_matter_stay_out(needed: list[str]) -> None:
    found, asked = narrowed(BODY, needed, WHOLE)
    assert found == needed
    assert asked <= MOST


def test_a_loop_gives_way_to_a_block_in_it() -> None:
    found, asked = narrowed(BODY, ["one(row)"], WHOLE)
    assert found == ["one(row)"]
    assert asked <= MOST


def test_a_loop_of_which_most_is_needed_is_wrapped_as_a_whole() -> None:
    found, _ = narrowed(BODY + "    seven(y)\n    eight(y)\n    nine(y)\n", ["show(row)", "three(row)"], WHOLE)
    assert found == ["for row in y:", "show(row)", "one(row)", "two(row)", "three(row)"]


def test_where_half_of_it_is_needed_it_stays_as_it_is() -> None:
    found, _ = narrowed(BODY, ["x = start(batch)", "five(y)"], WHOLE)
    assert len(found) == 10


def test_a_short_one_is_not_asked_about() -> None:
    assert narrowed(BODY, ["y = model(x)"], ("x = start(batch)", "y = model(x)")) == (
        ["x = start(batch)", "y = model(x)"], 0)


def test_one_of_two_that_does_nothing_goes() -> None:
    body = f"{BODY}    z = lift(y)\n" + "".join(f"    note({number})\n" for number in range(8))
    found, _ = narrowed(body, ["z = lift(y)"], ("note(0)", "note(7)"), ("z = lift(y)", "z = lift(y)"))
    assert found == ["z = lift(y)"]


@pytest.mark.parametrize(("needed", "found"), [
    ("y = model(x)", ["x = start(batch)", "y = model(x)"]), ("five(y)", ["five(y)", "six(y)"]),
])
def test_where_time_is_short_only_whole_blocks_go(needed: str, found: list[str]) -> None:
    left, asked = narrowed(BODY, [needed], ("x = start(batch)", "y = model(x)"), ("five(y)", "six(y)"), brief=True)
    assert left == found
    assert asked <= FEW


def test_where_time_is_short_two_that_are_needed_stay() -> None:
    found, asked = narrowed(BODY, ["y = model(x)", "six(y)"], ("y = model(x)", "y = model(x)"), ("six(y)", "six(y)"),
                            brief=True)
    assert (found, asked) == (["y = model(x)", "six(y)"], 2)


def test_where_time_is_short_one_block_is_not_asked_about() -> None:
    assert narrowed(BODY, ["y = model(x)"], WHOLE, brief=True) == (narrowed(BODY, [], WHOLE, brief=True)[0], 0)


def test_blocks_of_another_function_stay_as_they_are() -> None:
    text = "def f(x):\n" + "".join(f"    note({number})\n" for number in range(8)) + "\n\ndef k(x):\n    f(x)\n"
    code = load_project({"a.py": text.encode()}, Options())
    scenes = Scenes(code, Surroundings(code))
    first, second = scenes.of("a.py").tree.body
    edit = WrapStatements(*(scenes.of("a.py").span(first.body[at]) for at in (0, -1)), OFF)
    wide = draft(edit)
    assert Narrowing(scenes, wide, second, lambda found: True).narrowed() == wide
    assert Narrowing(scenes, wide, first, lambda found: True).narrowed() != wide


# --- how a block begins and ends --------------------------------------------------------------------------------------

SHORT = """
    x = start(batch)
    y = model(x)
    z = weigh(y)
    total += z.data
"""


@pytest.mark.parametrize(("needed", "found"), [
    (["y = model(x)"], ["y = model(x)"]),
    (["x = start(batch)", "y = model(x)"], ["x = start(batch)", "y = model(x)"]),
    (["total += z.data"], ["total += z.data"]),
    (["x = start(batch)", "z = weigh(y)"], ["x = start(batch)", "y = model(x)", "z = weigh(y)"]),
])
def test_a_short_block_begins_and_ends_with_what_needs_it(needed: list[str], found: list[str]) -> None:
    left, asked = narrowed(SHORT, needed, ("x = start(batch)", "total += z.data"), ends=True)
    assert left == found
    assert asked <= ENDS


def test_a_block_of_one_statement_is_not_asked_about() -> None:
    assert narrowed(SHORT, [], ("y = model(x)", "y = model(x)"), ends=True) == (["y = model(x)"], 0)


def test_one_that_needs_all_its_statements_stays() -> None:
    every = ["x = start(batch)", "y = model(x)", "z = weigh(y)", "total += z.data"]
    assert narrowed(SHORT, every, (every[0], every[-1]), ends=True)[0] == every


def test_several_blocks_lose_their_ends_together_where_all_do_without() -> None:
    copies = "".join(f"    a{n} = model(x)\n    b{n} = a{n} + 1\n    c{n} = b{n} + 1\n" for n in range(2))
    needed = ["a0 = model(x)", "a1 = model(x)"]
    assert narrowed(copies, needed, ("a0 = model(x)", "c0 = b0 + 1"), ("a1 = model(x)", "c1 = b1 + 1"), ends=True) == (
        needed, 2)


def test_where_one_of_them_needs_its_end_each_is_asked_about_by_itself() -> None:
    copies = "".join(f"    a{n} = model(x)\n    b{n} = a{n} + 1\n    c{n} = b{n} + 1\n" for n in range(2))
    needed = ["a0 = model(x)", "c1 = b1 + 1"]
    wide = ("a0 = model(x)", "c0 = b0 + 1"), ("a1 = model(x)", "c1 = b1 + 1")
    found, asked = narrowed(copies, needed, *wide, ends=True)
    assert found == needed
    assert asked <= ENDS


def test_the_ends_of_blocks_of_another_function_are_asked_about_as_well() -> None:
    text = "def f(x):\n    y = model(x)\n    note(y)\n\n\ndef k(x):\n    f(x)\n"
    code = load_project({"a.py": text.encode()}, Options())
    scenes = Scenes(code, Surroundings(code))
    first, second = scenes.of("a.py").tree.body
    one, two = (scenes.of("a.py").span(first.body[at]) for at in (0, 1))
    narrowing = Narrowing(scenes, draft(WrapStatements(one, two, OFF)), second, lambda found: True)
    assert dict(narrowing.trimmed().edits)["a.py"] == (WrapStatements(one, one, OFF),)


def test_what_no_block_of_statements_turns_off_has_no_ends() -> None:
    text = "def f(x):\n    y = model(x)\n    return y\n"
    code = load_project({"a.py": text.encode()}, Options())
    scenes = Scenes(code, Surroundings(code))
    (function,) = scenes.of("a.py").tree.body
    whole = draft(Decorate(scenes.of("a.py").span(function), OFF))
    assert Narrowing(scenes, whole, function, lambda found: True).trimmed() == whole


# --- as it is taken ---------------------------------------------------------------------------------------------------

BEAM = """
def beam(model, source, names):
    best = [(0, model.start(source))]
    for length in range(3):
        options = []
        for at, state in best:
            {word}
            {step}
            value = out.data.max()
            options.append((value, fresh))
        options.sort(key=lambda one: one[0], reverse=True)
        best = options[:4]
    best.sort(key=lambda one: one[0])
    return best
"""
MADE = "word = Variable(torch.LongTensor([at]), volatile=True).view(1, 1)"


def beams(text: str) -> list[tuple[int, int]]:
    """The lines of the blocks of the first draft for the flag in a text."""
    code = load_project(project(text), Options())
    scenes = Scenes(code, Surroundings(code))
    (flag,) = find(Program(code.modules))
    found = next(iter(around.drafts(scenes, grouped(scenes, [Decision(flag, None, "")])[0])))
    scene = scenes.of("a.py")
    lines = {scene.span(node): node for node in ast.walk(scene.tree) if isinstance(node, ast.stmt)}
    return [(lines[edit.first].lineno - 4, lines[edit.last].end_lineno - 4) for _, edits in found.edits
            for edit in edits if isinstance(edit, WrapStatements)]


def test_a_loop_over_what_was_computed_is_entered_and_a_list_of_it_is_only_sorted() -> None:
    assert beams(BEAM.format(word=MADE, step="out, fresh = model(word, state)")) == [(7, 7)]


def test_what_a_comprehension_names_ends_with_it_and_text_is_no_tensor() -> None:
    assert beams("""
        def show(model, row, words, out):
            line = [words[one] for one in row]
            x = Variable(line, volatile=True)
            best = model(x)
            text = ''
            for one in best:
                text = text + '{} '.format(one) + '%s' % one + f'{one}'
            print(text, file=out)
            out.write(text)
            return [one.data for one in best]
        """) == [(4, 4)]


def picked(verdicts, narrower, shown=lambda n: True) -> tuple[int | None, str]:
    """What is taken of candidates that differ from one another."""
    items = [Item("", {"a.py": "x = 1\n"}, {"a.py": f"x = 1\ny = {number}\n"}, (), "legacy") for number in range(3)]
    oracle = Oracle(Told(lambda item: DIFFERENT), Budget(60), Memory(None))
    found = oracle.pick(items, verdicts, shown, narrower)
    return found.at, found.doubt


def test_of_a_narrow_and_a_wide_one_that_are_right_the_narrow_one_is_taken_whatever_they_are_to_each_other() -> None:
    assert picked([SAME, SAME, DIFFERENT], lambda n, other: (n, other) == (1, 0)) == (1, "")
    assert picked([SAME, SAME, DIFFERENT], lambda n, other: (n, other) == (0, 1)) == (0, "")
    assert picked([SAME, SAME, SAME], lambda n, other: n > other) == (2, "")


def test_where_the_narrow_one_is_wrong_or_shows_nothing_the_wide_one_is_taken() -> None:
    assert picked([SAME, DIFFERENT, DIFFERENT], lambda n, other: (n, other) == (1, 0)) == (0, "")
    at, doubt = picked([SAME, SAME, DIFFERENT], lambda n, other: (n, other) == (1, 0), lambda n: n == 0)
    assert (at, bool(doubt)) == (None, True)  # running does not tell which of the two


def test_one_that_is_no_part_of_the_other_is_a_doubt_as_before() -> None:
    at, doubt = picked([SAME, SAME, SAME], lambda n, other: (n, other) == (1, 0))
    assert (at, bool(doubt)) == (None, True)


def test_what_is_so_only_through_its_callers_is_not_taken_for_being_narrower() -> None:
    through = replace(SAME, through=1)
    assert picked([SAME, through, DIFFERENT], lambda n, other: (n, other) == (1, 0))[0] in (0, None)


def test_what_goes_over_something_that_is_computed_there_is_covered_as_a_whole() -> None:
    assert beams("""
        def show(model, rows):
            x = Variable(rows, volatile=True)
            for y in model(x):
                print(model(y).data)
        """) == [(3, 4)]


ASKS = WITHIN.replace("    return first, second", "    third = bench.weigh(first)\n    return third.data")
TWO = """    with torch.no_grad():
        first = model(x)
        second = Probe().measure(model, x)
    third = bench.weigh(first)
"""
THREE = TWO.replace("    third", "        third")


@pytest.mark.parametrize(("verdict", "taken"), [
    (SAME, TWO),
    (replace(SAME, lent="bench.weigh"), THREE),  # what that does with it had no graph on 0.3, and may have one now
    (DIFFERENT, THREE),
    (replace(SAME, grown=("third = bench.weigh(first)",)), THREE),  # nobody has that graph, and it is made all the same
])
def test_a_block_ends_where_the_same_is_done_and_nobody_out_of_sight_gets_the_tensor_behind_it(verdict, taken) -> None:
    def say(item: Item):
        text = item.after["a.py"]
        ends = SAME if THREE in text else verdict if TWO in text else DIFFERENT
        return ends if "enable_grad" in text else DIFFERENT

    result = tried(ASKS, Told(say))
    assert taken in result.outputs["a.py"].decode()


def test_a_line_that_makes_a_graph_beside_the_wide_block_too_is_no_reason_against_the_narrow_one() -> None:
    made = replace(SAME, grown=("first = model(x)",))
    result = tried(ASKS, Told(lambda item: made if "enable_grad" in item.after["a.py"] and (
        TWO in item.after["a.py"] or THREE in item.after["a.py"]) else DIFFERENT))
    assert TWO in result.outputs["a.py"].decode()


MEETS = """
from torch import nn
from parts import Well, Shore, Dune


class Beach(nn.Module):
    def __init__(self, args):
        super(Beach, self).__init__()
        self.args = args
        self.well = Well(args)
        self.shore = Shore(args)
        self.dunes = [Dune(args, width) for width in (4, 8)]

    def forward(self, sand, rain):
        args = self.args
        ripples = self.well(sand)
        grains = []
        for n in range(args.depth):
            grain = torch.linspace(-1.0, 1.0, ripples[n].size(3))
            grain = Variable(grain, volatile=not self.training)
            grains.append(grain)

        waves = []
        for n in range(args.depth):
            tide = torch.zeros_like(ripples[0]) if n == 0 else tide * 2
            wave = torch.cross(ripples[n], grains[n] + tide)
            foam = self.shore(ripples[n], wave)
            tide = self.dunes[n](foam, tide)
            waves.append(tide)
        return waves
"""


def test_a_block_begins_with_what_meets_a_graph_though_nobody_has_that_at_the_end() -> None:
    pytest.importorskip("torch")
    text = tried(MEETS, verify).outputs["a.py"].decode()
    block = text[text.index("set_grad_enabled") :].splitlines()
    assert [line.strip() for line in block[1:4]] == [
        "wave = torch.cross(ripples[n], grains[n] + tide)", "foam = self.shore(ripples[n], wave)",
        "tide = self.dunes[n](foam, tide)"]
    assert block[4].lstrip().startswith("waves.append")
    assert not block[4].startswith(" " * 16)
