"""A plugin for pytest: what a test raised is written down."""

from __future__ import annotations

from typing import Any


def pytest_exception_interact(node: Any, call: Any, report: Any) -> Any:
    """A test, or the collection of one, raised."""
    import voltfix_observer  # type: ignore[import-not-found]

    voltfix_observer.note(call.excinfo.value, "test")
