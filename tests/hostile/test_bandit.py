"""What bandit finds in src is known, and each finding has its reason."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

SRC = Path(__file__).parents[2] / "src" / "voltfix"
# asserts say what the types cannot, and never judge input; importing subprocess or pickle harms nobody, and every
# use of them is judged on its own
EVERYWHERE = "B101,B403,B404"
EXCEPTIONS = {
    ("batch/engines/client.py", "B603"): "starts this interpreter with fixed arguments, as a list",
    ("batch/frames.py", "B301"): "the pipe to a process that this one started; nothing else can write to it",
    ("batch/git.py", "B603"): "git with its arguments as a list: no shell reads them",
    ("batch/job.py", "B602"): "the command that the user gave for --command; a shell is what it is for",
    ("batch/journal.py", "B608"): "column names are constants of the module; all values are bound",
    ("batch/slot.py", "B301"): "what a slot of this very run wrote into its own folder",
    ("cli/interactive.py", "B602"): "$VISUAL may hold arguments, as for git; the path is handed over in a variable",
    ("records.py", "B102"): "text put together of the names of our own classes' fields, as dataclasses does it",
    ("repair/running.py", "B603"): "the command behind -- is what the user asked to run",
    ("tokens.py", "B108"): "a folder of this user's own, mode 700, that is not used where anybody else owns it",
    ("verify/__main__.py", "B606"): "starts itself again, with its own arguments and less of an environment",
    ("verify/client.py", "B603"): "starts this interpreter on the runner, arguments as a list",
    ("verify/command.py", "B603"): "the command behind -- is what the user asked to run",
    ("verify/concrete.py", "B603"): "starts this interpreter on the drive that the user named",
    ("verify/hook/process.py", "B102"): "runs the command that the user asked to run, as python itself would",
    ("verify/symbolic/project.py", "B102"): "executes what is verified, inside the sandbox (docs/verification.md)",
}


# it makes a circle of each tree, and garbage of it: to be looked for seldom
START = "import gc; gc.set_threshold(100_000, 10, 10); from bandit.cli.main import main; main()"


def test_bandit_finds_nothing_but_what_has_a_reason() -> None:
    done = subprocess.run(
        [sys.executable, "-c", START, "-q", "-r", SRC, "-s", EVERYWHERE, "-f", "json"], capture_output=True
    )
    report = json.loads(done.stdout)
    found = {(Path(each["filename"]).relative_to(SRC).as_posix(), each["test_id"]) for each in report["results"]}
    assert not report["errors"]
    assert found - set(EXCEPTIONS) == set(), "new findings: mend them, or say why they are none"
    assert set(EXCEPTIONS) - found == set(), "exceptions that nothing needs any more"
