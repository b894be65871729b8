from __future__ import annotations

import os
import time

import pytest
from pathspec import GitIgnoreSpec

from voltfix.discovery.ignore import compile_rules
from voltfix.discovery.walk import walk


def found(folder, *paths, exclude=(), base=None):
    """Files below ``folder``, relative to it, and the problems."""
    result = walk([str(folder / path) for path in paths] or [str(folder)], exclude, str(base or folder))
    return [os.path.relpath(path, folder) for path in result.files], result.problems


def test_files_that_may_hold_python_are_found_in_a_stable_order(tree):
    root = tree(
        {
            "b.py": "",
            "a.py": "",
            "n.ipynb": "",
            "R.md": "",
            "d.rst": "",
            "s.pyi": "",
            "x.txt": "",
            "c/z.py": "",
        }
    )
    assert found(root) == (["R.md", "a.py", "b.py", "d.rst", "n.ipynb", "s.pyi", "c/z.py"], [])


def test_a_file_that_is_named_is_taken_whatever_its_name_is(tree):
    assert found(tree({"script": ""}), "script") == (["script"], [])


def test_a_file_that_is_named_twice_is_taken_once(tree, monkeypatch):
    monkeypatch.chdir(tree({"a.py": "", "d/b.py": ""}))
    assert walk(["a.py", "./a.py", "d", "d/../a.py"]).files == ["a.py", "d/b.py"]


@pytest.mark.parametrize("folder", [".git", ".venv", "node_modules", "__pycache__", ".tox", "site-packages"])
def test_folders_that_hold_no_source_are_left_out(tree, folder):
    assert found(tree({f"{folder}/a.py": "", "b.py": ""})) == (["b.py"], [])


def test_a_path_that_does_not_exist_is_a_problem_and_the_others_are_found(tree):
    files, (problem,) = found(tree({"a.py": ""}), "a.py", "nowhere")
    assert files == ["a.py"]
    assert problem.kind == "unreadable"
    assert "no such file" in problem.message


def test_links_are_not_followed_so_loops_end(tree):
    root = tree({"d/a.py": ""})
    (root / "d" / "loop").symlink_to("..")
    (root / "d" / "self").symlink_to("self")
    (root / "link.py").symlink_to("d/a.py")
    assert found(root) == (["d/a.py"], [])


def test_a_link_that_is_named_is_taken(tree):
    root = tree({"d/a.py": ""})
    (root / "link.py").symlink_to("d/a.py")
    assert found(root, "link.py") == (["link.py"], [])


def test_fifos_and_sockets_are_stepped_over_and_refused_when_named(tree):
    root = tree({"a.py": ""})
    os.mkfifo(root / "pipe.py")
    assert found(root) == (["a.py"], [])
    files, (problem,) = found(root, "pipe.py")
    assert files == []
    assert "neither a file nor a folder" in problem.message


def test_a_device_is_refused():
    assert [problem.path for problem in walk(["/dev/null"]).problems] == ["/dev/null"]


@pytest.mark.parametrize("name", [b"new\nline.py", b"\xff\xfe.py", b"\x1b[31m.py", b" .py", b"-.py"])
def test_odd_names_are_found(tmp_path, name):
    with open(os.path.join(os.fsencode(tmp_path), name), "wb"):
        pass
    assert [os.fsencode(os.path.basename(path)) for path in walk([str(tmp_path)]).files] == [name]


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_a_folder_that_cannot_be_read_is_a_problem(tree):
    root = tree({"a.py": "", "d/b.py": ""})
    (root / "d").chmod(0)
    try:
        files, (problem,) = found(root)
    finally:
        (root / "d").chmod(0o755)
    assert files == ["a.py"]
    assert problem.kind == "unreadable"


# --- .gitignore and --exclude ------------------------------------------------------------------------------


def test_gitignore_is_respected(tree):
    root = tree(
        {
            ".gitignore": "out/\n*_old.py\n# comment\n\n",
            "a.py": "",
            "a_old.py": "",
            "out/b.py": "",
            "c/out/d.py": "",
        }
    )
    assert found(root) == (["a.py"], [])


def test_a_nested_gitignore_speaks_of_what_lies_below_it(tree):
    root = tree({"d/.gitignore": "/x.py\n", "d/x.py": "", "x.py": "", "d/e/x.py": ""})
    assert found(root) == (["x.py", "d/e/x.py"], [])


