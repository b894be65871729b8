"""Ways are chosen so that each changed line is come by; a name that nobody knows finds something unknown."""

from __future__ import annotations

import heapq
import textwrap

import pytest

torch = pytest.importorskip("torch")

from voltfix.verify.symbolic import explore  # noqa: E402
from voltfix.verify.symbolic.project import Side, Unit  # noqa: E402

HEAD = "import torch\nfrom torch.autograd import Variable\n"


def judge(before: str, after: str, name: str = "f", **others: str) -> tuple[str, str | None]:
    more = {f"{path}.py": textwrap.dedent(text) for path, text in others.items()}
    sides = [Side({"a.py": HEAD + textwrap.dedent(text), **more}) for text in (before, after)]
    return explore.verify(explore.Item(*sides, (Unit("a.py", name),)))[:2]


def staged(count: int, first: str, flag: str, block: str) -> str:
    """Two chains over the same question: the first one asks it, the second one hangs on what was said."""
    lines = ["def f(net, xs, options, stage):"]
    lines += [f"    if options.a{n}:\n        net.set(a{n}=options.a{n})" for n in range(10)]
    lines += ["    for x in xs:"]
    for n in range(1, count + 1):
        lines += [f"        {'el' if n > 1 else ''}if stage == {n}:", f"            y = {first.format(n=n)}"]
    lines += [f"    x = Variable(xs[0]{flag})"]
    for n in range(1, count + 1):
        lines += [f"    {'el' if n > 1 else ''}if stage == {n}:", f"        {block}out = net.stage{n}(x)",
                  f"        weight = Variable(xs[{n}]{flag})"]
    return "\n".join([*lines, "    return out.data"]) + "\n"


@pytest.mark.parametrize("first", ["x[::{n}]", "x * {n}"])
def test_a_second_chain_over_a_question_that_is_answered_is_come_by_arm_by_arm(first):
    before = staged(5, first, ", volatile=True", "")
    assert judge(before, staged(5, first, "", "with torch.no_grad(): ")) == ("identical", None)


def test_an_arm_that_is_wrong_is_found_behind_the_others():
    before = staged(5, "x[::{n}]", ", volatile=True", "").replace("return out.data", "return out")
    after = staged(5, "x[::{n}]", "", "with torch.no_grad(): ").replace("return out.data", "return out")
    verdict, detail = judge(before, after.replace("with torch.no_grad(): out = net.stage4", "out = net.stage4"))
    assert verdict == "different", detail


CHOSEN = """
import nets


def f(x, options):
    net = getattr(nets, options.net)()
    x = Variable(x{flag})
    {block}
    return out.data
"""
NETS = "class Small(object):\n    def __call__(self, x):\n        return x\n"


def test_a_module_asked_for_a_name_that_nobody_knows_gives_something_unknown():
    before = CHOSEN.format(flag=", volatile=True", block="out = net(x)")
    after = CHOSEN.format(flag="", block="with torch.no_grad():\n        out = net(x)")
    assert judge(before, after, nets=NETS) == ("identical", None)


def test_a_module_asked_for_a_name_that_it_does_not_have_has_it_where_every_way_would_end():
    before = CHOSEN.format(flag=", volatile=True", block="out = net(x)").replace("options.net", "'Large'")
    after = CHOSEN.format(flag="", block="with torch.no_grad():\n        out = net(x)")
    assert judge(before, after.replace("options.net", "'Large'"), nets=NETS) == ("identical", None)
    verdict, detail = judge(before, before.replace(", volatile=True", ""), nets=NETS)
    assert verdict == "not-run"
    assert "(given what is missing here)" in (detail or "")


DRAWS = """
def draw(net, x):
    y = net(Variable(x{flag}))
    return y.data


def train(net, x, steps):
    for step in range(steps):
        {first}z = net(Variable(x{flag}))
        if step % 1000 == 999:
            {second}draw(net, z.data)
"""


def judge_all(before: str, after: str, *names: str) -> tuple[str, str | None]:
    sides = [Side({"a.py": HEAD + text}) for text in (before, after)]
    return explore.verify(explore.Item(*sides, tuple(Unit("a.py", name) for name in names)))[:2]


def test_a_block_that_a_caller_got_for_something_else_is_none_for_the_function():
    block = "with torch.no_grad(): "
    before = DRAWS.format(flag=", volatile=True", first="", second="")
    missed = DRAWS.format(flag="", first=block, second="")
    moved = DRAWS.format(flag="", first=block, second=block)
    assert judge_all(before, moved, "draw", "train")[0] != "different"
    verdict, detail = judge_all(before, missed, "draw", "train")
    assert verdict == "different", detail


