"""What is written in place, and what a loop hands from round to round, is missed only where somebody reaches it."""

from __future__ import annotations

from textwrap import dedent

import pytest
from solving import HEAD, becomes, covers, lines_without_gradients, refusals, stays

from helpers import check_transformed, migrated

FEED = """
        a, b = torch.nn.Linear(3, 3), torch.nn.Linear(3, 3)

        def feed(x, extra):
{body}
            return b(x), kept

        def run(data, extra):
            y, kept = feed(Variable(data{flag}), extra)
            {use}
"""

WRITES = {
    "the tensor that was written to": """
            kept = Variable(torch.zeros(3))
            kept += a(Variable(extra))
    """,
    "a view that was there before": """
            wide = Variable(torch.zeros(3))
            kept = wide.view(1, 3)
            wide += a(Variable(extra))
    """,
    "what the view was taken of": """
            kept = Variable(torch.zeros(3))
            wide = kept.view(3).unsqueeze(0)
            wide.add_(a(Variable(extra)))
    """,
    "what an item was written to": """
            kept = Variable(torch.zeros(3, 3))
            kept[0] = a(Variable(extra))
    """,
    "what a row is of": """
            kept = Variable(torch.zeros(3, 3))
            row = kept[0]
            row += a(Variable(extra))
    """,
    "what may have been written to": """
            kept, other = Variable(torch.zeros(3)), Variable(torch.zeros(3))
            one = kept if len(extra) > 3 else other
            one += a(Variable(extra))
    """,
    "what may be the same, given by torch": """
            kept = Variable(torch.zeros(3, 3))
            turned = torch.transpose(kept, 0, 1)
            turned += a(Variable(extra))
    """,
    "what a number became, to which it was added": """
            kept = 0.0
            for step in range(9):
                kept += a(Variable(extra))
    """,
    "what was computed of it": """
            total = Variable(torch.zeros(3))
            total += a(Variable(extra))
            kept = total * 2
    """,
}
HOLDER = """shown = []

        class Holder:
            def __init__(self, what):
                self.what = what
"""
ROUNDS = {
    "what comes out of the last round": """
            kept = Variable(torch.zeros(3))
            for step in range(9):
                kept = a(kept)
    """,
    "what was handed on twice": """
            kept = last = now = Variable(torch.zeros(3))
            for step in range(9):
                kept = last
                last = now
                now = a(now)
    """,
    "what was handed on of what the caller gave": """
            kept, last, now = extra
            for step in range(9):
                kept = last
                last = now
                now = a(now)
    """,
    "a sum over all rounds": """
            now, kept = Variable(torch.zeros(3)), 0
            for step in range(9):
                kept = kept + now.sum()
                now = a(now)
    """,
    "what one round or other left": """
            now, kept = Variable(torch.zeros(3)), Variable(torch.zeros(3))
            for step in range(9):
                if extra[step]:
                    kept = now
                now = a(now)
    """,
    "what a dictionary handed on": """
            now, held = Variable(torch.zeros(3)), {'last': Variable(torch.zeros(3)), 'now': Variable(torch.zeros(3))}
            for step in range(9):
                held['last'] = held['now']
                held['now'] = now
                now = a(now)
            kept = held['last']
    """,
    "what was computed of something that stays": """
            kept = now = Variable(torch.zeros(3))
            wide = a(Variable(extra))
            for step in range(9):
                kept = now
                now = wide * 2
    """,
    "what a name of the loop's own was set to": """
            kept, now = Variable(torch.zeros(3)), Variable(torch.zeros(3))
            for row in range(9):
                row, now = now, a(now)
                kept = row
    """,
    "what is stacked": """
            rows = []
            for step in range(9):
                rows.append(a(Variable(extra)))
            kept = torch.stack(rows)
    """,
}
# here the rest is refused as well, but the graph never is taken away
CONTAINERS = {
    "what a list holds at the end": """
            now, held = Variable(torch.zeros(3)), []
            put = held.append
            for step in range(9):
                put(now)
                now = a(now)
            kept = held[3]
    """,
    "a row of what the caller has": """
            kept, now = extra, Variable(torch.zeros(3))
            for row in extra:
                row += now
                now = a(now)
    """,
    "a row that the caller's iterator still has": """
            kept, now = Variable(torch.zeros(3)), Variable(torch.zeros(3))
            for row in extra:
                kept = kept + row
                row.add_(a(now))
    """,
    "what a row left for a while": """
            now = Variable(torch.zeros(3))
            for row in extra:
                kept = row
                if len(extra) > 3:
                    kept = now
                now = a(now)
    """,
    "a row that is one of several": """
            kept = Variable(torch.zeros(3, 3))
            for row in [kept[0], kept[1]]:
                row += a(Variable(extra))
    """,
}