def test_a_nested_gitignore_takes_back_what_an_outer_one_says(tree):
    root = tree(
        {
            ".gitignore": "gen*.py\n",
            "gen1.py": "",
            "d/.gitignore": "!gen1.py\n",
            "d/gen1.py": "",
            "d/gen2.py": "",
        }
    )
    assert found(root) == (["d/gen1.py"], [])


def test_gitignores_above_count_up_to_the_root_of_the_repository(tree):
    root = tree({".gitignore": "*", "r/.git/HEAD": "", "r/.gitignore": "skip.py\n", "r/d/skip.py": "", "r/d/a.py": ""})
    assert found(root, "r/d") == (["r/d/a.py"], [])


def test_excludes_of_the_repository_alone_count(tree):
    root = tree({".git/info/exclude": "private/\n", "private/a.py": "", "b.py": ""})
    assert found(root) == (["b.py"], [])


def test_an_ignored_folder_or_file_is_read_when_it_is_named(tree):
    root = tree({".git/HEAD": "", ".gitignore": "out/\n", "out/a.py": ""})
    assert found(root, "out") == (["out/a.py"], [])
    assert found(root, "out/a.py") == (["out/a.py"], [])


def test_excluded_patterns_are_relative_to_their_base(tree):
    root = tree({"a.py": "", "d/a.py": "", "d/b.py": "", "third_party/c.py": ""})
    assert found(root, exclude=["/d/a.py", "third_party"]) == (["a.py", "d/b.py"], [])


def test_exclude_wins_over_a_gitignore_that_takes_back(tree):
    root = tree({".gitignore": "!a.py\n", "a.py": "", "b.py": ""})
    assert found(root, exclude=["a.py"]) == (["b.py"], [])


def test_a_gitignore_that_is_a_folder_or_binary_ignores_nothing(tree):
    root = tree({"x/.gitignore/a.txt": "", "x/a.py": "", "y/.gitignore": b"\xff\x00\n", "y/b.py": ""})
    assert found(root) == (["x/a.py", "y/b.py"], [])


def test_a_pattern_made_to_take_for_ever_is_left_out(tree):
    root = tree({".gitignore": "a*" * 40 + "b\n" + "c.py\n", "a" * 200 + ".py": "", "c.py": ""})
    assert found(root) == (["a" * 200 + ".py"], [])


def test_an_invalid_pattern_does_not_silence_the_others(tree):
    root = tree({".gitignore": "***\n!\nb.py\n", "a.py": "", "b.py": ""})
    assert "b.py" not in found(root)[0]


def test_a_set_of_characters_from_the_end_to_the_beginning_is_no_pattern(tree):
    """git matches nothing with it, and Python's engine raises an error that is no ValueError."""
    root = tree({".gitignore": "[z-a].py\nb.py\n[b-a]\n", "a.py": "", "b.py": ""})
    assert found(root) == (["a.py"], [])


@pytest.mark.parametrize("name", [".gitignore", ".git/info/exclude"])
def test_rules_that_lie_in_a_pipe_or_in_a_device_are_not_read(tree, name):
    root = tree({"a.py": "", ".git/info/x": ""})
    for make in (os.mkfifo, lambda path: os.symlink("/dev/zero", path), lambda path: os.symlink("/dev/full", path)):
        make(root / name)
        assert took(lambda: found(root)) == ((["a.py"], []), True)
        os.unlink(root / name)


@pytest.mark.parametrize("name", [".gitignore", ".git/info/exclude"])
@pytest.mark.parametrize(
    "rules",
    [
        "*a" * 500_000,  # one endless line
        "b" * 1_000_000,
        "".join(f"b{n}.py\n" for n in range(100_000)),
        "a*a*a*a*a*b\n",
        "a*a*a*b\n" * 2_000,
        "**/a*/**/a*/**/b\n" * 2_000,
        "[" * 200_000,
    ],
    ids=["stars", "long", "many", "five", "many of three", "folders", "sets"],
)
def test_rules_made_to_take_for_ever_take_seconds(tree, name, rules):
    long = "/".join(["a" * 200] * 3 + ["a"] * 40 + ["c.py"])
    root = tree({long: "", "a.py": "", ".git/info/x": ""})
    (root / name).write_text(rules)
    assert took(lambda: found(root)) == ((["a.py", long], []), True)


def took(act):
    """What ``act`` gives, and whether it took no more than eight seconds of processor time."""
    began = time.process_time()
    given = act()
    return given, time.process_time() - began < 8


