"""``voltfix doctor``: what keeps a project from today's torch."""

from __future__ import annotations

import json

import pytest

from helpers import Run, Tree
from voltfix.model import Options
from voltfix.modernize import vf213_ragged
from voltfix.pipeline.obstacles import examine

RAGGED = vf213_ragged.TEXT.name


def kinds(source: str, path: str = "a.py") -> list[tuple[int, str, str | None]]:
    found = examine({path: source.encode()}, Options(modernize=True))
    return [(obstacle.line, obstacle.kind, obstacle.fix) for obstacle in found]


@pytest.mark.parametrize(
    ("source", "kind"),
    [
        ("import torch\nfrom torch.utils.ffi import create_extension\n", "removed-module"),
        ("import torch\nimport torch.legacy.nn\n", "removed-module"),
        ("import torch\nfrom scipy.misc import imresize\n", "removed-name"),
        ("import torch\nfor i in xrange(3): pass\n", "python-2"),
        ("import torch\nprint 'x'\n", "python-2"),
        ("import torch\nd.iteritems()\n", "python-2"),
        ("import torch\nx._backend.Embedding\n", "private-name"),
        ("import torch, scipy.misc\nscipy.misc.imresize(x, 2)\n", "removed-name"),
        ("import torch\nimport cPickle\n", "python-2"),
    ],
)
def test_names_what_no_rule_fixes(source: str, kind: str) -> None:
    assert (2, kind, None) in kinds(source)


def test_an_old_style_function_is_named_by_its_methods() -> None:
    source = (
        "import torch\nclass F(torch.autograd.Function):\n    def forward(self, x):\n        return x\n"
        "    @staticmethod\n    def backward(ctx, g):\n        return g\n"
    )
    assert kinds(source) == [(3, "old-style-function", None)]


def test_names_sites_and_findings_with_the_rule_that_fixes_them() -> None:
    source = "from torch.autograd import Variable\nx = Variable(y.cuda(async=True), volatile=True)\n"
    fixes = {fix for _, _, fix in kinds(source)}
    assert {"VF101", "VF203"} <= fixes


def test_doctor_lists_what_fix_modernize_writes_no_more_and_no_less() -> None:
    source = (
        b"import torch\nfrom torch.autograd import Variable\n\n\ndef step(net, x, y):\n"
        b"    loss = torch.nn.functional.nll_loss(net(Variable(x)), Variable(y))\n    return loss.data[0]\n"
    )
    from voltfix.core import migrate

    written = migrate({"a.py": source}, Options(modernize=True)).modernized
    listed = [o for o in examine({"a.py": source}, Options(modernize=True)) if o.fix]
    fixed = [row for row in written if row.status == "fixed"]
    assert [(o.line, o.column, o.fix) for o in listed] == sorted((r.line, r.column, r.code) for r in fixed)
    assert len(listed) == 4


def test_every_line_of_python_2_is_listed() -> None:
    source = (
        "import torch\nprint 'a'\nif x: print y\ntry:\n    pass\nexcept E, e:\n    raise E, 'text'\n"
        "z = 0777\nprint('fine')\n"
    )
    assert kinds(source) == [(line, "python-2", None) for line in (2, 3, 6, 7, 8)]


def test_tabs_that_only_python_2_took_are_listed_once() -> None:
    found = kinds("import torch\nif a:\n        x = 1\n\ty = 2\n\tprint y\n")
    assert [kind for _, kind, _ in found] == ["python-2"]


@pytest.mark.parametrize(
    "line",
    ["y = torch.LongTensor(map(len, x))", "y = np.array(zip(x, x))", "n = len(filter(None, x))", "y = map(len, x)[0]",
     "y = torch.cuda.FloatTensor(map(float, x)).mean()"],
)  # fmt: skip
def test_an_iterator_where_only_a_list_will_do_is_listed(line: str) -> None:
    assert kinds(f"import torch\nimport numpy as np\n{line}\n") == [(3, "python-2", None)]


@pytest.mark.parametrize(
    "line",
    ["y = torch.LongTensor(list(map(len, x)))", "y = sum(map(len, x))", "for y in zip(x, x): pass",
     "y = max(map(len, x))", "y = np.fromiter(map(len, x), int)",
     "y = torch.LongTensor(range(3))", "y = len(x.map(len))", "y = net(map(len, x))",
     "def map(f, x): return x\ny = map(len, x)[0]", "from old import map\ny = len(map(len, x))"],
)  # fmt: skip
def test_an_iterator_elsewhere_is_not(line: str) -> None:
    assert kinds(f"import torch\nimport numpy as np\n{line}\n") == []


def test_a_file_that_is_no_python_of_any_age_is_listed_once() -> None:
    found = kinds("import torch\nx = = 1\nprint 'a'\n")
    assert [line for line, _, _ in found] == [2]


