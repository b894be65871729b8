"""What both sides are asked: a difference under answers that only one side knows of is no alarm."""

from __future__ import annotations

import textwrap

import pytest

torch = pytest.importorskip("torch")

from voltfix.verify import causes  # noqa: E402
from voltfix.verify.symbolic import explore  # noqa: E402
from voltfix.verify.symbolic.project import Side, Unit  # noqa: E402

HEAD = "import torch\nfrom torch.autograd import Variable\n"


def judge(before: str, after: str, *names: str, **more: str) -> tuple[str, str | None]:
    extra = {f"{path}.py": HEAD + textwrap.dedent(text) for path, text in more.items()}
    sides = [Side({"a.py": HEAD + textwrap.dedent(text), **extra}) for text in (before, after)]
    return explore.verify(explore.Item(*sides, tuple(Unit("a.py", name) for name in names or ("f",))))[:2]


def in_block(text: str) -> str:
    plain = text.replace(", volatile=True", "")
    return plain.replace("        return net(", "        with torch.no_grad(): return net(")


BEFORE = """
def f(net, x, mode):
    out = net(Variable(x, volatile={flag}))
    return out
"""
AFTER = """
def f(net, x, mode):
    with torch.set_grad_enabled({mode}):
        out = net(Variable(x))
    return out
"""


def test_one_condition_in_two_spellings_that_nobody_can_relate_is_not_run():
    before, after = BEFORE.format(flag="mode == 'test'"), AFTER.format(mode="bool(mode == 'train')")
    verdict, detail = judge(before, after)
    assert verdict == "not-run"
    assert "were asked different questions: mode == 'test'; mode == 'train'" in (detail or "")
    assert causes.word_of(detail) == "guess"


def test_a_condition_that_is_the_wrong_way_round_is_different():
    before, after = BEFORE.format(flag="mode == 'test'"), AFTER.format(mode="bool(mode == 'test')")
    assert judge(before, after)[0] == "different"
    assert judge(before, AFTER.format(mode="mode != 'test'"))[0] == "identical"


def test_a_condition_that_only_one_side_asks_for_is_different():
    assert judge(BEFORE.format(flag=True), AFTER.format(mode="bool(mode)"))[0] == "different"
    assert judge(BEFORE.format(flag="bool(mode)"), AFTER.format(mode=False))[0] == "different"


WRAPS = """
def f(net, x):
    if {asks}:
        x = Variable(x, volatile=True)
    return net(x)
"""
WITHIN = """
def f(net, x):
    with torch.no_grad():
        return net(x)
"""


@pytest.mark.parametrize("asks", ["not isinstance(x, Variable)", "torch.is_tensor(x)", "type(x) != Variable"])
def test_a_text_that_asks_for_a_variable_is_handed_one_and_whoever_does_decides_whether_it_is_volatile(asks: str):
    before = WRAPS.format(asks=asks)
    verdict, detail = judge(before, WITHIN)
    assert verdict == "different", detail
    assert judge(before, WITHIN.replace("torch.no_grad()", "torch.enable_grad()"))[0] == "different"


def test_a_variable_is_no_data_for_another_one_so_no_program_went_there():
    body = """
    def f(net, x, log):
        if isinstance(x, Variable):
            log.append(net(x))
        {block}return net(Variable(x{flag}))
    """
    before = body.format(block="", flag=", volatile=True")
    after = body.replace("log.append", "{block}log.append").format(block="with torch.no_grad(): ", flag="")
    assert judge(before, after) == ("identical", None)
    assert judge(before, body.format(block="", flag=""))[0] == "different"


@pytest.mark.parametrize("data", ["x.data", "x.data.clone()", "x.data[0]"])
def test_the_tensor_of_a_variable_is_data_for_another_one(data: str):
    before = f"""
    def f(net, x):
        if isinstance(x, Variable) and x.requires_grad:
            x = Variable({data}, requires_grad=True, volatile=False)
        return x
    """
    assert judge(before, before.replace(", volatile=False", "")) == ("identical", None)
    on = f"""
    def f(net, x):
        if isinstance(x, Variable):
            return net(Variable({data}, volatile=True))
    """
    assert judge(on, on.replace(", volatile=True", ""))[0] == "different"
    right = on.replace(", volatile=True", "").replace("return", "with torch.no_grad(): return")
    assert judge(on, right) == ("identical", None)


