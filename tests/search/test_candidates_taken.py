"""What is refused for want of proof is tried; a candidate is taken only where running it leaves no doubt."""

from __future__ import annotations

import time
from dataclasses import replace

import pytest
from trying import DIFFERENT, HEAD, RIGHT, SAME, UNKNOWN, WITHIN, Told, project, search, tried

from voltfix import core
from voltfix.flags.sites import find
from voltfix.model import Decision, Options, Verification
from voltfix.pipeline.loading import load_project
from voltfix.pipeline.surroundings import Surroundings
from voltfix.program.resolve import Project
from voltfix.search.cover import merged
from voltfix.search.group import grouped
from voltfix.search.kinds.around import covered
from voltfix.search.reach import reach_of
from voltfix.search.scene import Scenes
from voltfix.search.telling import said_of
from voltfix.verify.client import verify
from voltfix.verify.plan import Item

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


BESIDE = """

def other(model, batch):
    y = Variable(batch, volatile=True)
    out = model(y)
    return out
"""


@pytest.mark.parametrize("later", [SAME, DIFFERENT, UNKNOWN])
def test_what_could_not_be_told_beside_a_refused_flag_is_asked_again_once_that_is_gone(later):
    """A difference that is seen then is no alarm: what was chosen was judged with all of it."""
    def say(item):
        if item.touched == (("a.py", "other"),):
            return UNKNOWN if "volatile" in item.after["a.py"] else later
        return SAME if item.after["a.py"].startswith(WANTED) else DIFFERENT

    result = tried(WITHIN + BESIDE, Told(say))
    assert [site.status for site in result.sites] == ["fixed", "fixed"]
    assert result.sites[-1].verification.cpu == ("identical" if later is SAME else "not-run")


def test_what_could_not_be_told_in_another_file_is_not_asked_again():
    def say(item):
        if item.touched == (("b.py", "other"),):
            return UNKNOWN
        return SAME if is_right(item) else DIFFERENT

    told = Told(say)
    result = tried({"a.py": WITHIN, "b.py": BESIDE}, told)
    assert [site.verification.cpu for site in result.sites] == ["identical", "not-run"]
    assert sum(item.touched == (("b.py", "other"),) for item in told.items) == 1


SENT_BACKWARD = """
class Holder:
    def __init__(self, net, x):
        self.net = net
        self.x = Variable(x, volatile=True)

    def step(self, target):
        loss = (self.net(self.x) - target).sum()
        loss.backward()
        return loss.data


def unpack(net, x, options):
    return net(x, **options)
"""


def test_what_does_the_same_because_it_raises_on_every_way_is_neither_taken_nor_suggested():
    result = core.migrate(project(SENT_BACKWARD), Options(unsafe_fixes=True), verify, search())
    (site,) = result.sites
    assert (site.status, site.reason, result.outputs) == ("refused", "gradient-demanded", {})
    assert any(each.verification.fails for each in site.candidates)


def test_a_parameter_that_is_called_like_an_attribute_is_not_read_from_it():
    callers = reach_in(SENT_BACKWARD).callers
    assert ("a.py", "Holder.step") in callers
    assert ("a.py", "unpack") not in callers


@pytest.mark.parametrize(("say", "doubt"), [
    (lambda item: DIFFERENT if FLAG_GONE in item.before.values() else SAME, "the two differ from each other"),
    (lambda item: replace(SAME, fails=1), "a function raises an error on every way through it"),
])
def test_why_a_candidate_that_does_the_same_is_not_taken_is_said(say, doubt):
    (site,) = tried(WITHIN, Told(say)).sites
    assert site.status == "refused"
    assert doubt in said_of(site.candidates[0])


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


# `or None`: what is handed back so is not followed to its calls, and left to trying
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
    return next(iter([made]))
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


def test_who_gets_an_object_from_a_third_module_may_call_it():
    store = "class Store:\n    def draw(self, rows):\n        return Variable(rows, volatile=True)\n"
    agent = "class Agent:\n    def learn(self, store):\n        return self.net(store.draw(4)).data\n"
    main = "from agent import Agent\nfrom store import Store\n\n\ndef main():\n    Agent().learn(Store())\n"
    other = "def learn(pack):\n    return pack.draw(4)\n"  # of another program
    found = reach_in({"a_store.py": store, "agent.py": agent, "main.py": main.replace("from store", "from a_store"),
                      "other.py": other})
    assert ("agent.py", "Agent.learn") in found.callers
    assert not [unit for unit in found.callers if unit[0] == "other.py"]


