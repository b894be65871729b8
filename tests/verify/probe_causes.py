"""Why some observables of the recorded probes differ, or cannot be asked of today's torch at all.

``CAUSES`` maps (probe, start of the label) to a cause; the first that fits holds. Causes in ``NOT_POSABLE``
are no disagreement: today's torch has no way to give the recorded answer, whatever stands in for volatile.
"""

from __future__ import annotations

ABSENT = "0.3.0 did not have the name; today's torch does, and the emulation hides nothing"
REMOVED = "the function is gone from today's torch"
NAMES = "the class name or the printed form of a tensor, an optimizer or a module"
INTEGER_GRAD = "today only floating tensors can require grad; on 0.3 comparisons and indices could"
INDICES = "0.3.0 took no mixture of index tensors and numbers or slices, and no array; today's torch does"
NOT_POSABLE = frozenset({ABSENT, REMOVED, NAMES, INTEGER_GRAD, INDICES})

LENIENT = "0.3.0 refused it, for no reason of volatile; the emulation lets it pass"
DATA = "x.data is a new tensor over the same storage today, so that resizing it does not resize x"
GRADCHECK = "today's gradcheck looks into arguments that do not require grad"
RETURNS = "x.__setitem__() returned the object on 0.3"

CAUSES: dict[tuple[str, str], str] = {
    ("1.13.copy_", ""): ABSENT,
    ("1.14.comparison", "x."): INTEGER_GRAD,
    ("1.15.tuple_results", "x nonzero"): INTEGER_GRAD,
    ("1.17.max_elementwise", "where?"): ABSENT,
    ("1.99.sweep", "total"): REMOVED,
    ("4.15.data_assign", ""): DATA,
    ("4.16.getattr_misc", "repr"): NAMES,
    ("4.16.getattr_misc", "str"): NAMES,
    ("4.16.getattr_misc", "type"): NAMES,
    ("4.16.getattr_misc", "isinstance"): NAMES,
    ("4.16.getattr_misc", ""): ABSENT,
    ("8.02.custom_function_new_style", "log"): NAMES,
    ("8.03.custom_function_old_style", "log"): NAMES,
    ("8.03.custom_function_old_style", "saved"): NAMES,
    ("10.04.optimizer", "SGD([param volatile])"): NAMES,
    ("10.05.pickle", "keep_vars"): NAMES,
    ("10.05.pickle", "reduce_ex"): NAMES,
    ("10.07.profiler_grad_mode", ""): ABSENT,
    ("10.08.gradcheck_multiproc", ""): GRADCHECK,
    ("10.09.dataloader", ""): LENIENT,
    ("11.02.mutable_default_accumulator", "type"): NAMES,
    ("12.06.fill_with_variable", "n[0,0]"): RETURNS,
    ("12.14.bn_in_train_under_volatile_then_train", "rm type"): NAMES,
    ("13.09.misc_indexing_volatility_by_python_functions", "max_unpool2d"): LENIENT,
    ("13.14.copy_family_of_Variable", "masked_copy"): REMOVED,
    ("13.14.copy_family_of_Variable", ""): ABSENT,
    ("15.08.params_volatile_optimizer", "SGD"): NAMES,
    ("16.10.setitem_into_leaf_and_volatile", "v[i] = n"): LENIENT,
    ("16.16.masks_and_indices", "x > n"): INTEGER_GRAD,
    ("16.22.embedding_and_packing", "pk(sx, vl"): LENIENT,
    ("16.24.setattr_after_index", "b = True"): LENIENT,
}


def cause_of(probe: str, label: str, recorded: object) -> str | None:
    """Why this observable differs; None where nobody knows."""
    if isinstance(recorded, dict) and recorded.get("raises") == "AttributeError":
        return ABSENT
    if probe.startswith("16.") and isinstance(recorded, dict) and recorded.get("raises") == "TypeError":
        return INDICES
    for (name, start), cause in CAUSES.items():
        if name == probe and label.startswith(start):
            return cause
    return None
