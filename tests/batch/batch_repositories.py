"""Repositories to migrate, made from a seed: the shapes of the volatile era, and those that go wrong.

python tests/batch/batch_repositories.py FOLDER COUNT [SEED]
"""

from __future__ import annotations

import os
import random
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

_ENVIRONMENT = {
    **os.environ,
    "GIT_AUTHOR_NAME": "An Author",
    "GIT_AUTHOR_EMAIL": "author@example.org",
    "GIT_COMMITTER_NAME": "An Author",
    "GIT_COMMITTER_EMAIL": "author@example.org",
    "GIT_AUTHOR_DATE": "1514764800 +0000",
    "GIT_COMMITTER_DATE": "1514764800 +0000",
    "GIT_CONFIG_GLOBAL": os.devnull,
}

IMPORTS = "import torch\nimport torch.nn as nn\nfrom torch.autograd import Variable\n\n\n"
TO_VAR = '''"""Helpers that everybody copies."""
import torch
from torch.autograd import Variable


def to_var(x, volatile=False):
    if torch.cuda.is_available():
        x = x.cuda()
    return Variable(x, volatile=volatile)
'''
NET = """class Net{n}(nn.Module):
    def __init__(self):
        super(Net{n}, self).__init__()
        self.fc = nn.Linear({n}, 2)

    def forward(self, x):
        return self.fc(x)
"""
EVALUATE = """def evaluate_{n}(net, loader, criterion):
    net.eval()
    total = 0
    for data, target in loader:
        data, target = Variable(data, volatile=True), Variable(target)
        total += criterion(net(data), target).data[0]
    return total / len(loader)
"""
PREDICT = "def predict_{n}(net, x):\n    x = Variable(x, volatile=True)\n    return net(x).data\n"
SHARED = """from utils import to_var


def score_{n}(net, images):
    images = to_var(images, volatile=True)
    return net(images).data.max(1)[1]
"""
CONDITION = """def batch_{n}(source, i, evaluation=False):
    return Variable(source[i:i + {n}], volatile=evaluation)
"""
TARGET = """def learn_{n}(policy, target, state, following, reward, optimizer):
    following = Variable(following, volatile=True)
    values = target(following).max(1)[0]
    values.volatile = False
    loss = ((policy(Variable(state)).max(1)[0] - (values * 0.9 + Variable(reward))) ** 2).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
"""
PRINTS = "def show_{n}(net, x):\n    x = Variable(x, volatile=True)\n    print 'result', net(x).data\n"
PLAIN = "def add_{n}(a, b):\n    return [x + y + {n} for x, y in zip(a, b)]\n"
SHAPES = (EVALUATE, PREDICT, SHARED, CONDITION, TARGET, PRINTS)


def write_repository(folder: Path, seed: int) -> None:
    """Write the files of one repository, which follow from the seed alone."""
    rng = random.Random(seed)
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "README.md").write_text(f"# Repository {seed}\n\n`volatile` is a word here.\n")
    if seed % 10 == 9:  # one in ten has nothing to do
        for n in range(rng.randint(1, 4)):
            (folder / f"plain_{n}.py").write_text(PLAIN.format(n=n))
        return
    (folder / "utils.py").write_text(TO_VAR)
    for index in range(rng.randint(1, 4)):
        newline = "\r\n" if rng.random() < 0.05 else "\n"
        parts = [IMPORTS, NET.format(n=index + 2), "\n\n"]
        for shape in rng.sample(SHAPES, rng.randint(1, 3)):
            parts += [shape.format(n=rng.randint(2, 99)), "\n\n"]
        parts += [PLAIN.format(n=rng.randint(0, 99)) for _ in range(rng.randint(0, 6))]
        (folder / f"module_{index}.py").write_bytes("".join(parts).replace("\n", newline).encode())


def git(folder: Path, *arguments: str) -> str:
    """Run git as An Author."""
    done = subprocess.run(["git", *arguments], cwd=folder, capture_output=True, text=True, env=_ENVIRONMENT, check=True)
    return done.stdout.strip()


def commit_all(folder: Path, message: str = "Begin") -> str:
    """Make ``folder`` a repository if it is none, commit all that is in it, and return the commit."""
    if not (folder / ".git").exists():
        git(folder, "init", "-q", "-b", "master")
    git(folder, "add", "-A")
    git(folder, "commit", "-q", "-m", message)
    return git(folder, "rev-parse", "HEAD")


def _no_commit(folder: Path, seed: int) -> None:
    git(folder.parent, "init", "-q", "-b", "master", str(folder))


def _no_repository(folder: Path, seed: int) -> None:
    write_repository(folder, seed)


def _damaged(folder: Path, seed: int) -> None:
    write_repository(folder, seed)
    commit_all(folder)
    for file in sorted((folder / ".git/objects").glob("??/*")):
        file.chmod(0o600)
        file.write_bytes(b"not an object")


def _submodule_and_lfs(folder: Path, seed: int) -> None:
    write_repository(folder, seed)
    (folder / ".gitattributes").write_text("*.bin filter=lfs diff=lfs merge=lfs -text\n")
    (folder / "weights.bin").write_text("version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 1\n")
    (folder / ".gitmodules").write_text('[submodule "sub"]\n\tpath = sub\n\turl = https://example.org/none\n')
    git(folder, "init", "-q", "-b", "master")
    git(folder, "update-index", "--add", "--cacheinfo", f"160000,{'1' * 40},sub")
    commit_all(folder)


def _bad_settings(folder: Path, seed: int) -> None:
    write_repository(folder, seed)
    (folder / "pyproject.toml").write_text('[tool.voltfix]\nselectt = ["VF101"]\n')
    commit_all(folder)


ODD: tuple[Callable[[Path, int], None], ...] = (
    _no_commit, _no_repository, _damaged, _submodule_and_lfs, _bad_settings,
)  # fmt: skip


def generate(folder: Path, count: int, seed: int = 0, odd: bool = True) -> list[Path]:
    """Make ``count`` repositories; with ``odd`` one in twenty is one that goes wrong, or nearly."""
    made = []
    for number in range(seed, seed + count):
        path = folder / f"generated-{number:04}"
        if odd and number % 20 == 10:
            path.parent.mkdir(parents=True, exist_ok=True)
            ODD[number // 20 % len(ODD)](path, number)
        else:
            write_repository(path, number)
            commit_all(path)
        made.append(path)
    return made


if __name__ == "__main__":
    generate(Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3]) if len(sys.argv) > 3 else 0)
