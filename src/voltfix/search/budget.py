"""How long candidates may be tried in one run, over all of its projects."""

from __future__ import annotations

import time
from collections.abc import Callable


class Budget:
    """Seconds of the verifier's time that are left; what comes out of the cache costs none."""

    def __init__(self, seconds: float, clock: Callable[[], float] = time.monotonic) -> None:
        self.left = self._whole = seconds
        self._clock = clock

    def __bool__(self) -> bool:
        return self.left > 0

    @property
    def spare(self) -> bool:
        """Is there more left than what is asked next may want?"""
        return 2 * self.left > self._whole

    def __enter__(self) -> Budget:
        self._since = self._clock()
        return self

    def __exit__(self, *_: object) -> None:
        self.left -= self._clock() - self._since
