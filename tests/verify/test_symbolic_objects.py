"""What objects of classes are taken for: operations of the project, losses that are not at hand, and attributes that
``__init__``, which is not run, leaves behind."""

from __future__ import annotations

import textwrap

import pytest

torch = pytest.importorskip("torch")

from voltfix.verify.symbolic import explore, helpers  # noqa: E402
from voltfix.verify.symbolic.project import Side, Unit  # noqa: E402

HEAD = """import torch
import torch.nn as nn
from torch.autograd import Function, Variable
"""


def judge(before: str, after: str, *names: str) -> tuple[str, str | None]:
    sides = [Side({"a.py": HEAD + textwrap.dedent(text)}) for text in (before, after)]
    touched = tuple(Unit("a.py", name) for name in names or ("f",))
    return explore.verify(explore.Item(*sides, touched))[:2]


def same(before: str, after: str, *names: str) -> None:
    assert before != after
    assert judge(before, after, *names) == ("identical", None)


def different(before: str, after: str, says: str, *names: str) -> None:
    verdict, detail = judge(before, after, *names)
    assert verdict == "different", detail
    assert says in (detail or "")


# --- operations of the project: torch.autograd.Function as 0.3 called it ------------------------------------------

DETECTS = """
    class Detect(Function):
        def __init__(self, classes, shift):
            self.classes, self.shift = classes, shift
        def forward(self, scores, boxes):
            found = torch.zeros(2)
            for place in range(2):
                found[place] = scores.max() + self.shift
            return found
    def f(net, x, boxes):
        detect = Detect(21, torch.ones(2))
        scores = net(x)
        found = detect(scores, Variable(boxes, volatile=True))
        return scores, found
"""


def test_an_operation_of_the_project_is_volatile_where_one_input_is_whatever_its_forward_does():
    plain = DETECTS.replace(", volatile=True", "")
    same(DETECTS, plain.replace("return scores, found", "return scores, found.detach()"))
    different(DETECTS, plain, "the result[1]: requires_grad False before, True after")


FORWARD_BY_HAND = """
    class Overlap(Function):
        def forward(self, found, wanted):
            self.save_for_backward(found, wanted)
            self.mark_non_differentiable(wanted)
            return torch.dot(found, wanted)
    def f(net, x, wanted):
        y = net(Variable(x, volatile=True))
        y = (y > 0.5).float()
        return Overlap().forward(y, wanted.data)
"""


def test_a_forward_that_is_called_by_hand_comes_to_methods_of_torch_that_give_nothing():
    plain = FORWARD_BY_HAND.replace(", volatile=True", "")
    blocked = plain.replace("        y = net", "        with torch.no_grad():\n            y = net")
    same(FORWARD_BY_HAND, blocked)
    kept = FORWARD_BY_HAND.replace("(y > 0.5).float()", "y * 2")
    different(kept, kept.replace(", volatile=True", ""), "requires_grad False before, True after")


WRITTEN = """
    class Trainer(object):
        def sample(self, a, b):
            a.volatile = True
            b.volatile = True
            out = []
            for i in range(a.size(0)):
                h, _ = self.one.encode(a[i].unsqueeze(0))
                k, _ = self.two.encode(b[i].unsqueeze(0))
                out.append(self.two.decode(h))
            return out
"""


def test_what_a_flag_is_written_to_is_a_variable_for_the_text_without_the_flag_too():
    plain = WRITTEN.replace("            a.volatile = True\n            b.volatile = True\n", "")
    loop = plain[plain.index("            for"):plain.index("            return")]
    block = "            with torch.no_grad():\n" + textwrap.indent(loop, "    ")
    same(WRITTEN, plain.replace(loop, block), "Trainer.sample")
    narrow = plain.replace("                k, _", "                with torch.no_grad():\n                    k, _")
    verdict, detail = judge(WRITTEN, narrow, "Trainer.sample")
    assert verdict == "not-run"
    assert "self.one.encode`: requires_grad False before, True after" in (detail or "")


def test_an_operation_of_the_project_keeps_the_graph_of_its_inputs_where_none_is_volatile():
    trained = DETECTS.replace(", volatile=True", "")
    cut = trained.replace("found = detect(", "found = detect(*[each.detach() for each in (").replace("es))", "es))])")
    assert "detach() for" in cut
    different(trained, cut, "the result[1]: requires_grad True before, False after")


