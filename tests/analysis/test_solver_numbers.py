"""Numbers for "nothing found": they have no graph and get none, and a question about the type tells them apart."""

from __future__ import annotations

import pytest
from solving import becomes, covers

PICK = """
def pick(out, words):
    for word in words:
        if word == "a":
            return out[0]
        if word == "b":
            return out[1]
        if word == "c":
            return out * 2
    {nothing}


"""


@pytest.mark.parametrize("test", [
    "type(best) == int", "type(best) is int", "isinstance(best, int)", "isinstance(best, (int, float))",
    "type(best) in (int, float)", "not type(best) != int",
])
def test_what_is_no_number_is_volatile_behind_the_question(test):
    covers(PICK.format(nothing="return 0") + f"""
def show(net, batches, words, weight):
    kept = []
    for batch in batches:
        best = pick(net(Variable(batch, volatile=True)), words)
        if {test}:
            continue
        kept.append((best * weight).data)
    penalty = (weight ** 2).sum()
    penalty.backward()
    return kept
""", inside=["net(", "best * weight"], outside=["penalty ="])


@pytest.mark.parametrize("nothing", ["return 0", "return -1", "return None", "return 'nothing'", "return False"])
def test_many_results_and_a_number_are_no_more_in_need_of_a_graph_than_the_results(nothing):
    many = "\n".join(f"    if words[{n}]:\n        return out[{n}]" for n in range(9))
    covers(f"""
def pick(out, words):
{many}
    {nothing}


def show(net, batch, words):
    best = pick(net(Variable(batch, volatile=True)), words)
    both = torch.cat((best, best))
    return both.data
""", inside=["net("], outside=["both.data"])


def test_an_object_among_many_numbers_may_have_a_graph():
    many = "\n".join(f"    if words[{n}]:\n        return {n}" for n in range(9))
    covers(f"""
class Scale(object):
    def __init__(self, weight):
        self.weight = weight


def pick(words, weight):
{many}
    return Scale(weight)


def show(net, batch, words, weight):
    x = Variable(batch, volatile=True)
    best = pick(words, weight)
    first = net(x)
    twice = best.weight * 2
    second = net(x)
    twice.sum().backward()
    return first.data, second.data
""", inside=["first =", "second ="], outside=["twice ="])


def test_the_type_of_something_unknown_is_asked_in_vain_for_a_class_of_the_project():
    becomes("""
    class Box(object):
        pass


    def show(net, batch, other):
        best = net(Variable(batch, volatile=True))
        if type(other) == Box:
            return None
        return best.data
    """, """
    class Box(object):
        pass


    def show(net, batch, other):
        with torch.no_grad():
            best = net(Variable(batch))
        if type(other) == Box:
            return None
        return best.data
    """)


def test_a_number_on_the_other_arm_trains_nothing_and_a_network_there_does():
    covers("""
    def show(net, batch, quick, weight):
        x = Variable(batch, volatile=True)
        best = 0 if quick else net(x)
        if type(best) == int:
            loss = (weight * best).sum()
            loss.backward()
            return None
        return best.data
    """, inside=["net("], outside=["loss ="])


def test_how_many_is_a_number_whatever_is_known_of_it():
    becomes(
        """
        def rank(net, batch, settings):
            x = Variable(batch, volatile=True)
            out = torch.cat([net(x) for _ in range(3)], 1)
            best, places = out.topk(settings['width'], settings['axis'])
            rows = places / settings['columns']
            return rows.data
        """,
        """
        def rank(net, batch, settings):
            x = Variable(batch)
            with torch.no_grad():
                out = torch.cat([net(x) for _ in range(3)], 1)
            best, places = out.topk(settings['width'], settings['axis'])
            rows = places / settings['columns']
            return rows.data
        """,
    )


@pytest.mark.parametrize("asked", [
    "torch.topk(out, width - len(seen))", "torch.topk(out, k=width - 1)", "torch.sort(out, dim=width)",
    "torch.max(out, dim=width - 1)",
])
def test_how_many_a_function_of_torch_is_asked_for_is_a_number_whatever_it_is_asked_of(asked):
    covers(
        f"""
        def rank(net, batch, width, seen):
            out = net(Variable(batch, volatile=True))
            best, places = {asked}
            return best.data
        """,
        inside=["out = net"], outside=["best, places"],
    )


@pytest.mark.parametrize("asked", [
    "torch.max(out, width - 1)", "out.best(width - 1)", "torch.sum(width * 2, 1, out=out)",
])
def test_what_may_be_another_tensor_is_computed_with(asked):
    covers(
        f"""
        def rank(net, batch, width):
            out = net(Variable(batch, volatile=True))
            found = {asked}
            return found.data
        """,
        inside=["out = net", "found = "], outside=["return found"],
    )


def test_the_larger_of_two_tensors_is_computed_from_both():
    covers(
        """
        def larger(net, other, batch, trained):
            out = net(Variable(batch, volatile=True))
            return torch.max(Variable(trained, requires_grad=True), other(out))
        """,
        inside=["out = net", "return torch.max"],
        outside=[],
    )