def reach_in(source: str | dict[str, str]):
    """Where the value goes of the first site of a source that nothing is known of."""
    loaded = load_project(project(source), Options())
    decisions = [Decision(site, None, "") for site in find(Project(loaded.modules))]
    scenes = Scenes(loaded, Surroundings(loaded))
    return reach_of(scenes, grouped(scenes, decisions)[0])


@pytest.mark.parametrize("maker", ["for p in net.parameters():", "p = net.weight\n    if True:", "with net as p:"])
def test_what_is_written_to_an_object_that_others_hold_goes_out_of_sight(maker):
    assert reach_in(f"def freeze(net):\n    {maker}\n        p.volatile = True\n").open


def test_what_is_written_to_a_tensor_of_the_function_itself_stays_in_sight():
    assert not reach_in("def f(t):\n    x = Variable(t)\n    x.volatile = True\n    print(x)\n").open


@pytest.mark.parametrize(("of_blocks", "status"), [(UNKNOWN, "refused"), (DIFFERENT, "fixed")])
def test_a_flag_alone_is_taken_only_where_another_candidate_was_told_from_it(of_blocks, status):
    verifier = Told(lambda item: of_blocks if "no_grad" in item.after["a.py"] else SAME)
    assert [site.status for site in tried(WITHIN.replace("first, second", "1"), verifier).sites] == [status]


def test_a_value_kept_on_an_object_gets_its_block_where_it_is_read():
    source = """
    class Detector(torch.nn.Module):
        def __init__(self, detect, priors):
            super(Detector, self).__init__()
            self.detect, self.layer = detect, torch.nn.Linear(2, 2)
            self.priors = Variable(priors, volatile=True)

        def forward(self, x):
            found = self.layer(x)
            return self.detect(found, self.priors)
    """
    result = core.migrate(project(source), Options(), verify, search())
    text = result.outputs["a.py"].decode()
    assert "    with torch.no_grad():\n            return self.detect(found, self.priors)" in text
    assert [site.safety for site in result.sites] == ["verified"]


def test_where_the_first_candidate_runs_too_long_the_others_are_not_begun():
    late = Verification(None, detail="ran longer than 10 seconds")
    verifier = Told(lambda item: late)
    (site,) = tried(WITHIN, verifier).sites
    assert len(verifier.items) == 1
    assert len(site.candidates) > 1
    assert site.status == "refused"


@pytest.mark.parametrize("why", ["the code stops at line 3, on stand-ins: boom", "more than 4000 operations"])
def test_where_a_function_ends_before_it_comes_to_anything_it_is_not_run_for_each_candidate(why):
    verifier = Told(lambda item: Verification(None, detail=f"a.py: evaluate: {why}"))
    (site,) = tried(WITHIN, verifier).sites
    assert len(verifier.items) == 1
    assert len(site.candidates) > 1
    assert {why in each.verification.detail for each in site.candidates} == {True}


@pytest.mark.parametrize("where", ["elsewhere: the code stops at line 3", "evaluate: the block of line 3 is idle"])
def test_what_ends_otherwise_or_elsewhere_says_nothing_of_the_other_candidates(where):
    right, not_run = HEAD + RIGHT.lstrip("\n"), Verification(None, detail=f"a.py: {where}")
    verifier = Told(lambda item: SAME if item.after["a.py"] == right else not_run)
    (site,) = tried(WITHIN, verifier).sites
    assert len([item for item in verifier.items if not item.exact]) >= len(site.candidates)


def test_what_hangs_on_few_functions_is_tried_before_what_hangs_on_many():
    many = "\n".join(f"def use{n}(model, batch):\n    return evaluate(model, batch)\n\n" for n in range(4))
    lonely = WITHIN[WITHIN.index("def evaluate"):].replace("evaluate", "lonely").replace("return first, second", "")
    verifier = Told(lambda item: DIFFERENT)
    tried(WITHIN + many + "\n\n" + lonely, verifier)
    names = [{name for _, name in item.touched} for item in verifier.items]
    assert "lonely" in names[0]
    assert "evaluate" in names[-1]


def test_a_flag_is_not_taken_away_alone_where_only_another_refused_flag_has_its_effect():
    def say(item):
        if "no_grad" in item.after["a.py"]:
            return DIFFERENT
        return SAME if item.rest == "legacy" else DIFFERENT

    other = "\n\ndef refused(model, t, options):\n    return model(Variable(t, **options))\n"
    source = WITHIN.replace("first, second", "1") + other
    statuses = {site.line: site.status for site in tried(source, Told(say)).sites}
    assert set(statuses.values()) == {"refused"}


MAKES = "\n\ndef make(t):\n    return Variable(t, volatile=True)\n"