def test_an_operation_of_the_project_depends_on_what_its_object_holds():
    blocked = DETECTS.replace(", volatile=True", "").replace("return scores, found", "return scores, found.detach()")
    for old, new in (("Detect(21", "Detect(2"), ("torch.ones", "torch.zeros")):
        different(DETECTS, blocked.replace(old, new), "the result[1]: other values")


@pytest.mark.parametrize("base", ["Function", "torch.autograd.Function", "torch.autograd.function.InplaceFunction"])
def test_a_function_may_be_named_in_any_way_and_be_a_class_between(base: str):
    between = f"class Base({base}): pass\n    class Detect(Base)"
    before = DETECTS.replace("class Detect(Function)", between)
    after = before.replace(", volatile=True", "").replace("return scores, found", "return scores, found.detach()")
    same(before, after)


# --- attributes that are volatile Variables -----------------------------------------------------------------------

PRIORS = """
    class SSD(nn.Module):
        def __init__(self, boxes, body):
            super(SSD, self).__init__()
            self.body = body
            self.detect = Detect(21)
            self.priors = Variable(boxes.forward(), volatile=True)
        def forward(self, x):
            x = self.body(x)
            if x.dim() > 2:
                return self.detect(self.body(x), self.priors.type(type(x.data)))
            return x, self.priors
"""
UNFLAGGED = PRIORS.replace(", volatile=True", "")
METHODS = ("SSD.__init__", "SSD.forward")


@pytest.mark.parametrize("stored", ["", ".cuda()", ".float().cuda()"])
def test_what_a_method_reads_is_volatile_where_the_class_stores_nothing_else(stored: str):
    before = PRIORS.replace("volatile=True)", "volatile=True)" + stored)
    after = UNFLAGGED.replace("(x.data)))", "(x.data))).detach()").replace("forward())", "forward())" + stored)
    same(before, after, *METHODS)


def test_a_flag_in_an_attribute_that_is_dropped_without_more_is_different():
    different(PRIORS, UNFLAGGED, "requires_grad False before, True after", *METHODS)


@pytest.mark.parametrize(
    "other",
    [
        "self.priors = Variable(x)",
        "self.priors = self.body(x)",
        "self.priors.volatile = False",
        "self.priors, y = x, 1",
        "self.priors += self.body(x)",
    ],
)
def test_what_is_stored_there_otherwise_leaves_open_what_a_method_reads(other: str):
    more = f"    def again(self, x):\n            {other}\n"
    more = textwrap.indent(more, "    ")
    cut = UNFLAGGED.replace("(x.data)))", "(x.data))).detach()")
    different(PRIORS + more, cut + more, "SSD.forward: the result: requires_grad True before", *METHODS)


# --- a call that is detached on the spot --------------------------------------------------------------------------

MIXED = """
    def f(net, model, x, y):
        found = model(net(y), Variable(x, volatile=True))
        return found
"""


@pytest.mark.parametrize("call", ["model(", "model.score(", "imported_net("])
def test_a_graph_that_is_detached_where_it_is_given_is_out_of_reach(call: str):
    top = "    from somewhere import imported_net\n"
    before = top + MIXED.replace("model(", call)
    plain = before.replace(", volatile=True", "")
    same(before, plain.replace("(x))", "(x)).detach()"))
    different(before, plain, "requires_grad False before, True after")


def test_a_graph_that_somebody_still_has_is_not_out_of_reach():
    kept = MIXED.replace(", volatile=True", "").replace("return found", "return found.detach()")
    different(MIXED, kept, "`call model`: requires_grad False before, True after")


def test_a_block_that_is_lost_is_seen_although_the_author_detaches():
    before = "def f(model, x):\n    return model(Variable(x, volatile=True)).detach()\n"
    plain = before.replace(", volatile=True", "")
    same(before, plain.replace("return", "with torch.no_grad(): return"))
    different(before, plain, "`call model`: requires_grad False before, True after")


def test_a_detached_copy_of_the_data_may_be_made_in_either_way():
    before = "def f(model, x):\n    return Variable(model(x).data)\n"
    same(before, "def f(model, x):\n    return model(x).detach()\n")


