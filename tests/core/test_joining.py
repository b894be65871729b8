"""Jobs that were solved apart and edit one file."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from click.testing import CliRunner

from voltfix import api
from voltfix.cli.main import main
from voltfix.model import Result, SiteResult
from voltfix.pipeline.joining import agreeing

HEAD = "import torch\nfrom torch.autograd import Variable\n"
MODEL = f"""{HEAD}from torch import nn


class Encoder(nn.Module):
    def __init__(self):
        super(Encoder, self).__init__()
        self.base = nn.Linear(4, 4)
        self.top = nn.Linear(4, 2)

    def forward(self, x):
        x = self.base(x)
        return self.top(Variable(x.data))
"""
SCRIPT = f"""{HEAD}from model import Encoder


def {{name}}(x):
    out = Encoder()(Variable(x{{flag}}))
    out.sum().backward()
"""


def script(name: str, flag: str = ", volatile=True") -> str:
    """A script that hands something volatile to the encoder."""
    return SCRIPT.format(name=name, flag=flag)


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Two scripts that have nothing to do with each other but the model that both import."""
    (tmp_path / "setup.cfg").write_text("")
    (tmp_path / "model.py").write_text(MODEL)
    for name in ("first", "second"):
        (tmp_path / f"{name}.py").write_text(script(name))
    monkeypatch.chdir(tmp_path)
    return tmp_path


def expected() -> str:
    """The model with the block that both scripts need."""
    return MODEL.replace("        x = self.base(x)\n", "        with torch.no_grad():\n            x = self.base(x)\n")


def test_a_block_that_two_scripts_need_in_one_file_is_written_once_with_both(project: Path) -> None:
    done = CliRunner().invoke(main, ["--no-verify", "."])
    assert done.exit_code == 0, done.output
    assert (project / "model.py").read_text() == expected()
    for name in ("first", "second"):
        assert (project / f"{name}.py").read_text() == script(name, "")


def test_a_second_run_finds_nothing(project: Path) -> None:
    CliRunner().invoke(main, ["--no-verify", "."])
    before = {path: path.read_text() for path in project.iterdir()}
    assert CliRunner().invoke(main, ["--no-verify", "."]).exit_code == 0
    assert {path: path.read_text() for path in project.iterdir()} == before


def test_the_api_gives_the_file_once(project: Path) -> None:
    result = api.migrate([project])
    assert {os.path.basename(path) for path in result.outputs} == {"model.py", "first.py", "second.py"}
    assert {site.status for site in result.sites} == {"fixed"}


# --- results that do not agree ---------------------------------------------------------------------------------------


def site(path: str, status: str = "fixed") -> SiteResult:
    """A site of a result."""
    return SiteResult(path, 1, 1, 1, 2, None, "c1", "VF101", "no_grad", status, None, "")  # type: ignore[arg-type]


RESULT = Result(
    files_scanned=3,
    sites=(site("a.py"), site("b.py"), site("c.py"), site("a.py", "kept")),
    outputs={"a.py": b"a", "model.py": b"one", "b.py": b"b", "c.py": b"c"},
    groups=(("a.py", "model.py"), ("a.py", "b.py")),
)


def test_what_would_undo_another_job_s_edit_is_refused_with_all_that_belongs_to_it() -> None:
    left = agreeing(RESULT, {"model.py": b"other"})
    assert left.outputs == {"c.py": b"c"}
    assert left.groups == ()
    assert [(s.path, s.status, s.reason) for s in left.sites] == [
        ("a.py", "refused", "not-written"),
        ("b.py", "refused", "not-written"),
        ("c.py", "fixed", None),
        ("a.py", "kept", None),
    ]


@pytest.mark.parametrize("others", [{}, {"model.py": b"one"}, {"elsewhere.py": b"x"}], ids=["none", "same", "others"])
def test_what_agrees_with_the_others_stays_as_it_is(others: dict[str, bytes]) -> None:
    assert agreeing(RESULT, others) is RESULT


def test_a_block_that_one_script_needs_in_the_model_serves_another_that_any_block_would_serve(project: Path) -> None:
    shown = script("second").replace("    out.sum().backward()", "    print(out.data)")
    (project / "second.py").write_text(shown)
    after = {os.path.basename(path): data.decode() for path, data in api.migrate([str(project)]).outputs.items()}
    assert after == {"model.py": expected(), "first.py": script("first", flag=""),
                     "second.py": shown.replace(", volatile=True", "")}
