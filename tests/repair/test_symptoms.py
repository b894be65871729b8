"""Every symptom: raised by real torch (or Python, or NumPy), repaired, and then it runs."""

from __future__ import annotations

import pytest

from repair.support import repaired
from repair.surroundings import CASES as SURROUNDINGS
from voltfix.repair.registry import SYMPTOMS

pytest.importorskip("torch")
np = pytest.importorskip("numpy")

T = "import torch\nimport torch.nn as nn\nimport torch.nn.functional as F\nimport numpy as np\n"

# symptom, program, what stands in it afterwards
CASES = [
    ("index-of-0-dim", "loss = torch.ones(3).sum()\nprint(loss.data[0])", "loss.item()"),
    ("index-of-0-dim", "loss = torch.ones(3).sum()\nprint(loss.cpu().numpy()[0])", "loss.item()"),
    ("index-of-0-dim", "w = torch.ones(3, requires_grad=True)\nloss = w.sum()\nloss[0].backward()", "loss.backward()"),
    ("index-of-0-dim", "loss = torch.ones(3).sum().item()\nprint(loss[0])", "print(loss)"),
    ("index-of-0-dim", "value = np.ones(3).sum()\nprint(value[0])", "print("),
    ("index-of-0-dim", "total = torch.ones(3).sum()\ntotal[0] = 2", "total.view(1)[0] = 2"),
    ("iteration-over-0-dim", "loss = torch.ones(3).sum()\nfor part in loss:\n    print(part)", "loss.view(1)"),
    ("iteration-over-0-dim", "loss = torch.ones(3).sum()\nvalue, = loss", "loss.view(1)"),
    ("iteration-over-0-dim", "loss = torch.ones(3).sum()\nprint([float(x) for x in loss])", "loss.view(1)"),
    ("iteration-over-0-dim", "loss = torch.ones(3).sum()\nprint(list(loss))", "list(loss.view(1))"),
    ("length-of-0-dim", "loss = torch.ones(3).sum()\nprint(len(loss))", "len(loss.view(1))"),
    ("cat-of-0-dim", "parts = [torch.ones(3).sum() for _ in range(2)]\nprint(torch.cat(parts))", "torch.stack(parts)"),
    ("cat-of-0-dim", "a = torch.ones(3).sum()\nprint(torch.cat([a, torch.ones(2)]))", "a.view(1)"),
    ("dimension-of-0-dim", "t = torch.tensor([2, 1])\nprint(F.cross_entropy(torch.ones(1, 3), t[0]))", "t[0].view(1)"),
    ("dimension-of-0-dim", "a = torch.ones(3).sum()\nprint(a.size(0))", "a.view(1).size(0)"),
    ("dimension-of-0-dim", "a = torch.ones(3).sum()\nprint(a.unsqueeze(1))", "a.view(1).unsqueeze(1)"),
    ("dimension-of-0-dim", "a = torch.ones(1).squeeze()\nprint(torch.dot(a, torch.ones(1)))", "a.view(1)"),
    ("one-element-at-times",
     "def first(x):\n    return x.size(0)\nprint(first(torch.ones(3).sum()), first(torch.ones(2)))",
     "torch.atleast_1d(x).size(0)"),
    ("tensor-as-key", "words = {2: 'two'}\nbest = torch.tensor([1, 2])\nprint(words[best[1]])", "best[1].item()"),
    ("tensor-as-key",
     "names = {0: 'a', 1: 'b'}\nbest = [0] + [torch.tensor([1, 1])[0]]\nprint([names[w] for w in best])",
     "names[int(w)]"),
    ("key-that-is-a-tensor",
     "seen = {}\nfor v in torch.LongTensor([1, 1]):\n    seen[v] = seen.get(v, 0) + 1\nassert seen == {1: 2}",
     "seen[v.item()]"),
    ("tensor-in-format", "print('{:.2f}'.format(torch.ones(1)))", "torch.ones(1).item()"),
    ("tensor-in-format", "x = torch.ones(1)\nprint(f'{x:.2f}')", "x.item()"),
    ("tensor-in-json",
     "import json\nprint(json.dumps({'loss': torch.ones(3).sum()}))",
     "default=lambda value: value.tolist()"),
    ("one-into-0-dim", "total = torch.ones(3).sum()\ntotal += torch.ones(1)", "torch.ones(1).view_as(total)"),
    ("shape-of-a-gradient", "one = torch.ones(1)\nloss = torch.ones(3, requires_grad=True).sum()\nloss.backward(one)",
     "loss.backward(one.view_as(loss))"),
    ("gradient-that-is-none", """net = nn.Linear(2, 1)
for step in range(2):
    net.zero_grad()
    if step:
        print(net.weight.grad.data.sum())
    net(torch.ones(1, 2)).sum().backward()
""", "zero_grad(set_to_none=False)"),
    ("saved-tensor-overwritten", """
def forward(x):
    y = torch.sigmoid(x)
    y += 1
    return y
forward(torch.ones(2, requires_grad=True)).sum().backward()
""", "y = y + 1"),
    ("saved-tensor-overwritten", """
def forward(x):
    y = torch.sigmoid(x)
    y.mul_(2)
    return y
forward(torch.ones(2, requires_grad=True)).sum().backward()
""", "y = y.mul(2)"),
    ("step-before-a-backward", """
def train():
    critic, actor = nn.Sequential(nn.Linear(2, 2), nn.Linear(2, 1)), nn.Linear(2, 2)
    optimizer = torch.optim.SGD(critic.parameters(), lr=0.1)
    action = actor(torch.ones(1, 2))
    loss = critic(action).sum()
    optimizer.zero_grad()
    loss.backward(retain_graph=True)
    optimizer.step()
    (-loss).backward()
train()
""", "_unsafe_preserve_version_counter("),
    ("parameter-written-in-place", "net = nn.Embedding(3, 2)\nnet.weight[0] = 0", "net.weight.data[0] = 0"),
    ("array-of-what-has-a-graph", "x = torch.ones(2, requires_grad=True) * 2\nprint(x.numpy())", "x.detach().numpy()"),
    ("array-of-what-has-a-graph",
     "x = torch.ones(2, requires_grad=True) * 2\nprint(np.array(x))",
     "np.array(x.detach())"),
    ("old-style-function", """
class Scale(torch.autograd.Function):
    def __init__(self, factor):
        super(Scale, self).__init__()
        self.factor = factor
    def forward(self, x):
        return x * self.factor
    def backward(self, grad):
        return grad * self.factor
x = torch.ones(2, requires_grad=True)
Scale(3)(x).sum().backward()
assert x.grad.tolist() == [3, 3]
""", "Scale.apply(x, 3)"),
    ("old-style-function", """
class Cut(torch.autograd.Function):
    def forward(self, x):
        self.save_for_backward(x)
        return x.clamp(min=0)
    def backward(self, grad):
        x, = self.saved_tensors
        return grad * (x > 0).float()
x = torch.ones(2, requires_grad=True)
Cut()(x).sum().backward()
assert x.grad.tolist() == [1, 1]
""", "Cut.apply(x)"),
    ("loss-of-another-shape",
     "out = torch.ones(3, 1)\nprint(F.binary_cross_entropy(out, torch.ones(3)))",
     ".view_as(out)"),
    ("loss-of-another-shape", "out = torch.ones(3, 1)\nprint(F.mse_loss(out, torch.ones(3)))", ".view_as(out)"),
    ("written-in-another-shape",
     "n = torch.ones(4, 3).norm(2, 1)\nprint(n.expand_as(torch.ones(4, 3)))",
     "n.unsqueeze(1)"),
    ("written-in-another-shape", "x = torch.zeros(2, 3)\ny = torch.ones(3, 1)\nx[0] = y", "x[0] = y.view_as(x[0])"),
    ("view-of-several-pieces", "print(torch.ones(2, 3).t().view(-1))", "reshape(-1)"),
    ("whole-object-in-a-file", """import io
file = io.BytesIO()
torch.save(nn.Linear(1, 1), file)
file.seek(0)
torch.load(file)
""", "weights_only=False"),
    ("name-of-torch", "x = torch.ones(2, requires_grad=True) * 2\nprint(x.creator)", "x.grad_fn"),
    ("name-of-torch", "total = 3.5\nprint(total.item())", "print(total)"),
    ("argument-of-torch", """opt = torch.optim.SGD(nn.Linear(1, 1).parameters(), lr=0.1)
torch.optim.lr_scheduler.ReduceLROnPlateau(opt, verbose=True)
""", "ReduceLROnPlateau(opt)"),
    ("argument-of-another-name", "print(torch.normal(means=torch.zeros(2), std=0.5))", "mean=torch.zeros(2)"),
    ("sampler-of-a-source", """
class Every(torch.utils.data.sampler.Sampler):
    def __init__(self, source):
        super(Every, self).__init__(source)
        self.source = source
    def __iter__(self):
        return iter(range(2))
list(Every([1, 2]))
""", "super(Every, self).__init__()"),
    ("tensor-of-a-number", "loss = torch.ones(3).sum().item()\nprint(torch.Tensor(loss))", "torch.Tensor([loss])"),
    ("numbers-among-tensors", "losses = [1.0, 2.0]\nprint(torch.stack(losses))", "torch.tensor(losses)"),
    ("softmax-without-dim",
     "def soft(net, x):\n    return net(x)\nsoft(F.softmax, torch.ones(2, 2))\nF.softmax(torch.ones(2, 2))",
     "dim=1"),
    ("mask-of-bytes", "m = torch.ones(2).byte()\nprint(torch.ones(2).masked_select(m))", "masked_select(m.bool())"),
    ("mask-of-bytes", "m = torch.ones(2).byte()\nprint(torch.ones(2)[m])", "[m.bool()]"),
    ("arithmetic-of-masks", "m = torch.ones(2) > 0\nprint(1 - m)", "~m"),
    ("arithmetic-of-masks", "m = torch.ones(2) > 0\nprint(m - 1)", "m.byte() - 1"),
    ("fractions-of-whole-numbers", "x = torch.arange(4)\nprint(x.mean())", "x.float().mean()"),
    ("fractions-of-whole-numbers", "x = torch.ones(2) > 0\nprint(x.mean())", "x.float().mean()"),
    ("mixed-types", "i = torch.arange(0, 3)\nprint(torch.dot(i, torch.ones(3)))", "i.float()"),
    ("mixed-types", "x = torch.from_numpy(np.ones((2, 2)))\nprint(nn.Linear(2, 2)(x))", "x.float()"),
    ("written-to-whole-numbers", "x = torch.ones(2).long() * 3\nx /= 2\nassert x.tolist() == [1, 1]", "x //= 2"),
    ("written-to-whole-numbers", "x = torch.ones(2).long()\nx += torch.ones(2)", "torch.ones(2).type_as(x)"),
    ("gradients-of-whole-numbers", "i = torch.ones(2).long()\nprint(nn.Parameter(i))", "requires_grad=False"),
    ("gradients-of-whole-numbers",
     "n = torch.tensor([1, 4]).max()\nassert nn.Parameter(torch.Tensor(n)).size(0) == 4",
     "n.item()"),
    ("type-of-a-target", "t = torch.ones(2)\nprint(F.cross_entropy(torch.ones(2, 3), t))", "t.long()"),
    ("type-of-a-target", "i = torch.ones(2)\nprint(torch.ones(3)[i])", "i.long()"),
    ("name-of-a-library", "print(np.ones(2).astype(np.float))", "astype(float)"),
    ("name-of-a-library", "print(np.product([1, 2]))", "np.prod"),
    ("name-of-a-library", "print(np.asscalar(np.ones(1)))", "np.ones(1).item()"),
    ("module-of-a-library", "from sklearn.cross_validation import train_test_split", "sklearn.model_selection"),
    ("import-of-a-library",
     "from collections import Mapping\nfrom itertools import izip\nlist(izip([1]))",
     "izip = zip"),
    ("ragged-array", "rows = [[1], [1, 2]]\nprint(np.array(rows))", "dtype=object"),
    ("sum-of-a-generator", "print(np.sum(x for x in [1, 2]))", "sum(x for x in [1, 2])"),
    ("file-of-then", """import io
file = io.BytesIO()
np.save(file, np.array([None, 1]))
file.seek(0)
np.load(file)
""", "allow_pickle=True"),
    ("yaml-without-loader", "import yaml\nprint(yaml.load('a: 1'))", "Loader=yaml.FullLoader"),
    ("bytes-as-text",
     "import os\nwith open(os.devnull, 'wb') as file:\n    file.write('text')",
     'open(os.devnull, "w")'),
    ("bytes-as-text",
     "import os, pickle\nwith open(os.devnull, 'w') as file:\n    pickle.dump(1, file)",
     'open(os.devnull, "wb")'),
    ("array-that-runs-backwards", "x = np.ones(3)[::-1]\nprint(torch.from_numpy(x))", "x.copy()"),
    ("step-of-five", """
class Env:
    def step(self, action):
        return 0, 1.0, False, True, {}
state, reward, done, info = Env().step(0)
assert done
""", "done = done or truncated"),
    ("built-in-of-python-2", "for i in xrange(2):\n    print(i)\nprint(unicode(1))", "range(2)"),
    ("built-in-of-python-2", "print(reduce(lambda a, b: a + b, [1, 2]))", "functools.reduce"),
    ("module-of-python-2", "import cPickle\nprint(cPickle.dumps(1))", "import pickle as cPickle"),
    ("name-of-python-2", "for k, v in {1: 2}.iteritems():\n    print(k)", ".items()"),
    ("name-of-python-2", "d = {1: 2}\nprint(d.has_key(1))", "(1 in d)"),
    ("name-of-python-2", "def first(batches):\n    return batches.next()\nfirst(iter([1]))", "next(batches)"),
    ("name-of-python-2", "def first(pairs):\n    return pairs.next()\nprint(first(zip([1], [2])))", "next(pairs)"),
    ("list-of-python-2", "print(map(int, ['1'])[0])", "list(map(int, ['1']))[0]"),
    ("list-of-python-2", "keys = {1: 2}.keys()\nkeys.sort()", "keys = list({1: 2}.keys())"),
    ("list-of-python-2", "order = range(3)\nimport random\nrandom.shuffle(order)", "order = list(range(3))"),
    ("fraction-for-a-whole-number", "n = 4\nfor i in range(n / 2):\n    print(i)", "n // 2"),
    ("fraction-for-a-whole-number", "half = 4 / 2\nprint([1, 2, 3][half])", "half = 4 // 2"),
    ("fraction-for-a-whole-number", "k = 4\nprint(nn.Linear(k / 2, 1))", "k // 2"),
    ("integer-division", "i = torch.tensor([5, 7])\nrow = i / 2\nprint(row)", "i // 2"),
]  # fmt: skip


CASES += SURROUNDINGS


@pytest.mark.parametrize(("name", "program", "after"), CASES, ids=[f"{c[0]}-{n}" for n, c in enumerate(CASES)])
def test_is_raised_repaired_and_runs(name, program, after, tmp_path, monkeypatch):
    for module in ("sklearn", "yaml", "scipy", "PIL", "h5py", "matplotlib", "attr"):
        if f"import {module}" in program or f"from {module}" in program:
            pytest.importorskip(module)
    monkeypatch.chdir(tmp_path)
    story, text = repaired(tmp_path, monkeypatch, T + program)
    assert story.ending == "runs", (story.stop and story.stop.head, text)
    assert after in text
    assert any(step.kept for step in story.steps)


def test_every_symptom_is_raised_by_some_program():
    assert {symptom.name for symptom in SYMPTOMS} == {name for name, _, _ in CASES}


def test_every_symptom_is_on_the_page():
    from pathlib import Path

    from voltfix.repair.rules import table

    assert table() in Path(__file__).parents[2].joinpath("docs", "modernize.md").read_text()