HANDED = {
    "what the round before left": ("now = Variable(torch.zeros(3))", """
                {reach}(now)
                now = a(now)
    """),
    "what was left three rounds ago": ("first = second = third = now = Variable(torch.zeros(3))", """
                {reach}(first)
                first, second, third = second, third, now
                now = a(now)
    """),
    "what the caller gave, three rounds ago": ("first, second, third, now = extra", """
                {reach}(first)
                first, second, third = second, third, now
                now = a(now)
    """),
    "what the caller gave, in an object": ("held, last, now = Holder(extra), extra, extra", """
                {reach}(held.what)
                held.what, last = last, now
                now = a(now)
    """),
    "what the caller gave, in a dictionary": ("held = {{'first': extra, 'last': extra, 'now': extra}}", """
                {reach}(held['first'])
                held['first'], held['last'] = held['last'], held['now']
                held['now'] = a(held['now'])
    """),
    "what was left under another name": ("one, two = Variable(torch.zeros(3)), Variable(torch.zeros(3))", """
                {reach}(two)
                one, two = a(two), one
    """),
    "what a list keeps": ("held = [Variable(torch.zeros(3))]", """
                {reach}(held.pop(0))
                held.append(a(Variable(extra[step])))
    """),
    "what a dictionary keeps": ("held = {{'last': Variable(torch.zeros(3))}}", """
                {reach}(held['last'])
                held['last'] = a(held['last'])
    """),
    "what an object keeps": ("held = Holder(Variable(torch.zeros(3)))", """
                {reach}(held.what)
                held.what = a(held.what)
    """),
    "what stands in one arm": ("now = Variable(torch.zeros(3))", """
                if extra[step]:
                    {reach}(now)
                else:
                    now = a(now)
    """),
    "what a loop within leaves": ("now = Variable(torch.zeros(3))", """
                {reach}(now)
                for part in range(3):
                    now = a(now)
    """),
    "what a loop within is handed": ("now = Variable(torch.zeros(3))", """
                for part in range(3):
                    {reach}(now)
                    now = a(now)
    """),
    "what was written in place": ("now = Variable(torch.zeros(3))", """
                {reach}(now * 2)
                now += a(Variable(extra[step]))
    """),
    "what is volatile at first, and may be a part of what has no number": ("now = torch.tanh(extra.first(x))", """
                {reach}(now)
                now = a(Variable(extra[step]))
    """),
    "what is volatile at first, or made here": (
        "now = torch.tanh(extra.first(x)) if extra.rows else Variable(torch.zeros(3))", """
                {reach}(now)
                now = a(Variable(extra[step]))
    """),
    "what a closure sees": ("now = Variable(torch.zeros(3))", """
                look = lambda: now
                {reach}(look())
                now = a(now)
    """),
}


def in_rounds(body: tuple[str, str], loop: str, reach: str, more: str = "") -> str:
    begun, rounds = (part.replace("{{", "{").replace("}}", "}").replace("{reach}", reach) for part in body)
    return f"            kept = step = 0\n            {begun}\n            {loop}:\n{more}{rounds.lstrip(chr(10))}"


