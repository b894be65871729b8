"""Plain tensors of 0.3, and objects that are made without computing anything: neither asks for a graph."""

from __future__ import annotations

import pytest
from solving import becomes, covers, stays

from helpers import check_transformed, migrated

DECODER = """
class Decoder(object):
    def __init__(self, scales):
        self.scales = scales

    def __call__(self, boxes, anchors):
        found = []
        {data}
        for i in range(boxes.size(0)):
            one = boxes[i]
            moved = {moved}
            self.last = moved
            found.append(moved)
        return found


def evaluate(net, decode, images, anchors):
    out = []
    for image in images:
        x = Variable(image, volatile=True)
        boxes = net(x)
        out.append(decode(boxes, anchors))
    return out


def main(cfg, net, images, anchors):
    decode = Decoder(cfg["scales"])
    for _ in range(3):
        evaluate(net, decode, images, anchors)
        loss = net(Variable(images[0])).sum()
        loss.backward()
"""


@pytest.mark.parametrize(("data", "moved"), [
    ("boxes = boxes.data.cpu().numpy()", "one[:, :2] * self.scales[0]"),  # NumPy asks the other one
    ("boxes = boxes.data", "one * self.scales[0]"),  # it may be a number
    ("boxes = boxes.data", "one[0] * self.scales[0]"),
    ("boxes = boxes.data", "one[:, :2] @ self.scales[0]"),  # that asked the other one, too
    ("boxes = boxes.data", "self.scales[0] * one[:, :2]"),  # it may know what to do
    ("boxes = boxes.data.size()", "boxes[1:] + self.scales"),
    ("boxes = boxes.data.tolist()", "boxes[1:] + self.scales"),
])
def test_what_may_be_no_plain_tensor_may_have_a_graph_with_what_it_is_multiplied_by(data, moved):
    stays(DECODER.format(data=data, moved=moved), "not-provable")


@pytest.mark.parametrize(("data", "moved"), [
    ("boxes = boxes.data", "one[:, :2] * self.scales[0] + anchors.data[:, :2]"),
    ("boxes = boxes.data", "one[:, 1:] / self.scales[0] - anchors.data[:, :2] * self.scales[1]"),
    ("boxes = boxes.data.cpu().view(3, 4)", "boxes[1:] ** self.scales[0]"),
    ("boxes = boxes.data[:, 1:]", "boxes * self.scales[0]"),
])
def test_what_a_plain_tensor_is_multiplied_by_is_no_variable(data, moved):
    covers(DECODER.format(data=data, moved=moved), inside=["boxes = net(x)"], outside=["loss = net("])


def test_a_plain_tensor_stays_plain_when_something_is_added_to_it():
    covers("""
def shift(boxes, offset):
    moved = boxes.data
    moved += offset
    return moved


class Keeper(object):
    def __init__(self):
        self.offset = 1

    def put(self, net, images):
        for image in images:
            boxes = net(Variable(image, volatile=True))
            self.last = shift(boxes, self.offset)
            loss = net(Variable(image)).sum()
            loss.backward()
""", inside=["boxes = net("], outside=["loss = net("])


BOUND = """
from torch import nn


class Bound(nn.Module):
    def __init__(self, net, width):
        super(Bound, self).__init__()
        self.net = net
        {keeps}

    def forward(self, x):
        return self.net(x) + self.width


def bound(net, width, x, y):
    found = nn.DataParallel(Bound(net, width))(x)
    missed = (found.data.max(1)[1] != y.data).sum()
    return nn.functional.cross_entropy(found, y), missed


def check(net, width, xs, ys):
    for x, y in zip(xs, ys):
        _, missed = bound(net, width, Variable(x, volatile=True), Variable(y))
        print(missed)


def train(net, width, x, y, opt):
    loss, _ = bound(net, width, Variable(x), Variable(y))
    loss.backward()
    opt.step()
"""


@pytest.mark.parametrize("keeps", [
    "self.width = width.exp()", "self.width = net(width)", "self.width = width * 2", "self.fit(width)",
    "self.width = net.scaled_width",
])
def test_an_object_that_computes_when_it_is_made_may_keep_a_graph(keeps):
    stays(BOUND.format(keeps=keeps), "mixed-statement")


@pytest.mark.parametrize("keeps", [
    "self.width = width", "self.width = width\n        self.layer = nn.Linear(2 * 3, 4)",
    "self.layer = nn.Linear(net.size, 4)\n        self.width = self.layer",
])
def test_an_object_that_only_keeps_what_it_is_given_is_made_under_no_grad_as_well(keeps):
    covers(BOUND.format(keeps=keeps), inside=["_, missed = bound("], outside=["loss, _ = bound("])


SPELLED = """
def spell(net, sounds, offsets):
    letters = net(sounds).data.cpu().numpy()
    words = []
    for letter in letters:
        words.append([letter[0] + offsets["first"]])
    {packed}
    return packed


def read_out(net, recordings, offsets):
    for sounds in recordings:
        print(spell(net, Variable(sounds, volatile=True), offsets))


def train(net, recordings, opt):
    for sounds in recordings:
        loss = net(Variable(sounds)).sum()
        loss.backward()
        opt.step()
"""


