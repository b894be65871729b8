from __future__ import annotations

import json
import os
import re
import time

import pytest

from voltfix.cli.places import renamed
from voltfix.discovery.context import parts
from voltfix.discovery.imports import asked, imported
from voltfix.discovery.layout import Layout, whole_words
from voltfix.discovery.projects import jobs
from voltfix.discovery.roots import imported_from, installable, packaged, root_of, roots

HIT = "def to_var(x, volatile=False):\n    return Variable(x, volatile=volatile)\n"


# --- roots -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("marker", [".git/HEAD", "pyproject.toml", "setup.py", "setup.cfg"])
def test_a_marker_makes_a_root(tree, marker):
    root = tree({f"r/{marker}": "", "r/d/e/a.py": ""})
    assert root_of(str(root / "r/d/e/a.py")) == str(root / "r")
    assert root_of(str(root / "r/d")) == str(root / "r")


def test_git_comes_before_a_build_file_deeper_inside(tree):
    root = tree({"r/.git/HEAD": "", "r/lib/setup.py": "", "r/lib/a.py": ""})
    assert root_of(str(root / "r/lib/a.py")) == str(root / "r")


def test_a_worktree_or_submodule_whose_git_is_a_file_is_a_root(tree):
    root = tree({".git/HEAD": "", "sub/.git": "gitdir: elsewhere", "sub/a.py": ""})
    assert root_of(str(root / "sub/a.py")) == str(root / "sub")


def test_without_a_marker_the_folder_given_is_the_root(tree):
    root = tree({"r/d/a.py": ""})
    assert roots([str(root / "r")]) == [str(root / "r")]


def test_files_without_a_marker_share_the_folder_that_they_have_in_common(tree, monkeypatch):
    root = tree({"r/d/a.py": "", "r/e/b.py": ""})
    monkeypatch.chdir(root)
    assert roots(["r/d/a.py", "r/e/b.py"]) == [str(root / "r")]


def test_a_common_folder_above_the_working_directory_is_no_root(tree, monkeypatch):
    root = tree({"r/d/a.py": "", "s/b.py": "", "w/x": ""})
    monkeypatch.chdir(root / "w")
    assert roots(["../r/d/a.py", "../s/b.py"]) == [str(root / "r/d"), str(root / "s")]


def test_a_root_inside_another_counts_as_part_of_it(tree):
    root = tree({"r/d/setup.py": "", "r/setup.py": ""})
    assert roots([str(root / "r"), str(root / "r/d")]) == [str(root / "r")]


@pytest.mark.parametrize(
    ("name", "content", "expected"),
    [
        ("setup.py", "setup(packages=find_packages())", True),
        ("setup.py", "setup(py_modules=['a'])", True),
        ("setup.py", "setup(ext_modules=[Extension('nms', ['nms.c'])])", False),
        ("setup.cfg", "[flake8]\n", False),
        ("setup.cfg", "[options]\npackages = find:\n", True),
        ("pyproject.toml", "[tool.voltfix]\n", False),
        ("pyproject.toml", "[build-system]\nrequires = []\n", True),
        ("train.py", "", False),
    ],
)
def test_a_project_is_installable_when_it_builds_packages(tree, name, content, expected):
    assert installable(str(tree({name: content}))) is expected


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("pkg/a.py", True),
        ("pkg/sub/a.py", True),
        ("src/pkg/a.py", True),
        ("examples/a.py", False),
        ("examples/models/a.py", False),
        ("train.py", False),
    ],
)
def test_what_is_not_in_a_package_is_not_installed(tree, path, expected):
    root = tree(
        {
            "pyproject.toml": "[project]\n",
            "pkg/__init__.py": "",
            "pkg/sub/__init__.py": "",
            "src/pkg/__init__.py": "",
            "examples/models/__init__.py": "",
        }
    )
    assert packaged(str(root), str(root / path)) is expected


def test_listed_modules_are_installed(tree):
    root = tree({"setup.py": "setup(py_modules=['train'])"})
    assert packaged(str(root), str(root / "train.py"))


def test_the_root_is_installed_where_it_is_itself_a_package_by_what_builds_it(tree):
    builds = "setup(packages=['mine'], package_dir={'mine': '.'})"
    root = tree({"one/setup.py": builds, "one/__init__.py": "", "two/setup.py": builds,
                 "three/setup.py": "setup(packages=find_packages())", "three/__init__.py": ""})
    assert [packaged(str(root / name), str(root / name / "train.py")) for name in ("one", "two", "three")] == [
        True, False, False]


