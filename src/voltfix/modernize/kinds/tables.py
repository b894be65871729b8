"""What torch's functions and methods make of a tensor: shape and type, on today's torch.

Names are those of methods; ``torch.NAME(x, ...)`` and ``torch.nn.functional.NAME(x, ...)`` do the same to
their first argument.
"""

from __future__ import annotations

from voltfix.modernize.kinds.values import DType


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


# without a dim argument the result has no dimensions; with one, one less (or as many, with keepdim)
REDUCTIONS = _words("sum mean prod std var norm max min median mode kthvalue logsumexp argmax argmin all any")
# with a dim argument these give values and indices
PAIRS = _words("max min median mode kthvalue topk sort cummax cummin")
SCALARS = _words("dot dist trace det logdet")  # always a tensor without dimensions
COMPARISONS = _words("eq ne gt lt ge le eq_ ne_ gt_ lt_ ge_ le_ isnan isinf isfinite logical_not logical_and")
# shape kept; type kept, or broadcast with a second operand
ELEMENTWISE = _words(
    "abs add addcdiv addcmul ceil clamp cos cosh cumsum cumprod div exp expm1 fmod floor lerp log log1p"
    " log2 mul neg pow reciprocal relu remainder round rsqrt sigmoid sign sin sinh softmax log_softmax"
    " sqrt sub tan tanh trunc dropout relu6 elu selu leaky_relu prelu softplus softsign hardtanh"
    " logsigmoid tanhshrink threshold normalize masked_fill scatter scatter_add renorm index_fill"
    " index_copy index_add bernoulli alpha_dropout log_sigmoid gumbel_softmax hardshrink softshrink tril"
    " triu flip fill zero where"
)
SAME = _words(
    "data grad detach cuda cpu to clone requires_grad_ pin_memory share_memory_ retain_grad type"
    " type_as new new_zeros_like index_select narrow"
)
CASTS: dict[str, DType] = {
    "float": "float", "double": "float", "half": "float", "long": "long", "int": "long", "byte": "byte",
         "bool": "bool", "short": "long", "char": "long"}  # fmt: skip
PLAIN_RESULT = _words(
    "size dim numel nelement item tolist get_device stride storage_offset ndimension data_ptr"
    " element_size is_contiguous"
)
# the result may not be contiguous in memory
STRIDING = _words("t transpose permute expand expand_as narrow transpose_ t_ unfold diagonal movedim swapaxes")
COMPACT = _words("contiguous reshape view view_as repeat")

LOSSES = _words(
    "binary_cross_entropy binary_cross_entropy_with_logits cosine_embedding_loss cross_entropy"
    " hinge_embedding_loss kl_div l1_loss margin_ranking_loss mse_loss multi_margin_loss"
    " multilabel_margin_loss multilabel_soft_margin_loss nll_loss nll_loss2d poisson_nll_loss"
    " smooth_l1_loss soft_margin_loss triplet_margin_loss ctc_loss gaussian_nll_loss huber_loss"
)
LOSS_CLASSES = _words(
    "BCELoss BCEWithLogitsLoss CosineEmbeddingLoss CrossEntropyLoss HingeEmbeddingLoss KLDivLoss L1Loss"
    " MarginRankingLoss MSELoss MultiMarginLoss MultiLabelMarginLoss MultiLabelSoftMarginLoss NLLLoss"
    " NLLLoss2d PoissonNLLLoss SmoothL1Loss SoftMarginLoss TripletMarginLoss CTCLoss"
)
# shape from the arguments: numbers, or one size
FACTORIES = _words("zeros ones rand randn empty full")
TENSOR_CLASSES: dict[str, DType] = {
    "FloatTensor": "float", "DoubleTensor": "float", "HalfTensor": "float", "Tensor": "float",
    "LongTensor": "long", "IntTensor": "long", "ShortTensor": "long", "CharTensor": "long",
    "ByteTensor": "byte", "BoolTensor": "bool",
}  # fmt: skip
VECTORS = _words("arange range linspace logspace randperm")
LIKE = _words("zeros_like ones_like rand_like randn_like empty_like full_like")
PRODUCTS = {
    "mm": 2,
    "bmm": 3,
    "mv": 1,
    "ger": 2,
    "addmm": 2,
    "addmv": 1,
    "baddbmm": 3,
    "addbmm": 2,
    "addr": 2,
}
TENSOR_VALUED = _words(
    "matmul cat stack chunk_ from_numpy as_tensor tensor multinomial normal masked_select nonzero take"
    " linear conv1d conv2d conv3d conv_transpose2d max_pool2d max_pool1d avg_pool2d avg_pool1d"
    " adaptive_avg_pool2d embedding batch_norm interpolate upsample upsample_bilinear pad"
    " cosine_similarity pairwise_distance bilinear squeeze unsqueeze view_as reshape flatten diag histc"
    " bincount cross eye cumsum layer_norm instance_norm grid_sample affine_grid pixel_shuffle one_hot"
    " unique sparse_coo_tensor complex roll"
)
# methods by which a tensor can be told: nothing else that such code handles has them
TELLING = _words(
    "byte long bool half topk eq ge gt le lt ne gather scatter_ addmm bmm addbmm baddbmm expand"
    " requires_grad grad_fn is_cuda contiguous cuda unsqueeze view_as expand_as type_as register_hook"
    " index_select masked_select masked_fill masked_fill_ numel nelement backward is_contiguous"
    " unsqueeze_ requires_grad_ retain_grad new_zeros data_ptr addmm_ addcmul_ addcdiv_"
)
# of those, what other objects answer, too: modules, packed sequences, frames of data, options that are no methods
SHARED = _words("cuda half long byte bool is_cuda eq ge gt le lt ne topk gather expand backward")
ASKED = _words("requires_grad grad_fn is_cuda")  # of those, what is no method
NN_PLUMBING = _words("cuda cpu train eval float double half to apply share_memory type requires_grad_ zero_grad")
