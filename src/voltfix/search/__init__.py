"""Choosing by running: what cannot be proved is tried.

For a change that is refused for want of proof, ``kinds`` proposes patches, and the verifier says which of them do what
0.3 did. ``choosing`` takes one only where that leaves no doubt; all others are suggestions.
"""

from __future__ import annotations

from voltfix.pipeline.verifying import Verifier
from voltfix.records import dataclass
from voltfix.search.budget import Budget
from voltfix.search.memory import Memory


@dataclass
class Search:
    """What a run has for trying candidates: time, and what was tried before.

    ``verifier``: who is asked, where that is another one than for changes that are proved: one that gives up sooner.
    """

    budget: Budget
    memory: Memory
    verifier: Verifier | None = None


__all__ = ["Budget", "Memory", "Search"]
