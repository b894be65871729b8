"""docs/architecture.md names every folder and every step of the analysis: a new one has to be put on the map."""

from __future__ import annotations

from pathlib import Path

ROOT = Path(__file__).parents[2]
PACKAGE = ROOT / "src" / "voltfix"
PAGE = (ROOT / "docs" / "architecture.md").read_text()


def test_every_folder_and_file_of_the_package_is_on_the_page():
    names = [path.name for path in PACKAGE.iterdir() if not path.name.startswith("_") and path.name != "py.typed"]
    assert [name for name in names if f"`{name}`" not in PAGE and f"`{name}/`" not in PAGE] == []


def test_every_module_of_the_analysis_belongs_to_a_step():
    names = [path.stem for path in (PACKAGE / "analysis").glob("*.py") if path.stem != "__init__"]
    assert [name for name in names if f"`{name}`" not in PAGE] == []
