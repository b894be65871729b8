"""What the analysis knows of other people's code: torch beyond the tables of 0.3, builtins, other libraries."""

from __future__ import annotations

VARIABLE_NAMES = frozenset({
    "torch.autograd.Variable",
    "torch.autograd.variable.Variable",
})

# what names that nothing binds mean in snippets and notebooks
USUAL_NAMES = {
    "Variable": "torch.autograd.Variable", "torch": "torch", "autograd": "torch.autograd", "nn": "torch.nn",
    "F": "torch.nn.functional", "np": "numpy",
}

# methods that neither compute on tensors nor run code that builds graphs, whatever the receiver is
NEUTRAL_METHODS = frozenset({
    "zero_grad", "parameters", "named_parameters", "modules", "children", "named_children",
    "named_modules", "state_dict", "load_state_dict", "append", "extend", "insert", "keys", "values", "items",
    "format", "join", "split", "strip", "rstrip", "lstrip", "startswith", "endswith", "lower", "upper", "replace",
    "write", "flush", "close", "info", "debug", "warning", "setdefault",
    "popleft", "appendleft", "add_scalar", "set_description", "register_buffer", "register_parameter",
    "add_module", "add_argument", "parse_args", "requires_grad_", "share_memory", "isdigit", "readline", "readlines",
    "tic", "toc", "set_postfix", "register_forward_hook", "__init__",
})

# neutral as well when nothing but plain data goes in: on containers, strings, modules; other objects have such
# methods too
NEUTRAL_ON_PLAIN = frozenset({
    "eval", "train", "get", "copy", "index", "count", "sort", "pop", "remove", "clear", "encode", "decode", "apply",
})

# libraries whose functions build no graphs of their own
HARMLESS_LIBRARIES = (
    "numpy", "math", "time", "os", "sys", "json", "random", "logging", "re", "copy", "pickle", "datetime", "argparse",
    "string", "itertools", "collections", "functools", "operator", "shutil", "glob", "io", "csv", "warnings", "pathlib",
    "PIL", "cv2", "scipy", "skimage", "matplotlib", "tqdm", "visdom", "tensorboard_logger", "tensorboardX", "sklearn",
    "gym", "h5py", "nltk", "pdb", "pprint", "subprocess", "threading", "queue", "six", "torchvision.utils",
    "torchvision.transforms", "torchvision.datasets", "pandas", "yaml", "struct", "types", "builtins", "np", "progress",
)

# methods that give numbers, shapes or plain data
PLAIN_METHODS = frozenset({
    "size", "dim", "numel", "item", "tolist", "numpy", "nelement", "stride", "is_contiguous", "get_device",
    "element_size", "data_ptr", "ndimension", "storage", "is_same_size", "type_as_string", "__len__", "is_shared",
    "storage_offset", "is_floating_point", "long_value",
})

# methods that only a tensor has and that give the same values: no operation on something that requires no grad
DEVICE_METHODS = frozenset(
    {"cuda", "cpu", "contiguous", "clone", "float", "double", "half", "long", "int", "byte", "type"}
)

# methods that give another look at the same values
VIEW_METHODS = frozenset(
    {"view", "unsqueeze", "squeeze", "t", "transpose", "expand", "resize_", "permute", "narrow", "select"}
)

# torch functions that compute nothing on Variables
NEUTRAL_TORCH = frozenset({
    "torch.is_tensor", "torch.manual_seed", "torch.save", "torch.load", "torch.from_numpy", "torch.numel", "torch.Size",
    "torch.set_num_threads", "torch.set_default_tensor_type", "torch.initial_seed", "torch.get_rng_state",
    "torch.set_rng_state", "torch.is_grad_enabled", "torch.is_storage", "torch.device",
})
NEUTRAL_TORCH_PREFIXES = ("torch.cuda.", "torch.utils.", "torch.optim.", "torch.backends.", "torch.multiprocessing.",
                          "torch.distributed.", "torch.random.", "torch.nn.init.", "torch.onnx.", "torch.hub.",
                          "torch.nn.utils.clip_grad")

