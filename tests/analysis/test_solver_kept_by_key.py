"""What is kept under a key: taking an item out of a container computes nothing; an entry exists where it was made."""

from __future__ import annotations

import pytest
from solving import covers, lines_without_gradients, migrated_files, refusals

MEMO = """
def rate(net, pages):
    return {{"loss": net(Variable(pages, volatile=True))}}


class Watch(object):
    def begin(self, reader):
        self.known = reader.known
        self.turn = 0

    def ask(self, net, pages):
        if self.turn not in self.known.keys():
            self.known[self.turn] = {put}
        return self.known[self.turn]

    def tell(self, net, pages):
        self.turn += 1
        {tell}
"""
LOOK = "print(self.ask(net, pages)['loss'].data)"


def seen(text: str) -> tuple[str, str]:
    result, texts = migrated_files({"main.py": text})
    return refusals(result), texts["main.py"]


def test_a_dictionary_that_is_put_away_in_what_nobody_knows_is_looked_up_without_a_block():
    covers(MEMO.format(put="rate(net, pages)", tell=LOOK), ["net(Var"], ["return self.known"])


@pytest.mark.parametrize("put", [
    "rate(net, pages)['loss']", "[rate(net, pages)['loss']]", "(rate(net, pages), 1)",
    "rate(net, pages) if self.turn else pages.mean()",
])
def test_what_a_tensor_takes_as_well_may_lie_in_one(put: str):
    refused, text = seen(MEMO.format(put=put, tell="print(self.ask(net, pages).data)"))
    assert refused
    assert "volatile=True" in text


@pytest.mark.parametrize("more", [
    "class Shelf(object):\n    def __setitem__(self, key, value):\n        self.kept = value\n\n"
    "    def __getitem__(self, key):\n        return self.net(self.kept)\n",
    "import base\n\n\nclass Shelf(base.Shelf):\n    def __getitem__(self, key):\n        return self.net(self.kept)\n",
    "class Shelf(dict):\n    def __missing__(self, key):\n        return self.net(key)\n",
    "class Shelf(dict):\n    def __getitem__(self, key):\n        return self.net(key)\n",
    "class Shelf(object):\n    pass\n\n\nShelf.__getitem__ = lambda self, key: self.net(key)\n",
    "class Shelf(object):\n    pass\n\n\nsetattr(Shelf, '__setitem__', load('put'))\n",
])
def test_a_class_of_the_project_may_compute_what_is_asked_of_it(more: str):
    refused, text = seen(more + MEMO.format(put="rate(net, pages)", tell=LOOK))
    assert refused
    assert "volatile=True" in text


@pytest.mark.parametrize("tell", [
    "self.ask(net, pages)['loss'].sum().backward()",
])
def test_an_item_that_is_trained_on_was_not_volatile(tell: str):
    refused, text = seen(MEMO.format(put="rate(net, pages)", tell=tell))
    assert refused or "no_grad" not in text


def test_a_class_of_pages_has_no_say_in_what_others_keep():
    covers(MEMO.format(put="rate(net, pages)", tell=LOOK) + """

class Pages(torch.utils.data.Dataset):
    def __getitem__(self, index):
        return self.rows[index]
""", ["net(Var"], ["return self.known"])


GROUPED = """
def rate(net, pages, names, {also}):
    {made}
    for page in pages:
        for name in names:
            loss = net(Variable(page, volatile=True))
            sums.setdefault(name, {first}).append(loss)
    {then}
    return {{name: (sum(losses) / 3).data for name, losses in sums.items()}}
"""


def test_a_sum_over_what_was_grouped_by_a_key_is_volatile_wherever_there_is_one():
    covers(GROUPED.format(also="more", made="sums = {}", first="[]", then="print(more)"), ["net(Var"], ["print(more)"])


