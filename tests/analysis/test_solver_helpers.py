"""Receivers that come out of a function, and data that Variable proves to be plain."""

from __future__ import annotations

import pytest
from solving import becomes, covers, stays

from helpers import migrated

HELPERS = """
class One:
    def grab(self, data{parameter}):
        return Variable(data[0:8]{flag})
    def forward_fn(self, model):
        return functools.partial(self.run, model=model)
    def run(self, batch, model):
        return model(batch)


class Many:
    def grab(self, data{parameter}):
        return [Variable(part[0:8]{flag}) for part in data]
    def forward_fn(self, model):
        return functools.partial(self.run, model=model)
    def run(self, batch, model):
        return model(*batch)


def helper_for(data, owner):
    # long enough not to be looked into for its size alone
    count = len(data)
    owner.a = count
    owner.b = count
    owner.c = count
    owner.d = count
    owner.e = count
    owner.f = count
    owner.g = count
    owner.h = count
    if count == 0:
        raise ValueError("no data")
    if count == 1:
        helper = One()
    else:
        helper = Many()
    return helper


def train(model, data, owner):
    helper = helper_for(data, owner)
    output = helper.forward_fn(model)(helper.grab(data))
    output.sum().backward()

"""
FLAGGED = HELPERS.replace("{flag}", ", volatile=volatile").replace("{parameter}", ", volatile=False")
BEFORE = "import functools\n" + FLAGGED
AFTER = "import functools\n" + HELPERS.replace("{flag}", "").replace("{parameter}", "")


def test_the_classes_that_a_function_may_return_are_looked_into_one_and_all():
    becomes(
        BEFORE + """
def predict(model, data, owner):
    helper = helper_for(data, owner)
    batch = helper.grab(data, volatile=True)
    output = helper.forward_fn(model)(batch)
    return output.data
""",
        AFTER + """
def predict(model, data, owner):
    helper = helper_for(data, owner)
    batch = helper.grab(data)
    with torch.no_grad():
        output = helper.forward_fn(model)(batch)
    return output.data
""",
    )


def test_a_class_among_them_whose_result_keeps_its_graph_refuses():
    keeps = BEFORE.replace("return [Variable(part[0:8], volatile=volatile) for part in data]", "return self.weight")
    stays(
        keeps + """
def predict(model, data, owner):
    helper = helper_for(data, owner)
    batch = helper.grab(data, volatile=True)
    output = helper.forward_fn(model)(batch)
    output.sum().backward()
""",
        reason="gradient-demanded",
    )


# --- what is called is no tensor -------------------------------------------------------------------------------------


def test_taking_a_function_out_of_a_list_needs_no_graph():
    covers(
        """
def evaluate(net, losses, data, target):
    out = net(Variable(data, volatile=True))
    return total(losses, out, Variable(target)).data


def total(losses, out, target):
    return sum([losses[i](out[i], target) for i in range(len(out))])
""",
        inside=["out = net", "total(losses, out, Variable"],
        outside=[],
    )


# --- what a Variable is made of is plain -----------------------------------------------------------------------------

LOADED = """
def load():
    data = archive()
    return data / 255


def evaluate(net, data):
    for i in range(3):
        v = Variable({made}, volatile=True)
        data = data.cuda()
        print(net(v).data)


def main(net):
    evaluate(net, load())
"""


@pytest.mark.parametrize("made", ["data", "data[i:i + 8]", "data.view(2, 2)", "data[i:i + 8].cuda()"])
def test_what_was_sliced_for_a_variable_is_plain_wherever_else_it_goes(made):
    covers(LOADED.format(made=made), inside=["net(v)"], outside=[])


def test_what_a_comprehension_makes_variables_of_is_plain():
    covers(
        """
def evaluate(net, data):
    parts = [Variable(part[0:8], volatile=True) for part in data]
    print(net(*parts).data)


def main(net):
    data = archive()
    evaluate(net, data / 255)
""",
        inside=["net(*parts)"],
        outside=[],
    )


@pytest.mark.parametrize("made", ["data[0]", "data[0].cuda()", "data[name]"])
def test_an_item_of_a_list_says_nothing_of_its_others(made):
    """``data`` may hold something with a graph beside what the Variable is made of."""
    covers(
        f"""
def evaluate(net, data, weight):
    v = Variable({made}, volatile=True)
    kept = data[1] * weight
    out = net(v).data
    kept.sum().backward()
    return out


def main(net, weight):
    data = archive()
    evaluate(net, data, weight)
""",
        inside=["net(v)"],
        outside=["kept = data[1]"],
    )


