"""What a person has to read, once each: a file that many repositories share changes alike everywhere."""

from __future__ import annotations

import hashlib
import re

from voltfix.report.escape import decodable
from voltfix.sources.diffs import unified

_PLACE = re.compile(rb"(?m)^@@ -\d+(?:,\d+)? \+\d+(?:,\d+)? @@")


def normalised(path: str, before: bytes, after: bytes) -> dict[str, str]:
    """The diff of a file without names and line numbers; equal digests mean the same to a reviewer."""
    text = _PLACE.sub(b"@@", unified("-", before, after).split(b"\n", 2)[-1])
    digest = hashlib.sha256(text).hexdigest()[:32]
    return {"path": decodable(path), "digest": digest, "text": text.decode("utf-8", "replace")}