@pytest.mark.parametrize(("made", "first", "then"), [
    ("sums = more", "[]", "pass"),
    ("sums = {}\n    more.sums = sums", "[]", "more.fill()"),
    ("sums = {'all': [net(Variable(pages[0]))]}", "[]", "sums['all'][0].sum().backward()"),
    ("sums = {}", "[net(Variable(page))]", "sums[names[0]][0].sum().backward()"),
    ("sums = {}", "more", "sum(more).sum().backward()"),
    ("sums = {}\n    fill(sums, more)", "[]", "train(sums)"),
])
def test_a_group_that_others_fill_as_well_holds_what_they_put_in(made: str, first: str, then: str):
    refused, text = seen(GROUPED.format(also="more", made=made, first=first, then=then))
    inside = [line for line in text.splitlines() if "sum(losses)" in line and "no_grad" in line]
    assert refused or not inside
    covered = text.split("with torch.no_grad():")[1:]
    assert refused or not covered or "Variable(page)" not in covered[-1].split("sums.setdefault")[0] or (
        "backward" not in then)


SHOWN = """
def rate(net, pages):
    return net(Variable(pages, volatile=True))


class Tally(object):
    def begin(self, reader):
        self.reader = reader

    def tell(self, net, pages):
        self.reader.seen.{put}
        return self.reader.seen[{at}]


def show(tally, net, pages):
    print(tally.tell(net, pages).data)
"""


@pytest.mark.parametrize(("put", "at"), [
    ("append(rate(net, pages))", "-1"), ("setdefault(self.turn, rate(net, pages))", "self.turn"),
    ("extend([rate(net, pages)])", "self.turn"), ("setdefault(self.turn, {'loss': rate(net, pages)})", "self.turn"),
    ("insert(0, rate(net, pages))", "0"),
])
def test_what_is_asked_for_what_no_tensor_has_is_looked_into_without_a_block(put: str, at: str):
    covers(SHOWN.format(put=put, at=at), ["net(Var"], ["return self.reader"])


@pytest.mark.parametrize("more", [
    "class Shelf(list):\n    def __getitem__(self, key):\n        return self.net(self.kept)\n",
    "class Shelf(object):\n    def __setitem__(self, key, value):\n        self.kept = value\n\n"
    "    def __getitem__(self, key):\n        return self.net(self.kept)\n",
    "import base\n\n\nclass Shelf(base.Shelf):\n    def __getitem__(self, key):\n        return self.net(self.kept)\n",
])
def test_a_list_of_the_projects_own_making_may_compute_what_is_taken_out_of_it(more: str):
    refused, text = seen(more + SHOWN.format(put="append(rate(net, pages))", at="-1"))
    assert refused or "            return self.reader.seen" in text  # in a block of its own


@pytest.mark.parametrize("put", ["add_(rate(net, pages))", "copy_(rate(net, pages))", "mul_(rate(net, pages))"])
def test_what_a_tensor_is_asked_for_as_well_may_be_asked_of_one(put: str):
    refused, text = seen(SHOWN.format(put=put, at="-1"))
    assert refused or "            return self.reader.seen" in text


def test_an_item_that_trains_is_taken_for_what_others_put_in():
    refused, text = seen(SHOWN.format(put="append(rate(net, pages))", at="-1").replace(
        "print(tally.tell(net, pages).data)", "tally.tell(net, pages).sum().backward()"))
    assert refused or "no_grad" not in text


ORDERED = """
from collections import OrderedDict{more}


def show(net, pages, weights):
    {made}
    found['old'] = Variable(pages{flag})
    found['new'] = {new}
    {then}
"""


def ordered(made: str = "found = OrderedDict()", new: str = "pages.size()", then: str = "print(net(found['old']).data)",
            more: str = "") -> str:
    return ORDERED.format(made=made, new=new, then=then, more=more, flag=", volatile=True")


@pytest.mark.parametrize("made", [
    "found = OrderedDict()", "found = OrderedDict([('first', 1)])", "found = OrderedDict(first=1)", "found = {}",
    "found = OrderedDict()\\n    found['first'] = weights\\n    found.move_to_end('first')",
])
def test_what_keeps_its_order_is_a_dictionary_for_all_that(made: str):
    covers(ordered(made.replace("\\n", "\n")), ["net(found"], ["found['new']"])


def test_what_is_in_an_ordered_dictionary_beside_the_volatile_tensor_keeps_its_graph():
    covers(ordered(new="net(weights)", then="print(net(found['old']).data)\n    return found['new']"),
           ["net(found"], ["net(weights)", "return found"])