@pytest.mark.parametrize(("root", "expected"), [
    ("pkg", "."), ("pkg/sub", "."), ("plain", "plain"), ("plain/pkg", "plain"), ("pkg-1.0", "pkg-1.0"),
    ("plain/pkg/no/pkg", "plain/pkg/no"), ("_pkg", "_pkg"), ("_pkg/sub", "_pkg"),
])
def test_a_folder_that_is_a_package_is_imported_from_the_one_above(tree, root, expected):
    top = tree(dict.fromkeys(["pkg/__init__.py", "pkg/sub/__init__.py", "plain/pkg/__init__.py", "pkg-1.0/__init__.py",
                              "_pkg/__init__.py", "_pkg/sub/__init__.py",
                              "plain/pkg/no/pkg/__init__.py"], ""))
    assert imported_from(str(top / root)) == os.path.normpath(top / expected)


# --- related files -----------------------------------------------------------------------------------------


def context(root, *hits):
    found = parts(str(root), {str(root / hit): (root / hit).read_bytes() for hit in hits})
    assert found.complete
    (part,) = found.parts
    return sorted(os.path.relpath(path, root) for path in part.around)


def test_a_notebook_that_is_large_for_its_pictures_is_read_like_any_other(tree):
    cell = json.dumps({"cells": [{"cell_type": "code", "metadata": {}, "execution_count": 1, "source": [
        "from utils import to_var\n", "y = to_var(x, True)"], "outputs": [{"text": "A" * (1 << 20)}]}],
        "nbformat": 4, "nbformat_minor": 2, "metadata": {}}, indent=1)
    root = tree({"utils.py": HIT, "show.ipynb": cell})
    assert context(root, "utils.py") == ["show.ipynb"]


@pytest.mark.parametrize("cell", [
    ["%matplotlib inline\n", "from utils import *\n", "y = to_var(x, True)"],
    "import os\nfrom utils import to_var\ny = to_var(x, True)",
])
def test_a_notebook_that_is_one_line_is_read_like_any_other(tree, cell):
    text = json.dumps({"cells": [{"cell_type": "code", "metadata": {"note": "A" * 600}, "execution_count": 1,
                                  "outputs": [], "source": cell}], "nbformat": 4, "nbformat_minor": 2, "metadata": {}})
    root = tree({"utils.py": HIT, "show.ipynb": text})
    assert context(root, "utils.py") == ["show.ipynb"]


def test_a_module_that_is_too_large_to_be_read_leaves_the_search_incomplete(tree):
    root = tree({"utils.py": HIT, "table.py": "TABLE = '" + "A" * (1 << 20) + "'\n"})
    assert not parts(str(root), {str(root / "utils.py"): HIT.encode()}).complete


def test_callers_of_what_a_hit_defines_are_read_though_they_never_say_volatile(tree):
    root = tree(
        {
            "utils.py": HIT,
            "train.py": "from utils import to_var\ny = to_var(x, True)\n",
            "other.py": "y = 1\n",
        }
    )
    assert context(root, "utils.py") == ["train.py"]


@pytest.mark.parametrize("made", ["Variable(x, False, off)", "Var(x, off, *rest)", "autograd.Variable(x, **options)"])
def test_callers_of_a_flag_that_is_handed_over_without_the_word_are_read(tree, made):
    files = {
        "making.py": f"from torch.autograd import Variable as Var\n\ndef make(x, off=False):\n    return {made}\n",
        "train.py": "from making import make\nnet(make(x, True))\n",
        "other.py": "from making import nothing\n",
    }
    assert context(tree(files), "making.py") == ["train.py"]


def test_callers_of_callers_are_read(tree):
    files = {
        "utils.py": HIT,
        "data.py": "from utils import *\ndef batch(x):\n    return to_var(x, True)\n",
        "train.py": "from data import batch\nnet(batch(x))\n",
        "other.py": "y = 1\n",
    }
    assert context(tree(files), "utils.py") == ["data.py", "train.py"]


