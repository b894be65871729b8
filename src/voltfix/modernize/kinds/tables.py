"""What torch's functions and methods make of a tensor: shape and type, on today's torch.

Names are those of methods; ``torch.NAME(x, ...)`` and ``torch.nn.functional.NAME(x, ...)`` do the same to
their first argument. What each set says stands beside its trait.
"""

from __future__ import annotations

from voltfix.modernize.kinds.values import DType
from voltfix.torchmodel import traits
from voltfix.torchmodel.losses import LOSSES as OF_0_3
from voltfix.torchmodel.tables import having

REDUCTIONS = having(traits.REDUCES)
PAIRS = having(traits.PAIRS)
SCALARS = having(traits.SCALAR)
COMPARISONS = having(traits.BOOLEAN)
ELEMENTWISE = having(traits.ELEMENTWISE)
SAME = having(traits.SAME)
PLAIN_RESULT = having(traits.NUMBERS)
STRIDING = having(traits.STRIDING)
FACTORIES = having(traits.SIZED)
VECTORS = having(traits.VECTOR)
LIKE = having(traits.FILLED_LIKE)
TENSOR_VALUED = having(traits.TENSOR)
TELLING = having(traits.TELLING)
SHARED = having(traits.SHARED)
ASKED = having(traits.ASKED)
NN_PLUMBING = having(traits.PLUMBING)
LOSSES = {row.function for row in OF_0_3} | {"ctc_loss", "gaussian_nll_loss", "huber_loss"}
LOSS_CLASSES = {row.module for row in OF_0_3} | {"CTCLoss"}

CASTS: dict[str, DType] = {
    "float": "float", "double": "float", "half": "float", "long": "long", "int": "long", "byte": "byte",
    "bool": "bool", "short": "long", "char": "long",
}  # fmt: skip
TENSOR_CLASSES: dict[str, DType] = {
    "FloatTensor": "float", "DoubleTensor": "float", "HalfTensor": "float", "Tensor": "float",
    "LongTensor": "long", "IntTensor": "long", "ShortTensor": "long", "CharTensor": "long",
    "ByteTensor": "byte", "BoolTensor": "bool",
}  # fmt: skip
# the dimensions of the product
PRODUCTS = {"mm": 2, "bmm": 3, "mv": 1, "ger": 2, "addmm": 2, "addmv": 1, "baddbmm": 3, "addbmm": 2, "addr": 2}
