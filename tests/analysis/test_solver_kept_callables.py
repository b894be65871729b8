"""Objects and functions that are kept on another object and called there, which make something volatile by default."""

from __future__ import annotations

import pytest
from solving import files_become, files_stay, lines_without_gradients, migrated_files

READER = """
import numpy
import torch
from torch.autograd import Variable

class Reader:
    def __init__(self, scale):
        self.scale = scale

    def __call__(self, boards, volatile=True):
        {more}return {{"board": Variable(torch.from_numpy(numpy.array(boards)) * self.scale{flag})}}
"""
CRITIC = """
import abc
import torch.nn as nn
import torch.nn.functional as F

class Judge(nn.Module):
    @abc.abstractmethod
    def rated(self, seen):
        {abstract}

    def best(self, seen, sure=False):
        chances = F.softmax(self.rated(seen), dim=1)
        return chances.max(1)[1] if sure else chances.multinomial()


class Critic(Judge):
    def __init__(self):
        super(Critic, self).__init__()
        self.memory = nn.GRU(4, 4)
        self.rate = nn.Linear(4, 2)

    def rated(self, seen):
        {first}
        _, last = self.memory(seen["board"])
        return self.rate(last[0])
"""
PLAYER = """
import torch

from reading import plain_reader


class Player(object):
    def __init__(self, table, critic, reader{spare}):
        self.table = table
        self.critic = critic
        self.reader = reader{default}
        self.boards = table.shuffle()

    def played(self):
        moves, points, seen, rounds, lost = [], [], [], 0, 0
        while rounds < 8:
            board = self.reader(self.boards)
            {block}move = self.critic.best(board)
            move = move.data.squeeze(1).cpu().numpy()
            boards, gained, over = self.table.play(move)
            moves.append(move)
            points.append(gained)
            seen.append(self.boards)
            if over:
                lost = lost + 1
                boards = self.table.shuffle()
            self.boards = boards
            rounds = rounds + 1
        return seen, points, moves


class Pupil(Player):
    def __init__(self, table, critic, reader{spare}):
        super(Pupil, self).__init__(table, critic, reader)
        self.optimizer = torch.optim.SGD(critic.parameters(), 0.1)

    def learn(self):
        seen, points, moves = self.played()
        {ask}loss = self.critic.rated(self.reader(seen, volatile=False)).sum()
        self.optimizer.zero_grad()
        loss.backward()
        self.optimizer.step()
        return loss.data[0]
"""
PLAIN = """
import torch  # and no more
from torch.autograd import Variable


def plain_reader(boards, volatile=True):
    return {{"board": Variable(torch.from_numpy(boards){flag})}}
"""
SCRIPT = """
from critics import Critic
from players import Pupil
from readers import Reader

reader = Reader(2)
critic = Critic()
pupil = Pupil(opened(), critic, {given})
for _ in range(9):
    print(pupil.learn())
"""
OR, MIXED, RAISED = " or plain_reader", "mixed-statement", "gradient-demanded"
FLAG, BLOCK = ", volatile=volatile", "with torch.no_grad():\n                "


def program(fixed: bool = False, default: str = "", given: str = "reader", beside: str = "", ask: str = "",
            rated: str = "self.memory.flatten_parameters()", more: str = "", abstract: str = "pass") -> dict[str, str]:
    """The files of the program; ``fixed``: as they are after."""
    flag, block = ("", BLOCK) if fixed else (FLAG, "")
    made = "torch.no_grad()(self.critic.rated)(self.reader(seen))" if fixed else "self.critic.rated(self.reader(seen))"
    return {
        "readers.py": READER.format(flag=flag, more=more), "critics.py": CRITIC.format(first=rated, abstract=abstract),
        "players.py": PLAYER.format(block=block, default=default, spare="=None" if default else "",
                                    ask=ask.format(made=made)) + beside,
        "reading.py": PLAIN.format(flag=flag if default else ""), "play.py": SCRIPT.format(given=given),
    }


def changed(**parts: str) -> dict[str, str]:
    before, after = program(**parts), program(fixed=True, **parts)
    return {path: text for path, text in after.items() if text != before[path]}


def test_who_calls_an_object_that_he_keeps_has_the_block_for_what_that_makes():
    files_become(program(), changed())


@pytest.mark.parametrize("default", [OR, " if reader else plain_reader"])
def test_so_has_who_keeps_a_function_where_he_is_handed_no_object(default: str):
    files_become(program(default=default), changed(default=default))


def test_a_call_in_whose_statement_something_else_may_train_is_covered_alone():
    ask = "before = {made}\n        print(before.data)\n        "
    files_become(program(ask=ask, default=OR), changed(ask=ask, default=OR))


@pytest.mark.parametrize("ask", [
    "before = {made} + unseen(self.critic)\n        print(before.data)\n        ",
    "seen = tuned(self.critic, seen)\n        before = {made} if seen else None\n        print(before.data)\n        ",
])
def test_it_is_not_so_that_what_stands_beside_it_loses_a_graph(ask: str):
    result, after = migrated_files(program(ask=ask, default=OR))
    text = after["players.py"]
    assert "unseen(self.critic)" not in "".join(text.splitlines()[n - 1] for n in lines_without_gradients(text))
    assert not any(site.status == "fixed" and "volatile" in after[site.path] for site in result.sites)


