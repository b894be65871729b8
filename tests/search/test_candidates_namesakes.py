"""Flags in functions of one name, each in a file of its own: a call is with the flag of the function that it calls."""

from __future__ import annotations

import pytest

from voltfix.flags.sites import find
from voltfix.model import Decision, Options, SiteKind
from voltfix.pipeline.loading import load_project
from voltfix.pipeline.surroundings import Surroundings
from voltfix.program.resolve import Project
from voltfix.search.group import grouped
from voltfix.search.scene import Scenes

FEED = """
def feed(rows, at, quiet=False):
    return Variable(rows[at], volatile=quiet)
"""
LOOK = """
def look(model, rows):
    return model(feed(rows, 0, quiet=True)).data
"""
OF_CLASS = """
class Feeder:
    def feed(self, rows, quiet=False):
        return Variable(rows, volatile=quiet)


def look(model, rows):
    return model(Feeder().feed(rows, quiet=True)).data
"""


def groups(files: dict[str, str], refused: tuple[str, ...] = ("a.py", "b.py", "c.py")) -> list[list[str]]:
    """By group, the files of its sites, in their order."""
    head = "from torch.autograd import Variable\n"
    loaded = load_project({name: (head + text).encode() for name, text in files.items()}, Options())
    scenes = Scenes(loaded, Surroundings(loaded))
    sites = [site for site in find(Project(loaded.modules)) if site.path.endswith(refused)]
    found = grouped(scenes, [Decision(site=site, strategy=None, message="") for site in sites])
    assert all(place.site.kind is SiteKind.WRAPPER for group in found for place in group[1:])
    return [[place.site.path.rpartition("/")[2] for place in group] for group in found]


def test_calls_of_functions_of_one_name_go_to_the_flag_of_their_own_file() -> None:
    assert groups({"a.py": FEED + LOOK, "b.py": FEED + LOOK}) == [["a.py", "a.py"], ["b.py", "b.py"]]


def test_a_file_that_has_the_function_from_elsewhere_is_part_of_the_flag_there() -> None:
    found = groups({"a.py": FEED + LOOK, "b.py": FEED + LOOK, "c.py": "from b import feed\n" + LOOK})
    assert found == [["a.py", "a.py"], ["b.py", "b.py", "c.py"]]


def test_calls_of_classes_of_one_name_go_to_the_flag_of_their_own_file() -> None:
    makes = "class Feed(list):\n    def __init__(self, rows, quiet=False):\n"\
            "        self.rows = Variable(rows, volatile=quiet)\n"
    look = "\n\ndef look(model, rows):\n    return model(Feed(rows, quiet=True).rows).data\n"
    assert groups({"a.py": makes + look, "b.py": makes + look}) == [["a.py", "a.py"], ["b.py", "b.py"]]


@pytest.mark.parametrize("again", [
    "import a\nif a.other:\n    from a import feed\n",  # either of them
    "import a\nfeed = a.pick('feed')\n",  # nobody sees which
])
def test_a_call_of_which_nobody_knows_which_it_calls_goes_by_its_word(again: str) -> None:
    assert groups({"a.py": FEED, "b.py": FEED + again + LOOK}) in ([["a.py", "b.py"], ["b.py"]], [["a.py"], ["b.py"]])


def test_a_call_of_what_only_hands_on_to_a_function_of_its_name_goes_by_its_word() -> None:
    handing = "import a\n\n\ndef feed(rows, at, quiet=False):\n    return a.feed(rows, at, quiet=quiet)\n"
    assert groups({"a.py": FEED, "b.py": handing + LOOK}) == [["a.py", "b.py", "b.py"]]


def test_a_call_of_a_function_whose_flag_was_not_refused_goes_by_its_word() -> None:
    assert groups({"a.py": FEED, "d.py": FEED, "b.py": "from d import feed\n" + LOOK}) == [["a.py", "b.py"]]