# --- exceptions ------------------------------------------------------------------------------------------------------


def test_what_a_helper_refuses_with_an_exception_is_no_condition_for_its_caller():
    becomes(
        """
def checked(data):
    if len(data) != 2:
        raise ValueError("two, please")
    return data


def evaluate(net, data):
    data = checked(data)
    v = Variable(data, volatile=True)
    out = net(v)
    return out.data
""",
        """
def checked(data):
    if len(data) != 2:
        raise ValueError("two, please")
    return data


def evaluate(net, data):
    data = checked(data)
    v = Variable(data)
    with torch.no_grad():
        out = net(v)
    return out.data
""",
    )


def test_a_flag_that_leads_to_an_exception_stays_a_condition():
    covers(
        """
def only_training(test):
    if test:
        raise ValueError("not here")


def step(net, data, test):
    v = Variable(data, volatile=test)
    only_training(test)
    net(v).sum().backward()
""",
        inside=[],
        outside=["net(v)"],
    )


# --- numbers ---------------------------------------------------------------------------------------------------------

LOSS = """
class Loss(nn.Module):
    def __init__(self, classes=20{more}):
        super(Loss, self).__init__()
        self.classes = classes

    def forward(self, out, y):
        t = Variable(torch.zeros(1 + self.classes))
        return (out.view(-1, self.classes + 1) * t * y).sum()


loss = Loss({given})


def evaluate(net, data):
    out = net(Variable(data, volatile=True))
    return loss(out, net.weight).data[0]
"""


def test_what_a_size_is_reckoned_from_needs_no_graph():
    body = "import torch.nn as nn\n" + LOSS.format(more="", given="classes=10")
    covers(body, inside=["loss(out, net.weight)"], outside=[])


def test_arithmetic_that_numpy_takes_in_needs_no_graph():
    covers(
        """
import numpy as np


def order(lengths):
    return np.argsort(-lengths), lengths


def evaluate(net, data, lengths):
    def forward(x):
        indices, _ = order(lengths)
        return net(x)[indices]
    return forward(Variable(data, volatile=True)).data
""",
        inside=["return forward("],
        outside=[],
    )


def test_arithmetic_that_goes_on_with_a_graph_still_needs_one():
    stays(
        """
def scaled(x, weight):
    return x * weight, weight * 2


def evaluate(net, data, weight):
    out, kept = scaled(net(Variable(data, volatile=True)), weight)
    kept.sum().backward()
    return out
""",
        reason="mixed-statement",
    )


# --- modes of layers -------------------------------------------------------------------------------------------------

TRAINERS = """
import torch.nn as nn


class Model(nn.Module):
    def __init__(self, size):
        super(Model, self).__init__()
        self.size = size
        self.rnn = nn.RNN(size, size)


class Trainer(object):
    def train(self, data{default}):
        self.loss(data).backward()


def main(size, net, data):
    model = {model}
    v = Variable(data, volatile=True)
    for i in range(3):
        model.rnn.train()
        print(net(v).data)
"""


def test_a_layer_s_train_is_no_training_though_a_trainer_has_a_method_of_that_name():
    covers(TRAINERS.format(model="Model(size)", default=""), inside=["net(v)"], outside=[])


def test_the_train_of_something_unknown_stays_outside():
    covers(TRAINERS.format(model="make(size)", default="=None"), inside=["net(v)"], outside=["model.rnn.train()"])


# --- objects that keep what they are given ---------------------------------------------------------------------------

KEEPS = """
import torch.nn as nn


class Posterior(nn.Module):
    def __init__(self, points):
        super(Posterior, self).__init__()
        {keeps}

    def forward(self, x):
        return torch.cat([self.points, x])


def posterior(data):
    return Posterior(Variable(data, volatile=True))
"""


def test_a_value_that_a_new_object_keeps_for_code_that_nobody_calls_here_is_refused():
    stays(KEEPS.format(keeps="self.points = points"), reason="state-mixed")


def test_an_object_that_keeps_only_the_data_leaves_nothing_volatile_behind():
    becomes(
        KEEPS.format(keeps="self.points = points.data"),
        KEEPS.format(keeps="self.points = points.data").replace(
            "    return Posterior(Variable(data, volatile=True))",
            "    with torch.no_grad():\n        return Posterior(Variable(data))",
        ),
    )