@pytest.mark.parametrize("call", ["{}both(net, x)", "torch.no_grad()(both)(net, x){}"])
def test_a_block_over_who_calls_the_function_may_be_that_of_the_function(call: str):
    block = "with torch.no_grad(): " if call.startswith("{") else ""
    text = "\ndef both(net, x):\n    return draw(net, x)\n\n\ndef main(net, x, on):\n    "
    before = DRAWS.partition("def train")[0].format(flag=", volatile=True") + text
    after = DRAWS.partition("def train")[0].format(flag="") + text
    plain = call.replace("torch.no_grad()(both)", "both").format("")
    changed = call.format(block)
    loop = "for step in range(2):\n        if step % 1000 == 999:\n            "
    assert judge_all(before + loop + plain + "\n", after + loop + changed + "\n", "draw", "main")[0] != "different"


LATER = "h = net.warm(Variable(h.data{flag}))"


def played(flag: str, block: str, later: str, questions: int = 40) -> str:
    """An arm that only a later round of an endless loop comes by, where a round before said that it is not over."""
    work = "".join("        move = move + 1\n" for _ in range(400))  # what makes ways dear, so that few are tried
    asked = "".join(f"        if options.a{n}:\n            world.set(a{n}=1)\n" for n in range(questions))
    return f"""
def f(net, world_of, options):
    world, over, count = make(options), True, 0
    while True:
{asked}        count += 1
        if over:
            h = Variable(torch.zeros(1, 3){flag})
        else:
            {later}
        {block}out, h = net(h)
        seen, over = world.go(out.data)
        over = over or count >= options.most
        if over:
            count = world.time = 0


class World(object):
    def __init__(self, options):
        self.options, self.time = options, 0

    def set(self, **more):
        pass

    def go(self, move):
        self.time += 1
{work}        done = True if self.time == self.options.end or move.mean() != self.options.usual else False
        return self.time, done


def make(options):
    return World(options)
"""


def test_an_arm_that_hangs_on_what_a_function_gave_in_the_round_before_is_come_by():
    before = played(", volatile=True", "", LATER.format(flag=", volatile=True"))
    after = played("", "with torch.no_grad(): ", "with torch.no_grad(): " + LATER.format(flag=""))
    assert judge(before, after) == ("identical", None)


def test_an_arm_of_a_later_round_that_is_wrong_is_found():
    before = played(", volatile=True", "", LATER.format(flag=", volatile=True"))
    verdict, detail = judge(before, played("", "with torch.no_grad(): ", LATER.format(flag="")))
    assert verdict == "different", detail


PART = """
class Shower(object):
    def __init__(self, rows, net):
        self.rows, self.net = rows, net
    def f(self):
        for at, (x, _) in enumerate(self.rows):
            if at <= {size} // 5:
                continue
            if at > {size} // 5 * 2:
                break
            y = self.net(Variable(x, volatile=True))
            print(y.view(2, -1).mean(1))
"""


@pytest.mark.parametrize("size", ["len(self.rows)", "self.rows.__len__()"])
def test_a_part_of_rows_whose_number_nobody_knows_is_come_by(size: str):
    before = PART.format(size=size)
    after = before.replace(", volatile=True", "")
    block = "            with torch.no_grad():\n                y = "
    assert judge(before, after.replace("            y = ", block), "Shower.f") == ("identical", None)
    assert judge(before, after, "Shower.f")[0] == "different"


def test_what_a_class_says_of_its_own_length_is_as_it_says():
    before = """
    class Rows(object):
        def __len__(self):
            return 3
    class More(Rows):
        def __len__(self):
            return super(More, self).__len__() + [1, 2].__len__()
    def f(net, x):
        return net(Variable(x, volatile={flag})), More().__len__()
    """
    assert judge(before.format(flag="False"), before.format(flag="More().__len__() == 4"), "f")[0] == "identical"
    assert judge(before.format(flag="True"), before.format(flag="False"), "f")[0] == "different"


@pytest.mark.parametrize(("complete", "first"), [(0, "late"), (1, "choice")])
def test_what_decides_a_line_that_is_missing_is_turned_before_what_an_error_may_hang_on(complete: int, first: str):
    """Errors come first only while no way comes to its end: each run may take most of what a function is given."""
    sides = [Side({"a.py": "def f(): pass\n"})] * 2
    item = explore.Item(*sides, (Unit("a.py", "f"),))
    asked = {"choice": {("a.py", 5)}, "late": {("a.py", 9)}}
    tally = explore.Tally(item.reached, complete=complete, failed=True, asked=asked)
    search = explore._Search(item, Unit("a.py", "f"), explore.Given(), frozenset(), tally)
    search._turn((), [("choice", True), ("other", True), ("early", True), ("late", True)], {("a.py", 5): 0}, 32)
    assert heapq.heappop(search.pressing)[2][-1] == (first, False)
