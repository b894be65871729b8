"""VF204 to VF210: what each rewrites, refuses and leaves alone. Lookalikes of other libraries:
test_lookalikes."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import pytest

from modernize.support import becomes, refuses, stays
from voltfix import core
from voltfix.model import DeleteStatement, Options, Span
from voltfix.modernize import registry
from voltfix.modernize.finding import Finding
from voltfix.modernize.scene import Scene

TORCH = "import torch\nimport torch.nn as nn\nimport torch.nn.functional as F\n"


@pytest.mark.parametrize(
    ("code", "line", "expected"),
    [
        ("VF204", "y = x.masked_select(m)", "y = x.masked_select(m.bool())"),
        ("VF204", "y = x.masked_fill_(m.byte(), 0)", "y = x.masked_fill_(m.bool(), 0)"),
        ("VF204", "y = torch.masked_select(x, m)", "y = torch.masked_select(x, m.bool())"),
        ("VF204", "y = x.masked_fill(mask=1 - m, value=0)",
         "y = x.masked_fill(mask=(1 - m).bool(), value=0)"),
        ("VF204", "b = torch.ByteTensor([1, 0])\nx[b] = 0", "b = torch.ByteTensor([1, 0])\nx[b.bool()] = 0"),
        ("VF204", "y = 1 - x.eq(0)", "y = ~x.eq(0)"),
        ("VF204", "y = (1 - (x.cuda() > 0)).float()", "y = (~(x.cuda() > 0)).float()"),
        ("VF204", "y = x.eq(0) - x.eq(1)", "y = x.eq(0).byte() - x.eq(1).byte()"),
        ("VF204", "y = (x.cuda() > 0) - 1", "y = (x.cuda() > 0).byte() - 1"),
        ("VF204", "y = (x.eq(0) + x.eq(1) + x.eq(2)) == 2",
         "y = (x.eq(0).byte() + x.eq(1).byte() + x.eq(2).byte()) == 2"),
        ("VF204", "y = x.eq(0) + x.eq(1)\nn = y.sum()", "y = x.eq(0).byte() + x.eq(1).byte()\nn = y.sum()"),
        ("VF204", "z = x.cuda()\nz[:, m.byte()] = 0", "z = x.cuda()\nz[:, m.bool()] = 0"),
        ("VF205", "y = F.mse_loss(a, b, size_average=False)", "y = F.mse_loss(a, b, reduction='sum')"),
        ("VF205", "c = nn.NLLLoss(w, size_average=True)", "c = nn.NLLLoss(w, reduction='mean')"),
        ("VF205", "c = nn.MSELoss(reduce=False)", "c = nn.MSELoss(reduction='none')"),
        ("VF205", "c = nn.L1Loss(size_average=flag)", "c = nn.L1Loss(reduction='mean' if flag else 'sum')"),
        ("VF205", "c = nn.L1Loss(size_average=False, reduce=True)", "c = nn.L1Loss(reduction='sum')"),
        ("VF205", "c = nn.L1Loss(reduce=False, size_average=s)", "c = nn.L1Loss(reduction='none')"),
        ("VF205", "c = nn.MSELoss()\nc.size_average = False", "c = nn.MSELoss()\nc.reduction = 'sum'"),
        ("VF205", "c = nn.MSELoss()\nc.size_average = s", "c = nn.MSELoss()\nc.reduction = 'mean' if s else 'sum'"),
        ("VF205", "c = nn.MSELoss()\nc.reduce = False", "c = nn.MSELoss()\nc.reduction = 'none'"),
        ("VF206", "init = nn.init.xavier_normal", "init = nn.init.xavier_normal_"),
        ("VF206", "from torch.nn.init import normal, eye as e\nnormal(w)",
         "from torch.nn.init import normal_, eye_ as e\nnormal_(w)"),
        ("VF206", "torch.addmm(1, m, 2, a, b)", "torch.addmm(m, a, b, beta=1, alpha=2)"),
        ("VF206", "torch.addmv(1, m, a, b, out=o)", "torch.addmv(m, a, b, beta=1, out=o)"),
        ("VF206", "m.cuda().addmm_(2, 3, a, b)", "m.cuda().addmm_(a, b, beta=2, alpha=3)"),
        ("VF206", "m.cuda().baddbmm(2, a, b)", "m.cuda().baddbmm(a, b, beta=2)"),
        ("VF206", "x = torch.gesv(b, a)[0]", "x = torch.linalg.solve(a, b)"),
        ("VF206", "x, _ = torch.gesv(b, a)", "x = torch.linalg.solve(a, b)"),
        ("VF206", "e, v = torch.symeig(a, eigenvectors=True)", "e, v = torch.linalg.eigh(a, UPLO='U')"),
        ("VF206", "e = a.symeig()[0]", "e = torch.linalg.eigvalsh(a, UPLO='U')"),
        ("VF206", "u = torch.potrf(a)", "u = torch.linalg.cholesky(a, upper=True)"),
        ("VF206", "u = torch.potrf(a, upper=False)", "u = torch.linalg.cholesky(a)"),
        ("VF206", "x = torch.potrs(b, u)", "x = torch.cholesky_solve(b, u, upper=True)"),
        ("VF206", "x = torch.trtrs(b, a, upper=False)[0]", "x = torch.linalg.solve_triangular(a, b, upper=False)"),
        ("VF206", "lu, p = torch.btrifact(a)", "lu, p = torch.linalg.lu_factor(a)"),
        ("VF206", "e = nn.Embedding(3, 2)\ny = e._backend.Embedding.apply(x, w, p, m, 2, g, s)",
         "e = nn.Embedding(3, 2)\ny = torch.nn.functional.embedding(x, w, p if p >= 0 else None, m, 2, g, s)"),
        ("VF206", "x = torch.potri(u)", "x = torch.cholesky_inverse(u, upper=True)"),
        ("VF206", "class E(nn.Embedding): pass\ne = E(3, 2)\ny = e._backend.Embedding.apply(x, w, p, m, 2, g, s)",
         "class E(nn.Embedding): pass\ne = E(3, 2)\n"
         "y = torch.nn.functional.embedding(x, w, p if p >= 0 else None, m, 2, g, s)"),
        ("VF203", "net = nn.Linear(1, 2)\nnet.cuda(async=True)", "net = nn.Linear(1, 2)\nnet.cuda(non_blocking=True)"),
        ("VF207", "y = torch.abs(x).data.view(-1)[0] + 1", "y = torch.abs(x).detach().view(-1)[0] + 1"),
        ("VF207", "print(torch.abs(x).data)", "print(torch.abs(x).detach())"),
        ("VF207", "y = torch.max(torch.abs(x).data, 1)", "y = torch.max(torch.abs(x).detach(), 1)"),
        ("VF206", "nn.init.xavier_normal(w)", "nn.init.xavier_normal_(w)"),
        ("VF206", "torch.nn.utils.clip_grad_norm(p, 5)", "torch.nn.utils.clip_grad_norm_(p, 5)"),
        ("VF206", "y = F.tanh(F.sigmoid(x))", "y = torch.tanh(torch.sigmoid(x))"),
        ("VF206", "y = F.upsample(x, scale_factor=2)", "y = F.interpolate(x, scale_factor=2)"),
        ("VF206", "y = F.upsample(x, scale_factor=2, mode='bilinear')",
         "y = F.interpolate(x, scale_factor=2, mode='bilinear', align_corners=True)"),
        ("VF206", "u = nn.Upsample(None, 2, 'bilinear')",
         "u = nn.Upsample(None, 2, 'bilinear', align_corners=True)"),
        ("VF206", "y = F.softmax(x.cuda().view(2, 3))", "y = F.softmax(x.cuda().view(2, 3), dim=1)"),
        ("VF206", "y = F.log_softmax(x.cuda().view(-1))", "y = F.log_softmax(x.cuda().view(-1), dim=0)"),
        ("VF206", "y = torch.add(x, 2, z)", "y = torch.add(x, z, alpha=2)"),
        ("VF206", "p.cuda().add_(-lr, g)", "p.cuda().add_(g, alpha=-lr)"),
        ("VF206", "p.cuda().addcdiv_(-s, a, b)", "p.cuda().addcdiv_(a, b, value=-s)"),
        ("VF207", "y = torch.abs(x).data.cpu().numpy()", "y = torch.abs(x).detach().cpu().numpy()"),
        ("VF207", "y = F.relu(x).data.max(1)[1]", "y = F.relu(x).detach().max(1)[1]"),
        ("VF208", "y = F.relu(x).t().eq(z)[:1].view(-1)", "y = F.relu(x).t().eq(z)[:1].reshape(-1)"),
        ("VF208", "y = (x.unsqueeze(0).permute(1, 0, 2) * 2).view(4, -1)",
         "y = (x.unsqueeze(0).permute(1, 0, 2) * 2).reshape(4, -1)"),
        ("VF209", "it = iter(loader)\nbatch = it.next()", "it = iter(loader)\nbatch = next(it)"),
        ("VF209", "import numpy as np\nz = np.zeros(3, dtype=np.float)",
         "import numpy as np\nz = np.zeros(3, dtype=float)"),
        ("VF209", "from collections import Iterable, OrderedDict",
         "from collections import OrderedDict\nfrom collections.abc import Iterable"),
        ("VF209", "import inspect\nn = inspect.getargspec(f).args",
         "import inspect\nn = inspect.getfullargspec(f).args"),
        ("VF210", "net = torch.load(f)\nnet.eval()", "net = torch.load(f, weights_only=False)\nnet.eval()"),
        ("VF210", "net = torch.load(f)\ny = net(x)", "net = torch.load(f, weights_only=False)\ny = net(x)"),
        ("VF210", "net = torch.load(f).eval()", "net = torch.load(f, weights_only=False).eval()"),
        ("VF210", "a, b = torch.load(f, map_location='cpu')",
         "a, b = torch.load(f, map_location='cpu', weights_only=False)"),
    ],
)  # fmt: skip
def test_rewrites(code: str, line: str, expected: str) -> None:
    becomes(f"{TORCH}{line}\n", f"{TORCH}{expected}\n", code)


@pytest.mark.parametrize(
    ("code", "line", "reason"),
    [
        ("VF204", "y = x.eq(0) - x", "arithmetic-on-masks"),
        ("VF204", "y = -x.eq(0)", "arithmetic-on-masks"),
        ("VF204", "m = x.eq(0)\nm -= x.eq(1)", "arithmetic-on-masks"),
        ("VF204", "y = x.eq(0) + x.eq(1)\nkeep(y)", "arithmetic-on-masks"),
        ("VF205", "c = nn.L1Loss(size_average=s, reduce=r)", "unresolved-arguments"),
        ("VF206", "y = F.softmax(x)", "unknown-shape"),
        ("VF206", "y, _ = torch.gels(b, a)", "removed-function"),
        ("VF206", "y, lu = torch.gesv(b, a)\nprint(lu)", "removed-function"),
        ("VF206", "y = b.gels(a)", "removed-function"),
        ("VF206", "s = nn.Softmax()", "unknown-shape"),
        ("VF206", "y = F.interpolate(x, scale_factor=2, mode=mode)", "unresolved-arguments"),
        ("VF205", "c = nn.MSELoss()\nc.reduce = True", "unresolved-arguments"),
    ],
)
def test_refuses(code: str, line: str, reason: str) -> None:
    refuses(f"{TORCH}{line}\n", reason, code)


@pytest.mark.parametrize(
    ("code", "line"),
    [
        ("VF204", "y = x.masked_select(z.eq(0))"),
        ("VF204", "y = x[i]"),
        ("VF204", "y = x[torch.LongTensor([1])]"),
        ("VF204", "y = 1 - x.float()"),
        ("VF204", "y = 1 - x.cuda().byte()"),
        ("VF204", "y = 1 - (n == 2)"),
        ("VF204", "y = x[x.eq(0) + x.eq(1)]"),
        ("VF204", "y = x.masked_fill(x.eq(0) + x.eq(1), 0)"),
        ("VF204", "y = x.eq(0) + x.eq(1) > 0"),
        ("VF204", "y = x.eq(0) * x.eq(1)"),
        ("VF204", "y = x.eq(0) + 1"),
        ("VF204", "y = 1 - (a == b)"),
        ("VF205", "c.size_average = False"),
        ("VF205", "y = F.mse_loss(a, b, reduction='sum')"),
        ("VF205", "y = my_loss(a, b, size_average=False)"),
        ("VF206", "nn.init.xavier_normal_(w)"),
        ("VF206", "y = F.softmax(x, dim=1)"),
        ("VF206", "y = F.interpolate(x, scale_factor=2, mode='nearest')"),
        ("VF206", "y = torch.add(x, z)"),
        ("VF206", "s = set()\ns.add(1)"),
        ("VF206", "m.cuda().addmm_(a, b)"),
        ("VF206", "torch.addmm(m, a, b)"),
        ("VF206", "from torch.nn.init import normal_\nnormal_(w)"),
        ("VF206", "def normal(w): return w\nnormal(w)"),
        ("VF206", "from torch.nn.init import normal\nnormal = normal or print\nnormal(w)"),
        ("VF206", "from torch.nn.init import normal\n__all__ = ['normal']"),
        ("VF206", "y = F.interpolate(x, **options)"),
        ("VF206", "y = F.grid_sample(*given)"),
        ("VF206", "torch.addcmul(torch.zeros(2), a, 2)"),
        ("VF206", "p.cuda().addcmul_(a, b, 2)"),
        ("VF206", "torch.addmm(torch.zeros(2, 2), a, b, 1)"),
        ("VF206", "y = e._backend.Embedding.apply(x, w, p, None, 2, False, False)"),
        ("VF206", "y = a.solve(b)"),
        ("VF206", "s = nn.Softmax(dim=1)"),
        ("VF206", "y = money.add(2, account)"),
        ("VF207", "w.cuda().data.add_(1)"),
        ("VF207", "y = w.cuda().data"),
        ("VF207", "y = w.cuda().data.view(-1)"),
        ("VF207", "y = args.data.max()"),
        ("VF207", "w.cuda().data = z"),
        ("VF207", "w.cuda().data.view(-1)[0] = 1"),
        ("VF208", "y = x.cuda().view(-1)"),
        ("VF208", "y = x.cuda().t().contiguous().view(-1)"),
        ("VF208", "y = x.view(-1)"),
        ("VF209", "batch = it.next()"),
        ("VF209", "it = iter(loader)\nbatch = it.next(1)"),
        ("VF209", "it = loader.batches()\nbatch = it.next()"),
        ("VF209", "import numpy as np\nz = np.float32(1)"),
        ("VF209", "try:\n    from collections import Iterable\nexcept ImportError:\n    Iterable = object"),
        ("VF210", "net.load_state_dict(torch.load(f))"),
        ("VF210", "state = torch.load(f)\nnet.load_state_dict(state['net'])"),
        ("VF210", "net = torch.load(f, weights_only=True)\nnet.eval()"),
        ("VF210", "def f(p):\n    state = torch.load(p)\n    state = make()\n    state.eval()"),
        ("VF210", "torch.load(f).keys()"),
        ("VF211", "x = torch.zeros(2, 2)\nx[key] = torch.zeros(1, 2)"),
    ],
)
def test_leaves_alone(code: str, line: str) -> None:
    stays(f"{TORCH}{line}\n", code)


@pytest.mark.parametrize(
    ("code", "line", "target"),
    [
        ("VF204", "y = x.masked_select(m)", (1, 0)),
        ("VF205", "y = F.mse_loss(a, b, size_average=False)", (0, 4)),
        ("VF205", "c = nn.MSELoss()\nc.size_average = False", (0, 4)),
        ("VF206", "y = F.upsample(x, scale_factor=2)", (0, 4)),
        ("VF206", "y = F.grid_sample(x, g)", (1, 2)),
        ("VF206", "u = torch.potrf(a)", (1, 10)),
        ("VF211", "x = torch.zeros(2, 2)\nx[0] = torch.zeros(1, 2)", (0, 4)),
        ("VF210", "net = torch.load(f)\nnet.eval()", (1, 10)),
    ],
)
def test_writes_nothing_that_the_target_does_not_know(code: str, line: str, target: tuple[int, int]) -> None:
    refuses(f"{TORCH}{line}\n", "target-too-old", code, torch_version=target)


@pytest.mark.parametrize(
    "importer",
    [
        "from a import {name}\n",
        "from .a import {name}\n",
        "from a import *\n",
        "from . import {name}\n",
    ],
)
@pytest.mark.parametrize(
    ("source", "name", "code"),
    [
        ("import torch\nfrom torch.nn.init import normal\nnormal(w)\n", "normal", "VF206"),
        ("import torch\nfrom torch.autograd import Variable\n", "Variable", "VF201"),
    ],
)
def test_a_name_that_another_module_takes_from_here_stays(importer: str, source: str, name: str, code: str) -> None:
    files = {"a.py": source.encode(), "b.py": f"import torch\n{importer.format(name=name)}".encode()}
    result = core.migrate(files, Options(select=(code,)))
    assert "a.py" not in result.outputs
    alone = core.migrate({**files, "b.py": b"import torch\n"}, Options(select=(code,)))
    assert "a.py" in alone.outputs


def test_a_name_asked_of_a_module_of_the_project_is_called_what_it_is_called_there() -> None:
    exports = b"import torch\nfrom torch.nn.init import normal\n__all__ = ['normal']\n"
    files = {"a.py": exports, "b.py": b"import torch\nimport a\na.normal(w)\n"}
    assert core.migrate(files, Options(select=("VF206",))).outputs == {}


def failing(scene: Scene, path: str) -> Iterator[Finding]:
    raise LookupError("odd")


def impossible(scene: Scene, path: str) -> Iterator[Finding]:
    """An edit between the statements."""
    yield Finding("VF209", path, Span(0, 3), "odd", (DeleteStatement(Span(1, 3)),))


@pytest.mark.parametrize(
    ("find", "message"),
    [(failing, "VF209 failed here (LookupError: odd)"), (impossible, "the edit cannot be carried out")],
)
def test_a_rule_that_fails_says_so_and_takes_no_other_down(find, message: str, monkeypatch) -> None:
    rules = tuple(replace(rule, find=find) if rule.text.code == "VF209" else rule for rule in registry.RULES)
    monkeypatch.setattr(registry, "RULES", rules)
    result = core.migrate({"a.py": b"import torch\nn = torch.nn.init.normal(w)\n"}, Options(modernize=True))
    (row,) = [row for row in result.modernized if row.code == "VF209"]
    assert (row.status, row.reason) == ("refused", "internal-error")
    assert message in row.message
    assert result.outputs == {"a.py": b"import torch\nn = torch.nn.init.normal_(w)\n"}


def test_an_option_called_data_is_no_tensor_though_one_called_cuda_stands_beside_it():
    stays("import torch\ndef main(args):\n    if args.cuda:\n        print(args.data)\n", "VF207")


def test_the_data_of_what_only_its_use_calls_a_tensor_is_suggested():
    source = "import torch\ndef show(x):\n    x.cuda()\n    print(x.data)\n"
    refuses(source, "may-be-no-tensor", "VF207")
    becomes(source, source.replace("x.data", "x.detach()"), "VF207", unsafe_fixes=True)
