"""Operations that run today and mean something else than on 0.3: noticed as they happen, in the command's process."""

from __future__ import annotations

import functools
import os
import sys
from typing import Any


def watch(note: Any, anomaly: Any) -> Any:
    """Look at torch as soon as it is there."""
    from voltfix_imports import after_import  # type: ignore[import-not-found]

    after_import("torch", lambda module: _patch(module, note, anomaly))


def _patch(torch: Any, note: Any, anomaly: Any) -> Any:
    if anomaly:
        torch.autograd.set_detect_anomaly(True)
    inner = torch.Tensor.__truediv__

    @functools.wraps(inner)
    def divide(self: Any, other: Any) -> Any:
        if _whole(self) and self.dim() and (isinstance(other, int) or _whole(other)):
            note("integer-division", sys._getframe(1))
        return inner(self, other)

    def _whole(value: Any) -> Any:
        return isinstance(value, torch.Tensor) and not value.is_floating_point() and not value.is_complex()

    torch.Tensor.__truediv__ = divide
    hashed = torch.Tensor.__hash__

    @functools.wraps(hashed)
    def key(self: Any) -> Any:
        if not self.dim():
            frame = sys._getframe(1)
            while frame.f_back is not None and frame.f_code.co_filename.endswith("collections/__init__.py"):
                frame = frame.f_back
            note("tensor-as-key", frame)
        return hashed(self)

    torch.Tensor.__hash__ = key
    resized = torch.nn.functional.interpolate

    @functools.wraps(resized)
    def resize(*given: Any, **more: Any) -> Any:
        mode = more.get("mode", given[3] if len(given) > 3 else "nearest")
        if str(mode).endswith("linear") and more.get("align_corners", given[4] if len(given) > 4 else None) is None:
            frame: Any = sys._getframe(1)
            while frame.f_back is not None and f"{os.sep}torch{os.sep}" in frame.f_code.co_filename:
                frame = frame.f_back
            note("corners-apart", frame)
        return resized(*given, **more)

    torch.nn.functional.interpolate = resize
    told = torch.Tensor.__repr__

    @functools.wraps(told)
    def text(self: Any, *given: Any, **more: Any) -> Any:
        if not self.dim():
            note("text-of-an-element", None)
        return told(self, *given, **more)

    torch.Tensor.__repr__ = text