# --- objects of libraries that build no graphs -----------------------------------------------------------------------

BAR = """
from tqdm import tqdm


def evaluate(net, batches, {parameters}):
    bar = {bar}
    for i in range(8):
        v = Variable(batches[i], volatile=True)
        total = net(v).data
        bar.update({given})
        print(net(v).data)
"""


def test_a_progress_bar_may_be_told_how_far_it_got_inside_a_block():
    body = BAR.format(parameters="size", bar="tqdm(total=8)", given="size")
    covers(body, inside=["total = net(v)", "print(net(v)"], outside=[])


@pytest.mark.parametrize(("bar", "given"), [("agent", "size"), ("tqdm(total=8)", "agent.learn")])
def test_what_may_train_stays_outside(bar, given):
    body = BAR.format(parameters="size, agent", bar=bar, given=given)
    covers(body, inside=["total = net(v)", "print(net(v)"], outside=["bar.update"])


# --- snippets that leave their imports out ---------------------------------------------------------------------------

SNIPPET = """
def evaluate(net, data):
    return net({name}.autograd.Variable(data{flag})).data
"""


def test_a_snippet_that_calls_torch_t_goes_on_calling_it_so():
    result = migrated(SNIPPET.format(name="t", flag=", volatile=True"))
    assert result.outputs["a.py"].decode() == SNIPPET.format(name="t", flag="").replace(
        "    return net", "    with t.no_grad():\n        return net"
    )


def test_a_name_that_is_bound_is_not_taken_for_torch():
    text = "t = load()\n" + SNIPPET.format(name="t", flag=", volatile=True")
    output = migrated(text).outputs.get("a.py", text.encode()).decode()
    assert "t.no_grad" not in output


# --- properties ------------------------------------------------------------------------------------------------------


def test_a_property_with_a_setter_is_read_through_its_getter():
    covers(
        """
class Runner(object):
    def __init__(self, net):
        self._net = net

    @property
    def net(self):
        return self._net

    @net.setter
    def net(self, value):
        value.sum().backward()
        self._net = value

    def evaluate(self, data):
        v = Variable(data, volatile=True)
        return self.net(v).data
""",
        inside=["return self.net(v)"],
        outside=[],
    )


# --- operations of the project's own ---------------------------------------------------------------------------------

OPERATION = """
import torch.nn as nn
from torch.autograd import Function


class Detect(Function):
    def forward(self, boxes, priors):
        out = torch.zeros(4)
        out[0] = boxes.sum() + priors.sum()
        return out


class Net(nn.Module):
    def __init__(self, phase, priors):
        super(Net, self).__init__()
        self.phase = phase
        self.priors = Variable(priors, volatile=True)
        if phase == "test":
            self.detect = Detect()

    def forward(self, boxes):
        if self.phase == "test":
            out = self.detect(boxes, self.priors)
        else:
            out = boxes
        return out


def evaluate(net, batch):
    return net(batch)
"""


def test_a_function_of_the_project_s_own_is_one_operation_wherever_it_writes():
    becomes(
        OPERATION,
        OPERATION.replace(", volatile=True", "").replace(
            "            out = self.detect(boxes, self.priors)",
            "            with torch.no_grad():\n                out = self.detect(boxes, self.priors)",
        ),
    )


# --- what something volatile can be ----------------------------------------------------------------------------------

UNWRAP = """
import numpy as np


def unwrap(x):
    if isinstance(x, (list, tuple)):
        return [unwrap(part) for part in x]
    elif isinstance(x, Variable):
        return x.data
    elif {other}:
        return x
    raise TypeError(x)


def evaluate(net, metric, data):
    out = net(Variable(data, volatile=True))
    score = metric(unwrap(out))
    return score
"""


@pytest.mark.parametrize("other", ["torch.is_tensor(x)", "isinstance(x, np.ndarray)", "isinstance(x, (float, int))"])
def test_what_is_volatile_is_a_variable_or_holds_some_and_no_number_or_array(other):
    covers(UNWRAP.format(other=other), inside=["out = net("], outside=["score = metric("])


def test_what_is_volatile_may_be_an_object_of_another_class_and_is_refused():
    stays(UNWRAP.format(other="isinstance(x, Batch)"), reason="condition-not-repeatable")
