"""One row a loss of 0.3: the function, its module, and what of its arguments did not pass volatile on."""

from __future__ import annotations

from typing import NamedTuple

_TARGET = (1, "target")
_BY_ELEMENT = (*_TARGET, 2, "weight")
_BY_CLASS = (*_TARGET, 4, "weight")


class Loss(NamedTuple):
    """A function of torch.nn.functional and its module.

    ``spared``: the target and the weight, where they do not pass volatile on; a loss without any was written out in
    Python, so that every argument does. ``refuses``: it raises where the target requires grad.
    """

    function: str
    module: str
    spared: frozenset[int | str] = frozenset()
    refuses: bool = False


LOSSES = (
    Loss("binary_cross_entropy", "BCELoss", frozenset(_BY_ELEMENT), refuses=True),
    Loss("cross_entropy", "CrossEntropyLoss", frozenset(_BY_ELEMENT)),
    Loss("kl_div", "KLDivLoss", frozenset(_TARGET), refuses=True),
    Loss("l1_loss", "L1Loss", frozenset(_TARGET), refuses=True),
    Loss("mse_loss", "MSELoss", frozenset(_TARGET), refuses=True),
    Loss("multi_margin_loss", "MultiMarginLoss", frozenset(_BY_CLASS), refuses=True),
    Loss("multilabel_margin_loss", "MultiLabelMarginLoss", frozenset(_TARGET), refuses=True),
    Loss("multilabel_soft_margin_loss", "MultiLabelSoftMarginLoss", frozenset(_BY_ELEMENT)),
    Loss("nll_loss", "NLLLoss", frozenset(_BY_ELEMENT), refuses=True),
    Loss("nll_loss2d", "NLLLoss2d", frozenset(_BY_ELEMENT)),
    Loss("smooth_l1_loss", "SmoothL1Loss", frozenset(_TARGET), refuses=True),
    Loss("soft_margin_loss", "SoftMarginLoss", frozenset(_TARGET), refuses=True),
    Loss("binary_cross_entropy_with_logits", "BCEWithLogitsLoss"),
    Loss("cosine_embedding_loss", "CosineEmbeddingLoss"),
    Loss("hinge_embedding_loss", "HingeEmbeddingLoss"),
    Loss("margin_ranking_loss", "MarginRankingLoss"),
    Loss("poisson_nll_loss", "PoissonNLLLoss"),
    Loss("triplet_margin_loss", "TripletMarginLoss"),
)
