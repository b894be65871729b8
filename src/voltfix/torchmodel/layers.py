"""Modules of torch.nn: those without weights, and those that run others."""

from __future__ import annotations

WEIGHTLESS_MODULES = frozenset({
    "ReLU", "ReLU6", "Sigmoid", "Tanh", "Softmax", "LogSoftmax", "Softmax2d", "Dropout", "Dropout2d", "Dropout3d",
    "MaxPool1d", "MaxPool2d", "MaxPool3d", "AvgPool1d", "AvgPool2d", "AvgPool3d", "AdaptiveAvgPool2d", "LeakyReLU",
    "ELU", "Softplus", "Softsign", "Hardtanh", "LogSigmoid", "Upsample", "UpsamplingBilinear2d", "UpsamplingNearest2d",
    "PixelShuffle", "ReflectionPad2d", "ReplicationPad2d", "ZeroPad2d", "ConstantPad2d", "CosineSimilarity",
    "PairwiseDistance", "Threshold", "AlphaDropout", "AdaptiveMaxPool2d", "AdaptiveAvgPool1d", "AdaptiveMaxPool1d",
})

# whatever those leave behind that they run
HOLDS_MODULES = frozenset({"Sequential", "DataParallel", "ModuleList", "DistributedDataParallel"})

# whose items are the layers that they were made of
LISTS_OF_MODULES = frozenset({"Sequential", "ModuleList"})

# the tables of a module's hooks: what is put there by hand is run, and no name says what
HOOK_TABLES = frozenset({"_forward_hooks", "_forward_pre_hooks"})

# what puts a layer into a module, or gives the table that they stand in
ADDS_LAYERS = frozenset({"append", "extend", "insert", "add_module", "register_module", "_modules", "__dict__",
                         "__setattr__", "__setitem__", "__iadd__"})
