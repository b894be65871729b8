"""Progress in the editor while a workspace is looked at."""

from __future__ import annotations

import uuid
from collections.abc import Iterator
from contextlib import contextmanager

from lsprotocol import types
from pygls.lsp.server import LanguageServer


@contextmanager
def working(ls: LanguageServer, message: str) -> Iterator[None]:
    """Show ``message`` while the block runs, in editors that can."""
    window = ls.client_capabilities.window
    if window is None or not window.work_done_progress:
        yield
        return
    token = str(uuid.uuid4())
    progress = ls.work_done_progress
    progress.create(token)
    progress.begin(token, types.WorkDoneProgressBegin(title="voltfix", message=message))
    try:
        yield
    finally:
        progress.end(token, types.WorkDoneProgressEnd(message="done"))