# torch functions that make plain tensors (on 0.3 no Variables) from numbers
FACTORIES = frozenset({
    "zeros", "ones", "rand", "randn", "randperm", "arange", "range", "linspace", "logspace", "eye", "empty", "full",
    "tensor", "Tensor", "FloatTensor", "LongTensor", "ByteTensor", "IntTensor", "DoubleTensor", "HalfTensor",
    "CharTensor", "ShortTensor", "BoolTensor", "as_tensor",
})

# builtins whose result is no tensor and that run no foreign code on their arguments worth fearing
PLAIN_BUILTINS = frozenset(
    {
        "slice",
        "len",
        "print",
        "range",
        "int",
        "float",
        "str",
        "isinstance",
        "issubclass",
        "type",
        "hasattr",
        "open",
        "abs_",
        "round",
        "format",
        "repr",
        "id",
        "bool",
        "callable",
        "chr",
        "ord",
        "hash",
        "input",
        "vars",
        "dir",
        "locals",
        "globals",
        "any",
        "all",
        "bytes",
        "divmod",
        "hex",
        "exit",
        "quit",
        "raw_input",
        "xrange",
        "unicode",
        "unichr",
        "basestring",
        "long",
        "cmp",
        "file",
        "intern",
    }
)

# built-ins that Python 2 had alone, less those that run code they are handed (apply, reduce, execfile, reload ...)
BUILTINS_OF_2 = frozenset(
    {"raw_input", "xrange", "unicode", "unichr", "basestring", "long", "cmp", "file", "intern"}
)

LIST_BUILTINS = frozenset({"list", "tuple", "set", "sorted", "reversed", "iter", "frozenset"})

# builtins that go over what they are given
ITERATING = LIST_BUILTINS | {"enumerate", "zip", "map", "filter", "sum", "max", "min", "next"}

# modules of torch.nn without weights
WEIGHTLESS_MODULES = frozenset({
    "ReLU", "ReLU6", "Sigmoid", "Tanh", "Softmax", "LogSoftmax", "Softmax2d", "Dropout", "Dropout2d", "Dropout3d",
    "MaxPool1d", "MaxPool2d", "MaxPool3d", "AvgPool1d", "AvgPool2d", "AvgPool3d", "AdaptiveAvgPool2d", "LeakyReLU",
    "ELU", "Softplus", "Softsign", "Hardtanh", "LogSigmoid", "Upsample", "UpsamplingBilinear2d", "UpsamplingNearest2d",
    "PixelShuffle", "ReflectionPad2d", "ReplicationPad2d", "ZeroPad2d", "ConstantPad2d", "CosineSimilarity",
    "PairwiseDistance", "Threshold", "AlphaDropout", "AdaptiveMaxPool2d", "AdaptiveAvgPool1d", "AdaptiveMaxPool1d",
})

# methods of tensors whose arguments are numbers: sizes, dimensions
SHAPE_METHODS = frozenset({
    "view", "expand", "repeat", "size", "unsqueeze", "squeeze", "transpose", "permute", "narrow", "resize_", "chunk",
    "split", "dim", "select", "stride",
})

# modules of torch.nn that run others, whatever those leave behind
HOLDS_MODULES = frozenset({"Sequential", "DataParallel", "ModuleList", "DistributedDataParallel"})

# functional forms of layers: weights come in as arguments
FUNCTIONAL = ("torch.nn.functional.", "torch.nn._functions.")


def takes_numbers(name: str) -> bool:
    """Does a function from outside turn whatever it is given into plain data?"""
    last = name.rsplit(".", 1)[-1]
    if name.startswith("builtins."):
        return last in PLAIN_BUILTINS
    if is_torch(name):
        return last in FACTORIES and name.count(".") <= 2
    return name.startswith(("numpy.", "np.", "math."))


def is_torch(name: str) -> bool:
    """Is the dotted name one of torch's?"""
    return name == "torch" or name.startswith("torch.")