@pytest.mark.parametrize("beside", [
    # binds attributes by names that nobody can read, on objects of its own
    "\n\nclass Bag(dict):\n    def mix(self):\n        for key, value in dict.items(self):\n"
    "            self.__setattr__(key, sorted(value))\n",
    "\n\nclass Bag(dict):\n    def __setitem__(self, at, row):\n        for key, value in row.items():\n"
    "            dict.__getitem__(self, key)[at] = value\n",
    "\n\nclass Words(object):\n    def __init__(self):\n        self.known = {}\n\n    def __getitem__(self, word):\n"
    "        if word not in self.known:\n            self.known[word] = len(self.known) + 1\n"
    "        return self.known[word]\n",
])
def test_what_others_bind_on_their_own_objects_or_count_changes_nothing_of_it(beside: str):
    files_become(program(beside=beside, default=OR), changed(beside=beside, default=OR))


@pytest.mark.parametrize(("parts", "reason"), [
    # the network keeps what it computed, or sends gradients, or may do so
    ({"rated": "self.kept = self.rate(seen['board'])"}, MIXED),
    ({"rated": "self.rate(seen['board']).sum().backward()"}, RAISED),
    ({"rated": "self.memory.register_forward_hook(watch)"}, MIXED), ({"rated": "unseen(self)"}, MIXED),
    ({"abstract": "self.kept = seen\n        return self.made(seen)"}, MIXED),
    ({"beside": "\n\ndef tune(critic, name, thing):\n    setattr(critic, name, thing)\n"}, MIXED),
    ({"beside": "\n\ndef tune(critic, thing):\n    critic.best = thing\n"}, MIXED),
    ({"beside": "\n\nclass Odd(object):\n    def __getitem__(self, at):\n        self.seen[at] = self.net(at)\n"
               "        return self.seen[at]\n"}, MIXED),
    ({"beside": "\n\nclass Odd(object):\n    def __getitem__(self, at):\n        self.seen[at] = self.net(at) + 1\n"
               "        return self.seen[at]\n"}, MIXED),
    ({"beside": "\n\nclass Sly(Player):\n    def mix(self, extra):\n        for key in extra:\n"
               "            self.__setattr__(key, extra[key])\n"}, MIXED),
    ({"ask": "loss = self.critic.best(self.reader(seen))\n        loss.backward()\n        "}, RAISED),
])
def test_a_network_that_may_do_more_beside_a_reader_that_may_be_another_is_left_alone(parts: dict, reason: str):
    files_stay(program(default=OR, **parts), reason)


@pytest.mark.parametrize("beside", [
    "\n\ndef hand_on(player, thing):\n    thing.ask = player.reader\n",
    "\n\ndef hand_on(player):\n    unseen(player.reader)\n",
    "\n\ndef hand_on(player):\n    return player.reader\n",
    "\n\ndef hand_on(player):\n    unseen(getattr(player, 'reader'))\n",
    "\n\ndef hand_on(player, name):\n    unseen(getattr(player, 'r' + name))\n",
])
def test_a_function_that_is_kept_and_asked_for_otherwise_than_to_be_called_may_be_called_anywhere(beside: str):
    result, _ = migrated_files(program(beside=beside, default=OR))
    assert {site.reason for site in result.sites if site.path == "reading.py"} == {"unseen-callers"}


SEER = """
import torch  # and no more
from torch.autograd import Variable


class Seer(object):
    def __init__(self, net, only_looks=False):
        self.net = net
        self.made = (lambda rows: Variable(rows{flag})) if only_looks else Variable

    def told(self, rows):
        rows = torch.from_numpy(rows).float()
        return self.net(self.made(rows))

    def said(self, rows):
        scores, _ = self.told(rows)
        return scores.data.max(1)[1][0]


class Student(Seer):
    def __init__(self, net):
        super(Student, self).__init__(net)
        self.optimizer = torch.optim.Adam(net.parameters())

    def learn(self, rows, wanted):
        scores, worth = self.told(rows)
        loss = (worth - wanted).pow(2).sum() - scores.sum()
        self.optimizer.zero_grad()
        loss.backward()
        self.optimizer.step()
"""
LOOKS = """
from seers import Seer, Student{torch}

student, looker = Student(net), Seer(net, only_looks=True)
for rows, wanted in loader:
    student.learn(rows, wanted)
{block}print(looker.said(rows))
{beside}"""


def test_a_lambda_that_one_object_keeps_and_another_does_not_is_followed_to_who_has_it():
    before = {"seers.py": SEER.format(flag=", volatile=True"), "look.py": LOOKS.format(torch="", block="", beside="")}
    look = LOOKS.format(torch="\nimport torch", block="with torch.no_grad():\n    ", beside="")
    files_become(before, {"seers.py": SEER.format(flag=""), "look.py": look})


@pytest.mark.parametrize("beside", [
    "unseen(looker)\n", "looker.net = unseen\nunseen(looker.made)\n",
    "\n\ndef pick(seer, name):\n    return getattr(seer, name)(rows)\n",
])
def test_one_that_somebody_else_may_have_too_is_left_alone(beside: str):
    files_stay({"seers.py": SEER.format(flag=", volatile=True"),
                "look.py": LOOKS.format(torch="", block="", beside=beside)}, "unseen-callers")
