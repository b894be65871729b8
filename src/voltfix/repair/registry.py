"""All symptoms, in the order in which they are tried."""

from __future__ import annotations

from voltfix.repair.symptom import Symptom
from voltfix.repair.symptoms import (
    calls,
    dtypes,
    files,
    functions,
    gradients,
    iterators,
    libraries,
    modules,
    protocols,
    python2,
    torch_names,
    whole,
    zero_dim,
)

SYMPTOMS: tuple[Symptom, ...] = (
    *gradients.SYMPTOMS,
    *functions.SYMPTOMS,
    *modules.SYMPTOMS,
    *torch_names.SYMPTOMS,
    *calls.SYMPTOMS,
    *dtypes.SYMPTOMS,
    *zero_dim.SYMPTOMS,
    *libraries.SYMPTOMS,
    *files.SYMPTOMS,
    *iterators.SYMPTOMS,
    *protocols.SYMPTOMS,
    *python2.SYMPTOMS,
    *whole.SYMPTOMS,
)