@pytest.mark.parametrize("loop", ["for step in range(9)", "for step in extra", "while extra.pop()"])
@pytest.mark.parametrize("reach", ["shown.append", "torch.autograd.backward", "extra.keep"])
@pytest.mark.parametrize("body", HANDED.values(), ids=HANDED)
def test_a_round_that_reaches_what_it_began_with_keeps_its_graph(body: tuple[str, str], reach: str, loop: str) -> None:
    text = dedent("        " + HOLDER) + dedent(source(in_rounds(body, loop, reach), "print(kept)"))
    found = migrated(HEAD + text)
    off = set(lines_without_gradients(found.outputs["a.py"].decode())) if found.outputs else set()
    lines = found.outputs["a.py"].decode().splitlines() if found.outputs else []
    assert refusals(found) or not any("feed(V" in lines[number - 1] or "a(" in lines[number - 1] for number in off)


@pytest.mark.parametrize("body", [HANDED[name] for name in HANDED if "object" not in name and "closure" not in name])
@pytest.mark.parametrize("more", ["words.append(names[step])", "shown.append(extra[step].size())"])
def test_a_round_that_reaches_something_else_does_not(body: tuple[str, str], more: str) -> None:
    rounds = in_rounds(body, "for step in range(9)", "print", f"                {more}\n")
    text = dedent("        " + HOLDER) + dedent(source(rounds, "print(kept)"))
    found = migrated(HEAD + text)
    assert not refusals(found)


@pytest.mark.parametrize("body", [HANDED[name] for name in HANDED if name.startswith("what is volatile at first")])
def test_that_two_values_may_share_data_with_something_unseen_makes_neither_reached_by_the_other(
        body: tuple[str, str]) -> None:
    more = "                shown.append(torch.relu(extra.first(x)))\n"
    rounds = in_rounds(body, "for step in range(9)", "print", more)
    assert not refusals(migrated(HEAD + dedent("        " + HOLDER) + dedent(source(rounds, "print(kept)"))))


def source(body: str, use: str, flag: str = ", volatile=True", off: bool = False) -> str:
    text = FEED.format(body=body.strip("\n").rstrip(), use=use, flag=flag)
    line = "    y, kept = feed(Variable(data), extra)"
    return text.replace(line[4:], f"with torch.no_grad():\n            {line}") if off else text


@pytest.mark.parametrize("body", [*WRITES.values(), *ROUNDS.values(), *CONTAINERS.values()],
                         ids=[*WRITES, *ROUNDS, *CONTAINERS])
def test_a_graph_that_is_reached_by_another_way_keeps_the_call_out_of_a_block(body: str) -> None:
    stays(source(body, "kept.sum().backward()"), reason="mixed-statement")


@pytest.mark.parametrize("body", [*WRITES.values(), *ROUNDS.values()], ids=[*WRITES, *ROUNDS])
def test_a_graph_that_nobody_reaches_does_not(body: str) -> None:
    use = "print(kept.data)"
    becomes(source(body, use), source(body, use, flag="", off=True))


@pytest.mark.parametrize("body", [
    "extra.watch(held)",
    "extra.held = held",
    "extra.held = {'rows': [held]}",
    "extra.look = lambda: held",
    "extra.append(held)",
    "shown.append(held)",
    "holder = Holder(held)\n            extra.watch(holder)",
])
def test_a_list_that_somebody_has_gives_what_is_put_in_later(body: str) -> None:
    lines = ["kept, held = Variable(torch.zeros(3)), []", body, "held.append(a(kept))"]
    text = "\n".join(f"            {line}" for line in lines)
    stays(f"\n        {HOLDER}" + source(text, "print(kept.data)"), reason="mixed-statement")


