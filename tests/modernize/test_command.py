"""``--modernize`` on the command line."""

from __future__ import annotations

import json
from dataclasses import replace

from helpers import Run, Tree
from voltfix.model import SiteResult, Verification
from voltfix.report.data import Report
from voltfix.report.text import summary_lines

OLD = "import torch\nimport torch.nn.functional as F\ndef f(a, b):\n    return F.mse_loss(a, b).data[0]\n"
NEW = OLD.replace("F.mse_loss(a, b).data[0]", "F.mse_loss(a, b).item()")


def test_rewrites_files_without_a_volatile_site(voltfix: Run, tree: Tree) -> None:
    root = tree({"a.py": OLD, "b.py": "import torch\n"})
    done = voltfix("--modernize", "--no-verify", ".")
    assert done.returncode == 0
    assert (root / "a.py").read_text() == NEW
    assert b"Modernized: 1 place." in done.stdout


def test_check_says_so_and_exits_with_1(voltfix: Run, tree: Tree) -> None:
    root = tree({"a.py": OLD})
    done = voltfix("--modernize", "--check", "--no-verify", "--output-format", "json", "a.py")
    data = json.loads(done.stdout)
    assert done.returncode == 1
    assert (root / "a.py").read_text() == OLD
    assert [(row["code"], row["status"], row["line"]) for row in data["modernized"]] == [("VF202", "would-fix", 4)]
    assert data["summary"]["modernized"] == 1
    assert data["summary"]["sites"] == 0
    assert "+    return F.mse_loss(a, b).item()" in data["diffs"]["a.py"]


def test_a_refused_finding_does_not_change_the_exit_code(voltfix: Run, tree: Tree) -> None:
    tree({"a.py": "import torch\nimport torch.nn.functional as F\ny = F.softmax(x)\n"})
    done = voltfix("--modernize", "--check", "--no-verify", "a.py")
    assert done.returncode == 0
    assert b"VF206 refused (unknown-shape)" in done.stdout


def test_a_refused_finding_does_not_count_as_modernized(voltfix: Run, tree: Tree) -> None:
    tree({"a.py": "import torch\nimport torch.nn.functional as F\ny = F.softmax(x)\n", "b.py": OLD})
    assert b"Modernized: 1 place, 1 refused." in voltfix("--modernize", "--no-verify", ".").stdout
    assert b"Modernized: 0 places, 1 refused." in voltfix("--modernize", "--no-verify", ".").stdout


def test_is_off_by_default(voltfix: Run, tree: Tree) -> None:
    root = tree({"a.py": OLD})
    assert voltfix("--no-verify", ".").returncode == 0
    assert (root / "a.py").read_text() == OLD


def test_reports_lines_of_the_file_as_it_was(voltfix: Run, tree: Tree) -> None:
    source = (
        "import torch\nfrom torch.autograd import Variable\ndef f(net, x):\n    x = Variable(x, volatile=True)\n"
        "    y = net(x)\n    return net(y.cuda(async=True))\n"
    )
    tree({"a.py": source})
    done = voltfix("--check", "--no-verify", "--output-format", "json", "a.py")
    rows = json.loads(done.stdout)["modernized"]
    assert [(row["code"], row["line"], row["column"]) for row in rows] == [("VF203", 6, 23)]


def test_a_target_without_no_grad_is_a_usage_error(voltfix: Run, tree: Tree) -> None:
    root = tree({"a.py": OLD})
    done = voltfix("--modernize", "--torch-version", "0.3", "a.py")
    assert done.returncode == 2
    assert b"0.4" in done.stderr
    assert (root / "a.py").read_text() == OLD


def test_after_it_doctor_is_named_as_what_comes_next(voltfix: Run, tree: Tree) -> None:
    tree({"a.py": OLD})
    assert b"Next: voltfix doctor a.py" in voltfix("fix", "--modernize", "--no-verify", "a.py").stdout
    assert b"Next: " not in voltfix("fix", "--modernize", "--no-verify", "a.py").stdout


def test_what_was_modernized_where_no_site_was_run_is_said_not_to_be_run(voltfix: Run, tree: Tree) -> None:
    tree({"a.py": OLD})
    said = voltfix("fix", "--modernize", "--no-verify", "a.py").stdout
    assert b"Modernized: 1 place.\nThese were not run (only functions that a site's change touches are)" in said


def test_what_was_modernized_beside_a_site_that_was_run_is_told_from_the_rest() -> None:
    done = SiteResult("a.py", 3, 5, 3, 9, None, None, "VF203", None, "fixed", None, "non_blocking")
    ran = replace(done, code="VF101", verification=Verification("symbolic", "identical"))
    report = Report(mode="write", sites=(ran,), modernized=(done,))
    assert "Of these, only what lies in functions that were run for a site" in " ".join(summary_lines(report))
    assert not any("were run" in line for line in summary_lines(replace(report, modernized=())))
    refused = replace(done, status="refused", reason="unknown-shape")
    assert not any("were run" in line for line in summary_lines(replace(report, modernized=(refused,))))


def test_a_run_that_writes_nothing_speaks_of_what_would_be_modernized(voltfix: Run, tree: Tree) -> None:
    site = "from torch.autograd import Variable\nx = Variable(y, volatile=True)\n"
    tree({"a.py": OLD, "b.py": f"{OLD}{site}"})
    said = voltfix("--modernize", "--check", "--no-verify", "a.py").stdout
    assert b"\n1 place would be modernized." in said
    assert b"Modernized:" not in said
    assert b" more places would be modernized" in voltfix("--modernize", "--check", "--no-verify", "b.py").stdout
