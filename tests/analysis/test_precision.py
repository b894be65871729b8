"""Precision that is given up: only ever for the sound side."""

from __future__ import annotations

from importlib.util import find_spec
from random import Random

import pytest
from solving import source

from helpers import check_noop, check_transformed, migrated
from voltfix.domains.conditions import Algebra, Formula
from voltfix.domains.precision import LADDER
from voltfix.machine import loops
from voltfix.machine.state import Machine
from voltfix.solver import roots
from voltfix.solver.roots import Setting
from voltfix.solver.solving import forget


@pytest.fixture(autouse=True)
def _forgetting() -> None:
    forget()  # a text that was solved under other limits is known


class Recording(Algebra):
    """Notes for which formula each new atom stands."""

    def __init__(self) -> None:
        super().__init__()
        self.stands_for: dict[int, Formula] = {}

    def simplified(self, formula: Formula) -> Formula:
        before = set(self.blurred)
        found = super().simplified(formula)
        self.stands_for |= dict.fromkeys(self.blurred - before, formula)
        return found


def holds(formula: Formula, values: dict[int, bool]) -> bool:
    while formula.low is not None and formula.high is not None:
        formula = formula.high if values[formula.atom] else formula.low
    return formula.is_true


@pytest.mark.parametrize("seed", range(8))
def test_to_every_value_of_what_is_forgotten_there_is_one_of_what_stands_for_it(seed: int) -> None:
    chance = Random(seed)
    exact, coarse = Algebra(), Recording()
    coarse.forget_past(4, lambda atom: atom % 3 == 0)
    atoms = [(exact.atom(exact.fresh()), coarse.atom(coarse.fresh())) for _ in range(9)]
    known = list(atoms)
    for _ in range(120):
        (a, b), (c, d) = chance.choice(known), chance.choice(known)
        known.append([(a & c, b & d), (a | c, b | d), (~a, ~b), (exact.ite(a, c, c & a), coarse.ite(b, d, d & b))][
            chance.randrange(4)])
    assert coarse.stands_for
    assert all(len(formula.support()) <= 5 for _, formula in known)
    for _ in range(200):
        values = {number: chance.random() < 0.5 for number in range(1, 10)}
        for number in range(10, coarse.atoms + 1):
            values[number] = number in coarse.stands_for and holds(coarse.stands_for[number], values)
        assert [holds(one, values) for one, _ in known] == [holds(other, values) for _, other in known]


def test_a_formula_and_its_opposite_are_forgotten_as_opposites() -> None:
    algebra = Algebra()
    algebra.forget_past(2, lambda atom: False)
    atoms = [algebra.atom(algebra.fresh()) for _ in range(4)]
    one = algebra.either(algebra.both(atoms[0], atoms[1]), algebra.both(atoms[2], atoms[3]))
    assert algebra.simplified(one) is algebra.simplified(one)
    assert algebra.simplified(~one) is ~algebra.simplified(one)


MANY_CONDITIONS = source(
    """
    def evaluate(net, batches, flags, log):
        total = 0
        for batch in batches:
            x = Variable(batch, volatile=True)
            for flag in flags:
                try:
                    if flag.first(total):
                        total = total + 1
                    elif flag.second(total):
                        continue
                    if flag.third:
                        log(total)
                except ValueError:
                    break
            y = net(x)
            total = total + y.data[0]
        return total
    """
)


