"""Which names mean what: a torch function or method whose result has no gradient, returns indices, makes a
tensor...
"""

from __future__ import annotations

from functools import cache

import torch

from voltfix.torchmodel import (
    COMPARISONS,
    INDEX_RESULTS,
    NO_TENSOR_RESULTS,
    PLAIN_RESULTS,
    STOCHASTIC,
)

TENSOR_METHODS = frozenset(name for name in dir(torch.Tensor) if not name.startswith("_")) | {
    "type_as",
    "expand_as",
}

# of these the result is plain data: neither gradient nor volatility
PLAIN = frozenset(
    [
        *(PLAIN_RESULTS - {"data", "state_dict"}),
        *(NO_TENSOR_RESULTS - {"is_leaf", "requires_grad", "volatile"}),
        "empty_like",
        "full_like",
        "is_cuda",
        "ndimension",
        "nelement",
        "new",
        "new_empty",
        "new_full",
        "new_ones",
        "new_tensor",
        "new_zeros",
        "rand_like",
        "randn_like",
        "storage",
    ]
)

# results that carry no gradient, whatever goes in
NO_GRADIENT = frozenset(
    [
        *COMPARISONS,
        *STOCHASTIC,
        *(name for name, places in INDEX_RESULTS.items() if 0 in places),
        "all",
        "any",
        "bincount",
        "bool",
        "byte",
        "ceil",
        "char",
        "cpu_numpy",
        "equal",
        "floor",
        "histc",
        "int",
        "isinf",
        "isnan",
        "long",
        "nonzero",
        "ones_like",
        "round",
        "searchsorted",
        "short",
        "sign",
        "trunc",
        "unique",
        "zeros_like",
    ]
)

# (values, indices): the indices are neither volatile nor do they have a gradient
WITH_INDICES = frozenset(name for name, places in INDEX_RESULTS.items() if 1 in places) | {"cummax", "cummin"}

# the same storage seen differently: what is written into one is written into the other
VIEWS = frozenset(
    [
        "view",
        "squeeze",
        "unsqueeze",
        "expand",
        "expand_as",
        "view_as",
        "t",
        "transpose",
        "permute",
        "narrow",
        "select",
        "reshape",
        "flatten",
        "contiguous",
        "cuda",
        "cpu",
        "float",
        "double",
        "half",
        "to",
        "diagonal",
        "unfold",
        "chunk",
        "split",
        "swapaxes",
        "movedim",
    ]
)

# what holds modules or parameters that somebody puts there
_HOLDERS = (torch.nn.Sequential, torch.nn.ModuleList, torch.nn.ModuleDict, torch.nn.ParameterList,
            torch.nn.ParameterDict, torch.nn.DataParallel)


@cache
def is_parameter_free(word: str) -> bool:
    """Have objects of the class of torch.nn of this name no parameters?

    Its constructors say so: none of them speaks of a parameter, or of a class of torch.nn.
    """
    cls = getattr(torch.nn, word, None)
    if not isinstance(cls, type) or not issubclass(cls, torch.nn.Module) or issubclass(cls, _HOLDERS):
        return False
    above = cls.__mro__[: cls.__mro__.index(torch.nn.Module)]
    inits = [each.__dict__["__init__"] for each in above if "__init__" in each.__dict__]
    asked = {name for init in inits for name in init.__code__.co_names}
    return any("forward" in each.__dict__ for each in above) and not any(
        "param" in name.lower() or name == "_get_clones" or isinstance(getattr(torch.nn, name, None), type)
        for name in asked)


# an unknown callable of such a name is taken for a function of its arguments, without parameters of its own
FUNCTION_LIKE = frozenset(
    [
        "criterion",
        "criteria",
        "crit",
        "loss",
        "mse",
        "bce",
        "nll",
        "xent",
        "cross_entropy",
        "func",
        "fn",
        "function",
        "metric",
        "accuracy",
        "distance",
        "dist",
        "transform",
        "collate",
        "callback",
        "hook",
        "activation",
        "act_fn",
        "sigmoid",
        "tanh",
        "relu",
        "softmax",
        "dropout",
        "mean",
        "pool",
        "to_var",
        "to_tensor",
        "variable",
    ]
)
# what a program's settings are called: their values are plain data
SETTINGS = frozenset(
    [
        "opt",
        "opts",
        "args",
        "arg",
        "cfg",
        "config",
        "conf",
        "flags",
        "FLAGS",
        "hparams",
        "params",
        "options",
        "settings",
        "option",
    ]
)
# modules outside torch whose functions know nothing of graphs
PLAIN_MODULES = frozenset(
    [
        "numpy",
        "np",
        "math",
        "time",
        "os",
        "sys",
        "random",
        "logging",
        "json",
        "re",
        "pickle",
        "copy",
        "argparse",
        "datetime",
        "cv2",
        "PIL",
        "skimage",
        "scipy",
        "sklearn",
        "matplotlib",
        "plt",
        "pylab",
        "visdom",
        "tqdm",
        "tensorboard",
        "tensorboardX",
        "tensorboard_logger",
        "torchvision",
        "nltk",
        "pandas",
        "h5py",
        "yaml",
        "itertools",
        "collections",
        "functools",
        "string",
        "shutil",
        "glob",
        "subprocess",
        "cPickle",
        "six",
        "progress",
    ]
)
# what of those has networks all the same
NETWORKS = ("torchvision.models",)
# of those, the ones that keep nothing but the values of what they are given
READING_MODULES = PLAIN_MODULES - {"collections", "copy", "functools", "itertools", "six"}



def plain_module(path: str) -> bool:
    """Does a module whose functions know nothing of graphs hold what this path names?"""
    return path.split(".")[0] in PLAIN_MODULES and not path.startswith(NETWORKS)


def reading_module(path: str) -> bool:
    """... one that keeps nothing but the values of what it is given?"""
    return path.split(".")[0] in READING_MODULES and not path.startswith(NETWORKS)


BINARY = {
    "__add__": "add",
    "__sub__": "sub",
    "__mul__": "mul",
    "__truediv__": "div",
    "__floordiv__": "floordiv",
    "__mod__": "mod",
    "__pow__": "pow",
    "__matmul__": "matmul",
    "__and__": "and",
    "__or__": "or",
    "__xor__": "xor",
    "__lshift__": "lshift",
    "__rshift__": "rshift",
    "__div__": "div",
}
COMPARE = {"__gt__": "gt", "__lt__": "lt", "__ge__": "ge", "__le__": "le", "__eq__": "eq", "__ne__": "ne"}
UNARY = {"__neg__": "neg", "__abs__": "abs", "__invert__": "invert", "__pos__": "pos"}
