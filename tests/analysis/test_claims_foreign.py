"""What unknown code is given to call, or finds on its own objects: nobody sees what it computes with that."""

from __future__ import annotations

import pytest
from solving import becomes, migrated_files, refusals, source, stays

VOLATILE, PLAIN = "Variable(frame, volatile=True)", "Variable(frame)"


def refused(body: str, reason: str) -> None:
    stays(body.replace("@", VOLATILE), reason)


def dropped(body: str) -> None:
    becomes(body.replace("@", VOLATILE), body.replace("@", PLAIN))


# --- functions that will be called -----------------------------------------------------------------------------------


@pytest.mark.parametrize("handed", [
    "partial(self.net, x)",
    "partial(self.net, frame=x)",
    "partial(partial(self.net, x), 1)",
    "partial(self.net, [x])",
    "done=partial(self.net, x)",
])
def test_what_is_bound_in_a_function_for_unknown_code_is_computed_with_who_knows_when(handed: str):
    refused(f"""
        from functools import partial


        class Recorder:
            def watch(self, frame):
                x = @
                self.clock.every({handed})
        """, "unseen-callers")


def test_a_library_that_nobody_has_seen_may_call_what_it_is_given():
    refused("""
        from functools import partial

        from plumbing import later


        def score(net, x):
            return net(x).mean()


        def watch(net, frame):
            later(partial(score, net, @))
        """, "unseen-callers")


def test_a_method_of_an_object_made_here_brings_what_the_object_holds():
    refused("""
        class Shot:
            def __init__(self, frame):
                self.frame = frame

            def score(self, net):
                return net(self.frame)


        class Recorder:
            def watch(self, frame):
                shot = Shot(@)
                self.clock.every(shot.score)
        """, "unseen-callers")


def test_a_function_with_something_bound_leaves_to_the_caller_as_that_does():
    refused("""
        from functools import partial


        def prepared(net, frame):
            return partial(net, @)
        """, "unseen-callers")


def test_what_is_bound_and_called_in_view_has_its_block():
    before = """
        from functools import partial


        def score(net, frame):
            run = partial(net, @)
            return run().data
        """
    after = """
        from functools import partial


        def score(net, frame):
            run = partial(net, @)
            with torch.no_grad():
                return run().data
        """
    becomes(before.replace("@", VOLATILE), after.replace("@", PLAIN))


def test_plain_data_that_is_bound_keeps_nothing_from_going():
    dropped("""
        from functools import partial


        class Recorder:
            def watch(self, frame):
                x = @
                self.clock.every(partial(self.net, x.data))
        """)


def test_a_partial_of_variable_holds_no_tensor_yet():
    result, _ = migrated_files({"a.py": """
        from functools import partial


        def load(net, frame):
            make = partial(Variable, volatile=True)
            return net(make(frame)).data
        """})
    assert not refusals(result)


# --- objects of others -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("keeps", [
    "self.screen.shown = @",
    "self.screen['shown'] = @",
    "self.screen.append(@)",
    "setattr(self.screen, 'shown', @)",
    "self.screen.part.shown = @",
    "plumbing.shown = @",
    "made = plumbing.screen(); made.shown = @",
])
def test_what_is_put_on_an_object_of_unseen_code_may_be_taken_out_by_it(keeps: str):
    refused(f"""
        import plumbing


        class Recorder:
            def watch(self, frame):
                {keeps}
        """, "escapes-by-attribute")


def test_a_class_below_one_of_unseen_code_shares_its_attributes_with_that():
    refused("""
        from plumbing import Station


        class Recorder(Station):
            def watch(self, frame):
                self.shown = @
        """, "escapes-by-attribute")


@pytest.mark.parametrize("above", ["object", "torch.nn.Module", "threading.Thread"])
def test_what_an_object_of_the_project_keeps_and_nobody_asks_for_is_computed_with_by_nobody(above: str):
    dropped(f"""
        import threading


        class Recorder({above}):
            def watch(self, frame):
                self.shown = @
        """)


