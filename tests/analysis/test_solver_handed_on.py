"""A method and the one that it hands its work on to may have one name: which is meant, its object's class says."""

from __future__ import annotations

import pytest
from solving import migrated_files

OUTER = """import torch
import torch.nn as nn
from torch.autograd import Variable


class Core(nn.Module):
    def __init__(self):
        super(Core, self).__init__()
        self.cell = nn.Linear(3, 3)

    def unroll(self, code, steps, quiet):
        start = Variable(torch.ones(1, 3), volatile=quiet)
        return self.cell(start * code)


class Story(nn.Module):
    def __init__(self, core):
        super(Story, self).__init__()
        self.reader = nn.Linear(3, 3)
        self.core = {made}

    def unroll(self, page, {index}steps, quiet=True):
        return self.core.unroll(self.reader(page), steps, quiet)


def learn(story, page):
    story.unroll(page, {first}4, quiet=False).sum().backward()


def tell(story, page):
    return story.unroll(page, {first}4, quiet=True).data
{more}"""


def lines_left(made: str = "Core()", more: str = "", alike: bool = False) -> list[str]:
    """The lines of sites that were refused."""
    text = OUTER.replace("{made}", made).replace("{more}", more)
    text = text.replace("{index}", "" if alike else "index, ").replace("{first}", "" if alike else "1, ")
    result, texts = migrated_files({"main.py": text})
    assert "set_grad_enabled(not quiet)" in texts["main.py"]
    return [text.splitlines()[site.line - 1].strip() for site in result.sites if site.status == "refused"]


def test_the_class_of_the_object_says_which_and_else_what_the_call_hands_over():
    assert lines_left() == []


def test_a_call_that_both_could_take_may_be_of_either():
    left = lines_left(alike=True)
    assert len(left) == 2
    assert all("story.unroll" in line for line in left)


@pytest.mark.parametrize("more", [
    "\n\ndef swap(story, other):\n    story.core = other\n",
    "\n\nclass Deep(Core):\n    def unroll(self, code, steps, quiet):\n        return code\n",
])
def test_an_object_that_may_be_of_another_class_says_nothing(more: str):
    assert any("self.core.unroll" in line for line in lines_left(more=more, alike=True))


@pytest.mark.parametrize("made", ["core", "core or Core()"])
def test_the_flag_stays_where_an_object_was_handed_over(made: str):
    """Nothing says what the object is: its flag is no site, and no parameter goes."""
    text = OUTER.replace("{made}", made).replace("{more}", "").replace("{index}", "").replace("{first}", "")
    _, texts = migrated_files({"main.py": text})
    assert "self.core.unroll(self.reader(page), steps, quiet)" in texts["main.py"]