# --- losses -------------------------------------------------------------------------------------------------------

LOSS = """
    from loss import FocalLoss
    net = nn.Linear(3, 2)
    criterion = FocalLoss()
    def f(loader):
        for x, y in loader:
            x, y = Variable(x, volatile=True), Variable(y)
            out = net(x)
            loss = criterion(out, y)
            print(loss.data[0])
"""
COVERED = LOSS.replace(", volatile=True", "").replace("out = net", "with torch.no_grad(): out = net")


@pytest.mark.parametrize("name", ["FocalLoss", "CrossEntropyLoss2d", "LabelCriterion", "Loss"])
def test_that_an_object_of_a_class_called_a_loss_has_no_parameters_is_a_guess(name: str):
    before, after = (text.replace("FocalLoss", name) for text in (LOSS, COVERED))
    verdict, detail = judge(before, after)
    assert verdict == "not-run"
    assert "(given that what is called has parameters of its own)" in (detail or "")
    same(before, after.replace("out = net(x)\n            loss =", "loss =").replace("(out, y)", "(net(x), y)"))
    different(before, before.replace(", volatile=True", ""), "requires_grad False before, True after")


@pytest.mark.parametrize("loss", ["nn.CrossEntropyLoss()", "nn.MSELoss().cuda()", "nn.L1Loss() if x else nn.MSELoss()"])
def test_a_loss_that_torch_has_and_that_has_a_name_in_the_text_has_no_parameters(loss: str):
    before, after = (text.replace("FocalLoss()", loss) for text in (LOSS, COVERED))
    same(before, after)
    later = "def main(x):\n        criterion = " + loss + "\n        return criterion\n    def f(loader, criterion):"
    before, after = (
        text.replace("    criterion = FocalLoss()\n    def f(loader):", "    " + later) for text in (LOSS, COVERED)
    )
    same(before, after)


def test_an_object_of_a_class_called_anything_else_may_have_parameters():
    before, after = (text.replace("FocalLoss", "Center") for text in (LOSS, COVERED))
    different(before, after, "`call Center#1`: requires_grad False before, True after")


def test_a_loss_whose_parameters_are_asked_for_has_some():
    trained = "criterion = FocalLoss()\n    optimizer = torch.optim.SGD(criterion.parameters(), lr=1)"
    before, after = (text.replace("criterion = FocalLoss()", trained) for text in (LOSS, COVERED))
    different(before, after, "`call FocalLoss#1`: requires_grad False before, True after")


# --- the version of torch -----------------------------------------------------------------------------------------

SAYS = """
    def f(net, x, log):
        log.write({text})
        return net(Variable(x, volatile=True))
"""


@pytest.mark.parametrize(
    "text",
    [
        "torch.__version__",
        "'torch {}'.format(torch.__version__)",
        "'torch {:>8}'.format(torch.__version__)",
        "'torch %s' % torch.__version__",
        "f'torch {torch.__version__}'",
        "'torch ' + torch.__version__ + '!'",
        "torch.__version__ + '!'",
        "str(torch.__version__)",
        "[repr(torch.__version__)]",
        "torch.__version__[:3]",
        "torch.__version__[2]",
        "[torch.__version__[0]]",
    ],
)
def test_text_that_tells_the_version_of_torch_is_the_same(text: str):
    before = SAYS.format(text=text)
    after = before.replace(", volatile=True", "").replace("return net", "with torch.no_grad(): return net")
    same(before, after)
    different(before, after.replace("log.write(", "log.write('now', "), "log.write()")


def test_code_can_still_ask_for_the_version_of_torch():
    before = """
        def f(net, x):
            return net(Variable(x, volatile=True))
    """
    after = """
        def f(net, x):
            if {condition}:
                with torch.no_grad():
                    return net(Variable(x))
            return net(Variable(x, volatile=True))
    """
    for condition in (
        "torch.__version__ >= '0.4'",
        "torch.__version__.startswith('2.')",
        "int(torch.__version__.split('.')[0]) > 1",
        "torch.__version__[:3] == '2.5'",
        "float(torch.__version__[:3]) > 0.3",
        "torch.__version__[0] != '0'",
        "torch.__version__[0:3] >= '0.4'",
        "torch.__version__[2] >= '4'",
    ):
        same(before, after.format(condition=condition))
        different(before, after.format(condition=f"not {condition}"), "requires_grad False before, True after")