@pytest.mark.parametrize("level", range(len(LADDER)))
def test_an_evaluation_is_covered_by_the_same_block_however_closely_it_is_looked_at(
    level: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    expected = migrated(MANY_CONDITIONS).outputs["a.py"]
    monkeypatch.setattr(Setting, "CLOSEST", level)
    check_transformed(MANY_CONDITIONS, expected)


def test_a_function_with_more_conditions_than_its_budget_is_solved_with_fewer(monkeypatch: pytest.MonkeyPatch) -> None:
    expected = migrated(MANY_CONDITIONS).outputs["a.py"]
    monkeypatch.setattr(Machine, "NODES", 120)
    monkeypatch.setattr(Machine, "BUDGET", 4000)
    assert migrated(MANY_CONDITIONS).outputs.get("a.py") in (expected, None)


def test_what_is_too_complex_says_which_function_and_what_grew_and_takes_no_other_with_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    other = "\n\ndef other(net, x):\n    y = net(Variable(x, volatile=True))\n    return y.data\n"
    monkeypatch.setattr(Machine, "BUDGET", 40)
    rows = migrated(MANY_CONDITIONS + other).sites
    assert [(row.status, row.reason) for row in rows] == [("refused", "too-complex"), ("fixed", None)]
    assert rows[0].message == "gave up on a.py: evaluate: too many steps"


UNSET = """

def placed(batch, off=False):
    return Variable(batch, volatile=off)
"""


@pytest.mark.parametrize(("change", "more", "stays"), [
    ("placed(batch)", "", False),
    ("placed(batch, False)", "", False),
    ("placed(batch, flags.off)", "", True),
    ("placed(batch, off=True)", "", True),
    ("placed(batch, **flags)", "", True),
    ("placed(batch)", "\n\ndef other(net, x):\n    return net(placed(x, True)).data\n", True),
    ("placed(batch)", "\n\nserve(placed)\n", True),
    ("placed(batch)", "\n\nplaced.__defaults__ = (True,)\n", True),
    ("placed(batch)", "\n\nloud = placed\nloud(1, True)\n", True),
])
def test_a_flag_that_no_call_sets_comes_to_nothing_that_is_too_complex(
    change: str, more: str, stays: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Machine, "BUDGET", 40)
    text = MANY_CONDITIONS.replace("Variable(batch, volatile=True)", change) + UNSET + more
    row = next(row for row in migrated(text).sites if row.code == "VF101")
    assert (row.status == "refused") == stays


ROTATION = source(
    """
    def rotate(net, data, steps, pick):
        a = b = c = net(Variable(data, volatile=True))
        for step in steps:
            try:
                a, b, c = b, c, pick(a, step)
                if step.swap:
                    a, c = c, pick(b, step)
            except IndexError:
                continue
        return (a.data, b.data, c.data)
    """
)


def test_a_loop_that_does_not_come_to_rest_keeps_what_its_names_held(monkeypatch: pytest.MonkeyPatch) -> None:
    """Three names change places with something new, and no round needs to begin as another did."""
    monkeypatch.setattr(loops, "MAX_ITERATIONS", 3)
    check_transformed(
        ROTATION,
        source(
            """
            def rotate(net, data, steps, pick):
                with torch.no_grad():
                    a = b = c = net(Variable(data))
                for step in steps:
                    with torch.no_grad():
                        try:
                            a, b, c = b, c, pick(a, step)
                            if step.swap:
                                a, c = c, pick(b, step)
                        except IndexError:
                            continue
                return (a.data, b.data, c.data)
            """
        ),
    )


def test_a_loop_that_does_not_come_to_rest_then_either_is_too_complex(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(loops, "MAX_ITERATIONS", 2)
    monkeypatch.setattr(loops, "MAX_JOINED", 0)
    result = check_noop(ROTATION, reason="too-complex")
    assert result.sites[0].message == "gave up on a.py: rotate: line 7 carries too much to its next round"


@pytest.mark.skipif(find_spec("torch") is None, reason="programs are run under torch")
@pytest.mark.parametrize("level", range(1, len(LADDER)))
def test_drawn_programs_are_never_changed_for_the_worse_with_less_precision(
    level: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    from scopes.programs import draw
    from scopes.running import judge

    monkeypatch.setattr(Setting, "CLOSEST", level)
    labels = {seed: judge(draw(seed)).label for seed in range(level * 1000, level * 1000 + 12)}
    assert not {seed: label for seed, label in labels.items() if label in ("DIFFERS", "WORSE", "UNSTABLE", "BROKEN")}
    assert list(labels.values()).count("right") >= 2


ANEW = """
    def train(net, batches, skips, kinds, noise, optimizer):
        seed = noise
        for batch in batches:
            for kind in kinds:
                if kind.first(batch):
                    continue
                if kind.second(batch) or kind.third(batch):
                    break
            if skips(batch):
                continue
            if kinds.odd(batch) and kinds.even(batch):
                if batch.is_done:
                    break
                elif kinds.known(batch):
                    seed = Variable(batch)
                    real = net(seed)
                    {bound}
                    {block}
                    (net(fake) - real).sum().backward()
                    optimizer.step()
                else:
                    seed = Variable(batch)
                    net(seed).sum().backward()
"""
MOST = 2  # conditions that are told apart: what is around the block asks for more
WANTED = "with torch.no_grad():\n                        fake = Variable(net(seed).data)"


@pytest.mark.parametrize("level", range(len(LADDER)))
@pytest.mark.parametrize("bound", ["seed = Variable(noise{})", "(seed, _) = (Variable(noise{}), 0)"])
def test_a_name_holds_what_this_path_bound_it_to_though_another_waits_that_left_the_round(
    level: int, bound: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    few = tuple(each._replace(atoms=min(each.atoms, MOST)) if number else each for number, each in enumerate(LADDER))
    monkeypatch.setattr(roots, "LADDER", few)
    monkeypatch.setattr(Setting, "CLOSEST", level)
    before = source(ANEW.format(bound=bound.format(", volatile=True"), block="fake = Variable(net(seed).data)"))
    check_transformed(before, source(ANEW.format(bound=bound.format(""), block=WANTED)))


# what the path may still hold otherwise: bound in a part of a statement, by another function, before an exception
OTHERWISE = {
    "a part of a statement": "if on and (y := Variable(part, volatile=True)) is not None:\n            use(y)",
    "another arm": "if on:\n            y = Variable(part, volatile=True)\n        use(y)",
    "a round of a loop": "for one in part:\n            y = Variable(one, volatile=True)\n        use(y)",
    "a suite that raises": "try:\n            y = Variable(part, volatile=True)\n            use(y)\n"
    "        except ValueError:\n            pass",
    "the rest of it": "try:\n            use(part)\n        except ValueError:\n            pass\n        else:\n"
    "            y = Variable(part, volatile=True)\n            use(y)",
    "what is caught": "with suppress(ValueError):\n            use(part)\n"
    "            y = Variable(part, volatile=True)\n        use(y)",
    "a case": "match on:\n            case 1:\n                y = Variable(part, volatile=True)\n        use(y)",
}


def indent(line: str) -> int:
    return len(line) - len(line.lstrip())


@pytest.mark.parametrize("level", range(1, len(LADDER)))
@pytest.mark.parametrize("otherwise", OTHERWISE)
def test_where_some_paths_alone_bind_a_name_nothing_behind_is_covered(
    level: int, otherwise: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Setting, "CLOSEST", level)
    text = source(f"""
    from contextlib import suppress


    def f(net, parts, skip, on, use):
      for part in parts:
        if skip(part):
            continue
        y = Variable(part)
        {OTHERWISE[otherwise]}
        net(y).sum().backward()
""")
    out = migrated(text).outputs.get("a.py", text.encode()).decode().splitlines()
    (at,) = [number for number, line in enumerate(out) if "backward" in line]
    assert not any("_grad" in line and indent(line) < indent(out[at]) for line in out[:at])


def test_what_is_bound_by_another_function_is_not_what_the_suite_bound(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Setting, "CLOSEST", 2)
    check_noop(source("""
    def f(net, parts, skip, on):
        y = None

        def turn(part):
            nonlocal y
            y = Variable(part, volatile=True)

        for part in parts:
            if skip(part):
                continue
            y = Variable(part)
            if on:
                turn(part)
            net(y).sum().backward()
    """), reason="escapes-by-global")
