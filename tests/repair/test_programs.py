"""Whole programs of 2017, migrated, modernised and then repaired: they run, by steps that are all kept."""

from __future__ import annotations

import pytest

from repair.support import repaired
from voltfix import core
from voltfix.model import Options

pytest.importorskip("torch")
pytest.importorskip("numpy")

HEAD = """\
import math
import torch
import torch.nn as nn
import torch.nn.functional as F
import numpy as np
from torch.autograd import Variable
"""
# each ends in what 0.3 made of it, where that can be said
PROGRAMS = {
    "mnist-py2-print": """\
def main():
    net = nn.Sequential(nn.Linear(4, 3), nn.LogSoftmax())
    opt = torch.optim.SGD(net.parameters(), lr=0.1)
    for epoch in xrange(2):
        for i in xrange(3):
            x, y = Variable(torch.randn(5, 4)), Variable(torch.LongTensor(5).random_(0, 3))
            opt.zero_grad()
            loss = F.nll_loss(net(x), y, size_average=False)
            loss.backward()
            nn.utils.clip_grad_norm(net.parameters(), 5)
            opt.step()
            if i % 2 == 0:
                print 'epoch %d loss %.3f' % (epoch, loss.data[0])
    net.eval()
    correct = 0
    for i in xrange(2):
        x, y = torch.randn(5, 4), torch.LongTensor(5).random_(0, 3)
        x = Variable(x, volatile=True)
        pred = net(x).data.max(1)[1]
        correct += pred.eq(y).sum()
    print 'acc %.2f' % (100. * correct / 10)
main()
""",
    "byte-masks-and-sums": """\
def metrics(out, target):
    pred = (out > 0.5)
    tp = (pred * (target == 1)).sum()
    rest = (1 - pred)
    both = pred + (target == 1)
    n = (both == 2).sum()
    out[pred] = 1
    out[rest] = 0
    kept = out.masked_select(target.byte())
    return tp, n, kept.size(0)
a, b, c = metrics(torch.FloatTensor([0.9, 0.1, 0.8]), torch.FloatTensor([1, 1, 0]))
assert (int(a), int(b), int(c)) == (1, 1, 2), (a, b, c)
""",
    "gan-style": """\
G = nn.Sequential(nn.Linear(2, 4), nn.ReLU(), nn.Linear(4, 4))
D = nn.Sequential(nn.Linear(4, 1), nn.Sigmoid())
crit = nn.BCELoss()
oD = torch.optim.Adam(D.parameters()); oG = torch.optim.Adam(G.parameters())
label = torch.FloatTensor(3)
noise = torch.FloatTensor(3, 2)
for step in range(2):
    D.zero_grad()
    label.resize_(3).fill_(1)
    real = Variable(torch.randn(3, 4))
    out = D(real)
    eD = crit(out, Variable(label))
    eD.backward()
    D_x = out.data.mean()
    noise.resize_(3, 2).normal_(0, 1)
    with_noise = Variable(noise, volatile=True)
    fake = Variable(G(with_noise).data)
    out = D(fake)
    eF = crit(out, Variable(label.fill_(0)))
    eF.backward()
    oD.step()
    G.zero_grad()
    out = D(G(Variable(noise)))
    eG = crit(out, Variable(label.fill_(1)))
    eG.backward()
    oG.step()
    print('[%d] %.3f %.3f D(x) %.3f' % (step, eD.data[0] + eF.data[0], eG.data[0], D_x))
""",
    "rnn-char-sample": """\
rnn = nn.GRU(3, 3)
dec = nn.Linear(3, 3)
chars = 'abc'
def sample(n):
    h = Variable(torch.zeros(1, 1, 3), volatile=True)
    x = Variable(torch.zeros(1, 1, 3), volatile=True)
    said = ''
    for i in range(n):
        out, h = rnn(x, h)
        p = F.softmax(dec(out.squeeze()))
        top = torch.multinomial(p.data, 1)[0]
        said += chars[top]
        x.data.zero_()
        x.data[0][0][top] = 1
    return said
def train():
    h = Variable(torch.zeros(1, 1, 3))
    loss = 0
    for i in range(4):
        out, h = rnn(Variable(torch.randn(1, 1, 3)), h)
        loss += F.cross_entropy(dec(out.view(1, -1)), Variable(torch.LongTensor([i % 3])))
    loss.backward()
    return loss.data[0] / 4
print(train(), sample(5))
assert len(sample(5)) == 5
""",
    "dqn": """\
import random
from collections import namedtuple
T = namedtuple('T', ('state', 'action', 'next_state', 'reward'))
class Memory(object):
    def __init__(self): self.memory = []
    def push(self, *a): self.memory.append(T(*a))
    def sample(self, n): return random.sample(self.memory, n)
net = nn.Linear(3, 2)
memory = Memory()
def select(state, eps):
    if random.random() > eps:
        return net(Variable(state, volatile=True).type(torch.FloatTensor)).data.max(1)[1].view(1, 1)
    else:
        return torch.LongTensor([[random.randrange(2)]])
for i in range(8):
    s = torch.randn(1, 3)
    a = select(s, 0.5)
    memory.push(s, a, torch.randn(1, 3) if i % 3 else None, torch.Tensor([1.0]))
batch = T(*zip(*memory.sample(6)))
mask = torch.ByteTensor(tuple(map(lambda s: s is not None, batch.next_state)))
nexts = Variable(torch.cat([s for s in batch.next_state if s is not None]), volatile=True)
sb, ab, rb = Variable(torch.cat(batch.state)), Variable(torch.cat(batch.action)), Variable(torch.cat(batch.reward))
q = net(sb).gather(1, ab)
nv = Variable(torch.zeros(6).type(torch.FloatTensor))
nv[mask] = net(nexts).max(1)[0]
nv.volatile = False
loss = F.smooth_l1_loss(q, (nv * 0.9) + rb)
loss.backward()
for p in net.parameters():
    p.grad.data.clamp_(-1, 1)
print(loss.data[0])
""",
    "data-loader-and-next": """\
from torch.utils.data import DataLoader, TensorDataset
ds = TensorDataset(torch.randn(6, 2), torch.LongTensor([0, 1, 0, 1, 0, 1]))
loader = DataLoader(ds, batch_size=2, shuffle=True)
it = iter(loader)
x, y = it.next()
net = nn.Linear(2, 2)
sched = torch.optim.lr_scheduler.StepLR(torch.optim.SGD(net.parameters(), lr=0.1), 1)
for epoch in range(2):
    sched.step()
    for x, y in loader:
        x, y = Variable(x), Variable(y)
        loss = nn.CrossEntropyLoss(size_average=True)(net(x), y)
    print(epoch, loss.data[0], sched.get_lr()[0])
""",
    "np-asscalar-and-float": """\
w = torch.randn(3)
print(np.asscalar(w.numpy().sum()), np.float(3), np.int(2), w.norm())
v = Variable(w)
vals = [float(v.data.norm()), v.data.norm() * 2]
assert np.allclose(vals[0] * 2, vals[1])
best = -np.Inf
if v.data.norm() > best:
    best = v.data.norm()
print('best %.3f' % best)
""",
    "save-and-load": """\
class Net(nn.Module):
    def __init__(self):
        super(Net, self).__init__()
        self.fc = nn.Linear(2, 2)
    def forward(self, x):
        return self.fc(x)
net = Net()
torch.save(net, 'whole.pt')
torch.save({'epoch': 1, 'state_dict': net.state_dict(), 'best': np.float64(1.5)}, 'ck.pt')
m = torch.load('whole.pt')
m.eval()
ck = torch.load('ck.pt')
own = m.state_dict()
for name, param in ck['state_dict'].items():
    if isinstance(param, nn.Parameter):
        param = param.data
    own[name].copy_(param)
pre = {k: v for k, v in ck['state_dict'].iteritems() if k in own}
own.update(pre)
m.load_state_dict(own)
print(ck['best'], m(Variable(torch.ones(1, 2), volatile=True)).data.numpy()[0][0])
""",
    "vae": """\
class VAE(nn.Module):
    def __init__(self):
        super(VAE, self).__init__()
        self.e = nn.Linear(4, 2); self.v = nn.Linear(4, 2); self.d = nn.Linear(2, 4)
    def reparametrize(self, mu, logvar):
        std = logvar.mul(0.5).exp_()
        eps = torch.FloatTensor(std.size()).normal_()
        eps = Variable(eps)
        return eps.mul(std).add_(mu)
    def forward(self, x):
        mu, lv = self.e(x), self.v(x)
        return F.sigmoid(self.d(self.reparametrize(mu, lv))), mu, lv
model = VAE()
rec = nn.BCELoss()
rec.size_average = False
def loss_function(r, x, mu, lv):
    BCE = rec(r, x)
    K = mu.pow(2).add_(lv.exp()).mul_(-1).add_(1).add_(lv)
    return BCE + torch.sum(K).mul_(-0.5)
x = Variable(torch.rand(3, 4))
r, mu, lv = model(x)
loss = loss_function(r, x, mu, lv)
loss.backward()
train_loss = 0
train_loss += loss.data[0]
print(train_loss / 3)
""",
    "policy-gradient": """\
from torch.distributions import Categorical
class P(nn.Module):
    def __init__(self):
        super(P, self).__init__()
        self.a = nn.Linear(2, 2)
        self.saved, self.rewards = [], []
    def forward(self, x): return F.softmax(self.a(x))
policy = P()
opt = torch.optim.Adam(policy.parameters())
def select(state):
    state = torch.from_numpy(state).float().unsqueeze(0)
    probs = policy(Variable(state))
    m = Categorical(probs)
    action = m.sample()
    policy.saved.append(m.log_prob(action))
    return action.data[0]
for t in range(4):
    a = select(np.random.randn(2))
    assert a in (0, 1)
    policy.rewards.append(1.0)
R, rewards, losses = 0, [], []
for r in policy.rewards[::-1]:
    R = r + 0.9 * R
    rewards.insert(0, R)
rewards = torch.Tensor(rewards)
rewards = (rewards - rewards.mean()) / (rewards.std() + np.finfo(np.float32).eps)
for lp, r in zip(policy.saved, rewards):
    losses.append(-lp * r)
opt.zero_grad()
loss = torch.cat(losses).sum()
loss.backward()
opt.step()
print(loss.data[0])
""",
    "attention-masks": """\
def attn(q, k, mask):
    s = torch.bmm(q, k.transpose(1, 2))
    s.data.masked_fill_(mask, -float('inf'))
    b, n, m = s.size()
    w = F.softmax(s.view(-1, m)).view(b, n, m)
    return w
seq = torch.LongTensor([[1, 2, 0], [1, 0, 0]])
pad = seq.eq(0).unsqueeze(1).expand(2, 3, 3)
w = attn(Variable(torch.randn(2, 3, 4)), Variable(torch.randn(2, 3, 4)), pad)
assert (w.data[0, 0, 2]) == 0
sub = np.triu(np.ones((1, 3, 3)), k=1).astype('uint8')
sub = torch.from_numpy(sub)
both = torch.gt(seq.eq(0).unsqueeze(1).expand(2, 3, 3) + sub, 0)
w = attn(Variable(torch.randn(2, 3, 4)), Variable(torch.randn(2, 3, 4)), both)
n_correct = seq.eq(seq).masked_select(seq.ne(0)).sum()
print('%d' % n_correct, n_correct / 3.)
""",
    "topk-accuracy": """\
class Meter(object):
    def __init__(self): self.sum = 0; self.count = 0
    def update(self, v, n=1): self.sum += v * n; self.count += n; self.avg = self.sum / self.count
def accuracy(output, target, topk=(1,)):
    maxk = max(topk); n = target.size(0)
    _, pred = output.topk(maxk, 1, True, True)
    pred = pred.t()
    correct = pred.eq(target.view(1, -1).expand_as(pred))
    res = []
    for k in topk:
        correct_k = correct[:k].view(-1).float().sum(0, keepdim=True)
        res.append(correct_k.mul_(100.0 / n))
    return res
top1, losses = Meter(), Meter()
out, target = Variable(torch.randn(4, 6), volatile=True), Variable(torch.LongTensor([1, 2, 3, 0]), volatile=True)
loss = nn.CrossEntropyLoss()(out, target)
p1, p5 = accuracy(out.data, target.data, topk=(1, 5))
losses.update(loss.data[0], 4); top1.update(p1[0], 4)
print('Prec {top1.avg:.3f} {losses.avg:.3f}'.format(top1=top1, losses=losses))
is_best = top1.avg > 0
print(max(top1.avg, 0.5))
""",
    "batch-norm-hooks": """\
feats = []
net = nn.Sequential(nn.Conv2d(1, 2, 3), nn.BatchNorm2d(2), nn.ReLU(inplace=True))
net[1].register_forward_hook(lambda m, i, o: feats.append(o.data.cpu().numpy()))
net(Variable(torch.randn(2, 1, 5, 5), volatile=True))
for m in net.modules():
    if isinstance(m, nn.Conv2d):
        n = m.kernel_size[0] * m.kernel_size[1] * m.out_channels
        m.weight.data.normal_(0, math.sqrt(2. / n))
        nn.init.kaiming_normal(m.weight.data)
        m.bias.data.zero_()
    elif m.__class__.__name__.find('BatchNorm') != -1:
        nn.init.constant(m.weight, 1)
x = F.upsample(Variable(torch.randn(1, 1, 2, 2)), scale_factor=2, mode='bilinear')
assert abs(x.data[0, 0, 0, 1] - (2. / 3 * x.data[0, 0, 0, 0] + 1. / 3 * x.data[0, 0, 0, 3])) < 1e-5
""",
    "lm-repackage": """\
def repackage_hidden(h):
    if type(h) == Variable:
        return Variable(h.data)
    else:
        return tuple(repackage_hidden(v) for v in h)
lstm = nn.LSTM(3, 3)
emb = nn.Embedding(5, 3); dec = nn.Linear(3, 5)
def get_batch(source, i, evaluation=False):
    data = Variable(source[i:i + 2], volatile=evaluation)
    target = Variable(source[i + 1:i + 1 + 2].view(-1))
    return data, target
corpus = torch.LongTensor(8, 2).random_(0, 5)
def run(evaluation):
    total = 0
    h = (Variable(torch.zeros(1, 2, 3)), Variable(torch.zeros(1, 2, 3)))
    for i in range(0, 6, 2):
        data, target = get_batch(corpus, i, evaluation)
        h = repackage_hidden(h)
        out, h = lstm(emb(data), h)
        loss = F.cross_entropy(dec(out).view(-1, 5), target)
        if not evaluation:
            loss.backward()
            for p in lstm.parameters():
                p.data.add_(-0.1, p.grad.data)
        total += loss.data
    return total[0] / 3
print('ppl %.2f' % math.exp(run(False)), run(True))
""",
    "perceptual-style-optim-input": """\
target = Variable(torch.randn(1, 2, 4, 4), volatile=True)
net = nn.Conv2d(2, 2, 3)
def gram(y):
    (b, ch, h, w) = y.size()
    f = y.view(b, ch, w * h)
    return f.bmm(f.transpose(1, 2)) / (ch * h * w)
goal = Variable(gram(net(target)).data, requires_grad=False)
img = Variable(target.data.clone(), requires_grad=True)
opt = torch.optim.LBFGS([img])
n = [0]
def closure():
    img.data.clamp_(0, 1)
    opt.zero_grad()
    loss = nn.MSELoss()(gram(net(img)), goal)
    loss.backward(retain_variables=True)
    n[0] += 1
    if n[0] % 5 == 0:
        print 'step', n[0], loss.data[0]
    return loss
opt.step(closure)
""",
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_a_program_of_2017_is_modernised_and_repaired_until_it_runs(name, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    source = (HEAD + PROGRAMS[name]).encode()
    result = core.migrate({"main.py": source}, Options(modernize=True))
    text = result.outputs.get("main.py", source).decode()
    story, after = repaired(tmp_path, monkeypatch, text)
    assert story.ending == "runs", (story.stop and story.stop.head, after)
    assert "volatile" not in after
    assert all(step.kept for step in story.steps)


@pytest.mark.parametrize("name", PROGRAMS)
def test_a_second_modernisation_finds_nothing_to_do(name):
    source = (HEAD + PROGRAMS[name]).encode()
    first = core.migrate({"main.py": source}, Options(modernize=True)).outputs.get("main.py", source)
    assert core.migrate({"main.py": first}, Options(modernize=True)).outputs == {}
