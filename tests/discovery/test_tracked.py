"""What git tracks is read whatever .gitignore says; where git does not say it, what is left out is found."""

from __future__ import annotations

import os
import random
import subprocess
import time
import tracemalloc

import pytest

from voltfix.discovery.hits import overlooked
from voltfix.discovery.tracked import Index, git_root
from voltfix.discovery.walk import unseen, walk, walk_lazily

SITE = "from torch.autograd import Variable\nv = Variable(x, volatile=True)\n"


def git(folder, *words, **more):
    plain = {"GIT_CONFIG_GLOBAL": "/dev/null", "GIT_CONFIG_SYSTEM": "/dev/null", "PATH": os.environ["PATH"]}
    set_up = ("-c", "user.name=a", "-c", "user.email=a@b.example", "-c", "protocol.file.allow=always")
    subprocess.run(["git", *set_up, *words], cwd=folder, check=True, capture_output=True, env=plain, **more)


def repository(tree, files, ignored=(), version=2, **more):
    """A tree of which git tracks ``files``; those that are ``ignored`` are only there."""
    root = tree({**files, **dict.fromkeys(ignored, "")})
    git(root, "init", "-q", *[f"--{name}={value}" for name, value in more.items()])
    git(root, "update-index", "--index-version", str(version))
    git(root, "add", "-f", *files)
    return root


def found(root, *paths, exclude=()):
    walked = walk([str(root / path) for path in paths] or [str(root)], exclude, str(root))
    assert not walked.problems
    return [os.path.relpath(path, root) for path in walked.files]


FILES = {".gitignore": "models/\n*_old.py\n", "a.py": "", "src/models/net.py": "", "src/models/deep/er.py": "",
         "src/b_old.py": "", "src/models/weights.bin": ""}  # fmt: skip
TRACKED = ["a.py", "src/b_old.py", "src/models/net.py", "src/models/deep/er.py"]


@pytest.mark.parametrize("version", [2, 3, 4])
def test_a_tracked_file_is_read_whatever_gitignore_says(tree, version):
    root = repository(tree, FILES, ["src/models/mine.py", "c_old.py", "data/models/x.py"], version)
    assert found(root) == TRACKED
    assert [os.path.relpath(path, root) for path in walk_lazily(str(root))] == TRACKED
    assert walk([str(root)]).left == []


@pytest.mark.parametrize("version", [3, 4])
def test_an_entry_with_more_flags_is_read(tree, version):
    root = repository(tree, FILES, version=version)
    git(root, "rm", "-q", "--cached", "src/models/net.py")
    git(root, "add", "-f", "--intent-to-add", "src/models/net.py")
    assert found(root) == TRACKED


def test_an_index_of_longer_hashes_is_read(tree):
    assert found(repository(tree, FILES, **{"object-format": "sha256"})) == TRACKED


def test_a_name_that_is_longer_than_its_field_is_read(tree):
    long = "/".join(["d" * 90] * 46 + ["models", "a.py"])
    short = os.path.join("models", "b.py")
    assert found(repository(tree, {".gitignore": "models/\n", short: ""})) == [short]
    entry = bytes(24) + b"\0\0\x81\xa4" + bytes(32) + b"\x0f\xff"
    name = long[:4000].encode()
    data = b"DIRC\0\0\0\2\0\0\0\1" + entry + name + bytes(8 - (62 + len(name)) % 8) + bytes(20)
    root = tree({"r/.git/x": ""}) / "r"
    (root / ".git/index").write_bytes(data)
    assert Index(str(root)).tracks(f"{root}/{long[:4000]}")


def test_a_folder_below_is_held_against_the_index_of_its_repository(tree):
    root = repository(tree, FILES, ["src/models/mine.py"])
    assert found(root, "src") == TRACKED[1:]
    assert found(root, "src/models/deep") == ["src/models/deep/er.py"]


def test_what_is_excluded_stays_out_though_git_tracks_it(tree):
    root = repository(tree, FILES)
    assert found(root, exclude=["net.py", "deep"]) == ["a.py", "src/b_old.py"]


def test_a_tracked_file_in_a_folder_that_holds_no_source_stays_out(tree):
    root = repository(tree, {".gitignore": "x/\n", "x/venv/a.py": "", "x/b.py": ""})
    assert found(root) == ["x/b.py"]