@pytest.mark.parametrize(
    "beside",
    [
        "def still(x):\n    return make(x)\n",
        "MAKERS = {'still': make}\nstill = MAKERS\n",
        "still = {\n    'plain': None,\n    'still': make,\n}\n",
    ],
    ids=["a function", "a table", "a table of several lines"],
)
def test_callers_reach_what_a_hit_defines_by_what_stands_beside_it(tree, beside):
    root = tree({
        "making.py": "def make(x):\n    return Variable(x, volatile=True)\n\n" + beside,
        "main.py": "from making import still\n\ndef run(x):\n    return still\n",
        "other.py": "from making import nothing\n",
    })
    assert context(root, "making.py") == ["main.py"]


def test_a_global_reaches_the_files_that_name_its_module(tree):
    files = {
        "data.py": "noise = Variable(z, volatile=True)\n",
        "a.py": "from data import noise\n",
        "b.py": "noise = 1\n",
        "c.py": "import data\n",
    }
    assert context(tree(files), "data.py") == ["a.py"]


@pytest.mark.parametrize("hands_on", [
    "from .tools import to_var as wrapped\n", "from .tools import (\n    other,\n    to_var as wrapped,\n)\n",
    "from .tools import other, to_var as wrapped  # for all\n", "from .tools import to_var as given\nwrapped = given\n",
    "from .tools import to_var\nwrapped = to_var\n",
])
def test_callers_by_another_name_are_read(tree, hands_on):
    files = {
        "pkg/__init__.py": "", "pkg/common/__init__.py": hands_on, "pkg/common/tools.py": HIT,
        "pkg/head.py": "from .common import wrapped\nnet(wrapped(x))\n",
        "pkg/other.py": "from .common import unwrapped\nnet(unwrapped(x))\n",
    }
    assert context(tree(files), "pkg/common/tools.py") == ["pkg/common/__init__.py", "pkg/head.py"]


@pytest.mark.parametrize("hands_on", [
    "from .tables import MAKERS\n", "from .tables import *\n", "from .tables import (OTHERS,\n    MAKERS)\n",
    "from .tables import *  # noqa\n", "from .tables import MAKERS as WAYS\n",
])
def test_a_table_that_a_package_hands_on_reaches_the_files_that_name_the_package(tree, hands_on):
    asked = "WAYS" if "WAYS" in hands_on else "MAKERS"
    files = {
        "pkg/__init__.py": hands_on, "pkg/tables.py": HIT + "MAKERS = {'to': to_var}\n",
        "a.py": f"from pkg import {asked}\nnet({asked}['to'](x))\n", "b.py": f"from elsewhere import {asked}\n",
        "c.py": "from pkg import others\n",
    }
    assert context(tree(files), "pkg/tables.py") == ["a.py", "pkg/__init__.py"]


def test_a_block_or_a_handler_gives_no_function_another_name(tree):
    files = {
        "tools.py": HIT, "a.py": "from tools import to_var\nwith to_var as wrapped:\n    pass\n",
        "b.py": "import tools\nwrapped = 1\n",
    }
    assert context(tree(files), "tools.py") == ["a.py"]


def test_what_a_hit_imports_is_read_to_the_end(tree):
    files = {
        "train.py": "from models import net\nnet(Variable(x, volatile=True))\n",
        "models/__init__.py": "from .net import net\n",
        "models/net.py": "from models.parts import (\n    block,\n    head,\n)\n",
        "models/parts.py": "import torch\n",
        "models/unused.py": "",
    }
    assert context(tree(files), "train.py") == ["models/__init__.py", "models/net.py", "models/parts.py"]


def test_a_module_beside_the_importing_file_is_the_one_that_is_meant(tree):
    files = {"a/train.py": "import utils  # volatile\n", "a/utils.py": "", "b/utils.py": ""}
    assert context(tree(files), "a/train.py") == ["a/utils.py"]


def test_a_module_that_is_neither_beside_nor_above_may_be_any_of_that_name(tree):
    files = {"a/train.py": "import utils  # volatile\n", "b/utils.py": "", "c/utils.py": ""}
    assert context(tree(files), "a/train.py") == ["b/utils.py", "c/utils.py"]


def test_files_that_no_import_connects_are_no_context_whatever_names_they_share(tree):
    files = {
        "a/utils.py": HIT,
        "b/utils.py": HIT,
        "a/t.py": "from utils import *\nto_var(1)",
        "b/t.py": "import utils\nto_var",
    }
    root = tree(files)
    assert context(root, "a/utils.py") == ["a/t.py"]
    found = parts(str(root), {str(root / hit): b"volatile" for hit in ("a/utils.py", "b/utils.py")})
    assert len(found.parts) == 2


