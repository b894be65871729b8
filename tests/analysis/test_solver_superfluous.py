"""What is computed from what a block made needs no block of its own: it has no graph."""

from __future__ import annotations

import pytest
from solving import HEAD, covers, lines_without_gradients, stays

from helpers import check_holds_up, migrated

IDLE = "\n".join(f"            seen[{number}] += 1" for number in range(8))


def shown(line: str) -> str:
    """A function that makes ``y`` in a block (where the flag is gone), and looks at it many lines below."""
    return f"""
        def show(net, row, seen, options, n):
            x = Variable(row, volatile=True)
            y = net(x)
{IDLE}
            {line}
            return z.data
        """


@pytest.mark.parametrize("line", [
    "z = y.view(-1, options.shape[0], n)",
    "z = y.view(*options.shape)",
    "z = y.expand(n, options.wide)",
    "z = y.repeat(n, 1)",
    "z = y.narrow(0, options.first, n)",
    "z = y.transpose(options.one, n).contiguous()",
    "z = y.permute(*n)",
    "z = y.unsqueeze(options.at)",
    "z = y.select(options.at, n)",
])
def test_sizes_are_numbers_wherever_they_come_from(line):
    covers(shown(line), ["net(x)"], [line, "seen["])


@pytest.mark.parametrize("line", [
    "z = y.view(-1, 3) * options.scale",
    "z = y.view(-1, 3) + n",
    "z = torch.cat([y, n], 0)",
    "z = n.view_as(y) * y",
])
def test_what_is_not_known_to_be_a_number_wants_a_block(line):
    covers(shown(line), ["net(x)", line], ["seen["])


def test_a_method_of_an_object_that_nobody_knows_may_take_anything_for_its_sizes():
    line = "z = options.view(n.weight.sum()) * y"
    covers(shown(line), ["net(x)", line], ["seen["])


GATHERED = """
        def gather(net, rows, seen):
            x = Variable(rows, volatile=True)
            parts = {empty}
            for row in range(len(seen)):
                {fill}
            y = {join}
            y = net(y)
{idle}
            z = {join_again}
            return z.data
"""


def gathered(join: str = "torch.cat(parts, 0)", empty: str = "[]", fill: str = "parts.append(x * row)",
             join_again: str = "torch.cat([x, y], 0)") -> str:
    return GATHERED.format(join=join, empty=empty, fill=fill, join_again=join_again, idle=IDLE)


@pytest.mark.parametrize("changed", [
    {},
    {"join": "torch.stack(parts)"},
    {"join": "torch.cat(parts)", "join_again": "torch.stack([y, x])"},
    {"fill": "parts.extend([x * row, x])"},
    {"fill": "parts.insert(0, x)"},
])
def test_what_was_joined_out_of_a_list_was_in_it(changed):
    covers(gathered(**changed), ["net(y)"], [changed.get("join_again", "torch.cat([x, y], 0)"), "seen["])


@pytest.mark.parametrize("changed", [
    {"join": "net.joined(parts)"},
    {"join": "torch.cat(parts or [net(Variable(rows))], 0)"},
    {"join": "torch.cat(list(seen), 0)"},  # somebody else's, whatever is in it
    {"join": "torch.cat(seen, 0)"},
    {"empty": "seen.parts"},
])
def test_what_may_be_joined_out_of_what_others_made_may_have_a_graph(changed):
    body = gathered(**changed)
    covers(body, ["z = torch.cat"], ["seen["])


def test_a_list_that_others_fill_is_not_known_by_what_was_put_in_here():
    body = """
        def gather(net, rows, seen):
            x = Variable(rows, volatile=True)
            parts = []
            seen.fill(parts)
            for row in range(len(seen)):
                parts.append(x * row)
            y = net(torch.cat(parts, 0))
            y.sum().backward()
            return y.data
        """
    result = migrated(HEAD + body)
    assert not result.outputs or result.sites[0].status == "refused"