@pytest.mark.parametrize(
    "line",
    [
        "y = torch.LongTensor([3]) / 2",
        "y = x.cuda().max(1)[1] / n.size(0)",
        "y = x.cuda().long().div(2)",
        "y = x.cuda().long()\ny /= 2",
        "for i in range(n.size(0) / 2): pass",
        "y = nn.Linear(n.size(0) / 2, 3)",
        "y = x[: n.size(0) / 2]",
        "y = x.cuda().view(n.size(0) / 2, 2)",
    ],
)
def test_divisions_of_whole_numbers_are_listed(line: str) -> None:
    assert "integer-division" in [kind for _, kind, _ in kinds(f"import torch\nimport torch.nn as nn\n{line}\n")]


@pytest.mark.parametrize(
    "line",
    [
        "y = x.cuda().float() / 2",
        "y = torch.LongTensor([3]).float() / 2",
        "y = n.size(0) / 2",
        "y = range(n.size(0) // 2)",
        "y = range(int(n.size(0) / 2))",
        "y = nn.Dropout(n.size(0) / 2)",
        "y = {0.5: 1}[n.size(0) / 2]",
        "y = np.zeros(3) / 2",
        "y = x.data.eq(0).sum() / 2",
        "y = path.div(2)",
        "y = x.cuda().float()\ny /= 2",
        "y = x[: 0.5 * n.size(0) / 2]",
        "y = range(n.size(0) / 2.0)",
        "y = int(torch.LongTensor([3]) / 2)",
    ],
)
def test_other_divisions_are_not(line: str) -> None:
    source = f"import torch\nimport numpy as np\nimport torch.nn as nn\n{line}\n"
    assert "integer-division" not in [kind for _, kind, _ in kinds(source)]


def test_ragged_rows_of_unknown_things_are_listed_and_words_are_fixed() -> None:
    head = "import torch\nimport numpy as np\n"
    assert kinds(f"{head}a = np.array([[w for w in row if w] for row in rows])\n") == [(3, "ragged-array", None)]
    assert kinds(f"{head}a = np.array([row.split() for row in rows])\n") == [(3, RAGGED, "VF213")]
    assert kinds(f"{head}a = np.array([[w for w in row] for row in rows])\n") == []


@pytest.mark.parametrize(
    "source",
    [
        "import torch\nx = torch.zeros(2)\n",
        "import torch\nxrange = range\nxrange(3)\n",
        "import torch\nclass F(torch.autograd.Function):\n    @staticmethod\n    def forward(ctx, x): pass\n",
        "import torch\nclass Function: pass\nclass F(Function):\n    def forward(self, x):\n        return x\n",
        "import torch\nclass F(torch.autograd.Function):\n    name = 'F'\n    def other(self): pass\n",
        "import torch\nfrom .cPickle import loads\nfrom . import xrange\n",
    ],
    ids=["modern", "bound by the file", "new style", "another class", "other members", "modules of the project"],
)
def test_finds_nothing(source: str) -> None:
    assert kinds(source) == []


def test_the_command_counts_and_exits_with_1(voltfix: Run, tree: Tree) -> None:
    tree({"pkg/a.py": "import torch\nfor i in xrange(3): pass\n"})
    done = voltfix("doctor", "pkg")
    assert done.returncode == 1
    assert done.stdout.decode().startswith("pkg/a.py:2:10: by hand (python-2): calls xrange")
    data = json.loads(voltfix("doctor", "pkg", "--output-format", "json").stdout)
    assert [obstacle["line"] for obstacle in data["obstacles"]] == [2]


def test_the_last_lines_say_which_command_is_for_what(voltfix: Run, tree: Tree) -> None:
    tree({"a.py": "import torch\nfrom torch.autograd import Variable\nfor i in xrange(3):\n"
                  "    x = Variable(y.cuda(async=True), volatile=True)\n"})  # fmt: skip
    lines = voltfix("doctor", "a.py").stdout.decode().splitlines()
    head = next(number for number, line in enumerate(lines) if line.startswith("Found "))
    assert lines.pop() == "Next: voltfix fix a.py --modernize  (moves what it can of volatile, too)"
    counted = {line.split(None, 1)[1]: int(line.split()[0]) for line in lines[head + 1 :]}
    assert lines[head] == f"Found {sum(counted.values())} places:"
    assert [number for said, number in counted.items() if said.startswith("volatile: voltfix check ")] == [1]
    assert counted["voltfix fix --modernize rewrites"] >= 1
    assert [number for said, number in counted.items() if "voltfix repair PATH -- COMMAND" in said] == [1]


def test_the_command_exits_with_0_on_a_modern_project(voltfix: Run, tree: Tree) -> None:
    tree({"a.py": "import torch\nx = torch.zeros(2)\n"})
    done = voltfix("doctor", "a.py")
    assert done.returncode == 0
    assert done.stdout.decode().splitlines()[-1].startswith("Next: voltfix repair a.py -- COMMAND")


