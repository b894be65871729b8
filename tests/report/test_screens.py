"""What a terminal shows for 1, 8 and 40 sites at 80 and 120 columns, held against screens that somebody has read.

``VOLTFIX_SNAPSHOTS=write`` writes them anew.
"""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from voltfix.cli.main import main
from voltfix.report.snippet import cells

SCREENS = Path(__file__).parent / "screens"
HEAD = "import torch\nfrom torch.autograd import Variable\n\n\n"
EVALUATE = """def evaluate_{n}(net, x):
    return net(Variable(x, volatile=True)).data
"""
LOST = """def lost_{n}(x):
    return Variable(x, volatile=True)
"""
LONG = """def predict(model, first_image, second_image):
\treturn model(Variable(first_image.float() / 255., requires_grad=False), Variable(second_image, volatile=True)).data
"""
TRAINED = """def train(net, optimizer, batches):
    for first, second in batches:
        loss = net(Variable(first, volatile=True), Variable(second, volatile=True)).sum()
        loss.backward()
"""
LABELS = """def check(net, x, y):
    y = Variable(y, volatile=True)  # 标签 (labels)
    return torch.nn.functional.nll_loss(net(Variable(x)), y).data
"""
MIXED = "class Shim:\n    pass\n\n\nz = Variable(data, volatile=True)  # voltfix: skip\n"


def files(count: int) -> dict[str, str]:
    if count == 1:
        return {"evaluate.py": HEAD + EVALUATE.format(n=1)}
    small = {
        "evaluate.py": HEAD + EVALUATE.format(n=1) + "\n\n" + LONG,
        "models/loading.py": HEAD + LOST.format(n=1),
        "train.py": HEAD + TRAINED + "\n\n" + LABELS + "\n\n" + MIXED + "\n\n" + LOST.format(n=2),
    }
    if count == 8:
        return small
    many = "\n\n".join(EVALUATE.format(n=n) for n in range(1, 21))
    lost = "\n\n".join(LOST.format(n=3) for _ in range(12))
    return {**small, "tools/many.py": HEAD + many, "tools/lost.py": HEAD + lost}


@pytest.mark.parametrize("columns", [80, 120])
@pytest.mark.parametrize("count", [1, 8, 40])
@pytest.mark.parametrize("mode", ["check", "write"])
def test_a_screen_is_what_somebody_has_read(tree, monkeypatch, capsys, mode, count, columns):
    monkeypatch.chdir(tree(files(count)))
    monkeypatch.setenv("COLUMNS", str(columns))
    arguments = ["--no-verify", "-j1", ".", *(["--check"] if mode == "check" else [])]
    main.main(arguments, standalone_mode=False)
    screen = capsys.readouterr().out
    assert f"Found {count} site" in screen
    wide = [line for line in screen.splitlines() if cells(line) > columns]
    assert wide == []
    kept = SCREENS / f"{mode}-{count}-{columns}.txt"
    if os.environ.get("VOLTFIX_SNAPSHOTS") == "write":
        kept.parent.mkdir(exist_ok=True)
        kept.write_text(screen)
    assert screen == kept.read_text()


def test_forty_sites_of_few_causes_fit_on_a_page(tree, monkeypatch, capsys):
    """The wall is gone: a cause is said once, however many sites it has."""
    monkeypatch.chdir(tree(files(40)))
    monkeypatch.setenv("COLUMNS", "80")
    main.main(["--no-verify", "-j1", "--check", "tools/lost.py"], standalone_mode=False)
    screen = capsys.readouterr().out
    assert screen.count("no caller is known") == 1
    assert "11 more: lines 10, 14, 18, 22, 26, 30, 34, 38 and 3 further on" in screen
    assert len(screen.splitlines()) < 12


@pytest.mark.parametrize("width", [40, 60, 100])
@pytest.mark.parametrize("indent", [0, 8, 70])
def test_the_caret_stands_below_what_it_means_however_narrow_it_is(tree, monkeypatch, capsys, width, indent):
    line = f"y = f({'x, ' * (indent // 3)}Variable(x, volatile=True), {'z, ' * 30}) if True else None"
    monkeypatch.chdir(tree({"a.py": HEAD + line + "\n"}))
    monkeypatch.setenv("COLUMNS", str(width))
    main.main(["--no-verify", "-j1", "--check", "a.py"], standalone_mode=False)
    shown = capsys.readouterr().out.splitlines()
    at = next(number for number, text in enumerate(shown) if "^" in text)
    source, carets = shown[at - 1], shown[at]
    marked = source[carets.index("^") : carets.rindex("^") + 1]
    assert marked
    assert "volatile=True".startswith(marked)
    assert len(source) <= width
