"""All symptoms, in the order in which they are tried."""

from __future__ import annotations

from voltfix.repair.symptom import Symptom
from voltfix.repair.symptoms import calls, dtypes, functions, gradients, libraries, python2, whole, zero_dim

SYMPTOMS: tuple[Symptom, ...] = (
    *gradients.SYMPTOMS,
    *functions.SYMPTOMS,
    *calls.SYMPTOMS,
    *dtypes.SYMPTOMS,
    *zero_dim.SYMPTOMS,
    *libraries.SYMPTOMS,
    *python2.SYMPTOMS,
    *whole.SYMPTOMS,
)
