"""Which names mean what: a torch function or method whose result has no gradient, returns indices, makes a tensor..."""

from __future__ import annotations

import torch

TENSOR_METHODS = frozenset(name for name in dir(torch.Tensor) if not name.startswith("_")) | {"type_as", "expand_as"}

# results that carry no gradient, whatever goes in
NO_GRADIENT = frozenset(
    """gt lt ge le eq ne equal argmax argmin argsort nonzero numel size dim ndimension stride long int short byte bool
    char multinomial bernoulli isnan isinf sign round floor ceil trunc numpy tolist item cpu_numpy shape is_cuda
    bincount histc unique all any searchsorted get_device data_ptr storage is_contiguous nelement""".split()
)
# of these the result is plain data: neither gradient nor volatility
PLAIN = frozenset(
    """numpy tolist item size dim numel ndimension stride shape nelement is_contiguous get_device data_ptr storage new
    is_cuda zeros_like ones_like rand_like randn_like full_like empty_like new_zeros new_ones new_full new_empty
    new_tensor""".split()
)
# (values, indices): the indices are neither volatile nor do they have a gradient
WITH_INDICES = frozenset("max min sort topk median mode kthvalue cummax cummin".split())

# the same storage seen differently: what is written into one is written into the other
VIEWS = frozenset(
    """view squeeze unsqueeze expand expand_as view_as t transpose permute narrow select reshape flatten contiguous
    cuda cpu float double half to diagonal unfold chunk split swapaxes movedim""".split()
)
ALIASES = frozenset(["detach", "detach_"])

# arguments (by position, self counting as 0) that do not pass volatility on in 0.3: they are not differentiable there
IGNORED_ARGUMENTS: dict[str, frozenset[int] | None] = {
    name: None  # all but the first
    for name in """mse_loss l1_loss smooth_l1_loss binary_cross_entropy cross_entropy nll_loss nll_loss2d kl_div
    soft_margin_loss multi_margin_loss multilabel_margin_loss multilabel_soft_margin_loss
    MSELoss L1Loss SmoothL1Loss BCELoss CrossEntropyLoss NLLLoss NLLLoss2d KLDivLoss SoftMarginLoss MultiMarginLoss
    MultiLabelMarginLoss MultiLabelSoftMarginLoss
    view_as expand_as type_as""".split()
}
IGNORED_ARGUMENTS.update(
    gather=frozenset({1, 2}),
    index_select=frozenset({1, 2}),
    take=frozenset({1}),
    masked_select=frozenset({1}),
    masked_fill=frozenset({1}),
    masked_fill_=frozenset({1}),
    masked_scatter=frozenset({1}),
    masked_scatter_=frozenset({1}),
    scatter=frozenset({1, 2}),
    scatter_=frozenset({1, 2}),
    scatter_add=frozenset({1, 2}),
    scatter_add_=frozenset({1, 2}),
    index_add=frozenset({1, 2}),
    index_add_=frozenset({1, 2}),
    index_copy=frozenset({1, 2}),
    index_copy_=frozenset({1, 2}),
    index_fill=frozenset({1, 2}),
    index_fill_=frozenset({1, 2}),
)

# torch.nn classes that have no parameters
PARAMETER_FREE = ("Loss", "Loss2d", "ReLU", "Dropout", "Dropout2d", "Dropout3d", "Sigmoid", "Tanh", "Softmax", "Pool1d",
                  "Pool2d", "Pool3d", "LogSoftmax", "Softmax2d", "ELU", "SELU", "CELU", "GELU", "ReLU6", "LeakyReLU",
                  "Softplus", "Hardtanh", "Upsample", "UpsamplingNearest2d", "UpsamplingBilinear2d", "ReflectionPad2d",
                  "ZeroPad2d", "PixelShuffle", "CosineSimilarity", "PairwiseDistance", "Identity", "Flatten")  # fmt: skip

# an unknown callable of such a name is taken for a function of its arguments, without parameters of its own
FUNCTION_LIKE = frozenset(
    "criterion criteria crit loss mse bce nll xent cross_entropy func fn function metric accuracy distance dist transform "
    "collate callback hook activation act_fn sigmoid tanh relu softmax dropout mean pool to_var to_tensor variable".split()
)
# modules outside torch whose functions know nothing of graphs
PLAIN_MODULES = frozenset(
    """numpy np math time os sys random logging json re pickle copy argparse datetime cv2 PIL skimage scipy sklearn
    matplotlib plt pylab visdom tqdm tensorboard tensorboardX tensorboard_logger torchvision nltk pandas h5py yaml
    itertools collections functools string shutil glob subprocess cPickle six progress""".split()
)
PLAIN_RESULTS = "np numpy math time os sys random logging json re plt cv2 nltk pandas pd".split()

BINARY = {
    "__add__": "add", "__sub__": "sub", "__mul__": "mul", "__truediv__": "div", "__floordiv__": "floordiv",
    "__mod__": "mod", "__pow__": "pow", "__matmul__": "matmul", "__and__": "and", "__or__": "or", "__xor__": "xor",
    "__lshift__": "lshift", "__rshift__": "rshift", "__div__": "div",
}  # fmt: skip
COMPARE = {"__gt__": "gt", "__lt__": "lt", "__ge__": "ge", "__le__": "le", "__eq__": "eq", "__ne__": "ne"}
UNARY = {"__neg__": "neg", "__abs__": "abs", "__invert__": "invert", "__pos__": "pos"}
