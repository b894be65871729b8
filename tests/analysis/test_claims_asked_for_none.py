"""An object that is handed over, or is another where none was: what it is asked for is what its class says."""

from __future__ import annotations

import pytest

from helpers import check_noop, check_transformed

HEAD = """\
import torch
from torch import nn
from torch.autograd import Variable


class Pages(object):
    def __init__(self, rows, quiet=False):
        self.rows = rows
        self.quiet = quiet

    def __len__(self):
        return len(self.rows)

    def __getitem__(self, at):
        return Variable(self.rows[at], volatile=self.quiet)


class Reader(object):
    def __init__(self, net, lessons, proofs):
        self.net = net
        self.lessons = lessons
        self.proofs = proofs

    def score(self, pages=None):
        pages = pages if pages is not None else self.lessons
        found = 0
        for at in range(len(pages)):
            page = pages[at]
            found = found + self.net(page).sum()
        return found

    def read(self):
        self.score().backward()
        print(self.score(self.proofs).data)


def main(rows):
    lessons = Pages(rows)
    proofs = Pages(rows, True)
    reader = Reader(nn.Linear(4, 4), lessons, proofs)
    reader.read()


main(torch.ones(3, 2, 4))
"""
CHOICE = "pages = pages if pages is not None else self.lessons"
AFTER = HEAD.replace(", volatile=self.quiet", "").replace("        print(self.score(self.proofs).data)", """\
        with torch.no_grad():
            print(self.score(self.proofs).data)""")


@pytest.mark.parametrize("choice", [
    CHOICE, "pages = self.lessons if pages is None else pages", "pages = pages or self.lessons",
])
def test_only_what_is_handed_the_quiet_ones_has_a_block(choice: str) -> None:
    check_transformed(HEAD.replace(CHOICE, choice), AFTER.replace(CHOICE, choice))


@pytest.mark.parametrize(("here", "there", "reason"), [
    (CHOICE, "pages = pages if self.net else self.lessons", "mixed-statement"),
    (CHOICE, CHOICE + "\n        for pages in [pages, self.proofs]:\n            pass", "gradient-demanded"),
    (CHOICE, "pages = pages or library.pages()", "mixed-statement"),
    ("page = pages[at]", "page, pages = pages[at], self.proofs", "gradient-demanded"),
    ("main(torch", "Reader.score = library.score\nmain(torch", "unseen-callers"),
    ("main(torch", "library.use(Reader.score)\nmain(torch", "mixed-statement"),
    ("main(torch", "Pages.__getitem__ = library.item\nmain(torch", "unseen-callers"),
])
def test_what_may_be_another_there_is_left_alone(here: str, there: str, reason: str) -> None:
    assert HEAD.count(here) == 1
    check_noop("import library\n" + HEAD.replace(here, there), reason=reason)
