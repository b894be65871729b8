"""Classes of the project that are operations: ``forward`` runs on plain tensors, and who calls them sees one step.

On 0.3 and today what ``Function.apply(x)`` gives has a graph where something that it was given has one, whatever its
``forward`` does: it has no weights of its own.
"""

from __future__ import annotations

import ast

from voltfix.machine.values import ClassValue, Extern
from voltfix.program.walking import walk

_BASES = {"torch.autograd.Function", "torch.autograd.function.Function"}
_GIVES_BACK = frozenset({"mark_dirty", "mark_shared_storage"})  # what it was given is another one afterwards


def is_operation(cls: ClassValue) -> bool:
    """Does a class derive from torch's autograd.Function?"""
    return any(base.endswith("autograd.Function") for base in cls.extern_bases())


def is_applied(cls: ClassValue) -> bool:
    """Is ``apply`` of it torch's own, and does it make something new of what it is given?"""
    own = [each for each in cls.order if isinstance(each, ClassValue)]
    return bool(cls.extern_bases()) and set(cls.extern_bases()) <= _BASES and all(
        len(each.bases) == len(each.node.bases) and all(isinstance(base, (ClassValue, Extern)) for base in each.bases)
        and not each.node.decorator_list and not each.node.keywords
        and not any(isinstance(node, ast.Attribute) and node.attr in _GIVES_BACK for node in walk(each.node))
        for each in own)
