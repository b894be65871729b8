"""Feed voltfix mutated files, and stop at the first one that it does not take well.

    python benchmarks/fuzz.py [-n 100000] [--kind KIND] [--seed 0] [--seconds S]

Each input is a file with volatile in it, cut, spliced and sown with odd bytes. Of each it is asked: no exception,
no ``internal`` error, no more than LIMIT seconds of processor time; where something is written: it can be read
again, no line is new that no edit speaks of, and a second pass finds nothing. Prints counts for each kind; an
input that fails is saved as fuzz-KIND-SEED in the working directory, and the exit code is 1.
"""

from __future__ import annotations

import argparse
import json
import signal
import sys
import time
from collections import Counter
from pathlib import Path
from random import Random
from types import FrameType

sys.path.insert(0, str(Path(__file__).parent))

import bytes as measuring  # the benchmark beside this one

from voltfix import core
from voltfix.model import FileError, Options
from voltfix.pipeline.loading import load_project
from voltfix.sources import load

LIMIT = 10.0  # seconds of processor time for one input
MAX_SIZE = 4000

CODE = """import torch
from torch.autograd import Variable

def to_var(x, volatile=False):
    if torch.cuda.is_available():
        x = x.cuda()
    return Variable(x, volatile=volatile)

def evaluate(net, data, train=False):
    total = 0  # é
    for b, y in data:
        x = Variable(b, volatile=True)
        out = net(x)
        total += out.data[0]
    return total

class A:
    '''Doc.

    >>> x = Variable(t, volatile=True)
    >>> y = net(x)
    '''
    def step(self, b):
        x = to_var(b, volatile=not self.training); return self.net(x)
"""
OLD = """# coding: latin-1
from torch.autograd import Variable
def f(net, x):
\tx = Variable(x.cuda(async=True), volatile=True)
        y = net(x)
\tprint "%s" % y, `y`
\tif y <> 0777: raise E, ur'a'
\ttry: exec "a" in {}
\texcept E, e: print >>f, e
\treturn y.data
"""
NOTEBOOK = {
    "cells": [
        {"cell_type": "markdown", "metadata": {}, "source": ["# volatile\n", "x"]},
        {
            "cell_type": "code",
            "execution_count": 1,
            "metadata": {},
            "outputs": [{"name": "stdout", "output_type": "stream", "text": ["volatile=True\n"]}],
            "source": [
                "%matplotlib inline\n",
                "!ls\n",
                "from torch.autograd import Variable\n",
                "v = Variable(t, volatile=True)",
            ],
        },
        {
            "cell_type": "code",
            "execution_count": None,
            "metadata": {},
            "outputs": [],
            "source": "y = net(v)\nprint(y)",
        },
    ],
    "metadata": {"language_info": {"name": "python"}},
    "nbformat": 4,
    "nbformat_minor": 2,
}
MARKDOWN = """# Title

```python
from torch.autograd import Variable
x = Variable(t, volatile=True)
y = net(x)
```

    x = Variable(t, volatile=True)
    y = net(x)

> ```py
> >>> y = net(Variable(t, volatile=True))
> ```
"""
RST = """Title
=====

.. code-block:: python
   :linenos:

   from torch.autograd import Variable
   x = Variable(t, volatile=True)
   y = net(x)

Then::

    y = net(Variable(t, volatile=True))

>>> x = Variable(t, volatile=True)
>>> y = net(x)
tensor(1)
"""
SEEDS: dict[str, tuple[str, tuple[bytes, ...]]] = {
    "python": ("a.py", (CODE.encode(), CODE.replace("\n", "\r\n").encode(), b"\xef\xbb\xbf" + CODE.encode())),
    "python2": ("a.py", (OLD.encode(), OLD.replace("    ", "\t").encode("latin-1"))),
    "notebook": ("a.ipynb", tuple(json.dumps(NOTEBOOK, indent=i).encode() for i in (None, 1, 2))),
    "markdown": ("a.md", (MARKDOWN.encode(), MARKDOWN.replace("\n", "\r\n").encode())),
    "rst": ("a.rst", (RST.encode(), RST.replace("    ", "\t").encode())),
}
PIECES = tuple(
    rb"""
volatile=True|volatile|Variable(|(|)|[|]|{|}|"|'|'''|#|\|:|;|,|=|==|lambda |async|await |print |exec |`|<>|%time |
!ls|?|%%bash|>>> |... |```|```python|.. code::|::|with torch.no_grad():|if a:|else:|def f(volatile=False):|return |
yield |global x|*a, **k|@d|0777|ur'|f'{|}'|for x in y:|try:|except E, e:|class A:|\ud800|\u0000|\n|"source": [|
"cells": [|null|1e999|# voltfix: skip|# type: ignore|x.volatile|x.volatile = False|del x|match x:|case 1:|
import torch as t|from torch import *|async def g():|nonlocal y|# coding: utf-16|**dict(volatile=1)""".replace(
        b"\n", b""
    ).split(b"|")
)
ODD = (
    *(b"\0", b"\r", b"\r\n", b"\n", b"\f", b"\t", b"    ", b"\x0b", b"\x1c", b"\x1b[31m", b"\xff", b"\xc3\xa9"),
    *(b"\xed\xa0\x80", b"\xe2\x80\xa8", b"\xef\xbb\xbf", b"\\\n", b"'''", b'"""'),
    *(b"(" * 90, b"[" * 300, b"-" * 500),
)


