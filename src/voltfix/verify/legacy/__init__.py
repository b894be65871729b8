"""PyTorch 0.3's ``volatile``, emulated on today's torch.

``with legacy():`` makes code of the volatile era run as on PyTorch 0.3.0: ``Variable(x, volatile=True)``,
contagion per operation with its exceptions, ``.volatile``, its cures, writing in place, what raises, and
enough of the old surface besides (``loss.data[0]``, byte masks, ``size_average``).
``voltfix.verify.legacy_source`` reads source of that time (``async=``, print statements). The tables are in
``voltfix.torchmodel``; how well it holds is in ``docs/emulation.md``.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator

from voltfix.verify.legacy import graph as _graph  # these two register handlers
from voltfix.verify.legacy import special as _special
from voltfix.verify.legacy.flags import is_variable, is_volatile
from voltfix.verify.legacy.mode import LegacyMode
from voltfix.verify.legacy.strict import Strict
from voltfix.verify.legacy.surface import installed
from voltfix.verify.legacy.variable import Variable

__all__ = ["Variable", "is_variable", "is_volatile", "legacy"]
_ = _graph, _special


@contextlib.contextmanager
def legacy(strict: bool = False) -> Iterator[None]:
    """Run the block as on PyTorch 0.3.0.

    The names of torch are replaced in the whole process, so that modules imported inside see them; import
    legacy code inside the block, not before. The rules hold in this thread and in threads started inside.

    ``strict`` raises besides where 0.3.0 refused something that has nothing to do with volatile, such as a
    plain tensor plus a Variable, and lets sums of bytes overflow.
    """
    before, Strict.on = Strict.on, strict
    try:
        with installed(), LegacyMode():
            yield
    finally:
        Strict.on = before