def test_one_who_catches_what_an_empty_list_raised_goes_on_without_it():
    body = """
        def gather(net, rows, seen):
            x = Variable(rows, volatile=True)
            parts = []
            for row in range(len(seen)):
                parts.append(x * row)
            try:
                y = torch.cat(parts, 0)
            except RuntimeError:
                y = Variable(rows)
            loss = net(y).sum()
            if not parts:
                loss.backward()
            return loss.data
        """
    before = (HEAD + "\n".join(line[8:] for line in body.split("\n")) + "\n").encode()
    result = migrated(before)
    check_holds_up({"a.py": before}, result)
    assert not result.outputs or b"no_grad():\n        loss" not in result.outputs["a.py"]


def test_joining_nothing_at_all_needs_no_block():
    stays("""
        def gather(net, rows):
            return net(torch.cat([], 0)).sum().backward()
        """)


RATED = f"""
        def rate(net, rows, judge, seen):
            for row, mark in rows:
                y = net(Variable(row, volatile=True))
{IDLE.replace("            ", "                ")}
                cost = judge(y, Variable(mark))
                print(cost.data)

        def main(net, rows, seen):
            judge = {{judge}}
            {{caller}}
        """


def rated(judge: str = "nn.SmoothL1Loss().cuda()", caller: str = "rate(net, rows, judge, seen)") -> str:
    """A function that is handed what it rates with, far below the call of the network, and its caller."""
    return f"""
        import torch.nn as nn
{RATED.format(judge=judge, caller=caller)}"""


def test_a_loss_that_every_caller_hands_over_has_no_weights():
    covers(rated(), ["net(Variable"], ["cost =", "seen["])


@pytest.mark.parametrize("changed", [
    {"judge": "seen.judge"},
    {"judge": "nn.Bilinear(2, 2, 1)"},
    {"caller": "seen.run(rate)"},
    {"caller": "rate(net, rows, judge, seen)\n            rate(net, rows, seen.judge, seen)"},
])
def test_what_one_of_them_may_hand_over_besides_may_learn(changed):
    covers(rated(**changed), ["net(Variable", "cost ="], ["seen["])


def of_its_own(made: str = "Overlap()", given: str = "", kept: str = "self.softly = nn.Sigmoid()",
               found: str = "hit.sum()", beside: str = "", caller: str = "") -> str:
    """As ``rated``, with a loss that the project has written itself."""
    return f"""
        import torch.nn as nn

        class Overlap(nn.Module):
            def __init__(self{given}):
                super(Overlap, self).__init__()
                {kept}

            def forward(self, guess, mark):
                hit = torch.sigmoid(guess) * mark
                return 1 - {found}
{beside}{RATED.format(judge=made, caller=caller or "rate(net, rows, judge, seen)")}"""


BELOW = """
        class More(Overlap):
            def forward(self, guess, mark):
                return self.layer(guess)
"""


@pytest.mark.parametrize("changed", [
    {},
    {"made": "Overlap().cuda()"},
    {"given": ", scale=1.0", "kept": "self.scale = scale", "found": "hit.sum() / self.scale"},
    {"made": "Overlap(scale=2.0)", "given": ", scale=1.0", "kept": "self.scale = scale", "found": "hit * self.scale"},
    {"kept": "self.inner = nn.BCELoss()", "found": "self.inner(guess, mark)"},
    {"found": "nn.L1Loss()(guess, mark)"},
])
def test_a_loss_of_the_project_s_own_that_every_caller_hands_over_has_no_weights(changed):
    covers(of_its_own(**changed), ["net(Variable"], ["cost =", "seen["])


