"""What a rule would write on a guess is suggested: left to ``--unsafe-fixes`` and to a run that shows it."""

from __future__ import annotations

import contextlib
import io
from textwrap import dedent

import pytest

from helpers import migrated
from modernize.support import becomes, modernized, refuses
from voltfix import core
from voltfix.model import Options

HEAD = "import torch\nimport torch.nn as nn\nimport torch.nn.functional as F\nimport numpy as np\n"
OWN = """\
class Frame(object):
    def eq(self, other):
        return 1
    def masked_fill(self, mask, value):
        return value
    def gesv(self, other):
        return other, None
    def expand(self, *sizes):
        return self
    def add_(self, a, b):
        return a
"""
# rule, what may be something else as well, what it would be if it were a tensor
GUESSES = [
    ("VF202", "def f(d, words):\n    d.cuda()\n    words[d.data[3]] = 1\n", "words[d.data[3].item()]"),
    ("VF202", "def f(d, n):\n    d.cuda()\n    n += d.data.sum()\n    return n\n", "n += d.data.sum().item()"),
    ("VF202", "def f(d):\n    d.cuda()\n    return d.data.sum()[0]\n", "return d.data.sum().item()"),
    ("VF202", "def f(table, rows):\n    return table[rows.data.contiguous()[3]]\n", "contiguous()[3].item()]"),
    ("VF204", "def f(args):\n    args.cuda()\n    return 1 - (args == 0)\n", "~(args == 0)"),
    ("VF204", "def f(c):\n    x = 0\n    if c:\n        x = torch.ones(3)\n    return 1 - (x == 3)\n", "~(x == 3)"),
    ("VF204", "import pandas\ndef f(frame):\n    return 1 - frame.eq(0)\n", "~frame.eq(0)"),
    ("VF204", OWN + "def f(frame):\n    return 1 - frame.eq(0)\n", "~frame.eq(0)"),
    ("VF204", OWN + "def f(frame, m):\n    return frame.masked_fill(m, 0)\n", "masked_fill(m.bool(), 0)"),
    ("VF206", OWN + "def f(frame, b):\n    frame.expand(2)\n    return frame.add_(2, b)\n", "add_(b, alpha=2)"),
    ("VF206", "def f(x):\n    y = x.expand(3, 4)\n    return F.softmax(y)\n", "F.softmax(y, dim=1)"),
    ("VF207", "def f(x):\n    x.cuda()\n    print(x.data)\n", "print(x.detach())"),
    ("VF211", "def f(b):\n    x = torch.zeros(3, 4)\n    x[0] = b.expand(2, 2)\n", "expand(2, 2).reshape_as(x[0])"),
]


@pytest.mark.parametrize(("code", "body", "after"), GUESSES, ids=[f"{g[0]}-{n}" for n, g in enumerate(GUESSES)])
def test_what_only_looks_like_a_tensor_is_suggested(code: str, body: str, after: str) -> None:
    refuses(HEAD + body, "may-be-no-tensor", code)
    text, _ = modernized(HEAD + body, code, unsafe_fixes=True)
    assert after in text


@pytest.mark.parametrize(
    ("code", "before", "after"),
    [
        ("VF202", "x.cuda()\nreturn x.sum().data[0]", "x.cuda()\nreturn x.sum().item()"),
        ("VF202", "loss = net(x)\nloss.backward()\nreturn loss.data[0]",
         "loss = net(x)\nloss.backward()\nreturn loss.item()"),
        ("VF202", "return {}[x.data.contiguous()[3]]", "return {}[x.data.contiguous()[3].item()]"),
        ("VF204", "return 1 - x.eq(0)", "return ~x.eq(0)"),
        ("VF204", "x.cuda()\nreturn 1 - (x < 0)", "x.cuda()\nreturn ~(x < 0)"),
        ("VF204", "return net[x.byte()]", "return net[x.bool()]"),
        ("VF206", "return x.cuda().add_(2, y)", "return x.cuda().add_(y, alpha=2)"),
        ("VF208", "return x.expand(3).t().view(2)", "return x.expand(3).t().reshape(2)"),
    ],
)  # fmt: skip
def test_what_nothing_else_answers_to_is_written(code: str, before: str, after: str) -> None:
    frame = HEAD + "def f(net, x, y):\n    {}\n"
    becomes(*(frame.format(text.replace("\n", "\n    ")) for text in (before, after)), code)


def test_a_function_of_autograd_makes_no_guess_of_what_goes_backward() -> None:
    source = HEAD + "class Cut(torch.autograd.Function):\n    def backward(self, grad):\n        return grad\n"
    source += "def f(net, x):\n    loss = net(x)\n    loss.backward()\n    return loss.data[0]\n"
    becomes(source, source.replace("loss.data[0]", "loss.item()"), "VF202")


