"""How the verdict on a change comes about: which functions count, which ways are gone, what stops them."""

from __future__ import annotations

import contextlib
import textwrap
from collections.abc import Iterator

import pytest

torch = pytest.importorskip("torch")

from voltfix.verify.symbolic import explore, world  # noqa: E402
from voltfix.verify.symbolic.project import Side, Unit  # noqa: E402

HEAD = "import torch\nimport torch.nn as nn\nfrom torch.autograd import Variable\n"
NETWORK = "def f(net, x):\n    return net(Variable(x, volatile=True))\n"
BLOCK = "def f(net, x):\n    with torch.no_grad():\n        return net(Variable(x))\n"


def item(before: str, after: str, *names: str) -> explore.Item:
    sides = [Side({"a.py": HEAD + textwrap.dedent(text)}) for text in (before, after)]
    return explore.Item(*sides, tuple(Unit("a.py", name) for name in names or ("f",)))


def verdict(before: str, after: str, *names: str) -> tuple[str, str | None]:
    return explore.verify(item(before, after, *names))[:2]


def test_a_file_that_does_not_parse_is_a_difference_only_where_it_did_before():
    assert verdict(NETWORK, "def (") == ("different", "a.py: does not parse after: invalid syntax (a.py, line 4)")
    assert verdict("def (", NETWORK) == ("not-run", "a.py: invalid syntax (a.py, line 4)")


def test_a_file_that_writes_to_the_interpreters_insides_is_not_run():
    writes = "def g(show):\n    show.f_globals = 1\n" + NETWORK
    assert verdict(writes, writes.replace(NETWORK, BLOCK)) == (
        "not-run",
        "a.py: a.py:5: code that writes f_globals is not run",
    )


def test_definitions_alone_cannot_be_run():
    assert verdict(NETWORK, BLOCK, "") == ("not-run", "nothing that can be run on its own was touched")


def test_no_function_is_run_twice_for_two_changes_to_the_same_texts():
    runs = []

    @contextlib.contextmanager
    def guard() -> Iterator[None]:
        runs.append(1)
        yield

    whole = item(NETWORK, BLOCK)
    for _ in range(2):
        assert explore.verify(whole.others((Unit("a.py", "f"),)), guard)[0] == "identical"
    assert runs == [1]


@pytest.mark.parametrize(
    ("error", "says"), [(world.Stopped("too long"), "too long"), (MemoryError(), "used up its memory")]
)
def test_a_function_that_is_stopped_has_no_verdict_and_the_cause(error: BaseException, says: str):
    @contextlib.contextmanager
    def guard() -> Iterator[None]:
        yield
        raise error

    assert explore.verify(item(NETWORK, BLOCK), guard)[:2] == ("not-run", f"a.py: f: {says}")


CALLED = "def f(net, x):\n    return {}\ndef caller(net, x):\n{}"


def test_a_function_whose_callers_make_up_for_it_is_judged_by_them():
    before = CALLED.format("net(Variable(x, volatile=True))", "    return f(net, x)\n")
    covered = CALLED.format("net(Variable(x))", "    with torch.no_grad():\n        return f(net, x)\n")
    bare = CALLED.format("net(Variable(x))", "    return f(net, x)\n")
    assert verdict(before, covered) == ("identical", None)
    judged = {each.unit.name: each.detail for each in explore.verify(item(before, covered))[2]}
    assert judged["f"] == "through its callers"
    assert verdict(before, bare)[0] == "different"


BACKWARD = "def f(net, x):\n    y = net(Variable(x, volatile=True)).sum()\n    y.backward()\n"


def test_an_error_of_a_volatile_value_may_change_its_words_but_not_vanish():
    after = BACKWARD.replace(", volatile=True", "")
    inside = "def f(net, x):\n    with torch.no_grad():\n        y = net(Variable(x)).sum()\n    y.backward()\n"
    assert verdict(BACKWARD, inside) == ("identical", None)
    outcome, detail = verdict(BACKWARD, after)
    assert outcome == "different"
    assert detail == "a.py: f: line 6: VolatileError before, no error after"


def test_a_criterion_that_may_ignore_its_target_is_given_the_benefit_of_the_doubt():
    """Criteria of torch.nn ignored the flag of their target; which criterion this is, nobody knows."""
    before = "def f(net, criterion, x, t):\n    return criterion(net(Variable(x)), Variable(t, volatile=True))\n"
    assert verdict(before, before.replace(", volatile=True", "")) == ("identical", None)
    operator = before.replace("criterion(net(Variable(x)), ", "(net(Variable(x)) + ")
    assert verdict(operator, operator.replace(", volatile=True", ""))[0] == "different"


def test_code_that_only_the_new_side_may_not_run_says_nothing():
    after = BLOCK.replace("    with", "    net.f_globals\n    with")
    assert verdict(NETWORK, after) == ("not-run", "a.py: f: code that reaches for f_globals is not run")