@pytest.mark.parametrize("changed", [
    {"kept": "self.layer = nn.Linear(2, 1)", "found": "self.layer(hit)"},
    {"kept": "self.scale = nn.Parameter(torch.ones(1))", "found": "hit * self.scale"},
    {"kept": "self.register_parameter('scale', torch.ones(1))", "found": "hit * self.scale"},
    {"made": "Overlap(net.last.weight)", "given": ", scale=1.0", "kept": "self.scale = scale",
     "found": "hit * self.scale"},
    {"made": "Overlap(scale=seen.scale)", "given": ", scale=1.0", "kept": "self.scale = scale",
     "found": "hit * self.scale"},
    {"made": "Overlap(**seen.options)", "given": ", scale=1.0", "kept": "self.scale = scale",
     "found": "hit * self.scale"},
    {"kept": "self.scale = 1.0", "found": "hit * self.scale", "caller":
     "judge.scale = net.last.weight\n            rate(net, rows, judge, seen)"},
    {"kept": "self.scale = 1.0", "found": "hit * self.scale", "caller":
     "setattr(judge, 'scale', net.last.weight)\n            rate(net, rows, judge, seen)"},
    {"caller": "judge.forward = net.rate\n            rate(net, rows, judge, seen)"},
    {"made": "More()", "beside": BELOW},
    {"made": "seen.judge", "beside": BELOW},
    {"caller": "rate(net, rows, judge, seen)\n            rate(net, rows, seen.judge, seen)"},
    {"caller": "seen.run(rate)"},
    {"kept": "self.all = 0", "found": "self.gather(hit)", "beside": """
            def gather(self, hit):
                self.all = self.all + hit
                return self.all
"""},
    {"kept": "self.net = net", "given": ", net", "made": "Overlap(net)", "found": "self.net(hit)"},
    {"kept": "self.seen = []", "found": "sum(self.seen, hit)"},
    {"found": "self.total(hit)", "beside": """
            def total(self, hit):
                self.last = hit
                return hit
"""},
    {"found": "hit * self.of(torch.nn)", "beside": """
            def of(self, torch):
                return torch.Linear(2, 1).weight
"""},
])
def test_one_that_may_have_some_or_keep_a_graph_wants_its_block(changed):
    covers(of_its_own(**changed), ["net(Variable", "cost ="], ["seen["])


def test_a_loss_that_is_made_where_it_is_used_or_on_the_object_needs_no_block():
    body = f"""
        import torch.nn as nn

        class Overlap(nn.Module):
            def forward(self, guess, mark):
                return 1 - (guess * mark).sum()

        class Run:
            def __init__(self, net):
                self.net = net

            def rate(self, row, mark, seen):
                judge = Overlap()
                y = self.net(Variable(row, volatile=True))
{IDLE.replace("            ", "                ")}
                cost = judge(y, Variable(mark))
                return cost.data
        """
    covers(body, ["self.net(Variable"], ["cost =", "seen["])


def test_a_class_below_may_have_weights_where_the_object_asks_itself():
    body = f"""
        import torch.nn as nn

        class Overlap(nn.Module):
            def forward(self, guess, mark):
                return 1 - (guess * mark).sum()

            def rate(self, net, row, mark, seen):
                y = net(Variable(row, volatile=True))
{IDLE.replace("            ", "                ")}
                cost = self(y, mark)
                return cost.data

        class More(Overlap):
            def __init__(self):
                super(More, self).__init__()
                self.layer = nn.Linear(2, 1)

            def forward(self, guess, mark):
                return self.layer(guess)
        """
    covers(body, ["net(Variable", "cost ="], ["seen["])


def on_the_object(bound: str = "self.judge = nn.MSELoss()", more: str = "", beside: str = "") -> str:
    """As ``rated``, with a loss that another method than the initializer puts on the object."""
    return f"""
        import torch.nn as nn

        class Run(object):
            {more}
            def prepare(self, seen):
                {bound}

            def rate(self, net, row, mark, seen):
                y = net(Variable(row, volatile=True))
{IDLE.replace("            ", "                ")}
                cost = self.judge(y, Variable(mark))
                return cost.data
{beside}
        """


@pytest.mark.parametrize("changed", [
    {},
    {"bound": "self.judge = nn.MSELoss()\n                self.judge = self.judge.cuda()"},
    {"bound": "self.judge = nn.MSELoss() if seen else nn.L1Loss().cuda()"},
    {"more": "def __init__(self):\n                self.judge = nn.L1Loss()\n"},
    {"bound": "judge = nn.MSELoss()\n                self.judge = judge"},
    {"beside": "\n        class Other:\n            def prepare(self, seen):\n                self.judge = seen\n"},
])
def test_a_loss_that_methods_put_on_the_object_has_no_weights(changed):
    covers(on_the_object(**changed), ["net(Variable"], ["cost =", "seen["])