def test_a_list_that_a_module_holds_gives_what_is_put_in() -> None:
    text = "            kept = Variable(torch.zeros(3))\n            shown.append(a(kept))"
    stays("\n        shown = []\n" + source(text, "print(kept.data)"), reason="mixed-statement")


def test_a_tensor_that_is_not_ours_may_be_seen_by_others() -> None:
    stays(source("            kept = 0\n            extra.total += a(Variable(extra.rows))", "print(y.data)"),
          reason="mixed-statement")


def test_a_state_over_time_steps_beside_a_volatile_input() -> None:
    before = """
        class Decoder(torch.nn.Module):
            def __init__(self, size):
                super().__init__()
                self.old, self.new = torch.nn.Linear(size, size), torch.nn.Linear(size, size)

            def step(self, x, state):
                message = Variable(torch.zeros(3, 3))
                for head in range(2):
                    message += torch.tanh(self.old(state))
                state = self.new(x) + message
                return x + state, state

            def forward(self, rows):
                state = Variable(torch.zeros(3, 3))
                for row in range(4):
                    out, state = self.step(rows[:, row], state)
                return out

        decoder = Decoder(3)

        def evaluate(loader):
            for rows in loader:
                out = decoder(Variable(rows, volatile=True))
                print(out.data)
        """
    call = "out = decoder(Variable(rows, volatile=True))"
    assert call in before
    becomes(before, before.replace(call, "with torch.no_grad():\n                    out = decoder(Variable(rows))"))


CONVERTED = """
        from collections import Mapping, Sequence
        from torch._six import string_classes

        class Named:
            pass

        def wrapped(batch{parameter}):
            if torch.is_tensor(batch):
                return Variable(batch{flag})
            elif isinstance(batch, string_classes):
                return batch
            elif isinstance(batch, Mapping):
                return {{name: wrapped(part{handed}) for name, part in batch.items()}}
            elif isinstance(batch, Sequence):
                return [wrapped(part{handed}) for part in batch]
            raise TypeError(type(batch))

        def unwrapped(value):
            if isinstance(value, Variable):
                return value.data
            elif isinstance(value, {left}):
                return value
            elif isinstance(value, Mapping):
                return {{name: unwrapped(part) for name, part in value.items()}}
            elif isinstance(value, Sequence):
                return [unwrapped(part) for part in value]
            raise TypeError("{{}} is none of these".format(type(value)))

        def answer(net, batch):
            x = wrapped(batch{given})
            {block}y = net(x)
            return unwrapped(y)
"""
BEFORE = {"parameter": ", off=False", "flag": ", volatile=off", "handed": ", off", "given": ", True", "block": ""}
AFTER = {"parameter": "", "flag": "", "handed": "", "given": "", "block": "with torch.no_grad():\n                "}


@pytest.mark.parametrize("left", ["string_classes", "str", "(int, float, str)", "numbers.Number"])
def test_numbers_and_words_that_a_helper_leaves_as_they_are_have_no_graph(left: str) -> None:
    head = "\n        import numbers" if "." in left else ""
    becomes(head + CONVERTED.format(left=left, **BEFORE), head + CONVERTED.format(left=left, **AFTER))


@pytest.mark.parametrize("left", ["Named", "(str, Named)", "object", "net_type"])
def test_what_else_a_helper_leaves_as_it_is_may_have_one(left: str) -> None:
    stays(CONVERTED.format(left=left, **BEFORE), reason="condition-not-repeatable")


LONG = "\n            ".join(f"print({number})" for number in range(70))  # too long to be looked into


def test_a_global_list_that_a_long_function_fills_is_not_empty() -> None:
    stays(
        f"""
        def fill(net, data):
            {LONG}
            rows.append(net(Variable(data)))

        def run(net, data):
            global rows
            rows = []
            fill(net, data)
            first = rows[0]
            y = net(Variable(data, volatile=True)) + first
            y.sum().backward()
        """,
        reason="gradient-demanded",
    )