def test_a_block_that_is_right_only_while_a_refused_flag_has_its_effect_is_not_taken():
    def say(item):
        return SAME if "Variable(t, volatile=True)" in item.after["a.py"] else DIFFERENT

    statuses = {site.line: site.status for site in tried(WITHIN + MAKES, Told(say)).sites}
    assert set(statuses.values()) == {"refused"}


def test_a_block_that_is_right_without_the_refused_flags_beside_it_is_taken():
    def say(item):
        before, after = (text["a.py"].count("volatile=True") for text in (item.before, item.after))
        return SAME if before > after and "torch.enable_grad" in item.after["a.py"] and (
            "return Variable(t)" not in item.after["a.py"] or before == 1) else DIFFERENT

    verifier = Told(say)
    statuses = [site.status for site in tried(WITHIN + MAKES, verifier).sites]
    assert statuses == ["fixed", "refused"]
    assert any("volatile" not in item.after["a.py"] for item in verifier.items)


def test_after_the_time_limit_nothing_more_is_tried():
    verifier = Told(lambda item: SAME)
    tried(WITHIN, verifier, until=time.monotonic() - 1)
    assert verifier.items == []


def test_what_is_taken_out_of_its_graph_and_what_is_made_of_it_is_in_no_block():
    source = """
    def evaluate(model, batches):
        total = 0
        for batch in batches:
            x = Variable(batch, volatile=True)
            total += model(x)
            print(total.size())
        total /= len(batches)
        best = total.data.max(1)[1]
        print(best[0] + 1, total.data[0])
    """
    loaded = load_project(project(source), Options())
    decisions = [Decision(site, None, "") for site in find(Project(loaded.modules))]
    scenes = Scenes(loaded, Surroundings(loaded))
    group = grouped(scenes, decisions)[0]
    place = group[0]
    lines = [(place.scene.line(first), place.scene.line(last)) for first, last in covered(scenes, group).tight]
    assert lines == [(9, 9)]


ENTRIES = """
def evaluate(model, batch, log):
    x = Variable(batch, volatile=True)
    first, masks = model(x)
    shares = {made}
    shares = log.sort(shares)
    print(sum(shares) + 1)
"""


@pytest.mark.parametrize(("made", "lines"), [
    ("[mask.data.mean() for mask in masks]", [(7, 7)]),
    ("[float(part.data[0]) for mask in masks if mask.size(0) for part in mask.data]", [(7, 7)]),
    ("[mask.mean() for mask in masks]", [(7, 10)]),
    ("[mask.data.mean() for mask in masks if mask.sum()]", [(7, 10)]),
    ("[mask.data.mean() for mask in map(model, masks)]", [(7, 8)]),
])
def test_entries_that_are_taken_out_of_their_graph_at_once_have_none(made, lines):
    loaded = load_project(project(ENTRIES.replace("{made}", made)), Options())
    scenes = Scenes(loaded, Surroundings(loaded))
    group = grouped(scenes, [Decision(site, None, "") for site in find(Project(loaded.modules))])[0]
    runs = merged(group[0].scene, covered(scenes, group).tight)
    assert [(first.lineno, last.end_lineno) for first, last in runs] == lines


ARMS = """
def evaluate(model, batch, twice, log):
    x = Variable(batch, volatile=True)
    first = model(x)
    if twice:
        return model(first)
    {other}
"""


@pytest.mark.parametrize(
    ("other", "lines"),
    [
        ("else:\n        return model(model(first))", [(7, 11)]),
        ("else:\n        log(model)\n        return model(first)", [(7, 7), (9, 9), (12, 12)]),
        ("return log(7)", [(7, 7), (9, 9)]),
    ],
)
def test_a_choice_is_covered_as_one_where_both_of_its_arms_are_covered_whole(other, lines):
    loaded = load_project(project(ARMS.replace("{other}", other)), Options())
    decisions = [Decision(site, None, "") for site in find(Project(loaded.modules))]
    scenes = Scenes(loaded, Surroundings(loaded))
    scene = grouped(scenes, decisions)[0][0].scene
    runs = merged(scene, covered(scenes, grouped(scenes, decisions)[0]).tight)
    assert [(first.lineno, last.end_lineno) for first, last in runs] == lines


ROUNDS = """
def evaluate(model, rows, masked, wrap):
    for row in rows:
        {head}
        x = wrap(x)
        x = model(Variable(x, volatile=True))
        print(x.data)
"""


