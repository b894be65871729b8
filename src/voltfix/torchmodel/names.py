"""Every guess from a name that a person chose, each with why. Nothing else in voltfix may decide by such a name.

A guess is taken where nothing in sight says more. Names that Python or torch gave something (``forward``, ``__init__``,
``parameters``) are no guesses.
"""

from __future__ import annotations

import re

# What a name means that nothing in sight binds: snippets and cells of notebooks leave their imports out.
UNBOUND = {
    "Variable": "torch.autograd.Variable", "torch": "torch", "autograd": "torch.autograd", "nn": "torch.nn",
    "F": "torch.nn.functional", "np": "numpy",
}  # fmt: skip
# Of these, those by which a site is found; the others only say what is computed around one.
OF_SITES = ("Variable", "autograd", "torch")

# What programs call their settings: ``opt.volatile`` is read from one, and no tensor.
_SETTINGS = frozenset(
    "FLAGS args cfg conf config flags hp hparams opt options opts settings".split()  # noqa: SIM905
)
# An unknown object that is called one of these may train in ``train()``; that of others is nn.Module's, as ``eval()``.
_TRAINERS = re.compile("train|agent|solver|runner|engine|learn|experiment|worker")
# An unknown function that is called one of these may send gradients, so that the graph of what it gives is wanted.
_TRAINS = re.compile("train|fit|optim|step|update|backward|learn|agent|solver|runner|engine|worker|attack")
# An unknown callee that is called one of these may be a loss, which keeps the graph of one argument beside a volatile
# target.
_LOSS = re.compile("loss|crit|objective|mse|bce|nll|entropy|cost")
# Words of the name of a callee whose value ``backward`` is due on (``lossFn``, ``G_criterion``).
_CRITERIA = frozenset({"cost", "crit", "criteria", "criterion", "criterions", "loss", "losses", "lossfn", "objective"})
_WORD = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])")
# A condition that asks one of these asks for the version of torch: both arms were meant.
_VERSIONS = frozenset({"torch_version", "pytorch_version", "is_torch_0_4"})


def is_settings(name: str) -> bool:
    """Is it what programs call their settings?"""
    return name in _SETTINGS


def may_be_trainer(text: str) -> bool:
    """Does the text of an object that nobody has seen say that it may train?"""
    return _TRAINERS.search(text.lower()) is not None


def may_train(callee: str) -> bool:
    """Does the name of a function that nobody has seen say that it may send gradients?"""
    return _TRAINS.search(callee.lower()) is not None


def may_be_loss(callee: str) -> bool:
    """Does the text of a callee that nobody has seen say that it may be a loss?"""
    return _LOSS.search(callee.lower()) is not None


def is_criterion(name: str) -> bool:
    """Is one of the words of a name that of a criterion?"""
    return not _CRITERIA.isdisjoint(word.lower() for word in _WORD.findall(name))


def asks_version(name: str) -> bool:
    """Is it what programs call the version of torch?"""
    return name.lower().strip("_") in _VERSIONS