@pytest.mark.parametrize("leave", ["quit()", "exit(1)"])
def test_a_program_that_is_left_does_not_go_on(leave: str):
    before = f"""
    def f(net, x, only, made):
        if only:
            net = None
            {leave}
        return net(Variable(x, volatile=True))
    """
    after = before.replace(", volatile=True", "")
    assert judge(before, after)[0] == "different"
    assert judge(before, after.replace("return net", "with torch.no_grad(): return net")) == ("identical", None)


def test_what_follows_where_every_way_leaves_is_not_judged():
    before = """
    def f(net, x):
        exit()
        return net(Variable(x, volatile=True))
    """
    assert judge(before, before.replace(", volatile=True", ""))[0] == "not-run"


def test_a_tensor_on_0_3_was_no_variable():
    before = """
    def f(net, x):
        if isinstance(x, Variable):
            raise TypeError("a tensor, please")
        if torch.is_tensor(x):
            x = Variable(x, volatile=True)
        return net(x)
    """
    after = """
    def f(net, x):
        if isinstance(x, Variable):
            raise TypeError("a tensor, please")
        with torch.no_grad():
            return net(x)
    """
    assert judge(before, after)[0] != "different"


WRAPS_WHAT_IS_NONE = """
def f(net, rows):
    x = {made}
    if not isinstance(x, Variable):
        x = Variable(x, volatile=True)
    return net(x)
"""


@pytest.mark.parametrize(
    "made", ["torch.from_numpy(rows)", "torch.from_numpy(rows).cuda()", "torch.zeros(3).view(1, 3)",
             "torch.from_numpy(rows) / 255."])
def test_what_0_3_made_and_nobody_wrapped_is_no_variable(made: str):
    before = WRAPS_WHAT_IS_NONE.format(made=made)
    after = before.replace(", volatile=True", "")
    assert judge(before, after)[0] == "different"
    assert judge(before, after.replace("return", "with torch.no_grad(): return")) == ("identical", None)


@pytest.mark.parametrize(
    "made", ["Variable(torch.from_numpy(rows))", "Variable(rows) + torch.zeros(3)", "torch.normal(Variable(rows))",
             "torch.normal(rows, rows)", "torch.normal(means=Variable(rows))"])
def test_what_is_computed_of_a_variable_is_one(made: str):
    before = WRAPS_WHAT_IS_NONE.format(made=made)
    after = before.replace(", volatile=True", "")
    assert judge(before, after)[0] != "different"
    assert judge(before, after.replace("return", "with torch.no_grad(): return"))[0] != "identical"


def test_a_tensor_of_today_is_a_variable_whoever_wrapped_it():
    before = """
    def f(rows):
        x = torch.zeros(3)
        if not isinstance(x, Variable):
            x = Variable(x, requires_grad={wants}, volatile=False)
        return x
    """
    for wants, told in ((True, "different"), (False, "identical")):
        text = before.format(wants=wants)
        assert judge(text, text.replace(", volatile=False", ""))[0] == told


def test_a_list_is_no_variable():
    body = """
    def detached(h):
        if type(h) == Variable:
            return Variable(h.data)
        return tuple(detached(each) for each in h)
    def f(net, x):
        h = detached([Variable(x), Variable(x)])
        return net(Variable(x, volatile=True), h).data
    """
    after = in_block(body)
    assert judge(body, after) == ("identical", None)


def test_an_import_of_a_part_binds_the_package_that_has_the_part():
    body = """
    import lib.save
    import lib.plot
    import lib
    def f(net, x):
        lib.plot.tick(lib.save.name, lib.other.name)
        return net(Variable(x, volatile=True)).data
    """
    after = in_block(body)
    extra = {"lib/__init__": "", "lib/plot": "def tick(*names): return names"}  # ``lib.save`` is not at hand
    assert judge(body, after, **extra) == ("identical", None)
    assert judge(body, body.replace(", volatile=True", ""), **extra)[0] == "different"


def test_what_reached_backward_on_0_3_was_not_volatile_whatever_unknown_code_gave():
    before = """
    def f(net, criterion, x, boxes, optimizer):
        out = net(Variable(x)), Variable(boxes, volatile=True)
        loss, more = criterion(out, [Variable(boxes, volatile=True)])
        (loss + more).backward()
        optimizer.step()
    """
    assert judge(before, before.replace(", volatile=True", "")) == ("identical", None)
    detached = before.replace(", volatile=True", "").replace("net(Variable(x))", "net(Variable(x)).detach()")
    assert judge(before, detached)[0] == "different"


