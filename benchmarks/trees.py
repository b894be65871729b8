"""Source trees to measure on: clean ones out of the standard library, and generated ones with sites."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

HEAD = "import torch\nfrom torch.autograd import Variable\n\n\n"
FUNCTION = '''def evaluate_{n}(model, loader):
    """Measure on held-out data."""
    total = 0
    for data, target in loader:
        data = Variable(data, volatile=True)
        output = model(data)
        total += (output.data.max(1)[1] == target).sum()
    return total / len(loader)


'''
# short lines, so that 100,000 of them stay below the megabyte that a file may have
SHORT = "def f{n}(m,l):\n t=0\n for x in l:\n  x=V(x,volatile=True)\n  t+=m(x).data\n return t\n\n\n\n\n"
LINES = SHORT.count("\n")


def clean(folder: Path, count: int) -> None:
    """``count`` files of the standard library (repeated), none of which mentions the word."""
    sources = [data for data in _library() if b"volatile" not in data and b"Variable" not in data]
    for number in range(count):
        path = folder / f"package_{number % 50}" / f"module_{number}.py"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(sources[number % len(sources)])


def _library() -> Iterator[bytes]:
    for top, folders, names in os.walk(os.path.dirname(os.__file__)):
        folders[:] = sorted(folder for folder in folders if folder not in ("site-packages", "__pycache__"))
        for name in sorted(names):
            if name.endswith(".py"):
                yield Path(top, name).read_bytes()


def long_file(lines: int) -> str:
    """A file of about ``lines`` lines in functions with one site each."""
    head = "from torch.autograd import Variable as V\n\n\n"
    return head + "".join(SHORT.format(n=n) for n in range(max(1, lines // LINES)))


def project(folder: Path, count: int) -> None:
    """``count`` files: each calls a wrapper of the first, across files, and has a site of its own."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "setup.cfg").write_text("")
    (folder / "common.py").write_text(
        HEAD + "def to_var(x, volatile=False):\n    return Variable(x, volatile=volatile)\n"
    )
    for number in range(count - 1):
        body = f"\n\ndef infer(net, x):\n    return net(to_var(x, volatile=True)).data\n\n\n{FUNCTION.format(n=number)}"
        (folder / f"module_{number}.py").write_text(f"{HEAD}from common import to_var\n{body}")


def hits(folder: Path, sources: Path, count: int) -> int:
    """``count`` files that mention the word, each a project of its own; how many different ones there are."""
    found = [path for path in sorted(sources.rglob("*.py")) if path.is_file() and b"volatile" in path.read_bytes()]
    for number in range(count):
        own = folder / f"project_{number}"
        own.mkdir(parents=True)
        (own / "setup.cfg").write_text("")
        (own / "module.py").write_bytes(found[number % len(found)].read_bytes())
    return len(found)


# --- the worst that can come ---------------------------------------------------------------------------------


def worst(folder: Path) -> dict[str, Path]:
    """Hostile inputs by name."""
    many = "".join(
        f"    a{n} = Variable(x, volatile=True)\n" + "".join(f"    b{n}_{i} = net(a{n})\n" for i in range(9))
        for n in range(500)
    )
    nested = "".join(f"{' ' * 4 * (n + 1)}if x[{n}]:\n" for n in range(17))
    indents = "".join(f"{' ' * (n + 1)}def f{n}(x):\n" for n in range(88))
    chain = ".view(-1)" * 500
    files = {
        "5,000-line function, 500 sites": f"{HEAD}def f(net, x):\n{many}",
        "18 nested blocks": f"{HEAD}def f(net, x):\n{nested}{' ' * 72}y = net(Variable(x, volatile=True))\n",
        "90 nested indents": f"{HEAD}def g(x):\n{indents}{' ' * 89}y = x(Variable(x, volatile=True))\n",
        "500 chained calls": f"{HEAD}def f(net, x):\n    return net(Variable(x, volatile=True)){chain}\n",
        "10 MB on one line": f"{HEAD}x = [{'1, ' * 3_400_000}Variable(y, volatile=True)]\n",
        "wrapper called from 5,000 places": f"{HEAD}def to_var(x, volatile=False):\n"
        "    return Variable(x, volatile=volatile)\n\n\n"
        + "".join(f"def f{n}(net, x):\n    return net(to_var(x, True)).data\n\n\n" for n in range(5000)),
    }
    paths = {}
    for number, (name, text) in enumerate(files.items()):
        own = folder / f"worst_{number}"
        own.mkdir(parents=True)
        paths[name] = own / "module.py"
        paths[name].write_text(text)
    return paths
