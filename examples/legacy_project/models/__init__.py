from .convnet import ConvNet
from .gan import Critic, Generator