@pytest.mark.parametrize("changed", [
    {"bound": "self.judge = seen.judge"},
    {"bound": "self.judge = nn.Linear(2, 1)"},
    {"bound": "self.judge = nn.MSELoss()\n                if seen: self.judge = seen.judge"},
    {"bound": "self.judge = nn.MSELoss()\n                self.judge, n = seen.judge, 1"},
    {"bound": "self.judge = nn.MSELoss()\n                self.judge = seen.judge.cuda()"},
    {"bound": "self.judge = nn.MSELoss()\n                self.judge = self.other.judge.cuda()"},
    {"bound": "self.judge = nn.MSELoss()\n                setattr(self, seen.name, seen.judge)"},
    {"bound": "self.judge = nn.MSELoss()\n                self.__dict__.update(seen)"},
    {"bound": "self.judge = nn.MSELoss()\n                for self.judge in seen: pass"},
    {"more": "def judge(self, guess, mark):\n                return self.layer(guess)\n"},
    {"more": "def __init__(self, judge):\n                self.judge = judge\n"},
    {"beside": "\n        class More(Run):\n            def prepare(self, seen):\n                self.judge = seen\n"},
    {"beside": "\n        class More(Run):\n            judge = load('judge')\n"},
    {"beside": "\n        def put(self, judge):\n            self.judge = judge\n"},
    {"beside": "\n        def put(run, judge):\n            run.judge = judge\n"},
    {"beside": "\n        def put(run, layer):\n            run.judge.weight = layer.weight\n"},
    {"beside": "\n        def put(run, layer):\n            setattr(run.judge, 'weight', layer.weight)\n"},
    {"beside": "\n        def put(run, layer):\n            judge = run.judge\n            judge.register(layer)\n"},
])
def test_what_may_be_put_there_besides_may_have_some(changed):
    covers(on_the_object(**changed), ["net(Variable", "cost ="], ["seen["])


@pytest.mark.parametrize("put", ["self.judge.seen = x", "judge = self.judge; judge.seen = x",
                                 "setattr(self.judge, 'seen', x)"])
def test_what_is_put_on_a_loss_may_be_taken_from_it(put: str):
    stays(f"""
        import torch.nn as nn

        class Run(object):
            def prepare(self):
                self.judge = nn.MSELoss()

            def look(self, row):
                x = Variable(row, volatile=True)
                {put}

            def learn(self, net):
                return net(self.judge.seen)
        """, "escapes-by-attribute")


@pytest.mark.parametrize("line", [
    "z = y.view(-1, 3)[n]",
    "z = y.view(-1, 3)[0, n]",
    "z = y.view(-1, 3)[options.first, n[0]]",
    "z = y.view(-1, 3)[:, options.table[row]]",
])
def test_what_tells_which_items_of_a_tensor_are_taken_gets_no_gradient(line):
    covers(shown(line), ["net(x)"], [line, "seen["])


@pytest.mark.parametrize("line", [
    "z = n[y.view(-1, 3)]",
    "z = y.view(-1, 3)[0] * n",
])
def test_what_items_are_taken_of_may_have_a_graph(line):
    covers(shown(line), ["net(x)", line], ["seen["])


KEYED = """
        class Table:
            {}

"""


@pytest.mark.parametrize("how", [
    "def __getitem__(self, key):\n                return self.rows[key]",
    "def __getitem__(self, at):\n                return self.load(self.rows[at % 3]) if at < len(self) else None",
    "def __getitem__(self, at):\n                return self.rows[int(at)]",
    "def get(self, key):\n                return self.scale * key",
])
def test_a_class_that_looks_up_what_lies_under_a_key_computes_nothing_with_it(how):
    covers(KEYED.format(how) + shown("z = y[n]"), ["net(x)"], ["z = y[n]", "seen["])


