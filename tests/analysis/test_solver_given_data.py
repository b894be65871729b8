"""What code that nobody has seen gives for something volatile is taken to be volatile: but not text and numbers.

All methods of the project that have the name say what such a method gives.
"""

from __future__ import annotations

import pytest
from solving import source

from helpers import check_holds_up, migrated

CLASSES = """
class Decoder(torch.nn.Module):
    def unroll(self, hidden, steps):
        words = []
        for step in range(steps):
            hidden = self.cell(hidden)
            words.append(hidden.max(1)[1].data.cpu().numpy().tolist())
        return hidden, words

    def paint(self, hidden):
        return self.cell(hidden), self.cell(hidden)


class Table(object):
    def spell(self, rows):
        return [" ".join(self.words[n] for n in row) for row in rows]

    def classify(self, rows):
        return str(self.net(rows).data[0])


"""


def run(body: str, more: str = "") -> list[str]:
    """The lines of a function after it was migrated; each that stands in a block is marked by ``|``."""
    lines = "\n".join(f"    {line}" for line in body.splitlines())
    text = source(f"{CLASSES.strip()}\n\n\n{more}def run(net, judge, table, x, y):\n{lines}\n")
    result = migrated(text)
    assert not result.errors
    assert not [site.reason for site in result.sites if site.reason]
    check_holds_up({"a.py": text.encode()}, result)
    after = result.outputs["a.py"].decode()
    assert "volatile" not in after
    found = after[after.index("def run"):].splitlines()[1:]
    return ["|" + line[8:] if line.startswith("        ") else line[4:] for line in found if "no_grad():" not in line]


V = "Variable(x, volatile=True)"


def test_a_list_of_numbers_beside_something_volatile_is_not_volatile():
    assert run(f"out, words = net.unroll({V}, 3)\nscores = judge(words)\nreturn out.data, scores") == [
        "|out, words = net.unroll(Variable(x), 3)", "scores = judge(words)", "return out.data, scores"]
    assert run(f"both = net.unroll({V}, 3)\nscores = judge(both[1])\nreturn scores") == [
        "|both = net.unroll(Variable(x), 3)", "scores = judge(both[1])", "return scores"]


def test_a_network_of_text_that_was_made_of_it_keeps_its_graph():
    assert run(f"out, words = net.unroll({V}, 3)\ntexts = table.spell(out)\nreturn judge(texts)") == [
        "|out, words = net.unroll(Variable(x), 3)", "texts = table.spell(out)", "return judge(texts)"]


def test_what_computes_with_weights_on_its_way_to_a_text_has_a_block():
    assert run(f"text = table.classify({V})\nreturn judge(text)") == [
        "|text = table.classify(Variable(x))", "return judge(text)"]


@pytest.mark.parametrize("body", [
    "out, words = net.unroll({V}, 3)\nscores = judge(out)\nreturn scores.data",
    "out, words = net.paint({V})\nscores = judge(words)\nreturn scores.data",
    "out, words, more = net.unroll({V}, 3)\nscores = judge(words)\nreturn scores.data",
    "both = net.unroll({V}, 3)\nscores = judge(both)\nreturn scores.data",
    "out, words = net.unroll({V}, 3)\nwords.append(out)\nscores = judge(words)\nreturn scores.data",
    "out, words = net.unroll({V}, 3)\nwords[0] = out\nscores = judge(words[0])\nreturn scores.data",
    "both = net.unroll({V}, 3)\nboth[1] = both[0]\nscores = judge(both[1])\nreturn scores.data",
])
def test_what_is_volatile_beside_it_or_put_there_has_its_block(body: str):
    assert all(line.startswith("|") for line in run(body.replace("{V}", V))[:-1])


@pytest.mark.parametrize("more", [
    "class Other(object):\n    def unroll(self, x, n):\n        return x, self.net(x)\n\n\n",
    "class Other(object):\n    def unroll(self, x, n):\n        return x\n\n\n",
    "class Other(object):\n    @torch.jit.script\n    def unroll(self, x, n):\n        return x, 1\n\n\n",
    "def rows(net):\n    net.unroll = net.paint\n\n\n",
])
def test_where_another_of_the_name_may_give_a_tensor_all_is_taken_for_volatile(more: str):
    assert run(f"out, words = net.unroll({V}, 3)\nscores = judge(words)\nreturn scores.data", more) == [
        "|out, words = net.unroll(Variable(x), 3)", "|scores = judge(words)", "return scores.data"]