class Hang(BaseException):
    """The limit of processor time was passed; not an Exception, so that nothing swallows it."""


def mutated(kind: str, random: Random) -> bytes:
    """Return one input of a kind."""
    seeds = SEEDS[kind][1]
    data = bytearray(random.choice(seeds))
    for _ in range(random.choice([0, 1, 1, 1, 2, 2, 3, 5, 13])):
        mutate(data, random, seeds)
    return bytes(data[:MAX_SIZE])


def mutate(data: bytearray, random: Random, seeds: tuple[bytes, ...]) -> None:
    at = random.randrange(len(data) + 1)
    length = random.choice([1, 1, 2, 5, 20, 100])
    way = random.randrange(8)
    if way < 3:
        data[at:at] = random.choice(PIECES if random.random() < 0.7 else ODD)
    elif way == 3:
        del data[at : at + length]
    elif way == 4 and at < len(data):
        data[at] = random.randrange(256)
    elif way == 5:
        data[at:at] = data[at : at + length]
    elif way == 6:
        other = random.choice(seeds)
        start = random.randrange(len(other))
        data[at : at + length] = other[start : start + length]
    else:
        lines = data.splitlines(keepends=True)
        random.shuffle(lines[: random.randrange(len(lines) + 1)])
        if lines:
            one, other_ = random.randrange(len(lines)), random.randrange(len(lines))
            lines[one], lines[other_] = lines[other_], lines[one]
        data[:] = b"".join(lines)


def tried(path: str, data: bytes) -> str:
    """Migrate one input and say how it ended; AssertionError says what is wrong with that."""
    files, options = {path: data}, Options()
    result = core.migrate(files, options)
    internal = [error.message for error in result.errors if error.kind == "internal"]
    assert not internal, internal
    if not result.outputs:
        return "error" if result.errors else "refused" if result.sites else "nothing"
    after = result.outputs[path]
    assert not isinstance(load(path, after), FileError), "the result cannot be read"
    if path.endswith(".ipynb"):
        assert without_code(data) == without_code(after), "something else than the source of a code cell changed"
    else:
        spoken = measuring.spoken_lines(load_project(files, options), result, path)
        beyond = [line for kind, line in measuring.compared(data, after, spoken) if kind == "beyond"]
        assert not beyond, f"changed, and no edit speaks of it: {beyond}"
    assert not core.migrate({path: after}, options).outputs, "a second pass found something to do"
    return "rewritten"


def without_code(data: bytes) -> object:
    """A notebook with the sources of its code cells taken out."""
    found = json.loads(data.decode("latin-1"))  # as voltfix takes what is no UTF-8
    for cell in found["cells"]:
        if cell.get("cell_type") == "code":
            cell["source"] = None
    return found


def run(kind: str, count: int, seed: int = 0, seconds: float | None = None) -> Counter[str]:
    """Try ``count`` inputs of a kind, those with the seeds from ``seed`` on; raises AssertionError or Hang."""
    ends: Counter[str] = Counter()
    path = SEEDS[kind][0]
    stop = time.monotonic() + (seconds or 1e9)
    signal.signal(signal.SIGPROF, _hang)
    for number in range(seed, seed + count):
        if time.monotonic() > stop:
            break
        data = mutated(kind, Random(f"{kind} {number}"))
        signal.setitimer(signal.ITIMER_PROF, LIMIT)
        try:
            ends[tried(path, data)] += 1
        except BaseException as error:
            if not isinstance(error, KeyboardInterrupt):
                Path(f"fuzz-{kind}-{number}").write_bytes(data)
                error.add_note(f"input fuzz-{kind}-{number}") if hasattr(error, "add_note") else None
            raise
        finally:
            signal.setitimer(signal.ITIMER_PROF, 0)
    return ends


def _hang(number: int, frame: FrameType | None) -> None:
    raise Hang(f"more than {LIMIT} s")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("-n", type=int, default=100_000, help="inputs in all, spread over the kinds")
    parser.add_argument("--kind", choices=list(SEEDS), action="append")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--seconds", type=float, help="stop after so long, over all kinds")
    chosen = parser.parse_args()
    kinds = chosen.kind or list(SEEDS)
    failed = False
    for kind in kinds:
        start, number, total = time.monotonic(), chosen.seed, Counter[str]()
        share = chosen.seconds / len(kinds) if chosen.seconds else None
        end = chosen.seed + chosen.n // len(kinds)
        while number < end and (share is None or time.monotonic() - start < share):
            try:
                total += run(kind, min(100, end - number), number)
            except (AssertionError, Hang, Exception) as error:
                failed = True
                print(f"{kind}: {type(error).__name__}: {str(error)[:300]} {getattr(error, '__notes__', '')}")
            number += 100
        took = time.monotonic() - start
        print(f"{kind}: {sum(total.values())} inputs in {took:.0f} s: {dict(total)}", flush=True)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