PICKS = """
    class Words(nn.Module):
        def __init__(self):
            super(Words, self).__init__()
            self.minor = torch.__version__[2]
            self.rows = nn.Linear(4, 4)
            if {first}:
                self.soft = nn.Softmax()
            elif {second}:
                self.soft = nn.Softmax(1)
        def forward(self, x):
            return self.soft(self.rows(x))
    def f(x, rows):
        words = Words()
        y = words(Variable(x, volatile=True))
        words(Variable(rows)).sum().backward()
        return y
"""


@pytest.mark.parametrize(("first", "second"), [
    ("self.minor == '1'", "self.minor == '3'"),
    ("self.minor != '3'", "True"),
    ("self.minor in ['1', '2']", "self.minor in {'3', '4'}"),
    ("torch.__version__[2:3] == '1'", "torch.__version__[2:3] == '3'"),
])
def test_a_later_digit_of_the_version_picks_the_same_before_and_after(first: str, second: str):
    before = PICKS.format(first=first, second=second)
    after = before.replace(", volatile=True", "")
    same(before, after.replace("y = words", "with torch.no_grad(): y = words"))
    different(before, after, "requires_grad False before, True after")
    wide = after.replace("y = words", "with torch.no_grad(): y = words").replace(
        "words(Variable(rows))", "with torch.no_grad(): out = words(Variable(rows))\n        out")
    assert judge(before, wide)[0] == "different"


# --- classes whose base is not at hand ---------------------------------------------------------------------------

WRAPS = """
    import gym
    class Skips(gym.Wrapper):
        def __init__(self, env, count=4):
            {first}
            self.count = count
    class Other({base}):
        def __init__(self):
            {second}
            self.part = nn.Linear(2, 2)
        def forward(self, x):
            return self.part(x)
    def f(net, x, env):
        skips = Skips(env, count=2)
        y = Other()(net(Variable(x * skips.count, volatile=True)))
        return y, skips.reset()
"""


@pytest.mark.parametrize(
    "spelling",
    [
        {"first": "gym.Wrapper.__init__(self, env)", "base": "nn.Module", "second": "nn.Module.__init__(self)"},
        {"first": "super().__init__(env)", "base": "Skips", "second": "Skips.__init__(self, None)"},
    ],
)
def test_the_init_of_a_base_may_be_called_by_its_name(spelling: dict[str, str]):
    before = WRAPS.format(**spelling)
    plain = before.replace(", volatile=True", "")
    same(before, plain.replace("        y = Other", "        with torch.no_grad(): y = Other"))
    different(before, plain, "requires_grad False before, True after")


OWN = """
    from torch import autograd
    class Variable(autograd.Variable):
        def __init__(self, data, *args, **kwargs):
            if torch.cuda.is_available():
                data = data.cuda()
            {call}(data, *args, **kwargs)
    def f(net, x):
        y = net(Variable(x, volatile=True))
        return y
"""


@pytest.mark.parametrize("call", ["super(Variable, self).__init__", "super().__init__"])
def test_what_a_class_derived_from_variable_makes_is_a_variable_with_its_flag(call: str):
    before = OWN.format(call=call)
    plain = before.replace(", volatile=True", "")
    same(before, plain.replace("        y = net", "        with torch.no_grad(): y = net"))
    different(before, plain, "requires_grad False before, True after")


# --- names that tensors have, too ---------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["data", "grad", "shape", "T", "is_cuda"])
def test_what_an_object_keeps_by_a_name_that_tensors_have_is_its_own(name: str):
    before = f"""
    class Trainer:
        def __init__(self, loader):
            self.{name} = loader
        def check(self, net):
            self.{name}.reset()
            for x in self.{name}:
                y = net(Variable(x, volatile=True))
            return y.data
    """
    after = before.replace(", volatile=True", "").replace("y = net", "with torch.no_grad(): y = net")
    same(before, after, "Trainer.check")
    different(before, before.replace(", volatile=True", ""), "requires_grad False before, True after", "Trainer.check")


