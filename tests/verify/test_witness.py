"""``voltfix verify --witness``: a script with torch alone that shows the difference."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

pytest.importorskip("torch")

from voltfix.cli.verify import command

OLD = """import torch
from torch.autograd import Variable
from tools import show


class Scorer(object):
    def score(self, x, test):
        out = self.net(Variable(x, volatile=test))
        show(out)
        return out


def evaluate(net, loader):
    total = 0
    for x, y in loader:
        total += net(Variable(x, volatile=True)).data
    return total
"""
SWITCHED, BLOCK = "with torch.set_grad_enabled(not test): ", "with torch.no_grad(): "
RIGHT = OLD.replace("total += ", BLOCK + "total += ").replace("out = self", SWITCHED + "out = self")
RIGHT = RIGHT.replace(", volatile=test", "").replace(", volatile=True", "")


def witness(folder: Path, after: str) -> tuple[str, Path]:
    (folder / "old.py").write_text(OLD)
    (folder / "new.py").write_text(after)
    script = folder / "witness.py"
    words = [str(folder / "old.py"), str(folder / "new.py"), "--device", "cpu", "--witness", str(script)]
    return CliRunner().invoke(command, words, catch_exceptions=False).output, script


@pytest.mark.parametrize("function", ["score", "evaluate"])
def test_the_script_shows_the_difference_without_voltfix(function: str, tmp_path: Path):
    said, script = witness(tmp_path, RIGHT.replace(SWITCHED if function == "score" else BLOCK, ""))
    assert "cpu: different" in said
    done = subprocess.run([sys.executable, "-I", str(script)], capture_output=True, text=True, check=True, cwd=tmp_path)
    assert done.stdout.splitlines()[-1] == "DIFFERENT"
    assert "networks, before (PyTorch 0.3): [('" in done.stdout
    imports = [line for line in script.read_text().splitlines() if line.startswith(("import ", "from "))]
    assert imports
    assert not any("voltfix" in line for line in imports)


def test_the_script_takes_the_way_on_which_the_difference_is(tmp_path: Path):
    _, script = witness(tmp_path, RIGHT.replace("not test", "bool(test)"))
    done = subprocess.run([sys.executable, "-I", str(script)], capture_output=True, text=True, check=True, cwd=tmp_path)
    assert done.stdout.splitlines()[-1] == "DIFFERENT"


def test_where_nothing_differs_there_is_no_witness(tmp_path: Path):
    said, script = witness(tmp_path, RIGHT)
    assert "cpu: identical" in said
    assert not script.exists()


def test_a_witness_is_for_runs_on_stand_ins(tmp_path: Path):
    (tmp_path / "a.py").write_text("def drive():\n    return 1\n")
    name = str(tmp_path / "a.py")
    done = CliRunner().invoke(command, [name, name, "--drive", name, "--witness", str(tmp_path / "w.py")])
    assert (done.exit_code, "do not go with --drive" in " ".join(done.output.split())) == (2, True)
