"""What is refused for want of proof is tried; a candidate is taken only where running it leaves no doubt."""

from __future__ import annotations

from trying import DIFFERENT, HEAD, RIGHT, SAME, UNKNOWN, WITHIN, Told, project, search, tried

from voltfix import core
from voltfix.model import Options
from voltfix.verify.client import verify

FLAG_GONE = HEAD + WITHIN.lstrip("\n").replace(", volatile=True", "")
WANTED = HEAD + RIGHT.lstrip("\n")


def is_right(item):
    return item.after["a.py"] == WANTED


def test_what_trains_inside_of_a_call_is_tried_and_taken_when_it_does_the_same():
    result = core.migrate(project(WITHIN), Options(), verify, search())
    assert result.outputs["a.py"].decode() == WANTED
    (site,) = result.sites
    assert (site.status, site.safety, site.strategy) == ("fixed", "verified", "no_grad")
    assert "by running them" in site.evidence[-1]
    again = core.migrate({"a.py": result.outputs["a.py"]}, Options(), verify, search())
    assert (again.outputs, again.sites) == ({}, ())


def test_without_a_verifier_nothing_is_tried():
    plain, asked = core.migrate(project(WITHIN), Options()), core.migrate(project(WITHIN), Options(), None, search())
    assert plain == asked
    assert [site.status for site in plain.sites] == ["refused"]


def test_a_candidate_that_differs_is_not_taken_and_is_told_with_what_was_said():
    result = tried(WITHIN, Told(lambda item: DIFFERENT))
    (site,) = result.sites
    assert (site.status, site.safety, result.outputs) == ("refused", None, {})
    assert site.candidates
    assert {each.verification.detail for each in site.candidates} == {DIFFERENT.detail}


def test_a_candidate_that_could_not_be_run_is_not_taken():
    result = tried(WITHIN, Told(lambda item: UNKNOWN))
    assert [site.status for site in result.sites] == ["refused"]


def test_the_first_candidate_that_is_identical_is_taken_whatever_the_others_are():
    result = tried(WITHIN, Told(lambda item: SAME if is_right(item) else DIFFERENT))
    assert result.outputs["a.py"].decode() == WANTED


def test_two_identical_candidates_that_differ_from_one_another_are_suggested_and_neither_is_taken():
    def say(item):
        old = "volatile=True" in item.before["a.py"]
        return SAME if old and item.after["a.py"] in (WANTED, FLAG_GONE) else DIFFERENT

    result = tried(WITHIN, Told(say))
    (site,) = result.sites
    assert (site.status, result.outputs) == ("refused", {})
    assert [each.verification.cpu for each in site.candidates[:2]] == ["identical", "identical"]


def test_two_identical_candidates_that_do_the_same_are_no_doubt():
    def say(item):
        old = "volatile=True" in item.before["a.py"]
        return SAME if not old or item.after["a.py"] in (WANTED, FLAG_GONE) else DIFFERENT

    assert tried(WITHIN, Told(say)).outputs["a.py"].decode() == WANTED


def test_no_candidate_is_taken_while_another_was_not_tried_for_want_of_time():
    result = tried(WITHIN, Told(lambda item: SAME), seconds=0.0)
    (site,) = result.sites
    assert site.status == "refused"
    assert {each.verification.cpu for each in site.candidates} == {"not-run"}


def test_a_project_without_refusals_is_asked_nothing_more_and_loads_nothing():
    source = "def f(net, x):\n    return net(Variable(x, volatile=True)).data\n"
    verifier = Told(lambda item: SAME)
    result = tried(source, verifier)
    assert [site.status for site in result.sites] == ["fixed"]
    assert len(verifier.items) == 1


def test_what_a_person_holds_is_not_tried():
    files = project(WITHIN.replace("volatile=True)", "volatile=True)  # voltfix: skip"))
    result = core.migrate(files, Options(), Told(lambda item: SAME), search())
    assert [(site.status, site.candidates) for site in result.sites] == [("suppressed", ())]


def test_what_is_not_to_be_edited_is_not_tried():
    files = {"a.py": WITHIN, "b.py": "x = 1\n"}
    verifier = Told(lambda item: SAME)
    tried(files, verifier, editable=frozenset({"b.py"}))
    assert verifier.items == []


MAKER = """
class Double(torch.autograd.Function):
    @staticmethod
    def forward(ctx, t):
        return t.clone()

    @staticmethod
    def backward(ctx, g):
        return Variable(g.data * 2)


def making(off):
    def made(t):
        return Variable(t, volatile=off)
    return made
"""
USER = """
from helpers import Double, making


def evaluate(model, batch, off):
    Double.apply(model(Variable(batch))).sum().backward()
    model(making(False)(batch)).sum().backward()
    return model(making(off)(batch))
"""


def test_all_that_may_call_a_function_is_run_with_a_candidate_for_what_it_returns():
    verifier = Told(lambda item: DIFFERENT)
    tried({"helpers.py": MAKER, "main.py": USER}, verifier)
    assert verifier.items
    for item in verifier.items:
        assert ("main.py", "evaluate") in item.touched
        assert "main.py" in item.before


def test_the_flag_alone_is_not_taken_where_nobody_sees_what_becomes_of_the_value():
    result = tried({"helpers.py": MAKER}, Told(lambda item: SAME))
    assert {site.status for site in result.sites} == {"refused"}


def test_the_flag_alone_is_not_taken_where_a_caller_would_keep_its_graph():
    result = core.migrate(project({"helpers.py": MAKER, "main.py": USER}), Options(), verify, search())
    assert "drop" not in {site.strategy for site in result.sites if site.path == "helpers.py"}