ROUTED = """
        class Net(nn.Module):
            def forward(self, x):
                y, kept = [], []
                for kind, layer in self.both:
                    if kind == "plain":
                        x = layer(x)
                    elif "," in kind:
                        x = torch.cat([kept[i] for i in [int(part) for part in kind.split(",")]], 1)
                        y = y + [x]
                    kept.append(x)
                return x

        net = Net()
        for data in torch.utils.data.DataLoader(pictures):
            y = net(Variable(data, volatile=True))
            writer.add(y)
"""


def test_a_list_that_a_function_made_for_itself_is_empty_where_the_top_level_calls_it_too() -> None:
    """What is taken out of it before anything is in it stops Python there: no round goes on with that."""
    covers(ROUTED, ["y = net(Variable(data))"], ["net = Net"])


FILLED = {
    "the top level makes it": """
        rows = []
        """,
    "it gives the list to the top level": """
        def made():
            return []
        rows = made()
        """,
    "it puts the list on an object of the top level": """
        class Board:
            def __init__(self):
                self.rows = []
        board = Board()
        rows = board.rows
        """,
    "it puts the list under a name of the module": """
        def made():
            global rows
            rows = []
        made()
        """,
    "the list is the default of a parameter": """
        def made(held=[]):
            return held
        rows = made()
        """,
    "the list is in a list of the top level": """
        table = []
        def made():
            table.append([])
        made()
        rows = table[0]
        """,
}


@pytest.mark.parametrize("made", FILLED.values(), ids=FILLED)
def test_a_list_that_a_long_function_fills_is_not_taken_for_empty_where(made: str) -> None:
    """Were it taken for empty, nothing would come after what is read of it."""
    stays(
        dedent(made) + dedent(f"""
        net = torch.nn.Linear(3, 3)

        def fill(data):
            {LONG}
            rows.append(net(Variable(data)))

        data = torch.zeros(3)
        fill(data)
        first = rows[0]
        y = net(Variable(data, volatile=True)) + first
        y.sum().backward()
        """),
        reason="gradient-demanded",
    )


def test_a_network_a_part_of_which_trains_when_it_is_called_stays_out_of_a_block() -> None:
    stays(
        """
        class Teacher(nn.Module):
            def __init__(self):
                super(Teacher, self).__init__()
                self.fc = nn.Linear(3, 3)

            def forward(self, want, x, weight):
                loss = ((self.fc(x) - want) * weight).sum()
                loss.backward()
                return loss

        class School(nn.Module):
            def __init__(self, teacher):
                super(School, self).__init__()
                self.teacher = teacher

            def forward(self, x, want):
                return self.teacher(want, x, 0.5)

        school = School(Teacher())

        def look(pairs):
            return [float(school(Variable(x, volatile=True), Variable(y, volatile=True)).data) for x, y in pairs]
        """,
        reason="mixed-statement",
    )


READ_INSIDE = """
        def show(net, other, state, data, board):
            x = Variable(data, volatile=True)
            y = net(x)
            h = state[0]
            z = net(y)
            {use}
            return z.data
"""


@pytest.mark.parametrize("use", ["board.add((h * 2).data)", "print(float(h.sum().data.mean()))",
                                 "board.add(torch.chunk(h + 1, 2)[0].data)"])
def test_a_part_that_was_read_inside_a_block_may_be_looked_at_outside(use: str) -> None:
    body = READ_INSIDE.format(use=use)
    becomes(body, body.replace(", volatile=True", "").replace("y = net(x)", "with torch.no_grad():\n                "
                               "y = net(x)").replace("            h = ", "                h = ").replace(
                               "            z = ", "                z = "))


ASKING = ["(h * 2).sum().backward()", "board.keep(h * 2)", "board.kept = (h * 2).view(-1)", "return h * 2",
          "kept = torch.chunk(h, 2)\n            board.keep(kept)",
          "wide = Variable(torch.zeros(3))\n            wide += h * 2\n            board.keep(wide)"]