@pytest.mark.parametrize("packed", [
    "packed = net.last = torch.stack(words[0])", "packed = torch.cuda.join(words)", "packed = net.last = words",
    "packed = torch.cuda.LongTensor(words)\n    net.last = words", "packed = torch.cuda.LongTensor.join(words)",
    "packed = torch.cuda.comm.FloatTensor(words)", "packed = cupy.cuda.LongTensor(words)",
    "sum(words[0]).backward()\n    packed = torch.cuda.FloatTensor(words)",
])
def test_what_is_packed_otherwise_than_as_numbers_may_have_its_graph_asked(packed):
    stays("import cupy\n" + SPELLED.format(packed=packed), "mixed-statement")


@pytest.mark.parametrize("packed", [
    "packed = torch.LongTensor(words)", "packed = torch.cuda.LongTensor(words)",
    "packed = torch.cuda.FloatTensor(words)", "packed = torch.cuda.ByteTensor(words[0]).cpu()",
])
def test_a_tensor_on_the_graphics_card_is_made_of_numbers_like_any_other(packed):
    covers(SPELLED.format(packed=packed), inside=["print(spell("], outside=["loss = net("])


LIFTED = """
import torch
from torch.autograd import Variable
from tqdm import tqdm


def from_numpy(rows):
    rows.sum().backward()
    return rows.data


def lifted(rows{parameter}):
    return Variable({given}{passed})


def score(model, many, given):
    scores, losses = [], []
    for rows, each in tqdm(zip(many, given)):
        first, second = single(model, rows, each)
    return scores, losses


def single(model, rows, given=None):
    {one}y = model(lifted(rows[None, :]{flag}))


for rows, each in tqdm(zip(many, known)):
    for a, b in zip(rows, each):
        {two}scores = model(lifted(o{flag}))
"""


def lifting(given: str, block: bool = False) -> str:
    text = "with torch.no_grad():\n"
    return LIFTED.format(
        given=given, parameter="" if block else ", quiet=False", passed="" if block else ", volatile=quiet",
        flag="" if block else ", quiet=True",
        one=text + " " * 8 if block else "", two=text + " " * 12 if block else "")


def test_what_is_made_into_a_tensor_of_torch_was_an_array_and_has_no_graph_to_miss() -> None:
    check_transformed(lifting("torch.from_numpy(rows)"), lifting("torch.from_numpy(rows)", block=True))


@pytest.mark.parametrize("given", ["torch.load(rows)", "torch.save(rows, 'a')"])
def test_what_other_code_is_given_may_have_a_graph(given: str) -> None:
    """The helper and this call stay; the other call, which hands over nothing that was computed, is done for itself."""
    text = lifting(given)
    call = "        scores = model(lifted(o, quiet=True))\n"
    assert text.count(call) == 1
    result = migrated(text)
    assert result.outputs["a.py"].decode() == text.replace(
        call, "        with torch.no_grad():\n            scores = model(lifted(o))\n")
    assert [site.reason for site in result.sites] == ["not-provable", "not-provable", None]


def test_a_function_of_the_projects_own_under_that_name_stays_out_of_the_block() -> None:
    after = migrated(lifting("from_numpy(rows)")).outputs["a.py"].decode()
    assert "y = torch.no_grad()(model)(lifted(rows[None, :]))" in after
    assert "with" not in after


TURNED = """
def _turned(x, opt):
    x = x.view(x.size(0), x.size(1), -1)
    order = {order}
    return x[:, order.long(), :]

def judge(net, opt, data):
    x = Variable(data, volatile=True)
    {last}

def train(net, opt, data):
    net(_turned(Variable(data), opt)).sum().backward()
"""


@pytest.mark.parametrize("order", [
    "getattr(torch.arange(x.size(1) - 1, -1, -1), ('cpu', 'cuda')[x.is_cuda])()",
    "getattr(torch.arange(x.size(1) - 1, -1, -1), 'cuda' if x.is_cuda else 'cpu')()",
    "getattr(torch.arange(x.size(1) - 1, -1, -1), 'type')('torch.LongTensor')",
])
def test_a_method_of_plain_data_that_is_asked_for_by_its_name_is_that_method(order):
    seen = TURNED.replace("{order}", order)
    becomes(seen.replace("{last}", "return net(_turned(x, opt)).data"),
            seen.replace(", volatile=True", "").replace(
                "{last}", "with torch.no_grad():\n        return net(_turned(x, opt)).data"))


@pytest.mark.parametrize("order", [
    "getattr(torch.arange(x.size(1) - 1, -1, -1), opt.how)()",  # nobody knows which
    "getattr(opt, ('first', 'last')[x.is_cuda])()",  # nobody knows of what
    "getattr(torch.arange(3), 'long', opt.rows)()",
])
def test_a_function_that_a_name_may_find_anywhere_may_need_a_graph(order):
    seen = TURNED.replace("{order}", order)
    becomes(seen.replace("{last}", "return net(_turned(x, opt)).data"),
            seen.replace(", volatile=True", "").replace("{last}", "return torch.no_grad()(net)(_turned(x, opt)).data"))