def test_what_both_import_is_decided_once_for_two_that_never_meet(tree):
    call = "import {}\n{}(Variable(x, volatile=True))\n"
    files = {"net.py": "def run(x):\n    return x\n", "names.py": "SIZE = 3\n", "a.py": call.format("net", "net.run"),
             "b.py": call.format("net", "net.run"), "c.py": call.format("names", "print"),
             "d.py": call.format("names", "print")}
    root = tree(files)
    found = parts(str(root), {str(root / hit): files[hit].encode() for hit in ("a.py", "b.py", "c.py", "d.py")})
    together = sorted(sorted(os.path.basename(path) for path in part.hits) for part in found.parts)
    assert together == [["a.py", "b.py"], ["c.py"], ["d.py"]]  # nothing can be written around a call into names.py


def test_an_object_handed_over_by_a_third_file_connects_two(tree):
    files = {
        "agent.py": "class Agent:\n    def value(self, x, volatile=False):\n        pass\n",
        "play.py": "def play(agent):\n    agent.value(1, True)\n",
        "main.py": "import agent, play\nplay.play(agent.Agent())\n",
    }
    assert context(tree(files), "agent.py") == ["main.py", "play.py"]


def test_ignored_files_are_no_context(tree):
    root = tree({".gitignore": "old/\n", "utils.py": HIT, "old/train.py": "to_var(x, True)\n"})
    assert context(root, "utils.py") == []


@pytest.mark.parametrize(
    ("source", "names"),
    [
        (b"class A:\n    def f(self):\n        volatile\n    def g(self): pass\n", {b"A", b"f"}),
        (b"class A:\n  def forward(self):\n    volatile\n", {b"A"}),
        (b"volatile\ndef f():\n    pass\n", set()),
        # a line inside parentheses may stand anywhere, so the last function before it counts too
        (b"def f():\n    pass\nvolatile\n", {b"f"}),
        (b"to_var = lambda x: Variable(x, volatile=True)\n", {b"to_var"}),
        (b"async def f():\n    volatile\n", {b"f"}),
        (b"def f(x, volatile=False): pass\n", {b"f"}),
    ],
)
def test_the_functions_around_a_mention_are_found_by_indentation(source, names):
    assert Layout(source).around_words(frozenset({b"volatile"})).names == names


@pytest.mark.parametrize(
    ("source", "names"),
    [
        (b"import a.b as c, d\n", {(0, ("a", "b")), (0, ("d",))}),
        (b"from a import b as c, d  # e\n", {(0, ("a",)), (0, ("a", "b")), (0, ("a", "d"))}),
        (b"from . import b\n", {(1, ("b",))}),
        (b"from ..a import (b,\n  c)\n", {(2, ("a",)), (2, ("a", "b")), (2, ("a", "c"))}),
        (b"x = 'import'\n", set()),
        (b"    import a\n", {(0, ("a",))}),
        (b'   "from a import b\\n",\n   "import c\\n"\n', {(0, ("a",)), (0, ("a", "b")), (0, ("c",))}),
    ],
)
def test_imports_are_read_from_bytes(source, names):
    assert imported(source) == names


# --- jobs --------------------------------------------------------------------------------------------------


def test_paths_are_relative_to_the_root_inside_and_to_the_working_directory_outside(tree, monkeypatch):
    root = tree({"r/.git/HEAD": "", "r/d/a.py": HIT})
    monkeypatch.chdir(root / "r" / "d")
    (job,) = jobs(["a.py"], ["a.py"], [("a.py", HIT.encode())])
    assert (job.root, list(job.files), job.shown) == (str(root / "r"), ["d/a.py"], {"d/a.py": "a.py"})


def test_only_what_was_asked_for_may_be_rewritten(tree, monkeypatch):
    root = tree({".git/HEAD": "", "utils.py": HIT, "train.py": "from utils import to_var\nto_var(x, True)\n"})
    monkeypatch.chdir(root)
    (job,) = jobs(["utils.py"], ["utils.py"], [("utils.py", HIT.encode())])
    assert sorted(job.files) == ["train.py", "utils.py"]
    assert job.editable == {"utils.py"}


