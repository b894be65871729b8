from __future__ import annotations

import pytest

from alone import project
from voltfix.model import Module
from voltfix.program.imports import Index
from voltfix.program.meeting import Meeting
from voltfix.program.resolve import Project


def meet(one: str, other: str, /, **texts: str) -> bool:
    made = project(**texts)
    return Meeting(made, Index(made.paths)).meet(one, other)


def asking(text: str, one: str = "main.py", other: str = "nets/small.py") -> bool:
    return meet(one, other, main=text + "\nf(1)\n", nets__small="x = 1", nets__large="x = 2", other="f()")


@pytest.mark.parametrize("asks", ["'nets.small'", "'nets.' + k", "'nets.%s' % k", "k", "args.net"])
def test_a_module_that_is_asked_for_by_name_meets_who_asks(asks: str) -> None:
    assert asking(f"import importlib\ndef f(k, args):\n    return importlib.import_module({asks})")


@pytest.mark.parametrize("asks", ["'nets.large'", "'other' + k"])
def test_another_module_does_not(asks: str) -> None:
    assert not asking(f"import importlib\ndef f(k):\n    return importlib.import_module({asks})")


def test_two_that_one_imports_meet_each_other() -> None:
    assert asking("import nets.small, other", "nets/small.py", "other.py")
    assert not asking("import nets.small", "nets/small.py", "other.py")


GUARDED = "\nif __name__ == '__main__':\n    run()\n"


def test_two_scripts_that_import_the_same_do_not_meet() -> None:
    both = {"train": "import common" + GUARDED, "show": "import common\nrun()", "common": "STATE = {}"}
    assert not meet("train.py", "show.py", **both)
    assert meet("train.py", "common.py", **both)
    assert meet("common.py", "show.py", **both)


@pytest.mark.parametrize("starts", [
    "import train, show", "from train import f\nfrom show import g", "import train\ndef later():\n    import show",
    "exec(open('train.py').read())", "import runpy\nrunpy.run_path(name)", "__import__(name)", "execfile(name)",
    "import importlib.util\nimportlib.util.spec_from_file_location('x', name)", "import wrapped",
    "get_ipython().magic('run train.py')", "register(id='a', entry_point='train:f')\nimport train, show",
    "import importlib\nimportlib.import_module(name=name)", "import importlib\nimportlib.import_module(**asked)",
    "import importlib\nlist(map(importlib.import_module, names))", "list(map(__import__, names))",
    "list(map(exec, texts))",
    "import importlib\nHOW = {'a': importlib.import_module}", "from importlib import *\nimport_module(name)",
    "import threading\nthreading.Thread(target=__import__, args=(name,)).start()", "__builtins__.__import__(name)",
    "import importlib\ngetattr(importlib, 'import_module')(name)", "eval('__import__(name)')",
    "import importlib, functools\nload = functools.partial(importlib.import_module, package='a')",
    "eval(compile(open(name).read(), name, 'exec'))", "import importlib\nimportlib.find_loader(name).load_module()",
    "import unittest\nunittest.defaultTestLoader.loadTestsFromNames(['train', 'show'])",
    "import unittest\nunittest.TestLoader().discover('.', pattern='*.py')",
])
def test_scripts_that_a_third_one_may_load_meet(starts: str) -> None:
    assert meet("train.py", "show.py", main=starts, train="f(1)", show="g(1)", wrapped="import train\nimport show")


@pytest.mark.parametrize("calls", [
    "def load_module(name):\n    return 1\nload_module(name)", "import re\nre.compile(name)", "eval('1 + 2')",
    "net.modules()", "print('imports nothing')",
])
def test_what_only_sounds_like_it_loads_nothing(calls: str) -> None:
    assert not meet("train.py", "show.py", main=calls + "\nf(1)\n", train="f(1)", show="g(1)")


@pytest.mark.parametrize(("init", "meets"), [
    ("__all__ = ['train', 'show']", True), ("__all__ = [f[:-3] for f in names]", True), ("x = 1", False)])
