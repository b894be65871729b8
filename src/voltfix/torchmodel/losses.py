"""The losses of 0.3: which functions their modules call, and which pass a volatile target on."""

from __future__ import annotations

from collections.abc import Mapping

# module of torch.nn -> function of torch.nn.functional whose row in LOSS_FUNCTIONS holds for it
LOSS_MODULES: Mapping[str, str] = {
    "BCELoss": "binary_cross_entropy",
    "CrossEntropyLoss": "cross_entropy",
    "KLDivLoss": "kl_div",
    "L1Loss": "l1_loss",
    "MSELoss": "mse_loss",
    "MultiLabelMarginLoss": "multilabel_margin_loss",
    "MultiLabelSoftMarginLoss": "multilabel_soft_margin_loss",
    "MultiMarginLoss": "multi_margin_loss",
    "NLLLoss": "nll_loss",
    "NLLLoss2d": "nll_loss2d",
    "SmoothL1Loss": "smooth_l1_loss",
    "SoftMarginLoss": "soft_margin_loss",
}

# written out in Python on 0.3, so that every argument passes volatile on
CONTAGIOUS_LOSSES: Mapping[str, str] = {
    "BCEWithLogitsLoss": "binary_cross_entropy_with_logits",
    "CosineEmbeddingLoss": "cosine_embedding_loss",
    "HingeEmbeddingLoss": "hinge_embedding_loss",
    "MarginRankingLoss": "margin_ranking_loss",
    "PoissonNLLLoss": "poisson_nll_loss",
    "TripletMarginLoss": "triplet_margin_loss",
}

# a target that requires grad: these functions raise RuntimeError ("the derivative for 'target' is not
# implemented"), their modules AssertionError (so do the modules PoissonNLLLoss and those of LOSS_MODULES)
TARGET_REFUSES_GRADIENT: frozenset[str] = frozenset(
    {
        "binary_cross_entropy",
        "kl_div",
        "l1_loss",
        "mse_loss",
        "multi_margin_loss",
        "multilabel_margin_loss",
        "nll_loss",
        "smooth_l1_loss",
        "soft_margin_loss",
    }
)
