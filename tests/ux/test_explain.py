from __future__ import annotations

import re
from pathlib import Path

import pytest
from click.testing import CliRunner

from voltfix import core
from voltfix.cli.explain import command, parse
from voltfix.discovery.hits import scan
from voltfix.rulebook import all_rules
from voltfix.rules.messages import _UNCOVERED
from voltfix.rules.reasons import OBSTACLES, REASONS
from voltfix.rules.refusals import REFUSALS, WHOLE, page

ROOT = Path(__file__).parent.parent.parent
SOURCE = """import torch
from torch.autograd import Variable


def evaluate(net, x):
    x = Variable(x, volatile=True)
    return net(x).data[0]


def refused(net, x, flags):
    return net(Variable(x, **flags))


def generator(net, xs, flags):
    for x in xs:
        yield net(Variable(x, **flags))
"""


def explain(*arguments: str):
    return CliRunner().invoke(command, arguments)


@pytest.fixture
def project(tree, monkeypatch):
    root = tree({"a.py": SOURCE, "clean.py": "x = 1\n", "words.py": "# Variable(x, volatile=True)\n"})
    monkeypatch.chdir(root)
    return root


def test_a_fix_is_shown_with_its_evidence_and_its_patch_and_not_written(project):
    answer = explain("a.py:6")
    assert answer.exit_code == 0
    assert answer.stdout.startswith("a.py:6:21: VF101 would-fix (no_grad): ")
    assert "    line 7: may build a graph of a volatile tensor otherwise\n" in answer.stdout
    assert "+    with torch.no_grad():\n" in answer.stdout
    assert Path("a.py").read_text() == SOURCE


def test_a_refusal_says_what_it_means_what_to_do_and_a_patch_that_was_not_applied(project):
    text = explain("a.py:11").stdout
    assert REFUSALS["kwargs-dictionary"].means in text
    assert REFUSALS["kwargs-dictionary"].todo in text
    assert "A suggested patch, NOT applied: this is a guess" in text
    assert "+        return net(Variable(x, **flags))\n" in text
    assert Path("a.py").read_text() == SOURCE


def test_no_block_is_suggested_around_a_yield(project):
    text = explain("a.py:16").stdout
    assert "+@torch.no_grad()\n def generator" in text
    assert "+        with" not in text


def test_a_change_is_verified_when_asked_for(project):
    text = explain("a.py:6", "--verify").output
    assert "[cpu identical]" in text
    assert "+    with torch.no_grad():" in text


def test_what_kept_a_change_from_being_verified_is_said(project, monkeypatch):
    from voltfix.model import Verification
    from voltfix.verify import client

    unknown = Verification(None, "not-run", "not-run", "no way to call it")
    monkeypatch.setattr(client, "verify", lambda items, **asked: [unknown] * len(items))
    assert "    not verified: no way to call it\n" in explain("a.py:6", "--verify").output


def test_a_site_that_somebody_suppressed_has_no_patch(project):
    Path("a.py").write_text(SOURCE.replace("volatile=True)", "volatile=True)  # voltfix: skip"))
    result = explain("a.py:6")
    assert result.exit_code == 0
    assert "suppressed" in result.output
    assert "no_grad" not in result.output


def test_where_no_block_can_stand_no_patch_is_suggested(project):
    Path("a.py").write_text(SOURCE + "\n\nif a:\n    b = 1\nelif net(Variable(a, **flags)):\n    b = 2\n")
    assert "There is no patch to suggest." in explain("a.py:21").output


def test_without_a_line_every_site_is_explained(project):
    assert len(re.findall(r"(?m)^a\.py:\d+", explain("a.py").stdout)) == 3


@pytest.mark.parametrize(
    ("place", "message"),
    [
        ("a.py:5", "a.py:5: no site on this line; there are sites on 6, 11, 16"),
        ("clean.py:1", "holds no volatile site"),
        ("words.py:1", "the word stands in a comment, a string or another library's code"),
        ("absent.py:3", "absent.py: there is no such file; give a file and a line"),
        (".", "is a folder; give a file and a line"),
    ],
)
def test_where_there_is_nothing_to_explain_it_says_so(project, place, message):
    answer = explain(place)
    assert answer.exit_code == 2
    assert message in " ".join(answer.stderr.split())


def test_a_file_that_does_not_parse_is_an_error_with_its_line(project):
    Path("bad.py").write_text(SOURCE + "def (:\n")
    answer = explain("bad.py:6")
    assert answer.exit_code == 2
    assert answer.stderr.startswith("bad.py:17: error (syntax)")


@pytest.mark.parametrize(
    ("place", "parsed"),
    [
        ("a.py:3", ("a.py", None, 3)),
        ("a.py:3:9", ("a.py", None, 3)),
        ("n.ipynb:2:9", ("n.ipynb", 2, 9)),
        ("n.ipynb:cell 2:9", ("n.ipynb", 2, 9)),
        ("a.py", ("a.py", None, None)),
        ("odd:name.py:4", ("odd:name.py", None, 4)),
    ],
)
def test_places(place, parsed):
    assert parse(place) == parsed


