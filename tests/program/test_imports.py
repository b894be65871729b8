from __future__ import annotations

import ast

from voltfix.program.imports import Index, used_as_torch

INDEX = Index({"main.py": None, "pkg/__init__.py": None, "pkg/net.py": None, "pkg/sub/deep.py": None})


def test_a_module_is_found_from_the_folder_of_its_importer_and_from_the_root():
    assert INDEX.find("main.py", "pkg.net") == "pkg/net.py"
    assert INDEX.find("pkg/sub/deep.py", "pkg.net") == "pkg/net.py"


def test_dots_count_folders():
    assert INDEX.find("pkg/sub/deep.py", "net", 2) == "pkg/net.py"


def test_torch_is_never_a_file_of_the_project():
    assert Index({"torch.py": None, "main.py": None}).find("main.py", "torch") is None


def test_a_package_that_is_all_of_the_project_imports_itself_by_its_name():
    index = Index(["mine/__init__.py", "mine/tools/wrap.py", "mine/run/main.py", "mine/other.py"])
    assert index.find("mine/run/main.py", "mine.tools.wrap") == "mine/tools/wrap.py"
    assert index.find("mine/run/main.py", "mine") == "mine/__init__.py"
    assert index.find("mine/run/main.py", "mine.elsewhere") is None
    assert index.find("mine/run/main.py", "tools.wrap") == "mine/tools/wrap.py"
    within = Index(["mine/__init__.py", "mine/wrap.py", "mine/mine/__init__.py", "mine/mine/wrap.py", "mine/main.py"])
    assert within.find("mine/main.py", "mine.wrap") == "mine/mine/wrap.py"


def test_a_package_that_is_all_of_the_project_may_be_imported_by_another_name_than_its_folder_has():
    for top in ("", "clone/"):
        index = Index([f"{top}__init__.py", f"{top}tools/__init__.py", f"{top}tools/wrap.py", f"{top}run/main.py"])
        main = f"{top}run/main.py"
        assert index.several(main, "mine.tools.wrap") == [f"{top}tools/wrap.py"]
        assert index.several(main, "mine") == [f"{top}__init__.py"]
        assert index.several(main, "mine.other") == index.several(main, "torch.tools") == []
        assert index.find(main, "mine.tools.wrap") is None
    assert Index(["tools/wrap.py", "run/main.py"]).several("run/main.py", "mine.tools.wrap") == []


def test_names_that_are_used_as_torch_without_an_import():
    assert used_as_torch(ast.parse("th.autograd.Variable(x)\nnp.zeros(1)")) == {"th"}


def test_a_path_from_the_root_of_the_machine_has_an_end():
    index = Index(["/work/main.py", "/work/tools/wrap.py"])
    assert index.find("/work/main.py", "tools.wrap") == "/work/tools/wrap.py"
    assert index.find("/work/tools/wrap.py", "main") == "/work/main.py"
    assert index.find("/work/main.py", "elsewhere") is None