def test_repositories_inside_one_folder_are_projects_of_their_own(tree, monkeypatch):
    root = tree({"one/.git/HEAD": "", "one/a.py": HIT, "two/.git/HEAD": "", "two/d/b.py": HIT})
    monkeypatch.chdir(root)
    found = jobs(["."], ["./one/a.py", "./two/d/b.py"], [("./one/a.py", HIT.encode()), ("./two/d/b.py", HIT.encode())])
    assert [(os.path.basename(job.root), list(job.files)) for job in found] == [
        ("one", ["a.py"]),
        ("two", ["d/b.py"]),
    ]


def test_files_elsewhere_are_shown_with_their_whole_path(tree, monkeypatch):
    root = tree({"r/a.py": HIT, "w/x": ""})
    monkeypatch.chdir(root / "w")
    (job,) = jobs(["../r"], ["../r/a.py"], [("../r/a.py", HIT.encode())])
    assert job.shown == {"a.py": str(root / "r" / "a.py")}


def test_a_line_of_megabytes_is_looked_at_once() -> None:
    line = b'"text": "' + b"volatile\\n" * 200_000 + b'"\n'
    start = time.process_time()
    assert Layout(b"def f():\n    volatile\n" + line).around_words(frozenset({b"volatile"})).names == {b"f"}
    assert time.process_time() - start < 10


# --- modules that are asked for by a name ---------------------------------------------------------------------------


@pytest.mark.parametrize(("text", "expected"), [
    ("import_module('nets.small')", ((0, ("nets", "small")), True)),
    ("importlib.import_module( 'nets.' + kind)", ((0, ("nets",)), False)),
    ("__import__('nets.{}'.format(kind), fromlist=['Net'])", ((0, ("nets",)), False)),
    ("import_module('.' + kind, __package__)", ((1, ()), False)),
    ("import_module(f'nets.{kind}')", ((0, ("nets",)), False)),
    ("import_module(kind)", ((0, ()), False)),
    ("imp.load_source('', path)", ((0, ()), False)),
])
def test_a_module_is_asked_for_by_a_string_or_by_how_one_starts(text, expected):
    assert asked(b"import importlib\nnet = " + text.encode()) == (expected,)


def test_a_function_of_that_name_asks_for_no_module():
    assert asked(b"def import_module(path):\n    pass\n") == ()


HIT_BY_NAME = "import importlib\nfrom torch.autograd import Variable\n\ndef run(t, args):\n    made = {}\n" + (
    "    return made.Net()(Variable(t, volatile=True))\n")


@pytest.mark.parametrize(("asks", "seen"), [
    ("importlib.import_module('nets.small')", {"main.py", "nets/small.py"}),
    ("importlib.import_module('nets.' + args.net)", {"main.py", "nets/small.py", "nets/large.py"}),
    ("__import__(args.net)", {"main.py", "nets/small.py", "nets/large.py", "other.py"}),
    ("importlib.load(args.net)", {"main.py"}),
])
def test_what_is_asked_for_by_name_is_read_too(tree, asks, seen):
    root = tree({"main.py": HIT_BY_NAME.format(asks), "nets/small.py": "class Net: pass", "other.py": "x = 1",
                 "nets/large.py": "class Net: pass"})
    path = str(root / "main.py")
    part, = parts(str(root), {path: (root / "main.py").read_bytes()}).parts
    assert {os.path.relpath(each, root) for each in {**part.hits, **part.around}} == seen


@pytest.mark.parametrize("more", [0, 40], ids=["few", "many"])
def test_whole_words_are_found_whatever_their_number(more: int) -> None:
    data = b"aaa aa baa aab aa.aa_ aa\n(b)aa\xe9 b9b b"
    names = frozenset({b"aa", b"b", *(b"word%d" % number for number in range(more))})
    found = sorted(whole_words(data, names))
    assert found == [(m.start(), m[0]) for m in re.finditer(rb"\w+", data) if m[0] in names]
    assert len(found) == 6


@pytest.mark.parametrize(("source", "names", "bound"), [
    ("net = make(\n    word)\nother = 1\n", set(), {"net"}),
    ("a, b = (\n    1,\n)\nif word == 1: pass\n", set(), set()),
    ("a, b = (\n    1,\n) + word\n", set(), {"a", "b"}),
    ("    f = lambda x: word\nword = 2\n", {"f"}, {"word"}),
    ("f = lambda x: 1\n    word\n", set(), {"f"}),
    ("from a import word as w, other as o\n", {"w"}, set()),
    ("from a import (word  as  w)\n", {"w"}, set()),
    ("with word as w:\n    pass\n", set(), set()),
    ("class A:\n    x = word\n# word\n", {"A"}, set()),
])
def test_what_stands_around_a_word(source, names, bound):
    layout = Layout(source.encode())
    around = layout.around_words(frozenset({b"word"}))
    assert ({name.decode() for name in around.names}, {name.decode() for name in around.globals}) == (names, bound)