def test_a_file_whose_name_looks_like_a_place_is_that_file(project):
    Path("a.py:6").write_text("")
    assert parse("a.py:6") == ("a.py:6", None, None)


def words_in_the_source() -> set[str]:
    """Every reason that the solver, the core and the pipeline can give."""
    found = set()
    for folder in ("flags", "machine", "solver", "pipeline", "cli", "."):
        for file in (ROOT / "src/voltfix" / folder).glob("*.py"):
            text = file.read_text()
            found |= set(re.findall(r'Refusal\(\s*"([a-z-]+)"', text))
            found |= set(re.findall(r'refuse\(\s*[\w.\[\]() ]+,\s*"([a-z-]+)"', text))
            found |= set(re.findall(r'reason="([a-z-]+)"', text))
            found |= set(re.findall(r'Hold\("refused", "([a-z-]+)"', text))
    return found | set(_UNCOVERED)


def test_every_reason_is_explained():
    found = words_in_the_source()
    assert {"unseen-callers", "mixed-statement", "held-together", "not-written"} <= found
    assert found - set(REFUSALS) <= {r for text in all_rules() if text.code.startswith("VF2") for r in text.refusals}
    assert set(REFUSALS) - found - {"internal-error", "verification-failed", "outside-paths"} == set()


def test_every_reason_has_an_example_and_something_to_do():
    for text in REFUSALS.values():
        assert len(text.means) > 40
        assert len(text.example) > 20
        assert len(text.todo) > 30


@pytest.mark.parametrize("reason", sorted(WHOLE))
def test_a_whole_example_is_refused_for_its_reason(reason):
    source = f"import torch\nfrom torch.autograd import Variable\n{REFUSALS[reason].example}\n"
    rows = core.migrate({"a.py": source.encode()}).sites
    assert {row.reason for row in rows} == {reason}


def test_the_docs_page_is_that_text():
    assert (ROOT / "docs/refusals.md").read_text() == page()
    for reason in REASONS:
        assert f"`{reason}`" in page() or f"## {reason}\n" in page()


def test_prose_fits_the_terminal_and_code_stays():
    from voltfix.cli.show import filled

    prose = "one two three four five six seven eight nine ten eleven twelve thirteen"
    assert filled(prose, 20) == "one two three four\nfive six seven eight\nnine ten eleven\ntwelve thirteen"
    assert filled("- " + prose, 40).splitlines()[1].startswith("  eight nine")
    for kept in ("    " + prose, "# " + prose, "- https://example.org/" + "a" * 30):
        assert filled(kept, 20) == kept


MODERN = """import torch
from torch.autograd import Variable


def step(net, x, criterion):
    loss = criterion(net(Variable(x)))
    loss.backward()
    total = loss.data[0]
    return Variable
"""


def test_a_place_of_a_modernising_rule_is_explained_in_a_file_without_a_flag(project):
    Path("m.py").write_text(MODERN)
    answer = explain("m.py:8", "--no-verify")
    assert answer.exit_code == 0
    assert answer.stdout.startswith("m.py:8:")
    assert "VF202 would-fix: would replace [0] by .item()" in answer.stdout
    assert "voltfix fix PATH --modernize writes it" in answer.stdout


def test_a_place_that_a_modernising_rule_refused_is_explained(project):
    Path("m.py").write_text(MODERN)
    answer = explain("m.py:9", "--no-verify")
    assert answer.exit_code == 0
    assert "VF201 refused (" in answer.stdout
    assert "suggested patch" not in answer.stdout


def test_it_is_explained_beside_a_volatile_site_too(project):
    Path("a.py").write_text(SOURCE + MODERN.split("Variable\n", 1)[1])
    answer = explain("a.py:22", "--no-verify")
    assert answer.exit_code == 0, answer.stderr
    assert "VF202 " in answer.stdout


def test_on_a_line_that_is_done_nothing_is_left_to_do(project):
    Path("m.py").write_text("import torch\n\n\ndef f(x):\n    return torch.relu(x)\n")
    answer = explain("m.py:5", "--no-verify")
    assert answer.exit_code == 0
    assert answer.stdout == "m.py:5: voltfix knows of nothing on this line\n"


def test_on_a_line_that_no_rule_rewrites_it_says_what_doctor_found_and_what_to_do(project):
    Path("m.py").write_text("import torch\n\n\ndef f(xs):\n    return torch.cat(reduce(min, xs))\n")
    answer = explain("m.py:5", "--no-verify")
    assert answer.exit_code == 0
    assert answer.stdout.startswith("m.py:5:22: by hand (python-2): calls reduce")
    assert "what to do: " in answer.stdout
    assert explain("m.py:4", "--no-verify").stdout == "m.py:4: voltfix knows of nothing on this line\n"


