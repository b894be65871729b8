"""What was tried is told: in JSON and SARIF, by explain, and by what --unsafe-fixes writes."""

from __future__ import annotations

import json

import pytest
from click.testing import CliRunner
from trying import DIFFERENT, SAME, UNKNOWN, WITHIN, Told, project, tried

from in_process import running_in
from voltfix.cli.explain import command
from voltfix.search.telling import chosen


@pytest.mark.parametrize("form", ["text", "json", "sarif", "github"])
def test_every_format_tells_a_refusal_with_candidates(form, tmp_path, monkeypatch):
    from voltfix.cli import migration

    (tmp_path / "a.py").write_bytes(project(WITHIN)["a.py"])
    run = running_in(tmp_path, monkeypatch)
    monkeypatch.setattr(migration, "choose_verifier", lambda request, outcome: Told(lambda item: DIFFERENT))
    done = run("--check", "--output-format", form, "a.py")
    assert done.returncode == 1, done.stderr
    text = done.stdout.decode()
    if form == "json":
        (site,) = json.loads(text)["sites"]
        first = site["candidates"][0]
        assert first["verification"]["cpu"] == "different"
        assert first["diff"].startswith("--- a/a.py")
        assert (site["safety"], set(first)) == (None, {"how", "strategy", "verification", "diff"})
    if form == "sarif":
        (result,) = json.loads(text)["runs"][0]["results"]
        assert result["properties"]["candidates"][0]["verification"]["detail"] == DIFFERENT.detail


def test_what_could_not_be_run_is_suggested_and_written_with_a_comment_where_it_is_wanted():
    plain = tried(WITHIN, Told(lambda item: UNKNOWN))
    assert [(site.status, site.safety) for site in plain.sites] == [("refused", "suggested")]
    wanted = tried(WITHIN, Told(lambda item: UNKNOWN), unsafe_fixes=True)
    assert [(site.status, site.safety) for site in wanted.sites] == [("fixed", "suggested")]
    lines = wanted.outputs["a.py"].decode().splitlines()
    blocks = [n for n, line in enumerate(lines) if line.strip().startswith("with torch.")]
    assert blocks
    assert all(lines[n - 1].strip() == "# voltfix: check" for n in blocks)


def test_what_is_found_different_is_never_written_even_where_suggestions_are_wanted():
    result = tried(WITHIN, Told(lambda item: DIFFERENT), unsafe_fixes=True)
    assert result.outputs == {}
    assert [(site.status, site.safety) for site in result.sites] == [("refused", None)]


def test_a_candidate_that_a_person_said_yes_to_is_written_without_a_comment():
    plain = tried(WITHIN, Told(lambda item: UNKNOWN))
    name = plain.sites[0].candidates[1].name
    result = tried(WITHIN, Told(lambda item: UNKNOWN), accepted=frozenset({name}))
    assert [(site.status, site.safety) for site in result.sites] == [("fixed", "suggested")]
    assert b"voltfix: check" not in result.outputs["a.py"]


def test_what_is_chosen_carries_no_comment():
    assert b"voltfix: check" not in tried(WITHIN, Told(
        lambda item: SAME if "enable_grad" in item.after["a.py"] else DIFFERENT), unsafe_fixes=True).outputs["a.py"]


def test_explain_shows_the_best_candidate_and_where_it_differs(tmp_path, monkeypatch):
    from voltfix.cli import explain

    (tmp_path / "a.py").write_bytes(project(WITHIN)["a.py"])
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(explain, "choose_verifier", lambda request, outcome: Told(lambda item: DIFFERENT))
    text = CliRunner().invoke(command, ["a.py"]).stdout
    assert "No patch that was tried is right. The likeliest, NOT applied: a block around what computes on it" in text
    assert "it does NOT do the same: a.py: f: it differs." in " ".join(text.split())
    assert "+    with torch.no_grad():" in text
    assert "1 more was tried" in text


@pytest.mark.parametrize(("answers", "asked", "block"), [
    ("y\n", 1, True), ("n\ny\n", 2, False), ("n\nn\n", 2, None), ("q\n", 1, None), ("", 1, None),
    ("?\nx\ny\n", 3, True)])
def test_interactive_offers_what_was_tried_one_by_one(answers, asked, block, tmp_path, monkeypatch):
    from voltfix.cli import migration

    before = project(WITHIN)["a.py"]
    (tmp_path / "a.py").write_bytes(before)
    run = running_in(tmp_path, monkeypatch)
    monkeypatch.setattr(migration, "choose_verifier", lambda request, outcome: Told(lambda item: UNKNOWN))
    done = run("--interactive", "a.py", stdin=answers.encode())
    assert done.stderr.count(b"all the same [y,n,q,?]?") == asked
    after = (tmp_path / "a.py").read_bytes()
    assert (after == before) == (block is None)
    if block is not None:
        assert (b"no_grad" in after) == block
        assert b"volatile" not in after


def test_interactive_does_not_offer_what_was_found_different(tmp_path, monkeypatch):
    from voltfix.cli import migration

    (tmp_path / "a.py").write_bytes(project(WITHIN)["a.py"])
    run = running_in(tmp_path, monkeypatch)
    monkeypatch.setattr(migration, "choose_verifier", lambda request, outcome: Told(lambda item: DIFFERENT))
    assert b"[y,n,q,?]" not in run("--interactive", "a.py", stdin=b"y\n").stderr


@pytest.mark.parametrize("flag", ["volatile=True", "volatile = True"])
def test_what_is_said_of_a_flag_that_went_is_how_it_was_written(flag):
    source = WITHIN.replace("return first, second", "return None").replace("volatile=True", flag)
    say = Told(lambda item: DIFFERENT if "_grad" in item.after["a.py"] else SAME, idle=True)
    (site,) = tried(source, say).sites
    assert site.message == f"removed {flag}: in all that was run, the code does the same without it"


@pytest.mark.parametrize(("wrong", "said"), [
    (0, "the same on 2 ways"), (1, "the same on 2 ways; 1 of the others was not"),
    (3, "the same on 2 ways; 3 of the others were not"),
])
def test_candidates_that_differ_are_said_to_be_others_than_the_one_that_is_taken(wrong, said):
    assert chosen(2, 4, wrong) == f"chosen of 4 candidates by running them: {said}"


DONE = '''

def show(batch):
    net = torch.nn.Linear(2, 2)
    return net(Variable(batch, volatile=True)).data
'''


def test_a_candidate_that_was_run_beside_other_changes_of_its_file_says_so():
    def hows(text: str) -> list[str]:
        result = tried(text, Told(lambda item: UNKNOWN))
        return [each.how for site in result.sites for each in site.candidates]

    alone, beside = hows(WITHIN), hows(WITHIN + DONE)
    assert alone
    assert not any("in place" in how for how in alone)
    assert beside
    assert all(how.endswith(", run with the other changes of the file in place") for how in beside)
