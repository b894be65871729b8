"""Stand-ins for packages and data that cannot be had, and the way in: `python drive.py TREE` runs the program."""

import os
import re
import sys
import tempfile
import types

import numpy as np
import torch
import torch.nn as nn
import torch.utils.data

TREE = os.path.realpath(sys.argv[1]) if len(sys.argv) > 1 else ""


class Stop(BaseException):
    """Ends a program that would run for ever."""


class Anything:
    """Answers whatever is asked of it."""

    def __init__(self, *args, **options):
        pass

    def __call__(self, *args, **options):
        return Anything()

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        return Anything()


def module(name, **members):
    """Put a module of that name, and its parents, where imports look first."""
    parts = name.split(".")
    for count in range(1, len(parts) + 1):
        full = ".".join(parts[:count])
        if full not in sys.modules:
            made = types.ModuleType(full)
            made.__path__ = []
            made.__getattr__ = _answer
            sys.modules[full] = made
            if count > 1:
                setattr(sys.modules[".".join(parts[: count - 1])], parts[count - 1], made)
    for key, value in members.items():
        setattr(sys.modules[name], key, value)
    return sys.modules[name]


def _answer(name):
    if name.startswith("__"):
        raise AttributeError(name)
    return Anything


class Images(torch.utils.data.Dataset):
    """Random images whose labels take turns."""

    def __init__(self, count, shape):
        self.count, self.shape = count, shape

    def __len__(self):
        return self.count

    def __getitem__(self, index):
        values = np.random.RandomState(index).rand(*self.shape).astype("float32")
        return torch.from_numpy(values), index % 10


class Compose:
    """One transform after the other."""

    def __init__(self, steps):
        self.steps = steps

    def __call__(self, image):
        for step in self.steps:
            image = step(image)
        return image


def to_tensor(image):
    """What ToTensor does with an image of one channel."""
    if isinstance(image, torch.Tensor):
        return image
    values = np.asarray(image, dtype="float32") / 255.0
    return torch.from_numpy(values[None] if values.ndim == 2 else values.transpose(2, 0, 1).copy())


def torchvision(shape, train, test):
    """A torchvision of random images."""

    def data(*args, **options):
        return Images(train if options.get("train", True) else test, shape)

    def same(*args, **options):
        return lambda image: image

    module("torchvision.datasets", MNIST=data, CIFAR10=data)
    module(
        "torchvision.transforms",
        Compose=Compose,
        ToTensor=lambda: to_tensor,
        Normalize=same,
        RandomCrop=same,
        RandomHorizontalFlip=same,
    )
    module("torchvision.utils")
    module("torchvision.models")


class Box:
    """A space of numbers, or of choices."""

    def __init__(self, shape):
        self.shape = shape
        self.low, self.high = -np.ones(shape, "float32"), np.ones(shape, "float32")


class Environment:
    """Random observations in episodes of a few steps, until it has been asked often enough."""

    def __init__(self, observation, action, length, most):
        self.observation_space, self.action_space = Box(observation), Box(action)
        self.length, self.left, self.time = length, most, 0
        self.random = np.random.RandomState(0)

    def seed(self, number=None):
        return [number]

    def reset(self):
        self.time = 0
        return self.random.randn(*self.observation_space.shape)

    def step(self, action):
        self.time, self.left = self.time + 1, self.left - 1
        if self.left < 0:
            raise Stop
        return (
            self.random.randn(*self.observation_space.shape),
            float(self.random.randn()),
            self.time >= self.length,
            {},
        )

    def render(self):
        pass


def work():
    """An empty working directory."""
    os.chdir(tempfile.mkdtemp(prefix="drive_"))


def words(path, lines, length=6, vocabulary=12):
    """Lines of invented words, some longer than others."""
    random = np.random.RandomState(len(path))
    with open(path, "w") as handle:
        for line in range(lines):
            count = length - line % 3
            handle.write(" ".join(f"w{random.randint(vocabulary)}" for _ in range(count)) + "\n")


def run(name, *arguments, path=(), **constants):
    """Run TREE/name as a program, here, its constants of that name with other values."""
    script = os.path.join(TREE, name)
    sys.argv = [script, *map(str, arguments)]
    for folder in [*[os.path.join(TREE, part) for part in path], os.path.dirname(script)]:
        sys.path.insert(0, folder)
    with open(script, encoding="utf-8") as handle:
        text = handle.read()
    for key, value in constants.items():
        text = re.sub(rf"(?m)^{key} *= *[^#\n]+", f"{key} = {value!r} ", text)
    program = types.ModuleType("__main__")
    program.__file__ = script
    before, sys.modules["__main__"] = sys.modules["__main__"], program
    try:
        exec(compile(text, script, "exec"), program.__dict__)
    except Stop:
        pass
    finally:
        sys.modules["__main__"] = before
        _forget(os.path.dirname(script))


def _forget(folder):
    """The next program may have modules of the same names."""
    for name, module in list(sys.modules.items()):
        if (getattr(module, "__file__", None) or "").startswith(folder + os.sep):
            del sys.modules[name]
    sys.path[:] = [part for part in sys.path if part != folder]


def stop_after(owner, name, calls):
    """The method raises Stop when it has been called often enough."""
    inner, count = getattr(owner, name), [0]

    def counted(*args, **options):
        count[0] += 1
        if count[0] > calls:
            raise Stop
        return inner(*args, **options)

    setattr(owner, name, counted)


torch.manual_seed(1)
np.random.seed(1)
torch.set_num_threads(1)
_ = nn
