"""docs/architecture.md names every folder and every step of the analysis: a new one has to be put on the map."""

from __future__ import annotations

from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path

ROOT = Path(__file__).parents[2]
PACKAGE = ROOT / "src" / "voltfix"
PAGE = (ROOT / "docs" / "architecture.md").read_text()


def test_every_folder_and_file_of_the_package_is_on_the_page():
    folders = {path.relative_to(PACKAGE).parts[0] for path in PACKAGE.rglob("*.py")}  # not what only holds a cache
    names = sorted(name for name in folders if not name.startswith("_"))
    assert [name for name in names if f"`{name}`" not in PAGE and f"`{name}/`" not in PAGE] == []


def test_every_module_of_the_analysis_belongs_to_a_step():
    steps = ("program", "flags", "torchmodel", "domains", "machine", "solver")
    names = [path.stem for step in steps for path in (PACKAGE / step).glob("*.py") if path.stem != "__init__"]
    assert [name for name in names if f"`{name}`" not in PAGE] == []


def test_imports_go_one_way():
    """No circle, also not for type checkers, and no arrow back up the house (``benchmarks/house.py``)."""
    spec = spec_from_file_location("house", ROOT / "benchmarks" / "house.py")
    assert spec is not None
    assert spec.loader is not None
    house = module_from_spec(spec)
    spec.loader.exec_module(house)
    found = list(house.imports(house.modules(ROOT / "src")))
    edges: dict[str, set[str]] = {}
    for each in found:
        edges.setdefault(each.source, set()).add(each.target)
    assert house.circles(edges) == []
    assert [f"{each.source}:{each.line} -> {each.target}" for each in found if house.goes_up(each)] == []