@pytest.mark.parametrize("how", [
    "def __getitem__(self, key):\n                return self.scale * key",
    "def __getitem__(self, key):\n                return self.rows[0](key)",
    "def __getitem__(self, *keys):\n                return self.scale(*keys)",
    "@wrapped\n            def __getitem__(self, key):\n                return self.rows[key]",
    "__getitem__ = scaled",
    "def other(self):\n                Table.__getitem__ = self.scaled",
])
def test_one_that_may_compute_with_it_wants_a_block(how):
    covers(KEYED.format(how) + shown("z = y[n]"), ["net(x)", "z = y[n]"], ["seen["])


def test_a_volatile_index_makes_what_it_takes_volatile():
    covers(
        f"""
        def show(net, row, seen):
            x = Variable(row, volatile=True)
            y = net.weight.view(-1, 3)
{IDLE}
            z = y[x]
            return z.data
        """,
        ["z = y[x]"], ["seen[", "view("])


APPLIED = """
class Sample(torch.autograd.Function):
    @staticmethod
    def forward(ctx, points, n):
        return points[:n]

    @staticmethod
    def backward(ctx, g):
        return g, None


sample = Sample.apply


def show(net, row, seen, n):
    x = Variable(row, volatile=True)
    y = {}
{}
    z = net(y)
    return z.data
"""


def applied(call: str, what: str = "", instead: str = "") -> str:
    text = APPLIED.format(call, IDLE.replace("            ", "    "))
    assert what in text
    return text.replace(what, instead) if what else text


@pytest.mark.parametrize("call", ["sample(x, 1024)", "Sample.apply(x, 1024)", "Sample.apply(x, len(seen))"])
def test_an_operation_of_the_project_s_own_has_no_weights(call):
    covers(applied(call), ["net(y)"], [call, "seen["])


@pytest.mark.parametrize(("call", "what", "instead"), [
    ("sample(x, n)", "", ""),
    ("sample(x, net.weight)", "", ""),
    ("sample(x, [net.weight])", "", ""),
    ("sample(x, 3)", "class Sample(torch.autograd.Function):", "@wrapped\nclass Sample(torch.autograd.Function):"),
    ("sample(x, 3)", "class Sample(torch.autograd.Function):", "class Sample(torch.autograd.Function, Other):"),
    ("sample(x, 3)", "class Sample(torch.autograd.Function):", "class Sample(torch.autograd.Function, metaclass=M):"),
    ("sample(x, 3)", "        return points[:n]", "        ctx.mark_dirty(points)\n        return points"),
    ("sample(x, 3)", "sample = Sample.apply", "Sample.apply = net\nsample = Sample.apply"),
    ("sample(x, 3)", "    @staticmethod\n    def backward", "    def apply(*a):\n        return NET(*a)\n\n"
                     "    @staticmethod\n    def backward"),
])
def test_one_that_is_given_more_or_may_be_another_wants_a_block(call, what, instead):
    covers(applied(call, what, instead), ["net(y)", call], ["seen["])


def test_an_operation_on_what_has_a_graph_keeps_it():
    covers(
        """
        class Twice(torch.autograd.Function):
            @staticmethod
            def forward(ctx, t, other):
                return t * 2

        def train(net, row, optimizer):
            x = Variable(row, volatile=True)
            loss = Twice.apply(net(row), 3)
            loss.backward()
            optimizer.step()
            return net(x).data
        """,
        ["net(x)"], ["Twice.apply", "backward()"])


@pytest.mark.parametrize("line", [
    "z = torch.nn.functional.upsample(y, n, mode='bilinear')",
    "z = torch.nn.functional.upsample(y, size=options.size)",
    "z = torch.nn.functional.upsample_bilinear(y, (n,) * 2)",
    "z = torch.nn.functional.max_pool2d(y, options.kernel, stride=n)",
    "z = torch.nn.functional.adaptive_avg_pool2d(y, n)",
    "z = torch.nn.functional.pixel_shuffle(y, options.factor)",
])
def test_what_resizes_a_picture_takes_numbers_beside_it_wherever_they_come_from(line):
    covers(shown(line), ["net(x)"], [line, "seen["])


