"""A star import of Python's own library below the project's names, and of what nobody here can read."""

from __future__ import annotations

import pytest
from solving import files_become, migrated_files, refusals, text_of

WRAPPING = """
    import torch.autograd as autograd

    def wrap(rows, *args, **kwargs):
        made = autograd.Variable(rows, *args, **kwargs)
        return made
"""
MAIN = """
    import torch
    {imports}
    {star}

    net = torch.nn.Linear(3, 3)

    def show(rows):
        seen = {call}(rows, volatile=True)
        return net(seen).data
"""
AFTER = """
    import torch
    {imports}
    {star}

    net = torch.nn.Linear(3, 3)

    def show(rows):
        seen = {call}(rows)
        with torch.no_grad():
            return net(seen).data
"""


@pytest.mark.parametrize("star", ["from builtins import *", "from math import *", "from typing import *"])
@pytest.mark.parametrize(("imports", "call"), [
    ("import device", "device.wrap"), ("from device import wrap", "wrap"), ("import device as on", "on.wrap")])
def test_a_helper_is_the_projects_below_a_star_of_pythons_own_library(star: str, imports: str, call: str) -> None:
    said = {"star": star, "imports": imports, "call": call}
    files_become({"device.py": WRAPPING, "main.py": MAIN.format(**said)}, {"main.py": AFTER.format(**said)})


@pytest.mark.parametrize(("imports", "star", "call"), [
    ("import device", "from nowhere import *", "device.wrap"),  # it may bring a ``device``
    ("import device", "from os.path import *", "device.wrap"),
    ("import device as copy", "from copy import *", "copy.wrap"),
    ("import device as floor", "from math import *", "floor.wrap"),
    ("import device", "from random import *", "device.wrap"),  # of a file of the project
])
def test_a_module_may_be_another_below_a_star_that_may_bring_its_name(imports: str, star: str, call: str) -> None:
    files = {"device.py": WRAPPING, "main.py": MAIN.format(imports=imports, star=star, call=call)}
    if "random" in star:
        files["random.py"] = "import other as device\n"
    result, after = migrated_files(files)
    assert refusals(result)
    assert after["main.py"] == text_of(files["main.py"])