@pytest.mark.parametrize(("source", "following"), [
    ("import torch\ny = x.cuda(async=True)\nfor i in xrange(3): pass\n", "voltfix fix . --modernize"),
    ("import torch\nfor i in xrange(3): pass\n", "voltfix explain a.py:2  ("),
    ("from torch.autograd import Variable\nx = Variable(y, volatile=True)\ndel Variable\n", "voltfix check ."),
])
def test_the_last_line_leads_on(voltfix: Run, tree: Tree, source: str, following: str) -> None:
    tree({"a.py": source})
    assert voltfix("doctor", ".").stdout.decode().splitlines()[-1].startswith(f"Next: {following}")


def test_the_command_names_what_it_cannot_read(voltfix: Run, tree: Tree) -> None:
    root = tree({"pkg/a.py": "import torch\nfor i in xrange(3): pass\n"})
    (root / "pkg" / "gone.py").symlink_to(root / "nowhere.py")
    done = voltfix("doctor", "pkg", "pkg/gone.py")
    assert done.returncode == 2
    assert b"gone.py" in done.stderr


def test_a_place_in_a_notebook_is_named_by_its_cell(voltfix: Run, tree: Tree) -> None:
    head = "from torch.autograd import Variable\n"
    body = "x = 1\ny = Variable(x, volatile=True)\nz = y.cuda(async=True)\n"
    cells = [{"cell_type": "code", "metadata": {}, "outputs": [], "source": text} for text in (head, body, body)]
    tree({"a.ipynb": json.dumps({"cells": cells, "metadata": {}, "nbformat": 4, "nbformat_minor": 0})})
    done = voltfix("doctor", "a.ipynb")
    places = [line.split(": ")[0] for line in done.stdout.decode().splitlines() if ": VF10" in line]
    assert places == ["a.ipynb:cell 2:2:17", "a.ipynb:cell 3:2:17"]
    listed = json.loads(voltfix("doctor", "--output-format", "json", "a.ipynb").stdout)["obstacles"]
    assert [(o["cell"], o["line"]) for o in listed if o["fix"] == "VF101"] == [(2, 2), (3, 2)]
    assert [(o["cell"], o["line"]) for o in listed if o["fix"] == "VF203"] == [(2, 3), (3, 3)]


GUESSED = "import torch\n\n\ndef f(d, words):\n    d.cuda()\n    words[d.data[3]] = 1\n"


def test_what_is_only_suggested_is_said_to_be_and_counted_apart(voltfix: Run, tree: Tree) -> None:
    tree({"a.py": GUESSED})
    lines = voltfix("doctor", "a.py").stdout.decode().splitlines()
    assert [line for line in lines if ": VF202 suggested: --unsafe-fixes would add .item()" in line]
    assert [line.split()[0] for line in lines if "voltfix fix --modernize --unsafe-fixes rewrites" in line] == ["1"]
    assert not [line for line in lines if line.endswith("voltfix fix --modernize rewrites")]


def test_the_last_lines_of_fix_speak_of_it_and_explain_shows_its_patch(voltfix: Run, tree: Tree) -> None:
    root = tree({"a.py": GUESSED})
    said = voltfix("fix", "--modernize", "--no-verify", "a.py").stdout.decode().splitlines()
    assert "  VF202 suggested (may-be-no-tensor): --unsafe-fixes would add .item(): PyTorch" in "\n".join(said)
    assert "Modernized: 0 places, 1 only suggested." in said
    last = " ".join(" ".join(said).split()).partition("Next: ")[2]
    assert last == "voltfix explain a.py:6 --no-verify (--unsafe-fixes writes what is only suggested)"
    told = voltfix("explain", "a.py:6", "--no-verify").stdout.decode()
    assert "\n+    words[d.data[3].item()] = 1\n" in told
    assert "NOT applied" in told
    assert (root / "a.py").read_text() == GUESSED


@pytest.mark.parametrize(
    "source",
    [
        "import torch\nfor i in xrange(3):  # voltfix: skip\n    pass\n",
        "import torch\nprint 'x'  # voltfix: skip\n",
        "import torch\nfrom torch.autograd import Variable\nx = Variable(y, volatile=True)  # voltfix: skip\n",
        "import torch\ny = x.cuda(async=True)  # voltfix: skip[VF203]\n",
        "# voltfix: skip-file\nimport torch\nprint 'x'\n",
        "# voltfix: skip-file\nimport torch\nfor i in xrange(3):\n    pass\n",
    ],
)
def test_a_line_that_a_comment_wants_left_alone_is_not_listed(source: str) -> None:
    assert kinds(source) == []


def test_a_comment_that_names_another_rule_leaves_it_listed() -> None:
    assert kinds("import torch\nfor i in xrange(3):  # voltfix: skip[VF101]\n    pass\n") == [(2, "python-2", None)]
    assert kinds("import torch\nprint 'x'  # voltfix: skip[VF101]\n") == [(2, "python-2", None)]