def test_a_star_brings_in_the_modules_that_a_package_lists(init: str, meets: bool) -> None:
    texts = {"jobs/__init__.py": init, "jobs/train.py": "f(1)", "jobs/show.py": "g(1)"}
    for name in ("from jobs import *", "import jobs"):
        made = Project([Module(path, text) for path, text in {**texts, "main.py": f"{name}\nf(1)"}.items()])
        assert Meeting(made, Index(made.paths)).meet("jobs/train.py", "jobs/show.py") == (meets and "*" in name)


@pytest.mark.parametrize("how", [
    "from ours import train, show", "import ours.train, ours.show", "from ours.train import f\nfrom ours.show import g",
    "from all.ours import train, show", "import importlib\nimportlib.import_module('ours.' + name)",
    "import importlib\nfor n in names:\n    importlib.import_module(f'ours.{n}')",
])
def test_the_folder_that_is_looked_at_may_be_the_package_that_an_import_names(how: str) -> None:
    assert meet("train.py", "show.py", main=how + "\nf(1)", train="f(1)", show="g(1)")
    assert meet("here/train.py", "here/show.py", here____init__="", here__main=how + "\nf(1)", here__train="f(1)",
                here__show="g(1)")  # a clone under another name, which is a package


@pytest.mark.parametrize("how", [
    "from os import fit", "from torchvision import train, show",
    "import importlib\nimportlib.import_module('torchvision.' + n)",
    "from ours.deep import train, show", "import importlib\nimportlib.import_module('ours')",
])
def test_a_library_of_others_is_none_of_its_modules(how: str) -> None:
    assert meet("train.py", "show.py", main=how + "\nf(1)", train="f(1)", show="g(1)") == ("deep" in how)


def test_what_python_loads_before_any_program_meets_each_of_them() -> None:
    texts = {"train": "f(1)", "show": "g(1)", "sitecustomize": "import patches\nh(1)", "patches": "h(1)"}
    assert meet("train.py", "patches.py", **texts)
    assert not meet("train.py", "show.py", **texts)


def test_a_notebook_may_be_imported_as_a_module() -> None:
    made = Project([Module("show.ipynb", "f(1)", kind="notebook"), Module("train.ipynb", "f(1)", kind="notebook"),
                    Module("main.py", "import import_ipynb, show\nfrom ipynb.fs.full.train import f\nf(1)")])
    assert Meeting(made, Index(made.paths)).meet("show.ipynb", "train.ipynb")


def test_two_that_only_define_and_that_nobody_imports_may_be_somebodys() -> None:
    texts = {"one": "import common\ndef f(): pass", "two": "import common\nclass A: pass", "common": "",
             "run": "import common\nf()"}
    assert meet("one.py", "two.py", **texts)
    assert not meet("run.py", "two.py", **texts)


def test_a_module_that_a_registry_is_told_of_as_text_is_loaded() -> None:
    texts = {"main": "import show\nregister(entry_point='envs.maze:Maze')", "envs__maze": "f()", "show": "f()"}
    assert meet("show.py", "envs/maze.py", **texts)


def test_the_module_of_a_class_is_loaded_with_what_was_saved_of_it() -> None:
    texts = {"train": "import nets\nf()", "show": "import torch\nprint(torch.load('net.pt'))", "nets": "",
             "plain": "import os\nprint(os)"}
    assert meet("show.py", "nets.py", **texts)
    assert not meet("show.py", "train.py", **texts)  # as __main__ its classes are no module's
    assert not meet("plain.py", "nets.py", **texts)


def test_a_package_is_loaded_before_its_modules() -> None:
    texts = {"lib/__init__.py": "import other", "lib/net.py": "", "other.py": ""}
    made = Project([Module(path, text) for path, text in texts.items()])
    assert Meeting(made, Index(made.paths)).meet("lib/net.py", "other.py")


def test_where_a_name_may_mean_several_files_each_of_them_is_loaded() -> None:
    texts = {"a__run": "import util\nf()", "a__util": "", "b__util": "", "b__show": "import util\nf()"}
    assert meet("a/run.py", "b/util.py", **texts)
    assert not meet("a/run.py", "b/show.py", **texts)


def test_all_tests_are_loaded_by_one_run_of_them() -> None:
    texts = {"test_one": "import a", "test_two": "import b", "a": "", "b": "", "c": "f()"}
    assert meet("a.py", "b.py", **texts)
    assert not meet("a.py", "c.py", **texts)