def test_a_grad_mode_that_is_not_put_back_is_a_difference():
    after = "def f(net, x):\n    torch.set_grad_enabled(False)\n    return net(Variable(x))\n"
    assert verdict(NETWORK, after) == ("different", "a.py: f: the grad mode is not put back at the end")
    again = after.replace("return net(", "y = net(") + "    torch.set_grad_enabled(True)\n    return y\n"
    assert verdict(NETWORK, again) == ("identical", None)


def test_once_enough_was_run_no_further_way_is_begun():
    conditions = "".join(f"    if x.c{n}: net.a{n} = {n}\n" for n in range(6))
    work = "    x = x * 2 + 1\n"

    def paths(rounds: int) -> int:
        lines = conditions + work * rounds
        sides = [each.replace("def f(net, x):\n", "def f(net, x):\n" + lines) for each in (NETWORK, BLOCK)]
        judged, _, found = explore.verify(item(*sides))
        assert judged == "identical"
        return found[0].paths

    assert paths(64) < paths(2)


def test_the_one_network_that_asks_for_the_flag_is_run_where_a_network_is_called():
    net = "class Net(nn.Module):\n    def forward(self, x):\n        if {}: return x * 2\n        return x * 3\n"
    before = net.format("x.volatile") + NETWORK
    assert verdict(before, net.format("not torch.is_grad_enabled()") + BLOCK, "f", "Net.forward") == ("identical", None)
    outcome, detail = verdict(before, net.format("x.requires_grad") + BLOCK)
    # that this network is the one is a guess: no alarm, and no proof
    assert (outcome, "given the network of this project that asks" in detail) == ("not-run", True), detail


def test_what_names_stand_for_is_forgotten_before_it_fills_the_memory():
    world._COEFFICIENTS.update({(f"filler {number}", "cpu"): torch.zeros(1) for number in range(20_001)})
    first = world.coefficients("one of many")
    assert len(world._COEFFICIENTS) < 10
    assert torch.equal(world.coefficients("one of many"), first)


def test_what_an_object_holds_at_the_end_is_compared():
    text = "class A:\n    def f(self, x):\n        self.y = x * {}\n{}"
    assert verdict(text.format(2, ""), text.format(3, ""), "A.f") == (
        "different",
        "a.py: A.f: `self` at the end.y: other values after than before",
    )
    more = "        self.z = 1\n"
    assert verdict(text.format(2, ""), text.format(2, more), "A.f") == ("identical", None)  # what is new is its own
    assert verdict(text.format(2, more), text.format(2, ""), "A.f")[0] == "different"


@pytest.mark.parametrize("exact", [False, True])
def test_an_unknown_and_a_tensor_of_its_numbers_are_the_same_to_whoever_gets_them(exact: bool):
    block = "def f(net, x, log):\n    with torch.no_grad():\n        log({0})\n        y = net({0})\n"
    block += "    return y.data\n"
    sides = [Side({"a.py": HEAD + block.format(each)}) for each in ("x.detach()", "x")]
    assert explore.verify(explore.Item(*sides, (Unit("a.py", "f"),), exact=exact))[:2] == ("identical", None)
    other = Side({"a.py": HEAD + block.format("x + 1")})
    assert explore.verify(explore.Item(sides[0], other, (Unit("a.py", "f"),), exact=exact))[0] == "different"


def test_names_that_an_unknown_dictionary_would_give_are_not_known():
    before = "def f(net, x, options):\n    y = net(Variable(x, volatile=True), **options.more)\n    return y\n"
    plain = before.replace(", volatile=True", "")
    after = plain.replace("    y = net", "    with torch.no_grad():\n        y = net")
    assert verdict(before, after) == ("identical", None)
    assert verdict(before, plain)[0] == "different"


SHOWN = """
    def f(net, x, log, table):
        log.write("kind: %s" % {what})
        log.write("{text}")
        {net}
    """


@pytest.mark.parametrize("what", ["type(net)", "[type(net)]", "repr(object())", "iter([1])"])
def test_where_python_put_an_object_is_no_difference_of_what_is_written(what: str):
    before = SHOWN.format(what=what, text="", net="return net(Variable(x, volatile=True))")
    after = SHOWN.format(what=what, text="", net="return torch.no_grad()(net)(Variable(x))")
    assert verdict(before, after) == ("identical", None)


@pytest.mark.parametrize("text", ["<seen at 0x1f>", "seen at 0x1f", "<net at 0x1fz>"])
def test_what_else_is_written_is_one(text: str):
    other = text.replace("1f", "2f").replace("seen", "gone")
    both = [SHOWN.format(what=1, text=each, net="return net(x)") for each in (text, other)]
    assert verdict(*both)[0] == "different"