def test_rules_behind_a_link_count_as_in_git(tree):
    """git does not follow a link in the place of a .gitignore, and follows one in its own folder."""
    root = tree({"a.py": "", "b.py": "", "rules": "b.py\n", ".git/info/x": ""})
    (root / ".gitignore").symlink_to("rules")
    assert found(root) == (["a.py", "b.py"], [])
    (root / ".git/info/exclude").symlink_to("../../rules")
    assert found(root) == (["a.py"], [])


def test_a_pattern_of_many_wildcards_still_ignores_short_names(tree):
    root = tree({".gitignore": "*_*_*_*.py\n", "a_b_c_d.py": "", "a_b.py": ""})
    assert found(root) == (["a_b.py"], [])


def test_many_files_held_against_slow_rules_take_seconds(tree):
    """What a single path may take, many paths may not: then the rules are dropped, and a problem says so."""
    name = "a" * 200
    root = tree({f"{name}{n:03}.py": "" for n in range(300)} | {".git/HEAD": ""})
    (root / ".gitignore").write_text("".join(f"*a*a[b]{n}\n" for n in range(190)))
    (found, problems), quick = took(lambda: walked_for(root, 0.3))
    assert (len(found), quick) == (300, True)
    assert [problem.message for problem in problems] == [
        "the rules of its .gitignore files take too long; from here on they were not heeded"
    ]


def test_patterns_to_exclude_that_take_too_long_end_the_walk_and_read_nothing_that_they_may_exclude(tree):
    root = tree({f"{'a' * 200}{n:03}.py": "" for n in range(300)})
    found, problems = walked_for(root, 0.1, [f"*a*a[b]{n}" for n in range(190)])
    assert len(found) < 300
    assert ["not looked at" in problem.message for problem in problems] == [True]


@pytest.mark.parametrize(("stars", "length"), [(2, 290), (3, 190), (4, 95)])
def test_patterns_of_many_wildcards_take_no_seconds_for_one_path(stars, length):
    rules = compile_rules("/", ["*a" * stars + f"[b]{n}\n" for n in range(190)])
    assert rules is not None
    assert took(lambda: [rules.verdict("/" + "a" * length, False) for _ in range(3)]) == ([None] * 3, True)


@pytest.mark.parametrize("pattern", [
    "*.py[cod]", "*.pyc", "__pycache__/", "/data", "data", "data/*", "a/data/", "**/data", "a/**/c.py",
    "!c.py",
    "c.*", "*", "*.[ch]", "*.p[!y]", "?.py", "a?b", "[a-c].py", "[abc]", "a[b]c/", r"\!x.py", "x.py ", " x.py", r"a\ b",
    "*$py.class", "d*ta", "d*/c.py", ".env", "*~", "a.b", "#x", "data/c.py", "/c.py", "**", "a/*", "x", "*.py[co]x"])
def test_a_pattern_that_is_not_compiled_speaks_of_no_path(pattern):
    """What is asked of a pattern before it is compiled leaves none aside that would match."""
    paths = ["c.py", "x.pyc", "x.pyo", "a/x.py", "data/c.py", "a/data/c.py", "a/b/c.py", "data", "a/data", "a.b", "a b",
             "!x.py", "x.py", " x.py", "b.h", "abc", "abc/c.py", "x.pz", "x$py.class", ".env/c.py", "c.py~",
             "d1ta/c.py", "x.pycx"]
    rules = compile_rules("/", [pattern])
    spec = GitIgnoreSpec.from_lines([pattern])
    for path in paths:
        for folder in (False, True):
            expected = spec.check_file(path + "/" if folder else path).include
            assert (rules and rules.verdict("/" + path, folder)) == expected, (path, folder)


def test_what_is_said_of_all_that_lies_in_a_folder_is_not_said_of_the_folder(tree):
    """As git has it: ``data/**`` leaves the folder open for what is taken back in it."""
    root = tree({".gitignore": "data/**\n!data/a.py\n", "data/a.py": "", "data/b.py": "", "c.py": ""})
    assert found(root) == (["c.py", "data/a.py"], [])


def test_the_last_pattern_that_speaks_of_a_path_decides():
    rules = compile_rules("/r", ["*.py", "!keep.py", "other", "keep.p[xy]"])
    assert rules is not None
    assert [rules.verdict(f"/r/{name}", False) for name in ("a.py", "keep.py", "keep.pz", "other")] == [
        True, True, None, True]
    assert compile_rules("/r", ["*.py", "!keep.py"]).verdict("/r/keep.py", False) is False  # type: ignore[union-attr]


def walked_for(root, seconds, exclude=()):
    walked = walk([str(root)], exclude, str(root), seconds)
    return walked.files, walked.problems