@pytest.mark.parametrize(
    ("head", "lines"),
    [
        ("x = row[0]", [(9, 9)]),
        ("if masked:\n            x, y = row\n        else:\n            x = row", [(12, 12)]),
        ("if masked:\n            x, y = row\n        elif rows:\n            x = row\n        else:\n"
         "            x = rows", [(14, 14)]),
        ("if masked:\n            x, y = row", [(9, 10)]),
        ("if masked:\n            x = row\n        else:\n            y = row", [(11, 12)]),
        ("if masked:\n            x = row\n        elif rows:\n            x = rows", [(11, 12)]),
        ("if masked:\n            x = row\n        else:\n            for x in row:\n                break",
         [(12, 13)]),
    ],
)
def test_a_name_that_each_arm_of_a_choice_binds_anew_holds_it_no_more(head, lines):
    loaded = load_project(project(ROUNDS.replace("{head}", head)), Options())
    decisions = [Decision(site, None, "") for site in find(Project(loaded.modules))]
    scenes = Scenes(loaded, Surroundings(loaded))
    group = grouped(scenes, decisions)[0]
    runs = merged(group[0].scene, covered(scenes, group).tight)
    assert [(first.lineno, last.end_lineno) for first, last in runs] == lines


@pytest.mark.parametrize(
    ("wrap", "lines"),
    [
        ("Variable(x)", [(9, 9)]),
        ("Variable(x) if masked else None", [(9, 9)]),
        ("Variable(x + 1)", [(8, 9)]),
        ("Variable(model(x))", [(8, 9)]),
        ("Variable(x).t()", [(8, 9)]),
    ],
)
def test_a_variable_is_made_of_nothing_that_a_flag_made(wrap, lines):
    text = ROUNDS.replace("{head}", "print(row)").replace("wrap(x)", wrap).replace(", wrap", "")
    loaded = load_project(project(text), Options())
    decisions = [Decision(site, None, "") for site in find(Project(loaded.modules))]
    scenes = Scenes(loaded, Surroundings(loaded))
    group = grouped(scenes, decisions)[0]
    runs = merged(group[0].scene, covered(scenes, group).tight)
    assert [(first.lineno, last.end_lineno) for first, last in runs] == lines


@pytest.mark.parametrize(
    ("more", "names"),
    [
        ("", {"Variable"}),
        ("from torch.autograd import Variable as V", {"Variable", "V"}),
        ("def Variable(x, volatile=False):\n    return x", set()),
        ("from wrapping import Variable", set()),
        ("def wrapped(Variable):\n    return Variable(7)", set()),
        ("Variable = print", set()),
    ],
)
def test_a_name_is_torchs_variable_where_nothing_else_is_bound_to_it(more, names):
    loaded = load_project(project(more), Options())
    scenes = Scenes(loaded, Surroundings(loaded))
    assert scenes.of(loaded.modules[0].path).makers == names


OLD = """
import a


def run(model, batch):
    {line}
    return a.evaluate(model, batch)
"""


def test_a_file_that_today_s_python_does_not_read_and_that_stays_as_it_is_is_left_to_who_runs_it():
    files = {"a.py": WITHIN, "old.py": OLD.format(line="from os.path import *")}
    verifier = Told(lambda item: SAME if is_right(item) else DIFFERENT)
    result = tried(files, verifier)
    assert any("old.py" in item.after for item in verifier.items)
    assert result.outputs["a.py"].decode() == WANTED
    assert "old.py" not in result.outputs


def test_where_a_function_in_it_has_to_be_run_nothing_is_taken():
    files = {"a.py": WITHIN, "old.py": OLD.format(line="from os.path import *")}
    result = core.migrate(project(files), Options(), verify, search())
    (site,) = result.sites
    assert (site.status, result.outputs) == ("refused", {})
    assert site.candidates
    assert not any(each.verification.cpu == "identical" for each in site.candidates)


def test_nor_is_a_candidate_that_today_s_python_does_not_read():
    verifier = Told(lambda item: SAME)
    result = tried({"a.py": f"{WITHIN}\n\ndef old():\n    from os.path import *\n"}, verifier)
    assert (verifier.items, result.outputs) == ([], {})


def test_what_gradients_are_turned_on_again_for_is_told() -> None:
    def say(item: Item) -> Verification:
        return SAME if "enable_grad" in item.after["a.py"] else DIFFERENT

    (site,) = tried(WITHIN, Told(say)).sites
    assert site.status == "fixed"
    assert [each for each in site.evidence if "enable_grad" in each] == ["a.py: line 7: runs in torch.enable_grad()"]


def test_where_none_are_nothing_is_told_of_it() -> None:
    def say(item: Item) -> Verification:
        return DIFFERENT if "enable_grad" in item.after["a.py"] or "no_grad" not in item.after["a.py"] else SAME

    for site in tried(WITHIN, Told(say)).sites:
        assert not [each for each in site.evidence if "enable_grad" in each]