def test_what_a_model_of_the_project_sends_backward_may_be_the_model() -> None:
    source = HEAD + "class Model(object):\n    def backward(self):\n        pass\n"
    source += "def f(model):\n    model.backward()\n    return model.data[0]\n"
    refuses(source, "may-be-no-tensor", "VF202")


def test_lines_that_are_taken_apart_may_be_a_table() -> None:
    source = HEAD + "rows = np.array([line.split() for line in open('f')])\nprint(np.char.lower(rows[:, 0]))\n"
    refuses(source, "may-be-a-table", "VF213")
    text, _ = modernized(source, "VF213", unsafe_fixes=True)
    assert "dtype=object" in text


def test_getfullargspec_gives_seven_values_of_which_four_are_meant() -> None:
    source = "import inspect\ndef f(a, b=1): pass\nargs, rest, words, given = inspect.getargspec(f)\n"
    source += "print(inspect.getargspec(f).keywords, inspect.getargspec(f)[0])\n"
    text, _ = modernized(source, "VF209")
    assert "inspect.getfullargspec(f)[:4]" in text
    assert "inspect.getfullargspec(f).varkw, inspect.getfullargspec(f)[0]" in text
    exec(compile(text, "a.py", "exec"), {})


# programs without a fault, whose objects only look like tensors: they run on as they are
LOOKALIKES = [
    """
    class Counter(dict):
        def cuda(self): return self
        data = ['a', 'b']
    def count(corpus, seen):
        corpus.cuda()
        for i in range(2):
            seen[corpus.data[i]] = seen.get(corpus.data[i], 0) + 1
        return seen
    print(count(Counter(), {}))
    """,
    """
    class Scores(list):
        def long(self): return self
        def masked_fill(self, mask, value): return [value if m else s for s, m in zip(self, mask)]
    def fill(scores, mask):
        return scores.long().masked_fill(mask, 0)
    print(fill(Scores([1, 2]), [True, False]))
    """,
    """
    def rest(x, train):
        if train:
            x = torch.ones(2)
        return 1 - (x == 3)
    print(rest(3, False))
    """,
    """
    class Model(object):
        data = [[3.0]]
        def forward(self): self.loss = torch.ones(1, requires_grad=True).sum()
        def backward(self): self.loss.backward()
    def step(model):
        model.forward()
        model.backward()
        return model.data[0]
    print(step(Model()))
    """,
    """
    table = np.array([line.split() for line in ['a B', 'c D']])
    print(np.char.lower(table[:, 1]))
    """,
    """
    def pick(weights, rows):
        return weights[rows.contiguous().data[0]]
    print(pick(torch.arange(6).view(3, 2), torch.LongTensor([[0, 2], [1, 1]])))
    """,
]


@pytest.mark.parametrize("source", LOOKALIKES)
def test_no_edit_makes_a_program_stop_whose_objects_only_look_like_tensors(source: str) -> None:
    pytest.importorskip("torch")
    text = HEAD + dedent(source)
    result = migrated(text, options=Options(modernize=True))
    assert _told(result.outputs.get("a.py", text.encode()).decode()) == _told(text)


def _told(source: str) -> str:
    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        exec(compile(source, "a.py", "exec"), {"__name__": "a"})
    return out.getvalue()


def test_what_is_suggested_is_not_lost_where_another_rule_rewrites_what_told_of_it() -> None:
    source = HEAD + "def f(x, names):\n    _, best = torch.exp(x).data.cpu().max(1)\n    return names[best[3]]\n"
    first = core.migrate({"a.py": source.encode()}, Options(modernize=True))
    assert b"torch.exp(x).detach().cpu().max(1)" in first.outputs["a.py"]
    again = core.migrate(first.outputs, Options(modernize=True))
    for result in (first, again):
        assert ("VF202", 7) in [(row.code, row.line) for row in result.modernized if row.suggested]


def test_it_is_found_again_in_what_was_rewritten() -> None:
    detached = HEAD + "def f(x, names):\n    best = x.cuda().detach().view(-1)\n    return names[best[3]]\n"
    refuses(detached, "may-be-no-tensor", "VF202")
    text, _ = modernized(detached, "VF202", unsafe_fixes=True)
    assert "names[best[3].item()]" in text


def test_a_sum_that_was_detached_may_be_a_tensor() -> None:
    _, rows = modernized(HEAD + "def f(x, n):\n    n += x.cuda().detach().sum()\n    return n\n", "VF202")
    assert rows == ()


def test_its_sentence_says_who_would_do_what() -> None:
    _, rows = modernized(HEAD + "def f(d, words):\n    d.cuda()\n    words[d.data[3]] = 1\n", "VF202")
    assert [row.message for row in rows] == [
        "--unsafe-fixes would add .item(): PyTorch 0.3 gave a Python number here"]
