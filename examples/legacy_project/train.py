"""Train a classifier, and look at the validation set after every epoch."""
import argparse

import torch
import torch.nn as nn
import torch.optim as optim
from torch.autograd import Variable

from models import ConvNet
from utils import AverageMeter, to_var


class Trainer(object):
    def __init__(self, model, lr=1e-3):
        self.model = model
        self.criterion = nn.CrossEntropyLoss()
        self.optimizer = optim.Adam(model.parameters(), lr=lr)

    def train_epoch(self, loader):
        losses = AverageMeter()
        self.model.train()
        for images, labels in loader:
            images, labels = to_var(images), to_var(labels)
            self.optimizer.zero_grad()
            loss = self.criterion(self.model(images), labels)
            loss.backward()
            self.optimizer.step()
            losses.update(loss.data[0], images.size(0))
        return losses.avg

    def validate(self, loader):
        losses = AverageMeter()
        correct = 0
        self.model.eval()
        for images, labels in loader:
            images = to_var(images, volatile=True)
            labels = to_var(labels, volatile=True)
            output = self.model(images)
            losses.update(self.criterion(output, labels).data[0], images.size(0))
            correct += (output.data.max(1)[1] == labels.data).sum()
        return losses.avg, correct


def predict(model, batch):
    """The most likely class of each image."""
    model.eval()
    scores = model(Variable(batch, volatile=True))
    return scores.data.max(1)[1]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument('--epochs', type=int, default=3)
    args = parser.parse_args()
    torch.manual_seed(1)
    data = [(torch.randn(8, 1, 28, 28), torch.LongTensor(8).random_(10)) for _ in range(4)]
    trainer = Trainer(ConvNet())
    for epoch in range(args.epochs):
        train_loss = trainer.train_epoch(data)
        val_loss, correct = trainer.validate(data)
        print('epoch {}: train {:.3f}, val {:.3f}, correct {}'.format(epoch, train_loss, val_loss, correct))


if __name__ == '__main__':
    main()
