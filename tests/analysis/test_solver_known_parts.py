"""A function gets its networks as arguments, and a caller knows them: what they compute beside the volatile."""

from __future__ import annotations

from textwrap import dedent

import pytest
from solving import becomes, refusals, source

from helpers import migrated

EYE = """
from torch import nn

class Eye(nn.Module):
    def __init__(self):
        super(Eye, self).__init__()
        self.lens = nn.Conv2d(3, 4, 3)
        self.nerve = nn.Linear(4, 4)

    def forward(self, picture):
        seen = self.lens(picture)
        self.last = Variable(seen.data)
        seen = self.last
        return self.nerve(seen)
"""
TONGUE = """
class Tongue(nn.Module):
    kinds = {'plain': nn.RNN, 'gated': nn.GRU, 'long': nn.LSTM}

    def __init__(self, kind):
        super(Tongue, self).__init__()
        self.cell = Tongue.kinds[kind.lower()](4, 4)
        self.voice = nn.Linear(4, 9)
        self.names = nn.Embedding(9, 4)

    def speak(self, seen, length=12):
        words = []
        state = None
        given = seen.unsqueeze(0)
        for place in range(length):
            hidden, state = self.cell(given, state)
            said = self.voice(hidden.squeeze(0))
            best = said.max(1)[1]
            words.append(best)
            given = self.names(best)
            given = given.unsqueeze(0)
            if place > 3:
                print(place)
            elif place > 1:
                print(length)
        return torch.stack(words, 1)
"""
USE = """
def describe(eye, tongue, picture):
    seen = eye(Variable(picture, volatile=True))
    words = tongue.speak(seen)
    print(words.data)

def main(picture, kind):
    eye, tongue = Eye(), Tongue(kind)
    print(eye(Variable(picture, volatile=True)).data)
    describe(eye, tongue, picture)
"""


def program(*parts: str) -> str:
    return "\n\n".join(dedent(part).strip() for part in parts)


def test_what_a_known_network_computes_beside_the_volatile_is_followed_where_a_block_is_around_it():
    becomes(program(EYE, TONGUE, USE), program(EYE, TONGUE, USE.replace("""
    seen = eye(Variable(picture, volatile=True))
    words = tongue.speak(seen)
""", """
    with torch.no_grad():
        seen = eye(Variable(picture))
        words = tongue.speak(seen)
""").replace("""
    print(eye(Variable(picture, volatile=True)).data)
""", """
    with torch.no_grad():
        print(eye(Variable(picture)).data)
""")))


def test_a_network_that_goes_on_with_the_data_alone_gets_its_block_where_the_volatile_ends():
    plain = EYE.replace("""
        self.last = Variable(seen.data)
        seen = self.last
""", """
        seen = Variable(seen.data)
""")
    for kept in (TONGUE, TONGUE.replace("print(place)", "somewhere.keep(said)")):
        becomes(program("import somewhere", plain, kept, USE), program("import somewhere", plain.replace("""
        seen = self.lens(picture)
""", """
        with torch.no_grad():
            seen = self.lens(picture)
"""), kept, USE.replace(", volatile=True", "")))


def left(*parts: str, reason: str = "not-provable") -> None:
    """The flag in ``describe`` stays, for that reason, and no block is put there."""
    before = source(program(*parts))
    result = migrated(before)
    after = result.outputs.get("a.py", before.encode()).decode()
    assert set(refusals(result).values()) == {reason}
    assert program(USE).split("words = ")[0] in after


def test_a_method_that_keeps_a_graph_on_its_object_still_has_it():
    left(EYE, TONGUE.replace("words.append(best)", "words.append(best)\n            self.last = said"), USE, """
def learn(tongue):
    tongue.last.sum().backward()
""")


def test_a_method_that_gives_its_graph_back_to_whoever_sends_it_backward_still_has_it():
    left(EYE, TONGUE.replace("words.append(best)", "words.append(said)"),
         USE.replace("print(words.data)", "words.sum().backward()"), reason="gradient-demanded")


def test_a_method_that_sends_it_backward_itself_still_has_it():
    left(EYE, TONGUE.replace("words.append(best)", "words.append(best)\n            said.sum().backward()"), USE,
         reason="mixed-statement")


def test_a_graph_that_goes_to_code_that_nobody_has_seen_is_still_there():
    left("import somewhere", EYE, TONGUE.replace("print(place)", "somewhere.keep(said)"), USE)


def test_a_part_that_may_be_anything_may_keep_what_it_is_given():
    left(EYE, TONGUE.replace("kinds = {'plain': nn.RNN, 'gated': nn.GRU, 'long': nn.LSTM}", "kinds = {}"), USE)


@pytest.mark.parametrize("other", ["Nest", "somewhere.Nest"])
def test_one_of_several_parts_that_is_no_layer_of_torchs_may_keep_what_it_is_given(other):
    left("""
import somewhere
from torch import nn

class Nest(object):
    def __init__(self, first, second):
        self.seen = []

    def __call__(self, given, state):
        self.seen.append(given)
        return given, state
""", EYE, TONGUE.replace("nn.GRU", other), USE, """
def learn(nest):
    nest.seen[0].sum().backward()
""")