def test_a_worktree_has_an_index_of_its_own(tree):
    root = repository(tree, FILES)
    git(root, "commit", "-q", "-m", "a")
    git(root, "worktree", "add", "-q", "../beside")
    beside = root.parent / "beside"
    (beside / "src/models/mine.py").write_text("")
    git(beside, "rm", "-q", "--cached", "src/b_old.py")
    assert found(beside) == [name for name in TRACKED if name != "src/b_old.py"]
    assert found(root) == TRACKED


def test_a_submodule_has_an_index_of_its_own(tree):
    inner = tree({"inner/models/a.py": "", "inner/b.py": ""}) / "inner"
    git(inner, "init", "-q")
    git(inner, "add", "-f", ".")
    git(inner, "commit", "-q", "-m", "a")
    outer = inner.parent / "outer"
    outer.mkdir()
    (outer / ".gitignore").write_text("models/\nlib/\n")
    git(outer, "init", "-q")
    git(outer, "submodule", "add", "-q", "-f", str(inner), "lib")
    (outer / "lib/models/mine.py").write_text("")
    (outer / "lib/mine.py").write_text("")
    assert found(outer) == ["lib/b.py", "lib/models/a.py"]
    assert found(outer, "lib/models") == ["lib/models/a.py", "lib/models/mine.py"]


def test_a_repository_in_an_ignored_folder_that_is_none_of_ours_is_not_read(tree):
    root = repository(tree, FILES)
    (root / "models/other").mkdir(parents=True)
    (root / "models/other/a.py").write_text("")
    git(root / "models/other", "init", "-q")
    git(root / "models/other", "add", "-f", "a.py")
    assert found(root) == TRACKED


# --- where git does not say what it tracks -------------------------------------------------------------------


def left(root):
    return [os.path.relpath(path, root) for path in overlooked(unseen(walk([str(root)]).left))]


def test_what_is_left_out_is_found_where_there_is_no_git(tree):
    root = tree({**FILES, "src/models/net.py": SITE, "src/b_old.py": SITE, "c.py": SITE})
    assert (found(root), left(root)) == (["a.py", "c.py"], ["src/b_old.py", "src/models/net.py"])


def test_what_is_left_out_is_not_spoken_of_where_git_tracks_something_else(tree):
    root = repository(tree, {".gitignore": "out/\n", "a.py": ""})
    (root / "out").mkdir()
    (root / "out/b.py").write_text(SITE)
    assert left(root) == []


def test_a_repository_of_which_nothing_is_tracked_below_the_path_says_nothing(tree):
    root = repository(tree, {"a.py": ""})
    for name, text in {".gitignore": "models/\n", "models/net.py": SITE, "c.py": ""}.items():
        (root / "got" / name).parent.mkdir(parents=True, exist_ok=True)
        (root / "got" / name).write_text(text)
    assert left(root / "got") == ["models/net.py"]
    assert left(root) == []


def test_environments_and_folders_without_source_are_not_spoken_of(tree):
    inside = ["env/lib/a.py", "env2/lib/python3/site-packages/a.py", "conda/lib/a.py", "env2/b.py"]
    root = tree({".gitignore": "env*/\nconda/\n", "env/pyvenv.cfg": "", "conda/conda-meta/x": "",
                 **dict.fromkeys(inside, SITE)})  # fmt: skip
    assert left(root) == ["env2/b.py"]


def test_what_is_excluded_is_not_spoken_of(tree):
    root = tree({".gitignore": "models/\n", "models/net.py": SITE})
    assert walk([str(root)], ["models"], str(root)).left == []


# --- an index that was made to harm ---------------------------------------------------------------------------


@pytest.mark.parametrize("spoil", [
    lambda data: data[:40], lambda data: data[:-60], lambda data: b"DIRC" + data[4:8] + b"\xff" * 4 + data[12:],
    lambda data: b"X" + data[1:], lambda data: data[:7] + b"\x05" + data[8:], lambda data: b"",
    lambda data: data[:7] + b"\x04" + data[8:], lambda data: data[:-20] + b"link\0\0\0\0" + data[-20:],
    lambda data: data[:12] + b"\xff" * 1_000_000,
])  # fmt: skip
def test_an_index_that_cannot_be_read_says_nothing(tree, spoil):
    root = repository(tree, {**FILES, "src/models/net.py": SITE})
    index = root / ".git/index"
    index.write_bytes(spoil(index.read_bytes()))
    assert found(root) == ["a.py"]
    assert left(root) == ["src/models/net.py"]