def test_a_list_that_is_made_in_view_is_nobody_elses():
    dropped("""
        class Recorder:
            def __init__(self):
                self.shown = []

            def watch(self, frame):
                self.shown.append(@)
        """)
    dropped("""
        class Recorder:
            def again(self):
                self.shown = []

            def watch(self, frame):
                self.shown.append(@)
        """)
    dropped("""
        def watch(frames):
            shown = []
            for frame in frames:
                shown.append(@)
        """)


def test_plain_data_may_be_put_wherever_it_goes():
    dropped("""
        class Recorder:
            def watch(self, frame):
                x = @
                self.screen.shown = x.data
                self.screen.append(x.data[0])
                self.screen['size'] = x.size(0)
        """)


def test_what_is_taken_back_before_anybody_is_asked_is_found_by_nobody():
    dropped("""
        class Recorder:
            def watch(self, frame):
                self.screen.shown = @
                self.screen.shown = None
        """)
    refused("""
        class Recorder:
            def watch(self, frame, early):
                self.screen.shown = @
                if early:
                    return
                self.screen.shown = None
        """, "escapes-by-attribute")


# --- objects that are made out of sight ------------------------------------------------------------------------------


@pytest.mark.parametrize("trains", ["", "self.net(Variable(x.data)).sum().backward()", "self.note(x.data)"])
def test_an_object_that_somebody_else_makes_may_have_what_its_class_does_not_say(trains: str):
    refused(f"""
        class Lens:
            def take(self, frame):
                x = @
                {trains or 'pass'}
                return x


        class Mirror:
            def take(self, frame):
                return Variable(frame)


        class Viewer:
            def run(self, frame):
                return self.net(self.device.take(frame))
        """, "unseen-callers")


# --- a library of the name of the project ----------------------------------------------------------------------------


@pytest.mark.parametrize(("lines", "reason"), [
    ("show(net(v))", None), ("show(v, net).backward()", "gradient-demanded"),
    ("other = show(v)\n    return net.other(other * net.weight)", None),
])
@pytest.mark.parametrize("module", ["mine", "mine.tools", "mine.more"])
def test_what_the_project_itself_does_not_have_is_a_librarys_of_its_name(lines: str, reason: str | None, module: str):
    found = []
    for name in (module, "library"):
        result, texts = migrated_files({"mine/__init__.py": "", "mine/tools.py": "", "mine/run.py": source(
            f"from {name} import show\n\ndef run(net, x):\n    v = Variable(x, volatile=True)\n    {lines}\n")})
        found.append((refusals(result), texts["mine/run.py"].replace(f"from {name} ", "")))
        assert [site.reason for site in result.sites] == [reason]
    assert found[0] == found[1]


@pytest.mark.parametrize("top", ["", "clone/"])
@pytest.mark.parametrize(("brings", "refused"), [
    ("from mine.tools import wrap", True), ("import mine.tools\nwrap = mine.tools.wrap", True),
    ("from mine.others import wrap", False), ("from torch.tools import wrap", False),
])
def test_a_package_that_is_all_of_the_project_may_be_called_by_another_name(top: str, brings: str, refused: bool):
    tools = source("def wrap(x, off=False):\n    return Variable(x, volatile=off)\n\n"
                   "def train(net, x):\n    net(wrap(x)).sum().backward()\n")
    result, _ = migrated_files({f"{top}__init__.py": "", f"{top}tools.py": tools, f"{top}run.py": source(
        f"{brings}\n\ndef show(net, x):\n    return net(wrap(x, True))\n"), f"{top}main.py": source(
        "from tools import train\ntrain(torch.nn.Linear(1, 1), torch.ones(1))\n")})
    assert set(refusals(result).values()) == ({"unseen-callers"} if refused else set())
