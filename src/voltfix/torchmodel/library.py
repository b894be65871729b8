"""What is known of other people's code by its full name: torch's own functions, other libraries."""

from __future__ import annotations

from voltfix.torchmodel.python import PLAIN_BUILTINS
from voltfix.torchmodel.tables import FACTORIES

# what a star import of torch's own modules brought in 0.3
STARS = {
    "torch.autograd": frozenset({"Variable", "Function", "backward", "grad"}),
    "torch.autograd.variable": frozenset({"Variable"}),
}

# bases (full names, or how they begin) whose __init__ computes nothing
EMPTY_BASES = ("torch.nn.Module", "torch.nn.modules.module.Module", "torch.autograd.", "builtins.object")

# what makes a parameter of a tensor: a leaf, which has no graph behind it
PARAMETERS = ("torch.nn.Parameter", "torch.nn.parameter.Parameter")

# a test case of Python's own: what it asserts it looks at, and what of its own it runs for that
TEST_CASE = "unittest.TestCase"
ASSERTIONS = ("assert", "fail", "_formatMessage", "_truncateMessage", "_getAssertEqualityFunc", "_baseAssertEqual")

# libraries whose functions build no graphs of their own
HARMLESS_LIBRARIES = (
    "numpy", "math", "time", "os", "sys", "json", "random", "logging", "re", "copy", "pickle", "datetime", "argparse",
    "string", "itertools", "collections", "functools", "operator", "shutil", "glob", "io", "csv", "warnings", "pathlib",
    "PIL", "cv2", "scipy", "skimage", "matplotlib", "tqdm", "visdom", "tensorboard_logger", "tensorboardX", "sklearn",
    "gym", "h5py", "nltk", "pdb", "pprint", "subprocess", "threading", "queue", "six", "torchvision.utils",
    "torchvision.transforms", "torchvision.datasets", "pandas", "yaml", "struct", "types", "builtins", "np", "progress",
)

# of these, what gives back objects as they were put in, or saved: they are anybody's
GIVES_ANYTHING = ("pickle.", "copy.", "collections.", "functools.", "itertools.", "operator.", "queue.", "types.",
                  "six.", "yaml.", "pandas.")

# and those that hand on what they were given, or what is in it, and compute nothing with it
HANDS_BACK = (*GIVES_ANYTHING, "tqdm.", "random.")

# torch functions that compute nothing on Variables
NEUTRAL_TORCH = frozenset({
    "torch.is_tensor", "torch.manual_seed", "torch.save", "torch.load", "torch.numel", "torch.Size",
    "torch.set_num_threads", "torch.set_default_tensor_type", "torch.initial_seed", "torch.get_rng_state",
    "torch.set_rng_state", "torch.is_grad_enabled", "torch.is_storage", "torch.device",
    "torch.nn.modules.loss._assert_no_grad",
})
NEUTRAL_TORCH_PREFIXES = ("torch.cuda.", "torch.utils.", "torch.optim.", "torch.backends.", "torch.multiprocessing.",
                          "torch.distributed.", "torch.random.", "torch.nn.init.", "torch.onnx.", "torch.hub.",
                          "torch.nn.utils.clip_grad")

ANSWERS_IN_TORCH = frozenset({"torch.cuda.is_available", "torch.is_storage", "torch.is_tensor"})  # give True or False

DISTRIBUTIONS = "torch.distributions."  # where the classes are whose objects compute with what they were made of


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


# what gives a module by its name, and with that what is Python's own: no object of the project's classes
GIVES_MODULE = frozenset({"importlib.import_module", "builtins.__import__", "imp.load_source", "sys.modules"})
# what runs a file, or a text, where it stands
RUNS_FILES = frozenset({
    "builtins.exec", "builtins.execfile", "runpy.run_path", "runpy.run_module", "imp.load_source", "imp.load_module",
    "importlib.util.spec_from_file_location", "importlib.util.module_from_spec", "importlib.machinery.SourceFileLoader",
    "pydoc.locate", "pkgutil.walk_packages", "pkgutil.iter_modules",
})
LOADS_MODULE = frozenset({"load_module", "exec_module"})  # methods that do, whatever they are of
RUNS_TEXTS = frozenset({"eval", "exec", "execfile"})  # by their names of Python's own
# what makes objects again that were saved, and loads the modules of their classes; ``load`` and ``loads`` besides
UNPICKLES = frozenset({"pickle.Unpickler", "cPickle.Unpickler", "pandas.read_pickle", "shelve.open"})
GIVES_NO_OBJECT = GIVES_MODULE | {"argparse.ArgumentParser.parse_args", "argparse.Namespace"}

# context managers of others that keep an exception to themselves
SWALLOWING = frozenset({"contextlib.suppress", "pytest.raises"})

# functions from outside that are given a function: those that run it here, those that give it back, with arguments
# filled in, or as it is; and the modules with what keeps one
RUN_HERE = frozenset({"builtins.map", "builtins.filter"})
RUN_BY = RUN_HERE | {"builtins.sorted"}
PARTIAL = frozenset({"functools.partial", "functools.partialmethod"})
GIVEN_BACK = PARTIAL | {"types.MethodType"}
FOLLOWED = RUN_HERE | PARTIAL | {
    "functools.wraps", "builtins.staticmethod", "builtins.classmethod", "builtins.property"}
# the classes whose objects run a function once; where it stands among the arguments, and its own
THREADS = {
    "threading.Thread": ("target", 1, 3), "threading.Timer": ("function", 1, 2),
    "multiprocessing.Process": ("target", 1, 3), "torch.multiprocessing.Process": ("target", 1, 3),
}  # fmt: skip
KEEPS = frozenset({"functools", "types", "collections", "argparse"})