@pytest.mark.parametrize("use", ASKING)
def test_a_part_whose_graph_somebody_asks_for_is_read_between_two_blocks(use: str) -> None:
    body = READ_INSIDE.format(use=use)
    block = "with torch.no_grad():\n                "
    becomes(body, body.replace(", volatile=True", "").replace("y = net(x)", f"{block}y = net(x)").replace(
            "z = net(y)", f"{block}z = net(y)"))


def test_a_part_that_a_suite_reads_is_read_between_two_blocks() -> None:
    covers("""
        def show(net, state, data, rows):
            x = Variable(data, volatile=True)
            for row in range(rows):
                y = net(x)
                h = state[row]
                x = net(y)
                (h * 2).sum().backward()
            return x.data
        """, ["y = net(x)", "x = net(y)"], ["h = state", "backward"])


@pytest.mark.parametrize("read", ["z, h = net(y), state[0]", "z = net(y, [h for h in state])\n            h = state[0]",
                                  "h = [net(y).data, state[0]][1]\n            z = y"])
def test_a_part_that_is_read_in_the_statement_that_wants_a_block_is_left_to_a_person(read: str) -> None:
    before = READ_INSIDE.format(use="(h * 2).sum().backward()").replace("            h = state[0]\n", "")
    result = migrated((HEAD + dedent(before.replace("z = net(y)", read)).strip("\n") + "\n").encode())
    after = result.outputs.get("a.py", b"").decode()
    assert refusals(result) or "\n    h = state[0]" in after, after


ITEMS = """
import torch
import torch.nn as nn
from torch.autograd import Variable


class Net(nn.Module):
    def __init__(self):
        super(Net, self).__init__()
        self.fc = nn.Linear(10, 10)

    def extend(self, x, sizes):
        most, found = max(sizes), []
        for step in range(most):
            for size in sizes:
                found.append(size * 2)
            x = self.fc(x) * most
        return {given}


def show(batches):
    net = Net()
    for x, sizes in batches:
        x = Variable(x{flag})
        {call}
{use}
"""


def items(use: str, given: str = "x.data", flag: str = ", volatile=True", call: str = "") -> str:
    call = call or "y = net.extend(x, sizes)"
    lines = "\n".join(f"        {line}" for line in use.splitlines())
    return ITEMS.format(use=lines, given=given, flag=flag, call=call)


def test_what_an_iterator_gave_out_is_not_what_took_its_name():
    block = "with torch.no_grad():\n            y = net.extend(x, sizes)"
    check_transformed(items("print(y)"), items("print(y)", flag="", call=block))


@pytest.mark.parametrize(("use", "given"), [
    ("sum(y).backward()", "found"),
    ("net.found = y", "found"),
    ("batches.tell(y)", "found"),
    ("y.backward()", "most"),
])
def test_what_is_made_of_what_an_iterator_gave_out_may_be_missed(use, given):
    after = migrated(items(use, given)).outputs.get("a.py", b"").decode()
    assert "no_grad():\n            y = net" not in after
    assert "no_grad():\n        most" not in after
    assert "no_grad():\n                found" not in after


CAUGHT = """
import torch
from torch.autograd import Variable

layers = torch.nn.ModuleList([torch.nn.Linear(3, 3) for _ in range(3)])


def found(x, cuts):
    seen = []
    for i in range(len(cuts)):
        if cuts[i] == "layer":
            x = layers[i](x)
        elif cuts[i] == "cut":
            x = x.data
            seen.append(x)
    return seen


def follow(camera, cuts):
    while camera.open():
        some, frame = camera.next()
        if some:
{call}
        {other}
"""


@pytest.mark.parametrize("other", ["print(some)", "if not some:\n            break"])
def test_a_condition_that_the_way_to_a_block_implies_is_not_written(other):
    call = "            print(found(Variable(torch.Tensor(frame){flag}), cuts))"
    block = "            with torch.no_grad():\n    " + call.format(flag="")
    check_transformed(CAUGHT.format(call=call.format(flag=", volatile=True"), other=other),
                      CAUGHT.format(call=block, other=other))


