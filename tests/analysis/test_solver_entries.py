"""What a dictionary gives out, one entry after the other, nobody computes with in between: an iterator may."""

from __future__ import annotations

import pytest
from solving import becomes, stays

PROGRAM = """
class Runner(object):
    def __init__(self, model, optimizer):
        self.model, self.optimizer = model, optimizer

    def prepared(self, rows{asked}):
        ready = {{}}
        for name, row in rows.items():
            if torch.is_tensor(row):
                ready[name] = Variable(row{flag})
        return ready

    def run(self, loader, learn):
        for rows in loader:
            {block}found = self.model(**self.prepared(rows{asked}))
            if learn:
                found['loss'].backward()
                self.optimizer.step()
            {loop}
{beside}"""
FLAG = {"flag": ", volatile=not learn", "block": "", "asked": ", learn"}
BLOCK = {"flag": "", "asked": "", "block": "with torch.set_grad_enabled(bool(learn)):\n                "}
VALUES = "for each in found.values():\n                print(each.data.mean())"


@pytest.mark.parametrize("loop", [
    VALUES, "for name, each in found.items():\n                print(name, each.data.mean())",
    "for name in found.keys():\n                print(name)",
    "for name, each in sorted(found.items()):\n                if name != 'loss':\n"
    "                    print(each.data[0])",
    "for at, (name, each) in enumerate(found.iteritems()):\n                print(at, name, each.data[0])",
    "for at, each in enumerate(found.values(), 1):\n                print(at, each.data[0])",
    "for name, each in zip(found.keys(), found.values()):\n                print(name, each.data[0])",
])
def test_who_goes_over_the_entries_of_a_result_asks_for_no_graph(loop: str):
    becomes(PROGRAM.format(loop=loop, beside="", **FLAG), PROGRAM.format(loop=loop, beside="", **BLOCK))


@pytest.mark.parametrize(("loop", "beside"), [
    ("for each in found:\n                print(each.data.mean())", ""),
    ("for each in found.parts():\n                print(each.data.mean())", ""),
    ("for each in found.values(3):\n                print(each.data.mean())", ""),
    ("for each in unseen(found.values()):\n                print(each.data.mean())", ""),
    ("for each in found.values():\n                self.seen.append(each)", ""),
    (VALUES, "\n\nclass Found(object):\n    def values(self):\n        for each in self.all:\n            yield each\n"
             "            each.sum().backward()\n"),
    (VALUES, "\n\nclass Found(object):\n    def parts(self):\n        for each in self.all:\n            yield each\n"
             "            each.sum().backward()\n    values = parts\n"),
    (VALUES, "\n\nclass Found(object):\n    values = lambda self: (learnt(each) for each in self.all)\n"),
    (VALUES, "\n\nclass Found(object):\n    from unseen import parts as values\n"),
    (VALUES, "\n\nclass Found(Mapping):\n    def __iter__(self):\n        for each in self.all:\n"
             "            yield each\n            self.all[each].sum().backward()\n"),
    (VALUES, "\n\nclass Parts(object):\n    def __getitem__(self, name):\n        self.all[name].sum().backward()\n"
             "        return self.all[name]\n\n\nclass Found(Parts, OrderedDict):\n    pass\n"),
    ("for _, each in zip(found.items(), found):\n                print(each.data.mean())", ""),
    ("for each in next(iter(found.values())):\n                print(each.data.mean())", ""),
    ("for each in max(found.values()):\n                print(each.data.mean())", ""),
    ("for at, each in enumerate(found.values()):\n                print(at, each.data.mean())",
     "\n\ndef enumerate(rows):\n    for each in rows:\n        yield 1, each\n        each.sum().backward()\n"),
    (VALUES, "\n\ndef change(found, made):\n    found.values = made\n"),
])
def test_what_else_gives_them_out_may_compute_with_them_in_the_next_round(loop: str, beside: str):
    stays(PROGRAM.format(loop=loop, beside=beside, **FLAG), "mixed-statement")