def test_a_flag_that_an_object_keeps_goes_both_ways():
    before = """
    class Runner:
        def __init__(self, net, volatile):
            self.net, self.volatile = net, volatile
        def __call__(self, x):
            return self.net(Variable(x, volatile=self.volatile))
    """
    after = before.replace(", volatile=self.volatile", "")
    block = after.replace("return self", "with torch.set_grad_enabled(not self.volatile): return self")
    same(before, block, "Runner.__call__")
    different(before, after, "requires_grad False before, True after", "Runner.__call__")


def test_of_the_names_of_a_module_one_that_can_be_called_is_taken():
    before = """
    import models
    from models import zoo
    LIMIT = 3
    def small(width): return models.Small(width)
    def f(name, x):
        net = globals_of_this()[name](4)
        return net(Variable(x, volatile=True)).data
    def globals_of_this():
        return zoo.__dict__
    """
    after = before.replace(", volatile=True", "").replace("return net(", "with torch.no_grad(): return net(")
    same(before, after)


def test_of_functions_of_one_file_one_is_tried_before_the_others_of_another():
    files = {"wide.py": "def small(): pass\ndef large(): pass\n", "deep.py": "class Tower: pass\ndef stack(): pass\n"}
    names: dict[str, object] = {"size": 3}
    for path, text in files.items():
        exec(compile(text, f"vf:{path}", "exec"), names)
    keys = ["small", "Tower", "large", "size", "stack"]
    assert helpers._likely_last(names, keys) == ["size", "Tower", "small", "large", "stack"]


# --- numbers of objects ---------------------------------------------------------------------------------------------

BY_NUMBER = """
    class Seen(object):
        def __init__(self, net):
            self.net, self.found = net, {{}}
        def look(self, x):
            for part in [self.net.first, self.net.last, self]:
                self.found[id(part)] = 1
            self.found[{key}] = self.net(x).data
    def f(net, x):
        seen = Seen(net)
        seen.look(Variable(x{flag}))
        return seen, id(seen) == id(seen.net), id(seen.net) == id(net), {also}
"""


def by_number(key: str = "id(self.net)", flag: str = "", also: str = "seen.found[id(net)]") -> str:
    return BY_NUMBER.format(key=key, flag=flag, also=also)


def test_what_is_filed_under_the_numbers_of_objects_is_found_there_in_both_runs():
    same(by_number(flag=", volatile=False"), by_number())


@pytest.mark.parametrize("after", [
    by_number(key="id(self)"), by_number(key="id(self.net.first)"), by_number(also="seen.found[id(seen)]"),
    by_number(also="id(x)"),
])
def test_what_is_filed_under_the_number_of_another_object_is_not_the_same(after: str):
    assert judge(by_number(), after)[0] == "different"


SETTING = """
    from frames import Base
    class Learner(Base):
        def __init__(self, place, cuda):
            super(Learner, self).__init__(place, cuda)
        def look(self, x):
            if self.cuda:
                y = self.net(Variable(x.cuda(){flag}))
            else:
                y = self.net(Variable(x{other}))
            return y
        def show(self, x):
            return self.cuda().look(x)
"""
FLAG = ", volatile=True"


@pytest.mark.parametrize("name", ["cuda", "cpu", "half"])
def test_a_setting_by_the_name_of_a_method_goes_both_ways(name: str):
    before = SETTING.format(flag=FLAG, other=FLAG).replace("cuda", name)
    right = SETTING.format(flag="", other="").replace("cuda", name)
    right = right.replace("            if self", "          with torch.no_grad():\n            if self", 1)
    same(before, right, "Learner.look")
    kept = before.replace("            if self", "          with torch.no_grad():\n            if self", 1)
    same(kept, right, "Learner.look")


@pytest.mark.parametrize(("flag", "other"), [("", FLAG), (FLAG, "")])
def test_what_is_missed_on_one_of_them_is_told(flag: str, other: str):
    before, after = SETTING.format(flag=flag, other=other), SETTING.format(flag="", other="")
    assert judge(before, after, "Learner.look")[0] == "different"
    wide = after.replace("            if self", "          with torch.no_grad():\n            if self", 1)
    assert judge(before, wide, "Learner.look")[0] == "different"