@pytest.mark.parametrize("other", ["print(some)", "if not some:\n            break"])
def test_a_block_whose_graphs_somebody_reaches_gets_no_wider(other):
    call = ("            for x in found(Variable(torch.Tensor(frame), volatile=some > 1), cuts):\n"
            "                x.sum().backward()")
    after = migrated(CAUGHT.format(call=call, other=other)).outputs.get("a.py", b"").decode()
    assert "torch.no_grad()" not in after


SUMMED = """
        def cost(row, label):
            if label.sum() == 0:
                return {bare}
            return torch.dot(row, Variable(label))

        def costs(rows, labels):
            each = []
            for row, label in zip(rows, labels):
                each.append(cost(row, label))
                {kept}
            return sum(each)

        def evaluate(net, loader):
            for inputs, labels in loader:
                {block}rows = torch.relu(net(Variable(inputs{flag})))
                {indent}print(costs(rows, labels).data)
"""


@pytest.mark.parametrize("bare", ["prior.sum() * 0.", "torch.nn.functional.relu(prior.weight)"])
def test_a_list_of_results_is_not_reached_because_the_rows_are_that_its_loop_is_given(bare: str) -> None:
    before = {"bare": bare, "kept": "pass", "block": "", "indent": "", "flag": ", volatile=True"}
    after = {"block": "with torch.no_grad():\n                    ", "indent": "    ", "flag": ""}
    becomes(SUMMED.format(**before), SUMMED.format(**{**before, **after}))


@pytest.mark.parametrize("kept", [
    "shown.append(each)", "shown.append(each[-1])", "each[0].backward()", "label.keep(each)",
])
def test_a_list_of_results_that_somebody_has_is_left_alone(kept: str) -> None:
    body = SUMMED.format(bare="prior.sum() * 0.", kept=kept, block="", indent="", flag=", volatile=True")
    assert refusals(migrated(HEAD + "shown = []\n" + dedent(body)))


THEIRS = """
        a, b = torch.nn.Linear(3, 3), torch.nn.Linear(3, 3)

        def feed(x, extra):
            {first}
            kept += a(Variable(extra.rows))
            return b(x){more}

        def run(data, extra):
            {block}print(feed(Variable(data{flag}), extra))
"""


@pytest.mark.parametrize("first", [
    "kept = extra.total", "kept = 0 if extra.rows else extra.total", "kept = extra.totals[0]",
    "other = kept = extra.total",
])
def test_what_is_added_to_a_tensor_that_the_caller_has_is_left_alone(first: str) -> None:
    body = THEIRS.format(first=first, more="", block="", flag=", volatile=True")
    assert refusals(migrated(HEAD + dedent(body)))


@pytest.mark.parametrize("first", ["kept = 0.", "kept = extra.total * 2", "kept = torch.zeros(3)"])
def test_what_is_added_to_a_number_or_to_what_was_just_made_nobody_else_has(first: str) -> None:
    becomes(THEIRS.format(first=first, more="", block="", flag=", volatile=True"),
            THEIRS.format(first=first, more="", block="with torch.no_grad():\n                ", flag=""))


SHARED_OUT = """
        def judge(net, criterion, rows, labels):
            total = 0
            {block}rows = Variable(rows{flag})
            for row, label in zip(rows.chunk(4), labels):
                {inner}cost = criterion(net(row), Variable(label))
                cost /= 4
                total += cost.data[0]
            return total
"""


def test_what_unknown_code_made_of_tensors_is_divided_in_place_and_nobody_else_has_it() -> None:
    becomes(SHARED_OUT.format(block="", flag=", volatile=True", inner=""),
            SHARED_OUT.format(block="", flag="", inner="with torch.no_grad():\n                    "))
