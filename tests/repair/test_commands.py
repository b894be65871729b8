"""The command itself: notebooks, test runs, exit codes, what it writes and what it leaves."""

from __future__ import annotations

import json
import os
import subprocess
import sys

import pytest


def repair(folder, *words, options=()):
    """``voltfix repair`` in a folder: exit code, and what it said."""
    command = [sys.executable, "-m", "voltfix", "repair", *options, ".", "--", *words]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=300, check=False)
    return done.returncode, done.stdout + done.stderr


def notebook(path, *cells):
    made = [
        {"cell_type": "code", "execution_count": None, "id": f"c{n}", "metadata": {}, "outputs": [], "source": text}
        for n, text in enumerate(cells)
    ]
    kernel = {"kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"}}
    path.write_text(json.dumps({"cells": made, "metadata": kernel, "nbformat": 4, "nbformat_minor": 5}, indent=1))


def sources(path):
    return ["".join(cell["source"]) for cell in json.loads(path.read_text())["cells"]]


@pytest.mark.parametrize("words", [["x.ipynb"], ["jupyter", "nbconvert", "--execute", "--to", "notebook", "x.ipynb"]])
def test_a_notebook_is_run_by_its_own_kernel_and_mended_cell_by_cell(words, tmp_path, monkeypatch):
    pytest.importorskip("nbconvert")
    pytest.importorskip("ipykernel")
    path = tmp_path / "x.ipynb"
    notebook(
        path,
        "words = ['1', '2']",
        "%precision 2\ndef first(words):\n    return map(int, words)[0]",
        "assert first(words) == 1",
    )
    monkeypatch.setenv("PATH", f"{sys.prefix}/bin{os.pathsep}{os.environ['PATH']}")
    code, said = repair(tmp_path, *words, options=["--allow-dirty"])
    assert code == 0, said
    assert "x.ipynb:cell 2:3" in said
    assert sources(path)[1].endswith("return list(map(int, words))[0]")


def test_a_test_run_is_mended_until_it_passes(tmp_path):
    (tmp_path / "words.py").write_text("def first(words):\n    return map(int, words)[0]\n")
    (tmp_path / "test_words.py").write_text(
        "from words import first\n\ndef test_first():\n    assert first(['1']) == 1\n"
    )
    page = tmp_path / "page.html"
    words = [sys.executable, "-m", "pytest", "-x", "-q", "-p", "no:cacheprovider"]
    code, said = repair(tmp_path, *words, options=["--allow-dirty", f"--report={page}"])
    assert code == 0, said
    assert "return list(map(int, words))[0]" in (tmp_path / "words.py").read_text()
    text = page.read_text()
    assert "it runs" in text
    assert "VF218 at words.py:2, stands" in text
    assert "It stopped with TypeError" in text


def test_exit_codes(tmp_path):
    (tmp_path / "a.py").write_text("\nprint('a'.no_such_thing)\n")
    before = (tmp_path / "a.py").read_bytes()
    code, said = repair(tmp_path, sys.executable, "a.py", options=["--allow-dirty"])
    assert code == 1
    assert "stops at: AttributeError" in said
    assert "a.py:2" in said
    assert (tmp_path / "a.py").read_bytes() == before
    assert repair(tmp_path, sys.executable, "a.py")[0] == 2  # no git, no --allow-dirty
    assert repair(tmp_path, "no-such-program", options=["--allow-dirty"])[0] == 2
    (tmp_path / "a.py").write_text("print(1)\n")
    assert repair(tmp_path, sys.executable, "a.py", options=["--allow-dirty"])[0] == 0
    assert (tmp_path / "a.py").read_text() == "print(1)\n"
