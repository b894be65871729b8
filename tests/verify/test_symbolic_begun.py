"""A backward in a block has to run: one that waits for a number that no round reaches says nothing of the block."""

from __future__ import annotations

import pytest

torch = pytest.importorskip("torch")

from judging import judge, unflagged  # noqa: E402

ROUNDS = """\
def f(net, batches, rest):
    count = 0
    for batch in batches:
        x = Variable(batch, volatile=True)
        y = net(x)
        print(y.data)
        count += 1
        {asked}:
            {trained}
"""


def wide(text: str) -> str:
    """A block around all of the round."""
    head, body = unflagged(text).split("    for batch in batches:\n")
    lines = "".join("    " + line + "\n" for line in body.splitlines())
    return head + "    for batch in batches:\n        with torch.no_grad():\n" + lines


def narrow(text: str) -> str:
    return unflagged(text).replace("        y = net(x)\n", "        with torch.no_grad():\n            y = net(x)\n")


TRAINED = "net(Variable(rest)).sum().backward()"


@pytest.mark.parametrize("asked", [
    "if count == 128", "if count >= 128", "if count % 128 == 0", "if count > 10 and count % 5 == 0",
    "if not count < 100",
])
@pytest.mark.parametrize("trained", [TRAINED, "learn(net, rest)"])
def test_a_block_around_a_round_that_trains_once_in_a_while_is_never_identical(asked: str, trained: str):
    text = ROUNDS.format(asked=asked, trained=trained)
    text = text if trained == TRAINED else f"def learn(net, rest):\n    {TRAINED}\n\n\n{text}"
    assert judge(text, wide(text))[0] in ("different", "not-run")


@pytest.mark.parametrize("asked", ["if count == 128", "if count % 128 == 0", "if count >= 128"])
def test_the_block_that_leaves_it_out_is(asked: str):
    text = ROUNDS.format(asked=asked, trained=TRAINED)
    assert judge(text, narrow(text))[0] == "identical"


@pytest.mark.parametrize("shown", ["print(count)", "print('%d rounds' % count)", "names.append(count)"])
def test_what_is_only_shown_once_in_a_while_needs_no_run_of_its_own(shown: str):
    text = "names = []\n\n\n" + ROUNDS.format(asked="if count % 128 == 0", trained=shown)
    assert judge(text, wide(text))[0] == "identical"


def test_a_backward_in_an_enable_grad_of_a_block_has_to_run_too():
    text = ROUNDS.format(asked="if count == 128", trained=TRAINED)
    trained = f"            if count == 128:\n                {TRAINED}\n"
    kept = wide(text).replace(trained, f"            if count == 128:\n                with torch.enable_grad():\n"
                                       f"                    {TRAINED}\n")
    assert kept != wide(text)
    assert judge(text, kept)[0] != "different"