def test_any_two_of_a_package_that_others_install_meet() -> None:
    made = project(a="", b="")
    made.for_others = True
    assert Meeting(made, Index(made.paths)).meet("a.py", "b.py")


@pytest.mark.parametrize(("line", "meets"), [
    ("%run train.py", True), ("%run -i 'sub/train.py'", True), ("%run train", True), ("%run $name", True),
    ("%matplotlib inline", False), ("%run other.py", False), ("%timeit f()", False),
    ("%time %run train.py", True), ("%run -t -N 3 train.py", True), ("%run -m sub.train", True),
    ("%prun -q %run train", True), ("%run trainer.py", False), ("%run {name}.py", True), ("%time f()", False),
])
def test_what_a_notebook_runs_it_loads(line: str, meets: bool) -> None:
    made = Project([Module("book.ipynb", "x = 1", kind="notebook", magics=(line,)), Module("train.py", "f(1)"),
                    Module("other.py", "")])
    assert Meeting(made, Index(made.paths)).meet("book.ipynb", "train.py") == meets


def keeps(text: str, path: str = "show.py", for_others: bool = False, **others: str) -> bool:
    made = project(**{path.removesuffix(".py"): text, **others})
    made.for_others = for_others
    return Meeting(made, Index(made.paths)).keeps_its_names(path)


def test_a_script_that_nothing_loads_keeps_its_names() -> None:
    assert keeps("import common\nshow(1)\n", common="def show(x):\n    return x")
    assert keeps("import common\nshow(1)\n", common="NAMES = vars(3)", train="import common\nrun()\nglobals()")


@pytest.mark.parametrize("text", [
    "show(globals())", "show(vars())", "def f(name):\n    return eval(name)\nf(1)", "exec(text)", "def f():\n    pass",
    "import sys\nshow(sys.modules)", "import __main__\nshow(1)",
])
def test_one_that_shows_them_does_not(text: str) -> None:
    assert not keeps(text)


@pytest.mark.parametrize("other", [
    "import show", "from show import batches", "from show import *", "import importlib\nimportlib.import_module(name)",
    "'show.batches'", "import runpy\nrunpy.run_path(name)",
])
def test_nor_does_one_that_another_may_load(other: str) -> None:
    assert not keeps("show(1)\n", other=f"{other}\nf(1)\n")


@pytest.mark.parametrize("common", [
    "import __main__", "from __main__ import rows", "import sys\nsys.modules['__main__']", "from sys import modules",
    "f = lambda g: g.__globals__", "def f(frame):\n    return frame.f_globals",
])
def test_nor_does_one_whose_helpers_look_at_the_script(common: str) -> None:
    assert not keeps("import common\nshow(1)\n", common=common)


def test_in_a_package_nothing_keeps_its_names() -> None:
    assert not keeps("show(1)\n", for_others=True)


def programs(**texts: str) -> set[tuple[str, ...]]:
    made = project(**texts)
    return {tuple(sorted(each)) for each in Meeting(made, Index(made.paths)).programs()}


def test_scripts_with_what_they_import_are_programs() -> None:
    both = {"train": "import common" + GUARDED, "show": "import common\nrun()", "common": "STATE = {}"}
    assert programs(**both) == {("common.py", "train.py"), ("common.py", "show.py")}
    assert programs(**both, all="import train, show") == {("all.py", "common.py", "show.py", "train.py")}
    assert programs(**{**both, "show": "exec(open('train.py').read())"}) == {("common.py", "show.py", "train.py")}


def test_what_waits_for_somebody_may_come_into_any_program() -> None:
    texts = {"train": "f()", "show": "f()", "nets": "import parts\nclass Net: pass", "parts": ""}
    assert programs(**texts) == {("nets.py", "parts.py", "train.py"), ("nets.py", "parts.py", "show.py")}


def test_a_package_for_others_is_one_program() -> None:
    made = project(train="f()", show="f()")
    made.for_others = True
    assert Meeting(made, Index(made.paths)).programs() == [frozenset({"train.py", "show.py"})]