def test_every_word_that_doctor_puts_into_brackets_is_explained():
    said = {word for file in ("pipeline/obstacles.py", "modernize/divisions.py")
            for word in re.findall(r'(?:yield \w+, |column, |, 1, |_KIND = )"([a-z0-9-]+)"',
                                   (ROOT / "src/voltfix" / file).read_text())}
    assert {"python-2", "removed-name", "old-style-function", "unreadable", "integer-division"} <= said
    assert said - {"volatile"} <= set(OBSTACLES) | set(REASONS)


def test_a_change_that_was_run_says_which_functions_on_how_many_ways(project):
    assert re.search(
        r"    run: the functions that the change touches, before and after, on (one way|\d+ ways) through them: "
        r"evaluate of a\.py\n",
        explain("a.py:6", "--verify").output,
    )


def test_outside_of_a_repository_the_folder_of_the_file_is_read_and_no_other(tree, monkeypatch):
    from voltfix.cli import explain as module

    root = tree({"mine/a.py": SOURCE, "others/b.py": SOURCE})
    monkeypatch.chdir(root)
    read = []
    monkeypatch.setattr(module, "scan", lambda files, **how: read.extend(files) or scan(files, **how))
    assert explain("mine/a.py:6", "--no-verify").exit_code == 0
    assert {Path(path).resolve() for path in read} == {(root / "mine/a.py").resolve()}


def test_the_next_line_names_the_paths_that_check_was_given_where_nothing_marks_a_project(tree, monkeypatch, capsys):
    from voltfix.cli.main import main

    root = tree({
        "mine/lib/data.py": "from torch.autograd import Variable\n\n\ndef load(x, f):\n    return Variable(x, **f)\n",
        "mine/run.py": "from lib.data import load\n\n\ndef run(net, x, f):\n    return net(load(x, f)).data\n",
    })  # fmt: skip
    monkeypatch.chdir(root)
    main.main(["mine", "--check", "--no-verify", "-j1"], standalone_mode=False)
    said = capsys.readouterr().out.splitlines()[-1]
    assert said.startswith("Next: voltfix explain mine/lib/data.py:5 mine")
    assert explain("mine/lib/data.py:5", "mine", "--no-verify").exit_code == 0


def test_paths_that_are_not_there_are_an_error(project):
    answer = explain("a.py:6", "nowhere")
    assert answer.exit_code == 2
    assert "nowhere: there is no such file or folder" in answer.stderr


def test_a_softmax_of_unknown_shape_is_told_of_its_dim_alone(project):
    Path("m.py").write_text("import torch\n\n\ndef f(x):\n    return torch.nn.functional.softmax(x.data[0])\n")
    told = " ".join(explain("m.py:5", "--no-verify").stdout.split())
    assert "for 0, 1 or 3 write dim=0, otherwise dim=1" in told
    assert ".item()" not in told


def test_sites_elsewhere_are_named_in_order_and_once(project):
    answer = explain("a.py:1", "--no-verify")
    assert answer.exit_code == 2
    assert "there are sites on 6, 11, 16\n" in answer.stderr


def test_a_line_that_a_change_rewrites_is_explained_by_the_site_that_it_is_for(project):
    answer = explain("a.py:7", "--no-verify")
    assert answer.exit_code == 0
    assert answer.stdout.startswith("a.py:7: changes for what stands on 6\na.py:6:21: VF101 would-fix")
    assert explain("a.py:5", "--no-verify").exit_code == 2


def test_a_patch_that_several_sites_share_is_shown_once(tree, monkeypatch):
    two = "net(Variable(x, volatile=True), Variable(y, volatile=True)).data"
    monkeypatch.chdir(tree({"a.py": f"from torch.autograd import Variable\n\n\ndef f(net, x, y):\n    return {two}\n"}))
    text = explain("a.py", "--no-verify").stdout
    assert text.count("+++ b/a.py") == 1
    assert "The change (shared with 1 other site): the same as at line 5, column 28" in text


def test_what_unknown_code_is_called_is_said(project):
    assert "line 7: assumes that what net gives for it is volatile" in explain("a.py:6", "--no-verify").stdout


def test_what_is_kept_says_so_once_and_shows_no_empty_change(tree, monkeypatch):
    source = (
        "from torch.autograd import Variable\n\n\ndef grab(x, volatile=False):\n"
        "    return Variable(x, volatile=volatile)\n\n\ndef predict(net, x):\n"
        "    y = net(grab(x, volatile=True))\n    print(y.data)\n"
    )
    monkeypatch.chdir(tree({"a.py": source}))
    text = explain("a.py:9", "--no-verify", "--keep-signatures").stdout
    assert ": VF102 kept the parameter" in text
    assert "kept: kept" not in text
    assert not text.rstrip().endswith("The change:")


def test_a_place_of_a_modernising_rule_comes_with_its_patch(project):
    Path("m.py").write_text("import torch\nfrom torch.autograd import Variable\n\ny = Variable(torch.ones(2))\n")
    assert "+y = torch.ones(2)\n" in explain("m.py:4", "--no-verify").stdout
