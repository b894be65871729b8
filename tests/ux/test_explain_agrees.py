"""``explain`` says of every site what ``--check`` over the whole project says: status, reason, and sentence."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
from click.testing import CliRunner

from in_process import running_in
from voltfix.cli.explain import command

ROOT = Path(__file__).parent.parent.parent
HEAD = "import torch\nfrom torch.autograd import Variable\n\n\n"
PROJECTS = {
    "a wrapper in another file": {
        "lib/data.py": HEAD + "def to_var(x, volatile=False):\n    return Variable(x, volatile=volatile)\n",
        "run.py": "from lib.data import to_var\n\n\ndef run(net, x):\n    return net(to_var(x, volatile=True)).data\n",
    },
    "a caller in another file": {
        "lib/data.py": HEAD + "def load(x):\n    return Variable(x, volatile=True)\n",
        "run.py": "from lib.data import load\n\n\ndef run(net, x):\n    return net(load(x)).data\n",
    },
    "a refusal": {"a.py": HEAD + "def load(x, **options):\n    return Variable(x, **options)\n"},
    "settings": {
        "a.py": HEAD + "def f(net, x):\n    return net(Variable(x, volatile=True)).data\n",
        "pyproject.toml": "[tool.voltfix]\nignore = ['VF101']\n",
    },
    "a public function of a package": {
        "lib/data.py": HEAD + "def to_var(x, volatile=False):\n    return Variable(x, volatile=volatile)\n",
        "lib/run.py": "from lib.data import to_var\n\n\ndef f(n, x):\n    return n(to_var(x, volatile=True)).data\n",
        "setup.py": "from setuptools import setup\nsetup(packages=['lib'])\n",
    },
}


@pytest.mark.parametrize("name", [*PROJECTS, "the example"])
def test_explain_and_check_say_the_same_of_every_site(tree, tmp_path, monkeypatch, name):
    if name == "the example":
        shutil.copytree(ROOT / "examples/legacy_project", tmp_path, dirs_exist_ok=True)
    else:
        tree(PROJECTS[name])
    (tmp_path / ".git").mkdir()
    here = running_in(tmp_path, monkeypatch)
    checked = here("--check", "--no-verify", ".", "--output-format", "json")
    rows = json.loads(checked.stdout)["sites"]
    assert rows
    for row in rows:
        said = CliRunner().invoke(command, [f"{row['path']}:{row['line']}", "--no-verify"])
        assert said.exit_code == 0
        heads = [line for line in said.stdout.splitlines() if line.startswith(f"{row['path']}:{row['line']}:")]
        how = row["strategy"] or row["reason"]
        head = f"{row['path']}:{row['line']}:{row['column']}: {row['code']} {row['status']}"
        assert f"{head}{f' ({how})' if how else ''}: {row['message']}" in heads


def test_explain_stands_in_any_folder(tree, tmp_path, monkeypatch):
    tree(PROJECTS["a caller in another file"])
    (tmp_path / ".git").mkdir()
    monkeypatch.chdir(tmp_path / "lib")
    said = CliRunner().invoke(command, ["data.py:6", "--no-verify"]).stdout
    assert said.startswith("data.py:6:24: VF101 would-fix (no_grad): would wrap ")
    assert "run.py: line 5" in said