@pytest.mark.parametrize("then", [
    "return found", "net.found = found", "for one in found.values():\n        one.sum().backward()",
    "found.popitem(last=False)[1].sum().backward()", "found.move_to_end('old')\n    found.popitem()[1].backward()",
])
def test_an_ordered_dictionary_that_goes_elsewhere_takes_what_is_in_it_along(then: str):
    refused, text = seen(ordered(then=then, new="net(weights)"))
    assert refused
    assert "volatile=True" in text


@pytest.mark.parametrize("more", [
    "\n\n\nclass OrderedDict(OrderedDict):\n    def __getitem__(self, key):\n        return self.net(key)",
    "\nfrom shelves import OrderedDict",
    " as Ordered\n\n\ndef OrderedDict():\n    return shelf",
])
def test_what_only_has_the_name_of_one_may_do_what_it_likes(more: str):
    refused, text = seen(ordered(more=more, then="net(found['old']).sum().backward()"))
    assert refused or "no_grad" not in text


DESK = """
class Desk(object):
    def __init__(self, desk):
        self.desk = desk

    def check(self, net, rows):
        self.desk{put} = net(Variable(rows, volatile=True))
        {more}
        rows.step().backward()
        {then}
"""
SHELF = """class Shelf(object):
    def __setitem__(self, key, value):
        self.kept = value

    def __getitem__(self, key):
        return self.net(self.kept)
"""


def desk(put: str = "['guess']", more: str = "pass", then: str = "self.drawn = net(self.desk['tally'])",
         first: str = "") -> str:
    return first + DESK.format(put=put, more=more, then=then)


@pytest.mark.parametrize("more", [
    "pass", "print(self.desk['guess'].data)", "self.desk['loss'] = self.desk['guess'].sum()",
    "self.desk['turn'] = rows",
])
def test_what_lies_under_another_word_is_not_volatile(more: str):
    covers(desk(more=more), ["] = net(Var"], ["self.drawn = net("])


def test_what_lies_under_another_word_is_not_volatile_in_a_loop_that_goes_round():
    then = """while rows.more():
            self.drawn = net(self.desk['tally'])
            self.desk['guess'] = net(Variable(rows, volatile=True))"""
    covers(desk(put="['start']", then=then), ["self.desk['guess'] = "], ["self.drawn = net("])


def test_what_is_trained_on_under_one_word_is_not_what_is_volatile_under_another():
    covers(desk(then="self.desk['kept'].sum().backward()"), ["] = net(Var"], ["self.desk['kept']"])


@pytest.mark.parametrize("program", [
    desk(put="['tally']"),
    desk(more="self.desk['tally'] = self.desk['guess']"),
    desk(put="[rows[0]]"),
    desk(more="self.desk[rows[0]] = self.desk['guess']"),
    desk(put="[0]"),
    desk(more="self.desk.setdefault(rows[0], self.desk['guess'])"),
    desk(more="self.desk.insert(self.desk['guess'])"),
    desk(more="self.desk.update(tally=self.desk['guess'])"),
    desk(more="self.desk.update({'tally': self.desk['guess']})"),
    desk(more="dict.update(self.desk, tally=self.desk['guess'])"),
    desk(more="rows.fill(self.desk)"),
    desk(more="rows.fill([self.desk])"),
    desk(then="self.drawn = net(self.desk[rows[0]])"),
    desk(then="self.drawn = net(self.desk.get('guess'))"),
    desk(then="self.drawn = net(self.desk)"),
    desk(first=SHELF),
    desk(first="class Shelf(dict):\n    def __missing__(self, key):\n        return self.net(key)\n"),
    desk(first="import base\n\n\nclass Shelf(base.Shelf):\n    def __getitem__(self, key):\n"
               "        return self.net(key)\n"),
])
def test_what_may_lie_under_that_word_is_volatile(program: str):
    refused, text = seen(program)
    last = max(number for number, line in enumerate(text.splitlines(), 1) if line.strip())
    assert refused or last in lines_without_gradients(text), text
