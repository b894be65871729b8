"""One step of a Wasserstein GAN: the critic learns from a fake that no gradient may leave."""
import torch
import torch.optim as optim
from torch.autograd import Variable

from models import Critic, Generator

nz, size, batch_size = 16, 32, 8
one = torch.FloatTensor([1])
mone = one * -1


def critic_step(netD, netG, optimizerD, real):
    for p in netD.parameters():
        p.data.clamp_(-0.01, 0.01)
    netD.zero_grad()

    errD_real = netD(Variable(real))
    errD_real.backward(one)

    noise = torch.randn(batch_size, nz)
    noisev = Variable(noise, volatile=True)  # totally freeze netG
    fake = Variable(netG(noisev).data)
    errD_fake = netD(fake)
    errD_fake.backward(mone)
    optimizerD.step()
    return errD_real - errD_fake


def generator_step(netD, netG, optimizerG):
    for p in netD.parameters():
        p.requires_grad = False  # to avoid computation
    netG.zero_grad()
    noise = Variable(torch.randn(batch_size, nz))
    errG = netD(netG(noise))
    errG.backward(one)
    optimizerG.step()
    for p in netD.parameters():
        p.requires_grad = True
    return errG


def sample(netG, fixed_noise):
    """Images to look at; no gradient is needed for them."""
    fake = netG(Variable(fixed_noise, volatile=True))
    return fake.data.mul(0.5).add(0.5)


def main():
    netG, netD = Generator(nz, size), Critic(size)
    optimizerD = optim.RMSprop(netD.parameters(), lr=5e-5)
    optimizerG = optim.RMSprop(netG.parameters(), lr=5e-5)
    for i in range(5):
        errD = critic_step(netD, netG, optimizerD, torch.randn(batch_size, size))
        errG = generator_step(netD, netG, optimizerG)
        print('[%d] Loss_D: %f Loss_G: %f' % (i, errD.data[0], errG.data[0]))
    print(sample(netG, torch.randn(2, nz)))


if __name__ == '__main__':
    main()