def test_networks_of_torchvision_have_parameters():
    before = """
    from torchvision import models
    class Net(torch.nn.Module):
        def __init__(self):
            super(Net, self).__init__()
            self.model = models.resnet18(pretrained=True)
            self.model.fc = torch.nn.Linear(2, 2)
        def forward(self, x):
            return self.model.fc(self.model.layer1(self.model.conv1(x)))
    def f(x):
        net = Net()
        return net(Variable(x, volatile=True))
    """
    after = in_block(before)
    assert judge(before, after) == ("identical", None)
    verdict, detail = judge(before, before.replace(", volatile=True", ""))
    assert verdict == "different"
    assert "`resnet18#1.conv1`: requires_grad False before, True after" in (detail or "")


def test_what_a_script_does_while_it_is_loaded_is_no_doing_of_a_function_in_it():
    before = """
    class Net(torch.nn.Module):
        def __init__(self):
            super(Net, self).__init__()
            self.first = torch.nn.Linear(2, 2)
        def forward(self, x):
            y = {y}
            return self.first(y)
    net = Net()
    out = net(Variable(torch.ones(2), volatile=True))
    def shown():
        return out.data
    """
    after = before.replace(", volatile=True", "").replace("    out = net", "    with torch.no_grad(): out = net")
    old, new = before.format(y="x"), after.format(y="(x)")
    extra = "def f(): return shown()"
    assert judge(old + extra, new + extra, "Net.forward") == ("identical", None)
    assert judge(old, new, "") == ("identical", None)
    assert judge(old, new, "shown") == ("identical", None)
    assert judge(old, before.format(y="x").replace(", volatile=True", ""), "")[0] == "different"


MAY = """
class Embedder(object):
    def embed(self, x{takes}):
        {block}return self.net(Variable(x{gives}))
def f(things, x):
    return things[0].embed(x{hands})
"""


def test_a_call_that_may_lead_to_what_was_touched_is_followed():
    before = MAY.format(takes=", volatile=False", block="", gives=", volatile=volatile", hands=", volatile=True")
    block = "with torch.set_grad_enabled(not volatile): "
    kept = MAY.format(takes=", volatile=False", block=block, gives="", hands=", volatile=True")
    assert judge(before, kept, "Embedder.embed") == ("identical", None)
    always = MAY.format(takes="", block="with torch.no_grad(): ", gives="", hands="")
    within = MAY.format(takes="", block="", gives=", volatile=True", hands="")
    assert judge(within, always, "Embedder.embed") == ("identical", None)


def test_a_call_that_may_hand_over_what_is_no_longer_taken_is_not_identical():
    before = MAY.format(takes=", **more", block="", gives=", volatile=True", hands=", volatile=True")
    after = MAY.format(takes="", block="with torch.no_grad(): ", gives="", hands=", volatile=True")
    verdict, detail = judge(before, after, "Embedder.embed")
    assert verdict == "not-run"
    assert "unexpected keyword argument 'volatile'" in (detail or "")
    assert "(given that what is called is the method of that name in this project)" in (detail or "")
    assert causes.word_of(detail) == "guess"


HANDED = """
class Sampler:
    def draw(self, i):
        return Variable(self.images[i]{flag})
class Judge:
    def __init__(self, net, data):
        self.net, self.data = net, data
    def score(self):
        data = self.data
        x = data.draw(0)
        {block}y = self.net(x)
        return y
"""


def test_a_block_beside_a_call_that_may_lead_to_a_flag_is_not_blamed():
    before = HANDED.format(flag=", volatile=True", block="")
    after = HANDED.format(flag="", block="with torch.no_grad(): ")
    verdict, detail = judge(before, after, "Judge.score", "Sampler.draw")
    assert verdict == "not-run"
    assert "(given that what is called is not the method of that name in this project)" in (detail or "")
    assert causes.word_of(detail) == "guess"


def test_a_block_that_is_wrong_whatever_is_called_there_is_blamed():
    trained = "y.sum().backward()\n        return y"
    before = HANDED.format(flag="", block="").replace("return y", trained)
    after = HANDED.format(flag="", block="with torch.no_grad(): ").replace("return y", trained)
    assert judge(before, after, "Judge.score", "Sampler.draw")[0] == "different"
