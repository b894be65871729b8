"""``voltfix repair`` from the command line: the programs need no torch, so that they start quickly."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time

import pytest

OLD = "for key, value in {1: 2}.iteritems():\n    print(key)\n"
MENDED = OLD.replace("iteritems", "items")
PYTHON = sys.executable


@pytest.fixture
def repository(tree):
    """A repository whose files git knows."""

    def make(files):
        folder = tree(files)
        for command in (["init", "-q"], ["add", "-A"], ["commit", "-qm", "start"]):
            subprocess.run(["git", "-c", "user.name=a", "-c", "user.email=a@b", *command], cwd=folder, check=True)
        return folder

    return make


def test_runs_mends_and_runs_again(repository, voltfix):
    folder = repository({"main.py": OLD})
    done = voltfix("repair", ".", "--", PYTHON, "main.py", cwd=folder)
    assert done.returncode == 0, done.stderr
    assert (folder / "main.py").read_text() == MENDED
    assert b"it runs (2 runs; 1 repair)" in done.stdout
    assert b"without a sandbox" in done.stderr


def test_each_start_is_told(repository, voltfix):
    folder = repository({"main.py": OLD})
    done = voltfix("repair", ".", "--max-runs", "5", "--", PYTHON, "main.py", cwd=folder)
    assert b"run 1 of at most 5 ...\n" in done.stderr
    assert b"run 2 of at most 5 ...\n" in done.stderr


def test_a_message_is_told_without_its_colours(repository, voltfix):
    folder = repository({"main.py": "raise RuntimeError('do \\x1b[1mnot\\x1b[0m pass')\n"})
    done = voltfix("repair", ".", "--", PYTHON, "main.py", cwd=folder)
    assert b"stops at: RuntimeError: do not pass\n" in done.stdout


def test_a_module_that_is_part_of_another_package_is_told_by_that_one(repository, voltfix):
    folder = repository({"main.py": "raise ModuleNotFoundError('no such module', name='pkg_resources')\n"})
    done = voltfix("repair", ".", "--", PYTHON, "main.py", cwd=folder)
    assert b"wants setuptools 81 or older" in done.stdout


WIDTH = "import os\nprint(os.get_terminal_size(0).columns)\n"


def test_the_command_has_the_terminal_that_voltfix_has(repository):
    pty = pytest.importorskip("pty")
    folder = repository({"main.py": WIDTH})
    ours, theirs = pty.openpty()
    words = [PYTHON, "-m", "voltfix", "repair", ".", "--", PYTHON, "main.py"]
    done = subprocess.run(words, cwd=folder, stdin=theirs, capture_output=True, check=False)
    os.close(ours)
    os.close(theirs)
    assert done.returncode == 0, done.stdout
    assert b"it runs (1 run; 0 repairs)" in done.stdout


def test_the_command_reads_nothing_where_voltfix_has_no_terminal(repository):
    folder = repository({"main.py": "import sys\nassert sys.stdin.read() == ''\n"})
    words = [PYTHON, "-m", "voltfix", "repair", ".", "--", PYTHON, "main.py"]
    done = subprocess.run(words, cwd=folder, input=b"some words", capture_output=True, check=False)
    assert b"it runs (1 run; 0 repairs)" in done.stdout


def test_what_runs_is_run_once_and_not_touched(repository, voltfix):
    source = "from torch.autograd import Variable\nx = lambda v: Variable(v, volatile=True).data[0]\n"
    folder = repository({"main.py": "open('log', 'a').write('x')\n", "unused.py": source})
    done = voltfix("repair", "--", PYTHON, "main.py", cwd=folder)
    assert done.returncode == 0, done.stderr
    assert (folder / "log").read_text() == "x"
    assert (folder / "unused.py").read_text() == source


def test_migrates_and_modernises_before_it_mends(repository, voltfix):
    folder = repository({"main.py": "import numpy as np  # torch\nprint(np.ones(2).astype(np.float))\n"})
    done = voltfix("repair", "--", PYTHON, "main.py", cwd=folder)
    assert done.returncode == 0, done.stderr
    assert b"migrated and modernised: main.py" in done.stdout


def test_flags_that_stay_are_counted_and_not_called_migrated(repository, voltfix):
    lost = "from torch.autograd import Variable\n\n\ndef lost(x):\n    return Variable(x, volatile=True)\n"
    folder = repository({"main.py": OLD, "lost.py": lost})
    done = voltfix("repair", "--no-verify", "--", PYTHON, "main.py", cwd=folder)
    assert done.returncode == 0, done.stderr
    assert b"refused 1 volatile site, which are as they were; the first is lost.py:5" in done.stderr
    assert b"volatile=True" in (folder / "lost.py").read_bytes()


def test_who_has_to_start_again_is_told_to_commit_first(repository, voltfix):
    folder = repository({"main.py": OLD + "import no_such_package_at_all\n"})
    done = voltfix("repair", "--", PYTHON, "main.py", cwd=folder)
    assert done.returncode == 1
    assert b"commit what was done so far before you start it again" in done.stderr
    clean = voltfix("repair", "--check", "--", PYTHON, "main.py", cwd=folder)
    assert b"commit what was done" not in clean.stderr


def test_diff_works_on_a_copy_and_prints_a_patch(repository, voltfix):
    folder = repository({"main.py": OLD})
    done = voltfix("repair", "--diff", ".", "--", PYTHON, str(folder / "main.py"), cwd=folder)
    assert done.returncode == 0, done.stderr
    assert (folder / "main.py").read_text() == OLD
    subprocess.run(["git", "apply"], input=done.stdout, cwd=folder, check=True)
    assert (folder / "main.py").read_text() == MENDED


def test_check_works_on_a_copy(repository, voltfix):
    folder = repository({"main.py": OLD})
    done = voltfix("repair", "--check", ".", "--", PYTHON, "main.py", cwd=folder)
    assert done.returncode == 0
    assert (folder / "main.py").read_text() == OLD
    assert b"items" in done.stdout


def test_stops_at_something_unknown_and_says_where(repository, voltfix):
    folder = repository({"main.py": "value = 3\nraise ValueError(value)\n"})
    done = voltfix("repair", "--", PYTHON, "main.py", cwd=folder)
    assert done.returncode == 1
    assert b"stops at: ValueError: 3" in done.stdout
    assert b"main.py:2" in done.stdout


def test_a_package_that_is_missing_is_named(repository, voltfix):
    folder = repository({"main.py": "from torchtext.legacy_of_then import data\n"})
    done = voltfix("repair", "--", PYTHON, "main.py", cwd=folder)
    assert done.returncode == 1
    assert b"wants torchtext 0.8 or older" in done.stdout


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["."], b"what is to be run?"),
        ([".", "--", "no-such-command-here"], b"cannot be started"),
        (["nowhere", "--", "true"], b"does not exist"),
    ],
)
def test_usage(arguments, told, repository, voltfix):
    folder = repository({"main.py": OLD})
    done = voltfix("repair", *arguments, cwd=folder)
    assert done.returncode == 2
    assert told in done.stderr
    assert (folder / "main.py").read_text() == OLD


def test_does_not_start_on_changes_that_git_does_not_know(repository, voltfix):
    folder = repository({"main.py": "print(1)\n"})
    (folder / "main.py").write_text(OLD)
    done = voltfix("repair", "--", PYTHON, "main.py", cwd=folder)
    assert done.returncode == 2
    assert (folder / "main.py").read_text() == OLD
    assert voltfix("repair", "--allow-dirty", "--", PYTHON, "main.py", cwd=folder).returncode == 0


def test_does_not_start_outside_of_a_repository(tree, voltfix):
    folder = tree({"main.py": OLD})
    assert voltfix("repair", "--", PYTHON, "main.py", cwd=folder).returncode == 2


def test_a_run_that_takes_too_long_is_ended(repository, voltfix):
    folder = repository({"main.py": "import time\ntime.sleep(60)\n"})
    done = voltfix("repair", "--timeout", "1", "--", PYTHON, "main.py", cwd=folder)
    assert done.returncode == 1
    assert b"not done in time" in done.stdout


def test_an_exception_that_the_program_tells_of_itself_is_seen(repository, voltfix):
    source = "import os, traceback\ntry:\n    print({}.has_key(1))\nexcept Exception:\n"
    source += "    traceback.print_exc()\n    os._exit(3)\n"
    folder = repository({"main.py": source})
    done = voltfix("repair", "--", PYTHON, "main.py", cwd=folder)
    assert done.returncode == 0, done.stdout
    assert "(1 in {})" in (folder / "main.py").read_text()


def test_a_test_run_is_a_command_like_any_other(repository, voltfix):
    folder = repository({"old.py": "def keys(d):\n    return d.keys()[0]\n", "test_old.py": TEST})
    done = voltfix("repair", "--", PYTHON, "-m", "pytest", "-x", "-q", "-p", "no:cacheprovider", cwd=folder)
    assert done.returncode == 0, done.stdout
    assert "list(d.keys())[0]" in (folder / "old.py").read_text()


TEST = "from old import keys\ndef test_keys():\n    assert keys({1: 2}) == 1\n"


def test_what_happens_in_a_process_that_the_command_starts_is_seen(repository, voltfix):
    main = f"import subprocess\nassert subprocess.call(['{PYTHON}', 'work.py']) == 0\n"
    folder = repository({"main.py": main, "work.py": "import cPickle\nprint(cPickle)\n"})
    done = voltfix("repair", "--", PYTHON, "main.py", cwd=folder)
    assert done.returncode == 0, done.stdout
    assert "import pickle as cPickle" in (folder / "work.py").read_text()


def test_statements_of_python_2_are_written_anew(repository, voltfix):
    source = 'import sys\ntry:\n    print >>sys.stderr, "%d" % 3,\n    print 1, 2\nexcept ValueError, e:\n    raise\n'
    folder = repository({"main.py": source})
    done = voltfix("repair", "--", PYTHON, "main.py", cwd=folder)
    assert done.returncode == 0, done.stdout
    text = (folder / "main.py").read_text()
    assert 'print("%d" % 3, file=sys.stderr, end=" ")' in text
    assert "except ValueError as e:" in text


def test_the_page_tells_run_by_run(repository, voltfix):
    folder = repository({"main.py": OLD})
    voltfix("repair", "--report", "../page.html", "--", PYTHON, "main.py", cwd=folder)
    page = (folder / "../page.html").resolve().read_text()
    assert "main.py:1" in page
    assert "+for key, value in {1: 2}.items():" in page


def test_after_an_interrupt_every_file_is_whole(repository, voltfix):
    folder = repository({"main.py": OLD + "import time\ntime.sleep(60)\n"})
    command = [PYTHON, "-m", "voltfix", "repair", "--", PYTHON, "main.py"]
    process = subprocess.Popen(  # whoever runs these tests in the background has it ignored
        command, cwd=folder, stderr=subprocess.PIPE, stdout=subprocess.PIPE,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    )
    until = time.monotonic() + 60
    while "iteritems" in (folder / "main.py").read_text() and time.monotonic() < until:
        time.sleep(0.1)
    time.sleep(0.5)
    os.kill(process.pid, signal.SIGINT)
    out, err = process.communicate(timeout=30)
    assert process.returncode == 1, (out, err)
    assert (folder / "main.py").read_text() == MENDED + "import time\ntime.sleep(60)\n"
    assert b"interrupted" in err
