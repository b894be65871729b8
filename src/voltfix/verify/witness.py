"""A witness of a difference: a script that needs torch alone, and shows it on stand-ins that a person can read.

It shares nothing with the verifier: its few stand-ins and its few lines of 0.3 (``witness.txt``) are there to be
read, so that nobody has to trust voltfix. They know less: what they do not show may be different all the same.
"""

from __future__ import annotations

import pprint
from collections.abc import Mapping
from pathlib import Path

from voltfix.verify.plan import FunctionVerdict, Item

_SCRIPT = Path(__file__).with_name("witness.txt")
_HEAD = '''"""Runs {unit} of {path} before (as PyTorch 0.3 did) and after (as torch does today) on the same stand-ins.

Written by `voltfix verify --witness`; needs torch alone, and runs the code below with your rights.
voltfix said: {detail}
"""

# ruff: noqa
PATH, UNIT = {path!r}, {name!r}
WAY = {way}  # how the conditions of this way are answered
GRAD, WITHIN = {grad}, {within}  # do arguments require grad; is the new code called within torch.no_grad()?
BEFORE = {before}
AFTER = {after}

'''


def script(item: Item, verdict: FunctionVerdict) -> str:
    """The text of the witness of what ``verdict`` says about a function of ``item``."""
    way = {name: answer for name, answer in verdict.way if not name.startswith("(")}
    given = {name for name, _ in verdict.way if name.startswith("(")}
    head = _HEAD.format(
        unit=verdict.name or "the body",
        path=verdict.path,
        name=verdict.name,
        detail=(verdict.detail or "").replace('"""', "'''").replace("\\", "/"),
        way=pprint.pformat(way, width=110),
        grad="(parameters require grad)" in given,
        within="(within no_grad)" in given,
        before=_texts(item.before),
        after=_texts(item.after),
    )
    return head + _SCRIPT.read_text(encoding="utf-8")


def _texts(texts: Mapping[str, str]) -> str:
    return pprint.pformat(dict(texts), width=110)
