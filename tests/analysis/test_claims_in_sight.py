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
        loop, f"        with torch.no_grad():\n{inside}"))


@pytest.mark.parametrize("use", [
    "torch.save(pages, place)", "torch.save({'pages': pages}, place)", "net.pages = pages", "shown = [pages]",
    "texts['pages'] = pages", "somewhere.show((pages, 1))", "keep = lambda: pages", "torch.load(place).put(pages)",
])
def test_what_was_put_away_may_be_what_is_read_from_a_file(use):
    stays(SOURCE.format(use=use), reason="unseen-callers")


BATCHES = """
    class Batches(object):
        def __init__(self, rows, training=True):
            self.rows = rows
            self.training = training
        def __iter__(self):
            for row in self.rows:
                yield Variable(row, volatile=not self.training)
"""
TRAINER = BATCHES + """    class Trainer(object):
        def __init__(self, net, steps):
            self.net, self.steps = net, steps
        def fit(self, batches, others):
            for batch in batches:
                self.net(batch).sum().backward()
                for group in self.steps.param_groups:
                    group['lr'] = 1
                self.steps.step()
            return self.score(others)
        def score(self, batches):
            total = 0
            for batch in batches:
                total += self.net(batch).data[0]
            return total
    def main(net, steps, rows):
        trainer = Trainer(net, steps)
        seen = Batches(rows)
        unseen = Batches(rows, training=False)
        {use}
        return trainer.fit(seen, unseen)
"""


def is_scored_in(before: str, grad: str) -> None:
    """The loop that scores gets a block with that mode."""
    loop = "            for batch in batches:\n                total += self.net(batch).data[0]\n"
    assert loop in before
    inside = loop.replace("\n    ", "\n        ").replace("        for", "            for", 1)
    becomes(before, before.replace(", volatile=not self.training)", ")").replace(
        loop, f"            with torch.{grad}:\n{inside}"))


def test_batches_that_methods_of_the_project_are_given_stay_in_sight():
    is_scored_in(TRAINER.format(use="print(len(rows))"), "no_grad()")


JUDGED = BATCHES + """    class Trainer(object):
        def __init__(self, net):
            self.net = net
        def score(self, batches):
            total = 0
            for batch in batches:
                total += self.net(batch).data[0]
            return total
    def main(net, steps, rows):
        trainer = Trainer(net)
        seen = Batches(rows)
        {use}
        return trainer.score(Batches(rows, training=False))
    main(torch.nn.Linear(2, 1), torch.load("steps"), torch.ones(3, 1, 2))
"""


@pytest.mark.parametrize(("use", "grad"), [
    ("print(len(rows))", "no_grad()"),
    ("steps.trainer = trainer\n        steps.seen = seen", "set_grad_enabled(bool(batches.training))"),
])
def test_who_has_the_object_of_a_method_may_hand_it_other_batches(use, grad):
    is_scored_in(JUDGED.format(use=use), grad)


@pytest.mark.parametrize("use", [
    "rows.kept = seen", "steps.watch(seen)", "trainer.fit = rows.fit", "trainer = rows.trainer",
    "Trainer.fit = rows.fit", "shown = [unseen]", "trainer.seen = seen",
])
def test_who_else_may_have_the_batches_may_go_over_them(use):
    stays(TRAINER.format(use=use), reason="unseen-callers")


LISTED = """
    class Batches(object):
        def __init__(self, rows, volatile=False):
            self.rows = rows
            self.volatile = volatile
        def __iter__(self):
            for row in self.rows:
                yield Variable(row, volatile=self.volatile)
    def train(net, steps, batches):
        for batch in batches:
            steps.zero_grad()
            net(batch).sum().backward()
            {loop}
            steps.step()
    def score(net, batches):
        total = 0
        for batch in batches:
            total += net(batch).data[0]
        return total
    def main(net, steps, rows):
        both = [Batches(rows), Batches(rows, volatile=True)]
        train(net, steps, both[0])
        return score(net, both[1])
    {more}
"""


@pytest.mark.parametrize("loop", [
    "for p in net.parameters(): print(p)", "print([p for p in net.parameters() if p.grad is not None])",
    "for name, p in net.named_parameters(): print(name)", "for m in net.modules(): print(m)",
    "for k, v in steps.state.items(): print(k)", "for i, (k, v) in enumerate(steps.state.items()): print(k)",
    "for word in net.name.split(): print(word)", "print(list(steps.state.keys()))",
])
def test_what_is_listed_for_who_asks_is_no_object_of_the_project(loop):
    before = LISTED.format(loop=loop, more="")
    becomes(before, before.replace(", volatile=self.volatile)", ")").replace(
        "return score(net, both[1])", "with torch.no_grad():\n            return score(net, both[1])"))


@pytest.mark.parametrize(("loop", "more"), [
    ("for p in net.weights(): print(p)", ""),  # whoever wrote that may give what he was given
    ("for p in net.parameters: print(p)", ""),
    ("for m in net.modules():\n                for part in m: print(part)", ""),
    ("for name, (m, n) in net.named_modules(): print(name)", ""),
    ("for p in net.parameters(): print(p)", "class Net(object):\n        def parameters(self): return self.batches"),
    ("for p in net.parameters(): print(p)", "def change(net, batches): net.parameters = lambda: batches"),
    ("for p in net.parameters(): print(p)", "class Net(object):\n        parameters = torch.kept"),
    ("for p in net.parameters(): print(p)", "def change(net, n, batches): setattr(net, n, lambda: batches)"),
    ("for p in net.parameters(): print(p)", "def change(net, batches): setattr(net, 'parameters', lambda: batches)"),
    ("for p in net.parameters(): print(p)", "def made(make, batches): return make(parameters=lambda: batches)"),
    ("for p in net.parameters(): print(p)", "class Net(object):\n        def __getattr__(self, n): return self.kept"),
])
def test_what_may_be_an_object_of_the_project_may_be_one_that_got_out_of_sight(loop, more):
    stays(LISTED.format(loop=loop, more=more), reason="unseen-callers")