@pytest.mark.parametrize("line", [
    "z = torch.nn.functional.conv2d(y, n)",
    "z = torch.nn.functional.grid_sample(y, options.grid)",
    "z = torch.nn.functional.upsample(n, size=8) + y",
    "z = torch.nn.functional.upsample(y * options.scale, size=n)",
    "z = options.upsample(y, n)",
    "z = torch.nn.functional.dropout(y, options.learned)",
    "z = torch.nn.functional.pad(y, (1, 1), 'constant', n)",
    "z = torch.nn.functional.upsample(y, Variable(n, requires_grad=True))",
])
def test_what_may_bring_weights_along_wants_a_block_whatever_it_is_called(line):
    covers(shown(line), ["net(x)", line], ["seen["])


def test_a_picture_that_is_resized_for_training_keeps_its_graph():
    stays("""
        def fit(net, rows, n):
            y = net(Variable(rows))
            z = torch.nn.functional.upsample(y, size=n)
            z.sum().backward()
        """)


def test_a_picture_with_a_graph_on_one_path_is_resized_in_a_block_where_it_has_none_on_0_3():
    body = """
        def show(net, row, n, again):
            x = Variable(row, volatile=True)
            y = net(x)
            w = Variable(row, requires_grad=True)
            z = torch.nn.functional.upsample(x + w, size=n)
            return z.data
        """
    covers(body, ["net(x)", "upsample(x + w"], [])


def drawn(line: str, draw: str = "draw(y, n)", before: str = "", method: bool = False) -> str:
    """A function that makes ``y`` in a block, and hands it, many lines below, to one of more than sixty lines."""
    rows = "\n".join(f"            rows.append(np.zeros([{number}, 3]))" for number in range(64))
    return f"""
        import numpy as np

{before}
        def draw(picture, n):
            rows = []
{rows}
            {line}
            return rows

        def show(net, row, seen, n):
            x = Variable(row, volatile=True)
            y = net(x)
{IDLE}
            shown = {draw}
            return shown
        """


@pytest.mark.parametrize("line", [
    "rows.append(np.uint8(picture.data.numpy()))",
    "rows.append(torch.nn.Upsample(size=(n, n))(picture).data.numpy())",
    "rows.append(picture.cpu().view(-1, n).repeat(1, 3).data.numpy())",
])
def test_a_long_function_that_only_draws_what_has_no_graph_needs_no_block(line):
    covers(drawn(line), ["net(x)"], ["shown = draw", "seen["])


HEAD_OF_ALL = "        head = torch.nn.Linear(3, 3)\n"


@pytest.mark.parametrize(("line", "before"), [
    ("rows.append(head(picture).data)", HEAD_OF_ALL),
    ("rows.append((picture * head.weight).data)", HEAD_OF_ALL),
    ("rows.append(n(picture).data)", ""),
    ("rows.append((picture * n.scale).data)", ""),
])
def test_a_long_function_that_brings_weights_along_wants_one(line, before):
    covers(drawn(line, before=before), ["net(x)", "shown = draw"], ["seen["])


@pytest.mark.parametrize("line", [
    "n.model(Variable(torch.ones(3))).sum().backward()",
    "loss = n.model(Variable(torch.ones(3))).sum(); loss.backward(); rows.append(picture.data)",
    "rows.append((picture * n.scale).data); n.model(Variable(torch.ones(3))).sum().backward()",
])
def test_a_long_function_that_trains_is_in_no_block(line):
    before = (HEAD + "\n".join(each[8:] for each in drawn(line).split("\n")) + "\n").encode()
    result = migrated(before)
    text = result.outputs.get("a.py", before).decode()
    assert "no_grad():\n        shown = draw" not in text
    assert not any("backward" in each for each in within_blocks(text))


def within_blocks(text: str) -> list[str]:
    lines = text.splitlines()
    return [lines[number - 1] for number in lines_without_gradients(text)]


def looked_up(line: str, more: str = "") -> str:
    """A function that looks words up for what a network says, and another that calls it behind the network."""
    return f"""
        {more}
        def spell(words, rows, start):
            out = []
            for k in range(rows.size(0)):
                line = ''
                at = rows[k]
                if at > 0:
                    {line}
                out.append(line)
            return out

        def show(net, loader, options):
            for row in loader:
                x = Variable(row, volatile=True)
                scores, rows = net.choose(x)
                print(spell(options.words, rows, options.start))
        """


