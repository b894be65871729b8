"""An object that never gets out of sight is none of those that a library gave, whoever asks these for items."""

from __future__ import annotations

import pytest
from solving import becomes, stays

SOURCE = """
    class Pages(object):
        def __init__(self, texts, volatile=False):
            self.texts = texts['texts']
            self.volatile = volatile
        def __getitem__(self, number):
            return Variable(self.texts[number], volatile=self.volatile)
        def __len__(self):
            return len(self.texts)
    def measure(net, pages):
        total = 0
        for number in range(len(pages)):
            total += net(pages[number]).data[0]
        return total
    def main(net, place):
        texts = torch.load(place)
        print(len(texts['names']), texts['first'][0])
        pages = Pages(texts, volatile=True)
        {use}
        return measure(net, pages)
"""


def test_what_was_read_from_a_file_is_asked_for_items_and_is_no_object_of_a_class_that_stays_in_sight():
    before = SOURCE.format(use="print(pages.volatile)")
    loop = "        for number in range(len(pages)):\n            total += net(pages[number]).data[0]\n"
    assert loop in before
    inside = loop.replace("\n    ", "\n        ").replace("        for", "            for", 1)
    becomes(before, before.replace("volatile=self.volatile)", ")").replace("[number], )", "[number])").replace(
        loop, f"        with torch.set_grad_enabled(not pages.volatile):\n{inside}"))


@pytest.mark.parametrize("use", [
    "torch.save(pages, place)", "torch.save({'pages': pages}, place)", "net.pages = pages", "shown = [pages]",
    "texts['pages'] = pages", "somewhere.show((pages, 1))", "keep = lambda: pages", "torch.load(place).put(pages)",
])
def test_what_was_put_away_may_be_what_is_read_from_a_file(use):
    stays(SOURCE.format(use=use), reason="unseen-callers")