def test_what_is_known_of_one_word_is_told_with_that_of_another():
    layout = Layout(b"def f():\n    one\ndef g():\n    two\n")
    assert layout.around_words(frozenset({b"one"})).names == {b"f"}
    assert layout.around_words(frozenset({b"one", b"two"})).names == {b"f", b"g"}
    assert layout.around_words(frozenset()).names == frozenset()


def test_what_loads_two_of_them_together_is_read_though_it_mentions_nothing(tree):
    files = {
        "lib.py": HIT, "show.py": "from lib import to_var\nto_var(x, True)\n",
        "run.py": "from lib import to_var\nto_var(y)\n",
        "both.py": "import show\nimport run\n", "one.py": "import show\n", "none.py": "import os\n",
    }
    assert context(tree(files), "lib.py") == ["both.py", "run.py", "show.py"]


def test_a_root_that_is_a_package_is_called_by_its_name(tree, monkeypatch):
    root = tree({"mine/.git/HEAD": "", "mine/__init__.py": "", "mine/tools/__init__.py": "", "mine/tools/wrap.py": HIT,
                 "mine/train.py": "from mine.tools.wrap import to_var\nto_var(x, True)\n",
                 "mine/aside.py": "from torch.tools.wrap import to_var\nto_var(x, True)\n",
                 "beside.py": "import mine"})
    monkeypatch.chdir(root)
    (job,) = jobs(["mine"], ["mine/tools/wrap.py"], [("mine/tools/wrap.py", HIT.encode())])
    assert (job.root, job.top) == (str(root), str(root / "mine"))
    assert sorted(job.files) == [
        "mine/__init__.py", "mine/tools/__init__.py", "mine/tools/wrap.py", "mine/train.py"]
    assert job.shown == {"mine/tools/wrap.py": "mine/tools/wrap.py"}


def test_a_package_within_a_package_of_that_name_comes_first(tree, monkeypatch):
    root = tree({"mine/.git/HEAD": "", "mine/__init__.py": "", "mine/mine/__init__.py": "", "mine/mine/wrap.py": HIT,
                 "mine/wrap.py": "", "mine/train.py": "from mine.wrap import to_var\nto_var(x, True)\n"})
    monkeypatch.chdir(root)
    (job,) = jobs(["mine"], ["mine/mine/wrap.py"], [("mine/mine/wrap.py", HIT.encode())])
    assert "mine/train.py" in job.files


@pytest.mark.parametrize("clone", ["mine", "other", "mine-master"])
def test_a_root_that_is_a_package_is_read_whole_by_whatever_name_its_clone_goes(tree, monkeypatch, clone):
    root = tree({f"{clone}/.git/HEAD": "", f"{clone}/__init__.py": "", f"{clone}/wrap.py": HIT,
                 f"{clone}/train.py": "from mine.wrap import to_var\nto_var(x, True)\n",
                 f"{clone}/aside.py": "from torch.wrap import to_var\nto_var(x, True)\n"})
    monkeypatch.chdir(root)
    (job,) = jobs([clone], [f"{clone}/wrap.py"], [(f"{clone}/wrap.py", HIT.encode())])
    assert sorted(os.path.basename(path) for path in job.files) == ["__init__.py", "train.py", "wrap.py"]


def test_a_sentence_calls_every_file_as_it_is_found_from_the_working_directory(tree, monkeypatch):
    root = tree({"mine/.git/HEAD": "", "mine/__init__.py": "", "mine/wrap.py": HIT,
                 "mine/sub/train.py": "from mine.wrap import to_var\nto_var(x, True)\n"})
    monkeypatch.chdir(root / "mine")
    (job,) = jobs(["wrap.py"], ["wrap.py"], [("wrap.py", HIT.encode())])
    for text in ("needs an edit in {}, which is not among the paths given", "would wrap {}: line 2", "{} is a file"):
        expected = text.format("sub/train.py" if "is a file" not in text else "mine/sub/train.py")
        assert renamed(text.format("mine/sub/train.py"), job) == expected
    assert renamed("needs an edit in mine/wrap.py, which is outside the paths given", job) == (
        "needs an edit in wrap.py, which is outside the paths given")
