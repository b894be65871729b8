"""An object that nobody has seen, shown something volatile for its own sake, may keep it: what it gives is volatile."""

from __future__ import annotations

import pytest
from solving import becomes, covers, stays


def test_what_an_unseen_object_gives_after_it_was_shown_something_volatile_goes_into_the_block():
    becomes(
        """
        def play(load, picture):
            player = load()
            seen = Variable(picture, volatile=True)
            player.look(seen)
            move = player.decide()
            return move.data
        """,
        """
        def play(load, picture):
            player = load()
            seen = Variable(picture)
            with torch.no_grad():
                player.look(seen)
                move = player.decide()
            return move.data
        """,
    )


def test_what_it_holds_is_as_volatile_as_what_it_was_shown():
    becomes(
        """
        def play(player, net, picture):
            seen = Variable(picture, volatile=True)
            player.look(seen)
            move = net(player.memory)
            return move.data
        """,
        """
        def play(player, net, picture):
            seen = Variable(picture)
            with torch.no_grad():
                player.look(seen)
                move = net(player.memory)
            return move.data
        """,
    )


def test_an_object_that_is_shown_something_volatile_and_then_trains_is_left_alone():
    stays(
        """
        def play(player, picture, aim):
            seen = Variable(picture, volatile=True)
            player.look(seen)
            loss = (player.decide() - aim).sum()
            loss.backward()
        """,
        "gradient-demanded",
    )


def test_what_came_before_is_not_in_the_block():
    becomes(
        """
        def play(player, picture, aim):
            (player.decide() - aim).sum().backward()
            seen = Variable(picture, volatile=True)
            player.look(seen)
        """,
        """
        def play(player, picture, aim):
            (player.decide() - aim).sum().backward()
            seen = Variable(picture)
            with torch.no_grad():
                player.look(seen)
        """,
    )


def test_a_meter_that_is_shown_results_keeps_no_graph_alive_and_is_not_asked_in_a_block():
    becomes(
        """
        def measure(net, meter, loader):
            for picture in loader:
                out = net(Variable(picture, volatile=True))
                meter.add(out)
            return meter.value()
        """,
        """
        def measure(net, meter, loader):
            for picture in loader:
                with torch.no_grad():
                    out = net(Variable(picture))
                    meter.add(out)
            return meter.value()
        """,
    )


def test_an_object_whose_answer_is_used_was_asked_for_the_answer():
    becomes(
        """
        def measure(net, picture, other):
            out = net.encode(Variable(picture, volatile=True))
            print(out.data)
            return net.encode(other)
        """,
        """
        def measure(net, picture, other):
            with torch.no_grad():
                out = net.encode(Variable(picture))
            print(out.data)
            return net.encode(other)
        """,
    )


def test_another_object_is_none_of_its_business():
    becomes(
        """
        def play(player, other, picture):
            seen = Variable(picture, volatile=True)
            player.look(seen)
            return other.decide()
        """,
        """
        def play(player, other, picture):
            seen = Variable(picture)
            with torch.no_grad():
                player.look(seen)
            return other.decide()
        """,
    )


ACTING = """
from players import make

def play(frames, more):
    player = make('quick')
    for frame in frames:
        player.look(Variable(frame, volatile=True))
    print(player.choose().data)
    {act}
    return player.choose().data
"""


@pytest.mark.parametrize("act", [
    "player.practise(more)",
    "player.practise()",
    "for each in more:\n        player.practise(each, more)",
])
def test_what_it_does_for_its_own_sake_may_be_training(act: str) -> None:
    covers(ACTING.format(act=act), inside=["player.look(", "choose()"], outside=["player.practise("])
