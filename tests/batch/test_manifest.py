"""The list of repositories: what is taken in, and what is refused with a reason."""

from __future__ import annotations

from pathlib import Path

import pytest
from batch_repositories import git

from voltfix.batch.manifest import ManifestError, collect


def test_a_manifest_of_lines_holds_paths_and_urls(tmp_path: Path) -> None:
    manifest = tmp_path / "list.txt"
    manifest.write_text("# ours\n\nfile:///srv/one.git\n  two\ngit@example.org:team/three.git\n")
    found = collect([str(manifest)])
    assert [r.source for r in found] == [
        "file:///srv/one.git", str(tmp_path / "two"), "git@example.org:team/three.git"
    ]  # fmt: skip
    assert [r.name for r in found] == ["one", "two", "three"]


def test_a_toml_manifest_holds_what_one_repository_needs(tmp_path: Path) -> None:
    manifest = tmp_path / "list.toml"
    manifest.write_text('[[repository]]\nsource = "a"\nbase = "v1"\nbranch = "b"\ncommand = "make"\nname = "N"\n')
    (found,) = collect([str(manifest)])
    assert (found.name, found.source, found.base, found.branch, found.command) == (
        "N", str(tmp_path / "a"), "v1", "b", "make"
    )  # fmt: skip


def test_a_folder_of_checkouts_holds_its_folders(tmp_path: Path) -> None:
    for name in ("b", "a", ".hidden"):
        (tmp_path / name).mkdir()
    (tmp_path / "file.py").write_text("")
    assert [r.name for r in collect([str(tmp_path)])] == ["a", "b"]


def test_a_repository_is_one_and_no_folder_of_checkouts(tmp_path: Path) -> None:
    (tmp_path / "inside").mkdir()
    git(tmp_path, "init", "-q")
    assert [r.source for r in collect([str(tmp_path)])] == [str(tmp_path)]


def test_a_bare_repository_is_one(tmp_path: Path) -> None:
    git(tmp_path, "init", "-q", "--bare")
    assert [r.source for r in collect([str(tmp_path)])] == [str(tmp_path)]


def test_a_source_that_is_named_twice_is_taken_once(tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    assert len(collect([str(tmp_path), str(tmp_path) + "/."])) == 1


def test_repositories_of_one_name_get_names_that_no_two_share(tmp_path: Path) -> None:
    manifest = tmp_path / "list.txt"
    manifest.write_text("file:///x/utils.git\nfile:///y/utils\nfile:///y/Utils\nfile:///y/other\n")
    names = [r.name for r in collect([str(manifest)])]
    assert len({name.casefold() for name in names}) == 4
    assert names[3] == "other"
    assert names == [r.name for r in collect([str(manifest)])]


def test_a_name_cannot_leave_the_state_folder(tmp_path: Path) -> None:
    manifest = tmp_path / "list.toml"
    manifest.write_text('[[repository]]\nsource = "a"\nname = "../../x"\n[[repository]]\nsource = "b"\nname = ".."\n')
    assert [r.name for r in collect([str(manifest)])] == ["x", "repository"]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "holds no [[repository]]"),
        ("repository = 1", "holds no [[repository]]"),
        ("[[repository]]\nbase = 'x'", "repository 1: has no source"),
        ("[[repository]]\nsource = 'x'\nbranches = 'y'", "unknown key 'branches'"),
        ("[[repository]]\nsource = 'x'\nbase = 3", "base has to be a string"),
        ("[[repository]\n", "is no valid TOML"),
        ("[[repository]]\nsource = '--upload-pack=x'", "cannot start with a dash"),
    ],
)
def test_a_toml_manifest_that_cannot_be_used_says_why(tmp_path: Path, text: str, said: str) -> None:
    manifest = tmp_path / "list.toml"
    manifest.write_text(text)
    with pytest.raises(ManifestError, match=said.replace("[", r"\[")):
        collect([str(manifest)])


def test_a_source_that_is_nothing_is_refused() -> None:
    with pytest.raises(ManifestError, match="no list of repositories, no folder and no git URL"):
        collect(["/nowhere/at/all"])


def test_an_empty_folder_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ManifestError, match="holds no repository"):
        collect([str(tmp_path)])


def test_bytes_are_no_manifest(tmp_path: Path) -> None:
    (tmp_path / "list").write_bytes(b"\xff\xfe")
    with pytest.raises(ManifestError, match="no UTF-8"):
        collect([str(tmp_path / "list")])


def test_a_url_can_stand_on_the_command_line() -> None:
    (found,) = collect(["https://example.org/team/three.git"])
    assert (found.name, found.source) == ("three", "https://example.org/team/three.git")


def test_a_manifest_that_no_list_can_be_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("voltfix.batch.manifest.MAX_BYTES", 1 << 20)
    (tmp_path / "list").write_bytes(b"#" * ((1 << 20) + 1))
    with pytest.raises(ManifestError, match="is larger than 1 MiB; split it"):
        collect([str(tmp_path / "list")])
