import torch.nn as nn


class Generator(nn.Module):
    def __init__(self, nz, size):
        super(Generator, self).__init__()
        self.main = nn.Sequential(nn.Linear(nz, 64), nn.ReLU(True), nn.Linear(64, size), nn.Tanh())

    def forward(self, z):
        return self.main(z)


class Critic(nn.Module):
    def __init__(self, size):
        super(Critic, self).__init__()
        self.main = nn.Sequential(nn.Linear(size, 64), nn.LeakyReLU(0.2), nn.Linear(64, 1))

    def forward(self, x):
        return self.main(x).mean(0).view(1)
