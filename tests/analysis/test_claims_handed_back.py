"""A function that another one hands back is called by whoever calls that one."""

from __future__ import annotations

import pytest
from solving import files_stay, migrated_files, refusals

from voltfix.model import Options

MAKING = """
    def making(off):
        def made(t):
            return Variable(t, volatile=off)
        return made
    """
USING = """
    from making import making


    def evaluate(net, data, train, keep, use):
        y = net(making(True)(data))
        {train}
        return y
    """
TRAIN = "net(making(False)(train)).sum().backward()"


def project(train: str = TRAIN) -> dict[str, str]:
    return {"making.py": MAKING, "using.py": USING.format(train=train)}


@pytest.mark.parametrize("train", [TRAIN, "made = making(False)\n        net(made(train)).sum().backward()"])
def test_what_is_called_at_once_where_it_was_handed_back_has_its_callers_in_sight(train: str) -> None:
    result, after = migrated_files(project(train))
    assert not refusals(result)
    assert "volatile" not in after["making.py"]
    lines = [line.strip() for line in after["using.py"].splitlines()]
    assert lines[lines.index("with torch.no_grad():") + 1].startswith("y = ")


@pytest.mark.parametrize("train", [
    "use(making(True))", "keep.append(making(True))", "keep['made'] = making", "return making(True)",
    "use(making)", "keep.made = making(True)", "yield making(True)", "use([making(True)])",
    "keep['made'] = None or making(True)",
])
def test_one_that_gets_out_of_sight_may_be_called_by_others(train: str) -> None:
    files_stay(project(train), "unseen-callers")


def test_a_maker_that_others_may_import_hands_it_to_them() -> None:
    files_stay(project(), "unseen-callers", Options(installable=True))
