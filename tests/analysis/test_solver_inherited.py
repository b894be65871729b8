"""What the ``__init__`` of a class above puts on an object is there for the methods of the classes below."""

from __future__ import annotations

import pytest
from solving import becomes, source

from helpers import migrated

TALK = """
from torch import nn


class Talker(nn.Module):
    def __init__(self, size{given}):
        super(Talker, self).__init__()
        self.spell = {spell}

    {more}


class Poet(Talker):
    def __init__(self, size):
        super(Poet, self).__init__(size)
        self.cell = nn.GRUCell(size, size)
        {below}

    def recite(self, first, mood):
        mood = Variable(mood, volatile=True)
        word = Variable(first)
        for _ in range(5):
            mood = self.cell(self.spell(word), mood)
            word = mood.max(1)[1]
        return mood.data
"""
LAYER = "nn.Embedding(9, size)"
LOOP = """        for _ in range(5):
            mood = self.cell(self.spell(word), mood)
            word = mood.max(1)[1]
"""
BLOCK = "        with torch.no_grad():\n" + "".join(f"    {line}\n" for line in LOOP.splitlines())


def talk(spell: str = LAYER, given: str = "", more: str = "", below: str = "") -> str:
    return TALK.format(spell=spell, given=given, more=more, below=below)


@pytest.mark.parametrize("parts", [
    {"spell": "learned", "given": ", learned=None"}, {"spell": "find_layer(size)"},
    {"below": "self.spell = find_layer(size)"}, {"more": "def replace(self, spell):\n        self.spell = spell"},
    {"more": "def spell(self, word):\n        return learn(word)", "spell": "self.spell"},
    {"below": "self.spell = self.spell or find_layer(size)"},
])
def test_what_may_be_something_else_below_is_not_put_into_a_block(parts):
    after = migrated(source(talk(**parts))).outputs["a.py"].decode()
    assert BLOCK not in after
    assert "no_grad()(self.cell)" in after


@pytest.mark.parametrize("parts", [{}, {"more": "def hush(self):\n        return self.spell.weight.data"}])
def test_a_layer_that_a_class_above_makes_is_one_of_torch_s(parts):
    before = talk(**parts)
    becomes(before, before.replace(", volatile=True", "").replace(LOOP, BLOCK))


def test_so_it_is_two_classes_above():
    between = "class Bard(Talker):\n    pass\n\n\nclass Poet(Bard)"
    before = talk().replace("class Poet(Talker)", between)
    becomes(before, before.replace(", volatile=True", "").replace(LOOP, BLOCK))
