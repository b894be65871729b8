"""What is shown of files: their diffs, and sentences with places in them, under the names that a person gave."""

from __future__ import annotations

import os
import re

from voltfix.discovery.projects import Job, display
from voltfix.report.escape import printable
from voltfix.sources.diffs import unified

_FILE = re.compile(r"[^\s:()]+\.\w+(?=:|, which is (?:outside|not among) the paths given)")


def renamed(sentence: str, job: Job) -> str:
    """A sentence with the places in it under the names that are shown."""
    if ":" not in sentence and "paths given" not in sentence:
        return sentence
    return _FILE.sub(lambda found: job.called(found[0]), sentence)


def diff(name: str, before: bytes, after: bytes) -> bytes:
    """The diff of one file.

    Git and patch refuse absolute names, so that of a file elsewhere starts at its root.
    """
    if os.path.isabs(name):
        from voltfix.discovery.roots import root_of

        name = os.path.relpath(name, root_of(name))
    return unified(name, before, after)


def patch(outputs: dict[str, bytes], job: Job) -> str:
    """The diffs of some files of a project, made harmless for a terminal."""
    text = "".join(
        diff(display(os.path.join(job.root, path)), job.files[path], data).decode("utf-8", "replace")
        for path, data in sorted(outputs.items())
    )
    return printable(text, keep="\n\t").rstrip("\n") + "\n"