@pytest.mark.parametrize("line", [
    "line = line + words[at]",
    "line += words[at]",
    "line = line + ', ' + words[at]",
    "line = ' '.join([options_of(k), words[at]])",
])
def test_words_are_looked_up_outside_of_the_block(line):
    covers(looked_up(line), ["net.choose(x)"], ["print(spell("])


@pytest.mark.parametrize("line", [
    "line = words[at]",
    "line = start + words[at]",
    "line = '%s' % words[at]",
    "line = ' '.join(str(words[at]))",
])
def test_what_is_looked_up_may_be_rows_with_a_graph(line):
    covers(looked_up(line), ["net.choose(x)", "print(spell("], [])


def test_a_table_that_computes_with_what_it_is_asked_for_may_build_a_graph_and_give_a_word():
    covers(looked_up("line = line + words[at]", """
        class Words:
            def __init__(self, net, names):
                self.net, self.names = net, names

            def __getitem__(self, at):
                self.last = self.net(at)
                return self.names[int(self.last.max())]
        """), ["net.choose(x)", "print(spell("], [])


def kept_at_the_top(first: str, last: str, line: str = "print(names[t[0]])") -> str:
    """A function that looks up names, which a script binds above it and once more below."""
    lines = "\n".join(f"        {each}" for each in first.split("\n"))
    return f"""
{lines}

        def show(net, loader):
            for row, target in loader:
                x = Variable(row, volatile=True)
                t = Variable(target, volatile=True)
                out = net(x)
                {line}

        {last}
        """


@pytest.mark.parametrize(("first", "last"), [
    ("names = []", "names = ['a', 'b']"),
    ("import os\nnames = ()", "names = sorted(os.listdir('rows'))"),
    ("import json\nnames = None", "names = json.load(open('names.json'))"),
    ("from torchvision import datasets\nnames = []", "names = datasets.ImageFolder('rows').classes"),
    ("names = {}\nnames = {1: 'a'}", "names = {k: str(k) for k in range(3)}"),
    ("names = []", "names = [torch.nn.Parameter(torch.rand(3))]"),  # which one: no operation of torch
])
def test_what_an_item_is_asked_of_is_what_was_bound_last_where_a_script_begins_with_an_empty_list(first, last):
    covers(kept_at_the_top(first, last), ["net(x)"], ["print(names"])


@pytest.mark.parametrize(("first", "last"), [
    ("names = torch.nn.Parameter(torch.rand(3))", "names = ['a']"),
    ("names = []", "names = torch.nn.Parameter(torch.rand(3))"),
    ("import made\nnames = []", "names = made.names()"),
    ("import made\nnames = []\nif made.some:\n    names = made.names()", "names = ['a']"),
    ("import made\nnames = []\nnames += made.names", "names = ['a']"),
    ("import made\nnames = []\nfor names in made.all():\n    made.look(names)", "names = ['a']"),
    ("import made\nnames = []\nwith made.all() as names:\n    made.look(names)", "names = ['a']"),
    ("names = []\ndef put(made):\n    global names\n    names = made", "names = ['a']"),
    ("names = []\ndef put(made):\n    globals()['names'] = made", "names = ['a']"),
    ("import sys\nnames = []\ndef put(made):\n    sys.modules[__name__].names = made", "names = ['a']"),
    ("from made import *\nnames = []", "names = ['a']"),
    ("class Names:\n    def __getitem__(self, at):\n        return self.rows * at\nnames = []", "names = Names()"),
])
def test_what_may_have_been_bound_to_rows_with_a_graph_is_looked_up_in_the_block(first, last):
    covers(kept_at_the_top(first, last), ["net(x)", "print(names"], [])


def test_an_item_of_such_a_list_may_have_a_graph():
    covers(kept_at_the_top("names = []", "names = [torch.nn.Parameter(torch.rand(3))]", "print(names[t[0]] * out)"),
           ["net(x)", "print(names"], [])