def test_an_index_that_is_no_file_is_not_waited_for(tree):
    root = tree({".gitignore": "b.py\n", "a.py": "", "b.py": SITE, ".git/HEAD": ""})
    for make in (os.mkfifo, lambda path: os.symlink("/dev/zero", path), os.mkdir):
        make(root / ".git/index")
        assert (found(root), left(root)) == (["a.py"], ["b.py"])
        (os.rmdir if os.path.isdir(root / ".git/index") else os.unlink)(root / ".git/index")


@pytest.mark.parametrize("said", [b"gitdir: /dev/zero\n", b"gitdir: \0\n", b"gitdir: " + b"a/" * 3000, b"gitdir:", b""])
def test_a_git_file_that_points_nowhere_says_nothing(tree, said):
    root = tree({".gitignore": "b.py\n", "a.py": "", "b.py": SITE})
    (root / ".git").write_bytes(said)
    assert (found(root), left(root)) == (["a.py"], ["b.py"])


def test_paths_that_grow_with_each_entry_end(tree):
    """Each entry of the newest version takes over what the last began with."""
    root = tree({".gitignore": "b.py\n", "b.py": "", ".git/HEAD": ""})
    entry = bytes(62) + b"\0" + b"a" * 4_000 + b"\0"
    (root / ".git/index").write_bytes(b"DIRC\0\0\0\4" + (60_000).to_bytes(4, "big") + entry * 60_000 + bytes(20))
    began = time.process_time()
    assert found(root) == []
    assert time.process_time() - began < 8


def test_the_repository_around_a_folder_is_the_nearest(tree):
    root = tree({"a/.git/HEAD": "", "a/b/.git": "gitdir: ../x", "a/b/c/d.py": "", "e/f.py": ""})
    expected = [str(root / name) for name in ("a", "a/b", "a/b")]
    assert [git_root(str(root / name)) for name in ("a", "a/b", "a/b/c")] == expected


def test_deep_paths_of_an_index_take_no_more_room_than_they_have_letters(tree):
    root = tree({"r/.git/x": ""}) / "r"
    names = [b"%04d" % number + b"/a" * 2000 for number in range(200)]
    entry = bytes(24) + b"\0\0\x81\xa4" + bytes(32) + b"\x0f\xff"
    data = b"".join(entry + name + bytes(8 - (62 + len(name)) % 8) for name in names)
    (root / ".git/index").write_bytes(b"DIRC\0\0\0\2" + len(names).to_bytes(4, "big") + data + bytes(20))
    index = Index(str(root))
    tracemalloc.start()
    assert index.tracks(f"{root}/0007/a/a", folder=True)
    assert tracemalloc.get_traced_memory()[1] < 20 * len(data)
    tracemalloc.stop()
    assert not index.tracks(f"{root}/0007/a/a")
    assert not index.tracks(f"{root}/0007/b", folder=True)
    assert not index.tracks(f"{root}/{os.fsdecode(names[7])}", folder=True)


PATTERNS = ("*", "!*/", "!*.py", "foo/", "!foo/", "foo", "!foo", "/foo/", "foo/bar/", "foo/**/", "!foo/bar", "**/bar/",
            "bar/ ", "!bar/", "/*", "!/foo", "*/", "foo/*", "!foo/*/", "b*/", "!b*/", "/", "a/")
PLACES = ("foo/bar/x.py", "foo/baz/y.py", "bar/z.py", "q.py", "baz/foo/bar/w.py", "a/b.py")


@pytest.mark.parametrize("seed", range(12))
def test_patterns_of_any_order_leave_what_git_leaves(seed, tree):
    draw = random.Random(seed)
    for _ in range(3):
        patterns = draw.choices(PATTERNS, k=draw.randint(1, 5))
        root = tree(dict.fromkeys(PLACES, "") | {".gitignore": "\n".join(patterns) + "\n"})
        git(root, "init", "-q")
        kept = subprocess.run(["git", "ls-files", "-o", "--exclude-standard"], cwd=root, check=True,
                              capture_output=True, text=True).stdout.split()
        assert sorted(found(root)) == sorted(name for name in kept if name.endswith(".py")), patterns


def test_folders_that_a_pattern_takes_back_are_looked_into(tree):
    """Every file is ignored but sources, and every folder is taken back for them: a common way to write it."""
    root = tree({".gitignore": "*\n!*.py\n!*/\n", "models/net.py": "", "models/net.txt": "", "run.py": ""})
    assert sorted(found(root)) == ["models/net.py", "run.py"]
