"""The end of a run's time: where it is looked at, what is under way is left."""

from __future__ import annotations

import time


class TimeUp(Exception):  # noqa: N818 - it is no error, only the end of the time that a run was given
    """The time of a run is up."""


def check(until: float | None) -> None:
    """Raise TimeUp past ``until``, a time of ``time.monotonic``; None: there is time."""
    if until is not None and time.monotonic() >= until:
        raise TimeUp
