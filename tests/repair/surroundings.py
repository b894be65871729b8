"""Symptoms of Python, of libraries, and of torch's own names: a program, and what stands in it afterwards."""

from __future__ import annotations

CASES = [
    # --- text and numbers ---------------------------------------------------------------------------------
    ("text-of-an-element",
     "words = {'4': 'a'}\nfor word in torch.LongTensor([4, 4]):\n    print(words[str(word)])",
     "str(word.item())"),
    ("text-of-an-element",
     "x = torch.randperm(3)\nline = ' '.join(map(str, x))\nprint([int(word) for word in line.split()])",
     "map(str, x.tolist())"),
    ("number-in-an-array", "x = np.array([2.0])\nprint(float(x))", "float(x.item())"),
    ("number-in-an-array", "x = np.zeros(2)\nx[0] = np.array([2.0])", "np.array([2.0]).item()"),
    ("number-that-is-rounded", "print(round(torch.ones(3).sum(), 2))", ".sum().item(), 2)"),
    ("number-for-a-list", "for value in torch.ones(1).squeeze().tolist():\n    print(value)", ".view(-1).tolist()"),
    ("number-for-a-list", "rows = []\nrows.extend(torch.ones(1).squeeze().numpy())", ".view(-1).numpy()"),
    ("key-that-is-a-tensor", "assert len(set(torch.LongTensor([1, 1, 2]))) == 2", ".tolist()"),
    ("whole-number-of-another-type", "print(np.arange(10)[np.floor(5.5)])", "int(np.floor(5.5))"),
    ("fraction-for-a-whole-number", """
def build(hidden):
    return nn.Linear(hidden, 2)
build(8 / 2)
""", "build(8 // 2)"),
    ("fraction-for-a-whole-number", """
class Few(object):
    def __len__(self):
        return 9 / 2
assert len(Few()) == 4
""", "9 // 2"),
    ("fraction-for-a-whole-number", "print(torch.ones(4, 4).narrow(0, 4 / 4, 4 / 2))", "4 // 4, 4 // 2"),
    ("fraction-in-a-convolution", """
class Same(nn.Module):
    def __init__(self, size):
        super(Same, self).__init__()
        self.pad = (size - 1) / 2
        self.conv = nn.Conv1d(1, 1, size, padding=self.pad)
    def forward(self, x):
        return self.conv(x)
Same(3)(torch.ones(1, 1, 4))
""", "(size - 1) // 2"),
    ("written-to-whole-numbers",
     "mask = torch.ones(3).byte()\nmask[torch.LongTensor([0])] = torch.ones(1) > 2\nassert mask.tolist() == [0, 1, 1]",
     "(torch.ones(1) > 2).type_as(mask)"),
    ("written-to-whole-numbers",
     "n = torch.LongTensor([5])\nn.div_(2)\nassert n.tolist() == [2]",
     "n.floor_divide_(2)"),
    ("one-into-0-dim",
     "total = torch.zeros(4)\ntotal += torch.ones(4, 1)\nassert total.tolist() == [1] * 4",
     "torch.ones(4, 1).view_as(total)"),
    ("softmax-without-dim", """
class Net(nn.Module):
    def __init__(self):
        super(Net, self).__init__()
        self.soft = nn.Softmax()
    def forward(self, x):
        return self.soft(x)
Net().forward(torch.ones(2, 2))
""", "self.soft = nn.Softmax(dim=1)"),
    ("index-of-0-dim",
     "word = torch.LongTensor([7]).squeeze()\nprint(word[torch.LongTensor([0])])",
     "word.view(-1)[torch.LongTensor([0])]"),
    ("mask-of-another-shape",
     "x, m = torch.ones(4), torch.ones(4, 1) > 2\nx[m] = 2\nassert x.tolist() == [1] * 4",
     "x[m.view_as(x)] = 2"),
    ("corners-apart",
     "x = torch.rand(1, 1, 2, 2)\nprint(F.interpolate(x, scale_factor=2, mode='bilinear'))",
     "mode='bilinear', align_corners=True)"),
    ("corners-apart",
     "grid = F.affine_grid(torch.eye(3)[:2].unsqueeze(0), torch.Size([1, 1, 2, 2]), align_corners=True)\n"
     "print(F.grid_sample(torch.ones(1, 1, 2, 2), grid))",
     "grid, align_corners=True)"),
    # --- shapes, types, gradients -------------------------------------------------------------------------
    ("tensor-for-a-sequence", "h = torch.ones(2, 3, 4)\nassert torch.cat(h, 1).size(1) == 8", "torch.cat(tuple(h), 1)"),
    ("shapes-that-were-paired", "a, b = torch.ones(2, 3), torch.ones(6)\nprint(a + b)", "a + b.view_as(a)"),
    ("array-that-is-none", "print(torch.from_numpy(np.ones(3).sum()))", "torch.tensor(np.ones(3).sum())"),
    ("target-in-a-column", "t = torch.zeros(2, 1).long()\nF.nll_loss(torch.ones(2, 3), t)", "t.view(-1)"),
    ("type-of-a-target", "i = torch.zeros(2, 1)\nprint(torch.rand(2, 3).gather(1, i))", "i.long()"),
    ("written-to-whole-numbers",
     "t = torch.ones(2).long()\nprint(F.binary_cross_entropy_with_logits(torch.ones(2), t))",
     "t.float()"),
    ("shape-of-listed-gradients",
     "w = torch.ones(2, requires_grad=True)\ntorch.autograd.backward([w.sum()], [torch.ones(1)])",
     "torch.ones(1).view(w.sum().size())"),
    ("graph-that-is-freed", """
w = torch.ones(2, requires_grad=True)
y = torch.exp(w)
y.sum().backward()
(y * y).sum().backward()
""", "y.sum().backward(retain_graph=True)"),
    ("variables-retained",
     "w = torch.ones(2, requires_grad=True)\nw.sum().backward(retain_variables=True)",
     "retain_graph"),
    ("part-of-a-saved-tensor",
     "w = torch.ones(2, requires_grad=True)\nh = torch.exp(w)\nh[0] = 0\nh.sum().backward()\nassert w.grad[0] == 0",
     "h = h.clone()"),
    # --- names of torch -----------------------------------------------------------------------------------
    ("help-with-python-2",
     "from torch._six import string_classes as s, container_abcs\nprint(isinstance('a', s), container_abcs.Sized)",
     "s = (str, bytes)"),
    ("help-with-python-2", "import torch._six\nprint(isinstance(1, torch._six.int_classes))", "isinstance(1, int)"),
    ("name-aside", "from torch.nn.backends.thnn import backend as thnn", "import numpy as np\n"),
    ("name-aside", "from torch._utils import _accumulate\nprint(list(_accumulate([1, 2])))", "itertools.accumulate"),
    ("linear-algebra", "u = torch.potrf(torch.eye(2))\nprint(u)", "torch.linalg.cholesky(torch.eye(2), upper=True)"),
    ("linear-algebra",
     "x, _ = torch.gels(torch.ones(3, 1), torch.ones(3, 1))\nassert abs(x[0, 0] - 1) < 1e-5",
     "linalg.lstsq"),
    ("linear-algebra", "e, v = torch.symeig(torch.eye(2), eigenvectors=True)\nassert v.size(0) == 2", "UPLO='U'"),
    ("sample-without-a-number", "print(torch.ones(2, 3).multinomial())", ".multinomial(1)"),
    ("name-with-dots",
     "net = nn.Sequential()\nnet.add_module('norm.1', nn.Linear(2, 2))\nnet.add_module('relu.%d' % 2, nn.ReLU())",
     "'norm_1'"),
    ("name-that-is-taken", """
class Net(nn.Module):
    def __init__(self):
        super(Net, self).__init__()
        self.mask = torch.ones(1)
        self.register_buffer('mask', torch.ones(1))
Net()
""", "        self.register_buffer('mask'"),
    ("tensor-for-a-parameter", "net = nn.Linear(2, 2)\nnet.weight = torch.zeros(2, 2)", "torch.nn.Parameter("),
    ("tensor-for-a-parameter",
     "net = nn.Linear(2, 2)\nnet.weight.data = np.zeros((2, 2))",
     "torch.from_numpy(np.zeros((2, 2)))"),
    ("padding-without-a-mode", """
from torch.nn.modules.conv import _ConvNd
class Conv(_ConvNd):
    def __init__(self):
        super(Conv, self).__init__(1, 1, (3,), (1,), (0,), (1,), False, (0,), 1, True)
Conv()
""", 'True, padding_mode="zeros")'),
    # --- Python -------------------------------------------------------------------------------------------
    ("list-of-python-2", """
class Batches(object):
    def __init__(self):
        self.pairs = zip([1, 2], [3, 4])
    def get(self):
        return [self.pairs[i] for i in (0, 1)]
batches = Batches()
assert batches.get() == batches.get() == [(1, 3), (2, 4)]
""", "self.pairs = list(zip([1, 2], [3, 4]))"),
    ("list-of-python-2", "x = np.array(map(float, [1, 2]))\nprint(x[0])", "np.array(list(map(float, [1, 2])))"),
    ("list-of-python-2", "print(np.concatenate(x for x in [np.ones(1)]))", "np.concatenate(list("),
    ("list-of-python-2", "assert len(range(3) + range(2)) == 5", "list(range(3))"),
    ("sample-of-a-set", "import random\nprint(random.sample(set([1, 2, 3]), 2))", "list(set([1, 2, 3]))"),
    ("dictionary-that-changes", "d = {1: 1, 2: 2}\nfor k in d.keys():\n    del d[k]", "list(d.keys())"),
    ("iterator-of-python-2", """
class Once(object):
    done = False
    def __iter__(self):
        return self
    def next(self):
        if self.done:
            raise StopIteration
        self.done = True
        return 1
assert list(Once()) == [1]
""", "__next__ = next"),
    ("generator-that-stops", """
def first(n):
    for i in range(9):
        if i >= n:
            raise StopIteration
        yield i
assert list(first(2)) == [0, 1]
""", "            return\n"),
    ("generator-that-stops", """
def every(source):
    source = iter(source)
    while True:
        item = next(source)
        yield item
assert list(every([1, 2])) == [1, 2]
""", "except StopIteration:\n            return"),
    ("sort-by-a-comparison",
     "x = [1, 3, 2]\nx.sort(lambda a, b: b - a)\nassert x == [3, 2, 1]",
     "key=functools.cmp_to_key(lambda a, b: b - a)"),
    ("comparison-that-is-gone", "a, b = 1, 2\nassert cmp(a, b) == -1", "((a > b) - (a < b))"),
    ("none-in-a-comparison",
     "best = None\nif 1.0 > best:\n    best = 1.0\nassert best",
     "(best is None or 1.0 > best)"),
    ("import-of-python-2", "from urllib import quote, urlopen\nprint(quote('a b'))", "from urllib.parse import quote"),
    ("name-of-python-2", "import sys\nsys.setdefaultencoding('utf8')\nprint(1)", "import sys\nprint(1)"),
    ("name-of-python-2", "import urllib\nprint(urllib.urlencode({'a': 1}))", "urllib.parse.urlencode"),
    ("name-of-python-2", "import types\nassert isinstance('a', types.StringType)", "isinstance('a', str)"),
    ("name-of-python-2", "try:\n    raise ValueError('a')\nexcept ValueError as e:\n    print(e.message)", "str(e)"),
    ("text-that-is-decoded", "print(str('abc', 'utf-8'))", "print('abc')"),
    ("bytes-taken-apart", "line = b'a b'\nprint(line.split(' '))", "line.decode().split(' ')"),
    ("text-for-bytes", "import hashlib\nprint(hashlib.md5('abc').hexdigest())", ".encode())"),
    ("mode-that-is-gone", "import os\nopen(os.devnull, 'rU').close()", 'open(os.devnull, "r")'),
    ("bytes-as-text",
     "import csv\nopen('rows.csv', 'w').write('a')\nwith open('rows.csv', 'rb') as f:\n    print(list(csv.reader(f)))",
     "open('rows.csv', \"r\")"),
    # --- libraries ----------------------------------------------------------------------------------------
    ("array-of-bytes", "print(np.fromstring(b'ab', dtype=np.uint8))", "np.frombuffer(b'ab', dtype=np.uint8).copy()"),
    ("name-of-a-library", "print(len(np.ones(2).tostring()))", ".tobytes()"),
    ("name-of-a-library", "x = np.arange(3)\nprint(x.ptp())", "numpy.ptp(x)"),
    ("name-of-a-library", "print(np.mat([[1, 2]]))", "np.asmatrix"),
    ("name-of-a-library", "import scipy.misc\nprint(scipy.misc.logsumexp([1, 2]))", "scipy.special.logsumexp"),
    ("name-of-a-library", """
import scipy.misc
from PIL import Image
Image.fromarray(np.zeros((4, 6, 3), 'uint8')).save('a.png')
x = scipy.misc.imread('a.png')
assert x.shape == (4, 6, 3)
assert scipy.misc.imresize(x, (2, 3)).shape == (2, 3, 3)
assert scipy.misc.imresize(x, 0.5).shape == (2, 3, 3)
scipy.misc.imsave('b.png', x[:, :, 0] / 2.0)
""", "numpy.array(PIL.Image.open('a.png'))"),
    ("import-of-a-library", "from scipy.misc import imresize, comb\nassert comb(4, 2) == 6\n"
     "assert imresize(np.zeros((4, 4), 'uint8'), 50).shape == (2, 2)", "from scipy.special import comb"),
    ("argument-of-a-library", """
import attr
@attr.s
class Options(object):
    few = attr.ib(default=1, convert=int)
    many = attr.ib(default=1, convert=int)
assert Options('3', '4').many == 4
""", "many = attr.ib(default=1, converter=int)"),
    ("argument-of-a-library", "import json\nprint(json.loads('[1]', encoding='utf-8'))", "json.loads('[1]')"),
    ("style-of-a-library",
     "import matplotlib.style\nmatplotlib.style.use('seaborn-whitegrid')",
     "'seaborn-v0_8-whitegrid'"),
    ("file-that-was-made",
     "import h5py\nfile = h5py.File('new.h5')\nfile['a'] = np.ones(2)",
     "h5py.File('new.h5', \"a\")"),
    ("name-of-a-library",
     "import h5py\nfile = h5py.File('old.h5', 'w')\nfile['a'] = np.ones(2)\nprint(file['a'].value)",
     "file['a'][()]"),
]  # fmt: skip
