"""The emulation, rule by rule: each test is one sentence about PyTorch 0.3."""

from __future__ import annotations

import collections
import copy
import io
import pickle
import subprocess
import sys
import threading

import pytest

torch = pytest.importorskip("torch")
pytestmark = pytest.mark.filterwarnings("ignore")

from torch import nn  # noqa: E402
from torch.nn import functional as F  # noqa: E402, N812

from voltfix.verify.legacy import is_variable, is_volatile, legacy  # noqa: E402
from voltfix.verify.legacy.nested import map_tensors  # noqa: E402


@pytest.fixture(autouse=True)
def old_torch():
    with legacy():
        yield


def variable(*shape, **flags):
    return torch.autograd.Variable(torch.ones(*shape) * 0.5, **flags)


def flags(value):
    return ("V" if is_volatile(value) else "") + ("R" if value.requires_grad else "") or "-"


@pytest.fixture
def v():
    return variable(3, 3, volatile=True)


@pytest.fixture
def x():
    return variable(3, 3, requires_grad=True)


@pytest.fixture
def n():
    return variable(3, 3)


class TestConstructor:
    def test_third_positional_argument_is_volatile(self):
        assert flags(torch.autograd.Variable(torch.ones(2), False, True)) == "V"

    def test_second_positional_argument_is_requires_grad(self):
        assert flags(torch.autograd.Variable(torch.ones(2), True)) == "R"

    @pytest.mark.parametrize("value", [1, 2, 255])
    def test_small_integers_count_as_true(self, value):
        assert flags(variable(2, volatile=value)) == "V"

    @pytest.mark.parametrize(
        ("value", "error"),
        [(None, TypeError), ("on", TypeError), (1.0, TypeError), ([1], TypeError), (256, OverflowError)],
    )
    def test_refuses_flags_that_are_no_small_integers(self, value, error):
        with pytest.raises(error):
            variable(2, volatile=value)

    def test_refuses_both_flags_at_once(self):
        with pytest.raises(RuntimeError, match="volatile and require_grad"):
            variable(2, volatile=True, requires_grad=True)

    @pytest.mark.parametrize("data", [1.0, [1.0], "x"])
    def test_refuses_data_that_is_no_tensor(self, data):
        with pytest.raises(RuntimeError, match="has to be a tensor"):
            torch.autograd.Variable(data)

    def test_refuses_a_variable_as_data(self, n):
        with pytest.raises(RuntimeError, match="but got Variable"):
            torch.autograd.Variable(n)

    def test_shares_memory_with_its_data(self):
        data = torch.zeros(2)
        made = torch.autograd.Variable(data)
        data.fill_(3)
        assert made.data.tolist() == [3, 3]

    def test_leaves_the_flags_of_its_data_alone(self):
        data = torch.ones(2)
        torch.autograd.Variable(data, volatile=True)
        assert not is_variable(data)

    def test_subclasses_of_variable_keep_their_class(self):
        class Mine(torch.autograd.Variable):
            pass

        made = Mine(torch.ones(2), volatile=True)
        assert (type(made), flags(made)) == (Mine, "V")


class TestContagion:
    @pytest.mark.parametrize(
        "operation",
        [
            lambda v, x: x + v,
            lambda v, x: 2**v,
            lambda v, x: torch.mm(x, v),
            lambda v, x: torch.cat([x, v]),
            lambda v, x: torch.stack([x, v]),
            lambda v, x: v.t()[0].view(-1),
            lambda v, x: nn.Linear(3, 2)(v),
            lambda v, x: F.dropout(v, training=False),
            lambda v, x: nn.BatchNorm1d(3)(v),
            lambda v, x: (v > 0).float() * x,
            lambda v, x: x[(v > 0)],
            lambda v, x: nn.LSTM(3, 2)(v.unsqueeze(0))[0],
            lambda v, x: nn.GRUCell(3, 2)(variable(1, 3), variable(1, 2, volatile=True)),
            lambda v, x: F.binary_cross_entropy_with_logits(x, v),
            lambda v, x: (x - v) ** 2,
        ],
    )
    def test_an_operation_with_a_volatile_input_gives_a_volatile_output_without_a_graph(
        self, operation, v, x
    ):
        result = operation(v, x)
        assert (flags(result), result.grad_fn) == ("V", None)

    @pytest.mark.parametrize(
        "operation",
        [
            lambda v, x: F.mse_loss(x, v),
            lambda v, x: nn.L1Loss()(x, v),
            lambda v, x: F.smooth_l1_loss(x, target=v),
            lambda v, x: F.kl_div(x, v),
            lambda v, x: x.view_as(v),
            lambda v, x: x[:1].expand_as(v),
            lambda v, x: x.double().type_as(v),
            lambda v, x: F.cross_entropy(
                x, torch.autograd.Variable(torch.LongTensor([0, 1, 2]), volatile=True)
            ),
            lambda v, x: x.gather(
                1, torch.autograd.Variable(torch.LongTensor([[0], [1], [2]]), volatile=True)
            ),
            lambda v, x: x.index_select(0, torch.autograd.Variable(torch.LongTensor([0, 2]), volatile=True)),
            lambda v, x: x.masked_fill(v > 9, 0),
        ],
    )
    def test_arguments_without_a_derivative_do_not_pass_it_on(self, operation, v, x):
        result = operation(v, x)
        assert flags(result) == "R"
        result.sum().backward()

    @pytest.mark.parametrize("make", [torch.zeros_like, torch.ones_like])
    def test_what_is_made_like_a_volatile_is_volatile(self, make, v):
        assert flags(make(v)) == "V"

    @pytest.mark.parametrize("name", ["max", "min", "sort", "median", "mode", "topk"])
    def test_indices_are_not_volatile(self, name, v):
        values, indices = getattr(v, name)(1)
        assert (flags(values), flags(indices)) == ("V", "-")

    def test_terms_of_parameters_alone_keep_their_graph(self, v):
        net = nn.Linear(3, 1)
        assert flags(net(v)) == "V"
        assert flags((net.weight**2).sum()) == "R"

    def test_values_are_those_of_a_run_without_volatile(self, v, n):
        net = nn.Sequential(nn.Linear(3, 4), nn.Tanh(), nn.Linear(4, 2))
        assert torch.equal(net(v).data, net(n).data)

    def test_batch_norm_still_updates_its_statistics(self, v):
        layer = nn.BatchNorm1d(3)
        before = layer.running_mean.clone()
        layer(v)
        assert not torch.equal(before, layer.running_mean)

    def test_functions_of_the_user_pass_it_on(self, v, x):
        class Double(torch.autograd.Function):
            @staticmethod
            def forward(ctx, a, b):
                return a * b

            @staticmethod
            def backward(ctx, g):
                return g, g

        assert flags(Double.apply(v, x)) == "V"

    def test_old_style_functions_run(self, x):
        class Old(torch.autograd.Function):
            def forward(self, a):
                self.save_for_backward(a)
                return a * 2

            def backward(self, g):
                assert len(self.saved_tensors) == 1
                return g * 2

        Old()(x).sum().backward()
        assert x.grad.data.tolist() == [[2.0] * 3] * 3

    def test_holds_in_threads(self, v):
        found = []
        thread = threading.Thread(target=lambda: found.append(nn.Linear(3, 1)(v)))
        thread.start()
        thread.join()
        assert flags(found[0]) == "V"


class TestCures:
    def test_a_variable_around_the_data_is_not_volatile(self, v, x):
        assert flags(torch.autograd.Variable((v * x).data)) == "-"

    def test_the_flag_of_a_result_can_be_taken_off(self, v, x):
        result = v * x
        result.volatile = False
        assert flags(result) == "-"
        assert flags(result * x) == "R"

    @pytest.mark.parametrize(
        "keep",
        [
            lambda v: v.detach(),
            lambda v: v.clone(),
            lambda v: v.view(-1),
            lambda v: v[0],
            lambda v: v.float(),
            copy.deepcopy,
            lambda v: pickle.loads(pickle.dumps(v)),
        ],
    )
    def test_copies_and_views_stay_volatile(self, keep, v):
        assert flags(keep(v)) == "V"

    def test_detach_in_place_stays_volatile(self, v):
        v.detach_()
        assert flags(v) == "V"

    def test_a_deep_copied_module_keeps_volatile_parameters(self):
        net = nn.Linear(2, 2)
        net.weight.volatile = True
        assert flags(copy.deepcopy(net).weight) == "VR"

    def test_a_saved_file_keeps_the_flag(self, v):
        file = io.BytesIO()
        torch.save(v, file)
        file.seek(0)
        assert flags(torch.load(file)) == "V"


class TestFlag:
    def test_a_leaf_can_be_made_volatile_and_back(self, x):
        x.volatile = True
        assert (flags(x), flags(x * 2)) == ("VR", "V")
        x.volatile = False
        assert (flags(x), flags(x * 2)) == ("R", "R")

    def test_all_names_of_an_object_see_it(self, n):
        alias, kept = n, [n]
        n.volatile = True
        assert alias.volatile
        assert flags(kept[0] * 2) == "V"

    @pytest.mark.parametrize("make", [lambda x: x * 2, lambda x: x[0]])
    def test_refuses_to_set_it_on_what_has_a_node(self, make, x):
        with pytest.raises(RuntimeError, match="leaf variables"):
            make(x).volatile = True

    def test_refuses_to_set_it_on_an_indexed_variable(self, n):
        with pytest.raises(RuntimeError, match="leaf variables"):
            n[0].volatile = False

    @pytest.mark.parametrize("value", [1, 0, None, "on"])
    def test_refuses_a_value_that_is_no_bool(self, value, n):
        with pytest.raises(RuntimeError, match="must be a bool"):
            n.volatile = value

    def test_a_plain_tensor_has_none(self):
        assert not hasattr(torch.ones(2), "volatile")

    def test_a_graph_built_before_stays_as_it_was(self, x):
        loss = (x * x).sum()
        x.volatile = True
        loss.backward()
        assert x.grad is not None


class TestWriting:
    @pytest.mark.parametrize(
        "write",
        [
            lambda n, v: n.add_(v),
            lambda n, v: n.__iadd__(v),
            lambda n, v: n.__setitem__(0, v[0]),
            lambda n, v: n.__setitem__((v > 0), 1.0),
        ],
    )
    def test_writing_a_volatile_makes_the_object_volatile(self, write, n, v):
        alias = n
        write(n, v)
        assert flags(alias) == "V"

    def test_writing_a_volatile_loses_the_graph(self, x, v):
        a = x * 2
        a[0] = v[0]
        assert (flags(a), a.grad_fn) == ("V", None)
        a.volatile = False
        assert flags(a) == "-"

    def test_after_an_operation_in_place_the_flag_cannot_be_taken_off(self, x, v):
        a = x * 2
        a.add_(v)
        with pytest.raises(RuntimeError, match="leaf variables"):
            a.volatile = False

    def test_refuses_to_write_a_volatile_into_a_leaf_that_requires_grad(self, x, v):
        with pytest.raises(RuntimeError, match="leaf Variable"):
            x.add_(v)
        assert flags(x) == "R"

    def test_a_volatile_stays_volatile_whatever_is_written(self, v, x):
        v[0] = x[0]
        v.add_(x)
        v.zero_()
        assert flags(v) == "V"

    def test_what_was_made_of_it_before_keeps_its_graph(self, x, v):
        a = x * 2
        kept = a * 1
        a.add_(v)
        kept.sum().backward()
        assert x.grad.data.tolist() == [[2.0] * 3] * 3

    def test_a_mask_index_does_not_pass_it_on(self, n, v):
        n.masked_fill_(v > 0, 1)
        assert flags(n) == "-"

    def test_refuses_to_write_a_volatile_into_a_part_of_what_has_a_graph(self, x, v):
        a = x * 1
        with pytest.raises(RuntimeError, match="share storage"):
            a[0].add_(v[0])

    def test_a_value_that_is_spread_over_its_place_gets_the_sum_of_the_gradients(self, x):
        small = variable(1, requires_grad=True)
        a = x * 1
        a[0:2] = small
        a.sum().backward()
        assert small.grad.data.tolist() == [6.0]
        assert x.grad.data.tolist() == [[0.0] * 3, [0.0] * 3, [1.0] * 3]


class Doubled(torch.autograd.Function):
    """A function of the user whose backward gives volatile gradients."""

    @staticmethod
    def forward(ctx, tensor):
        return tensor * 2

    @staticmethod
    def backward(ctx, gradient):
        return torch.autograd.Variable(gradient.data * 2, volatile=True)


class TestBackward:
    @pytest.mark.parametrize(
        "run",
        [
            lambda loss, x: loss.backward(),
            lambda loss, x: torch.autograd.backward([x.sum(), loss]),
            lambda loss, x: torch.autograd.grad(loss, x),
        ],
    )
    def test_refuses_a_volatile(self, run, v, x):
        with pytest.raises(RuntimeError, match="is volatile"):
            run((v * x).sum(), x)

    def test_refuses_a_hook_on_a_volatile(self, v):
        with pytest.raises(RuntimeError, match="volatile variable"):
            v.register_hook(print)

    def test_refuses_an_optimizer_for_a_volatile(self, v):
        with pytest.raises(ValueError, match="doesn't require gradients"):
            torch.optim.SGD([v], lr=0.1)

    def test_gradients_are_volatile(self, x):
        (x * x).sum().backward()
        assert (flags(x.grad), flags(x.grad * x)) == ("V", "V")

    def test_gradients_made_with_create_graph_are_not(self, x):
        (x * x).sum().backward(create_graph=True)
        assert flags(x.grad) == "R"

    def test_a_volatile_gradient_of_a_function_arrives(self, x):
        (Doubled.apply(x) * x).sum().backward()
        assert flags(x.grad) == "V"

    def test_what_lies_behind_a_volatile_gradient_has_no_second_derivative(self, x):
        root = Doubled.apply(x * x).sum()
        assert flags(torch.autograd.grad(root, x, create_graph=True)[0]) == "V"

    def test_what_lies_beside_a_volatile_gradient_keeps_its_second_derivative(self, x):
        y = variable(3, 3, requires_grad=True)
        root = (Doubled.apply(x * x) + y * y * y).sum()
        root.backward(create_graph=True)
        assert (flags(x.grad), flags(y.grad)) == ("V", "R")

    def test_hooks_see_volatile_gradients(self, x):
        seen = []
        x.register_hook(lambda g: seen.append(g.volatile))
        (x * x).sum().backward()
        assert seen == [True]

    def test_refuses_a_target_that_requires_grad(self, x):
        with pytest.raises(RuntimeError, match="'target'"):
            F.mse_loss(x, x * 2)
        with pytest.raises(AssertionError, match="criterions"):
            nn.MSELoss()(x, x * 2)

    def test_a_number_is_no_saved_value(self, x):
        y = x * 2
        y.sum().backward()
        (y + 1).sum().backward()
        assert x.grad.data[0, 0] == 4

    def test_an_optimizer_steps_with_volatile_gradients(self):
        net = nn.Linear(2, 1)
        before = net.weight.data.clone()
        optimizer = torch.optim.Adam(net.parameters())
        net(variable(1, 2)).sum().backward()
        optimizer.step()
        assert not torch.equal(before, net.weight.data)
        assert flags(net.weight) == "R"

    def test_a_closure_of_an_optimizer_runs_by_the_same_rules(self, n, v):
        net, seen = nn.Linear(3, 2), []
        optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
        before = net.bias.data.clone()

        def closure():
            optimizer.zero_grad()
            seen.append(flags(net(v)))
            loss = net(n).sum()
            loss.backward()
            return loss

        assert flags(optimizer.step(closure)) == "R"
        assert seen == ["V"]
        assert (before - net.bias.data).tolist() == pytest.approx([0.3, 0.3])

    def test_requires_grad_takes_truth_values_alone(self, x):
        with pytest.raises(RuntimeError, match="must be a bool"):
            x.requires_grad = 1

    def test_zero_grad_leaves_zeros(self):
        net = nn.Linear(2, 1)
        net(variable(1, 2)).sum().backward()
        net.zero_grad()
        assert net.weight.grad.data.tolist() == [[0, 0]]


class TestSurface:
    def test_a_loss_is_indexed_for_its_number(self, x):
        assert x.sum().data[0] == pytest.approx(4.5)

    def test_losses_are_concatenated(self, x, v):
        assert torch.cat([x.sum(), x.mean()]).size() == (2,)
        assert flags(torch.cat([x.sum(), v.sum()])) == "V"

    def test_a_loss_takes_a_gradient_of_one_element(self, x):
        x.sum().backward(torch.ones(1))
        assert x.grad is not None

    def test_masks_are_numbers(self):
        mask = torch.ones(3) > 0
        assert (1 - mask).tolist() == [0, 0, 0]
        assert (mask + mask).tolist() == [2, 2, 2]
        assert (~mask).tolist() == [0, 0, 0]

    def test_masks_select(self, n):
        assert n[n > 0].size() == (9,)
        assert n.masked_select(n > 0).size() == (9,)
        assert torch.masked_select(n, mask=n > 0).size() == (9,)
        assert n.masked_fill(mask=n > 0, value=0).sum().data[0] == 0

    def test_type_and_isinstance_tell_variables(self, v):
        assert type(v) == torch.autograd.Variable  # noqa: E721
        assert isinstance(v, torch.autograd.Variable)
        assert isinstance(nn.Parameter(torch.ones(1)), torch.autograd.Variable)
        assert not isinstance(torch.ones(1), torch.autograd.Variable)
        assert {torch.autograd.Variable: "a"}[torch.autograd.Variable] == "a"
        assert not torch.is_tensor(v)
        assert torch.is_tensor(v.data)

    def test_targets_of_equal_size_need_no_equal_shape(self, x):
        flat = variable(9)
        assert F.mse_loss(x, flat).data[0] == 0
        assert F.mse_loss(x, target=flat).data[0] == 0

    def test_a_plain_tensor_knows_no_flag(self):
        plain = torch.ones(2)
        with pytest.raises(AttributeError, match="no attribute 'volatile'"):
            plain.volatile = True
        with pytest.raises(AttributeError, match="no attribute 'volatile'"):
            plain.volatile  # noqa: B018

    def test_a_class_derived_from_variable_has_its_own_objects_alone(self, n):
        class Own(torch.autograd.Variable):
            pass

        assert isinstance(Own(torch.ones(1)), Own)
        assert not isinstance(n, Own)


class TestStrict:
    def test_refuses_a_plain_tensor_beside_a_variable(self, n):
        with legacy(strict=True), pytest.raises(RuntimeError):
            n + torch.ones(3, 3)

    @pytest.mark.parametrize(
        "use",
        [
            lambda n, t: nn.Linear(3, 2)(t),
            lambda n, t: F.softmax(t, dim=1),
            lambda n, t: F.mse_loss(n, t),
            lambda n, t: torch.cat([n, t]),
        ],
    )
    def test_refuses_a_plain_tensor_where_a_variable_is_needed(self, use, n):
        with legacy(strict=True), pytest.raises(RuntimeError):
            use(n, torch.ones(3, 3))

    def test_takes_plain_tensors_for_buffers_and_weights_of_classes(self, n):
        with legacy(strict=True):
            assert nn.BatchNorm1d(3)(n).size() == n.size()
            assert F.cross_entropy(n, variable(3).long(), torch.ones(3)).numel() == 1

    def test_refuses_to_write_in_place_where_storage_is_shared(self):
        with legacy(strict=True):
            n = variable(3)
            part = n[:2]
            with pytest.raises(RuntimeError, match="share storage"):
                part.zero_()


def test_today_is_back_after_the_block():
    code = (
        "import torch\n"
        "from voltfix.verify.legacy import legacy\n"
        "names = lambda: [torch.autograd.Variable, torch.Tensor.backward, torch.optim.SGD.step, torch.load,"
        " torch.Tensor.volatile, torch.autograd.Function.apply]\n"
        "before = names()\n"
        "with legacy():\n    assert names()[0] is not before[0]\n"
        "assert list(map(repr, names())) == list(map(repr, before))\n"
        "x = torch.ones(2, requires_grad=True)\n"
        "assert (x * 2).requires_grad and type(x.sum()) is torch.Tensor\n"
    )
    done = subprocess.run([sys.executable, "-W", "ignore", "-c", code], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")


class TestContainers:
    """What operations take and give keeps its kind when the tensors in it are replaced."""

    def test_each_kind_of_container_stays_one(self):
        pair = collections.namedtuple("Pair", "a b")
        one, two = torch.ones(1), torch.zeros(1)
        found = map_tensors(lambda tensor: tensor + 1, {"a": [one, 3], "b": (two, "c"), "d": pair(one, None)})
        assert found == {"a": [one + 1, 3], "b": (two + 1, "c"), "d": pair(one + 1, None)}
        assert isinstance(found["d"], pair)

    def test_what_holds_nothing_that_changes_is_the_same_object(self):
        held = {"a": [torch.ones(1)], "b": (1, 2)}
        assert map_tensors(lambda tensor: tensor, held) is held


def test_volatility_holds_in_threads_however_they_are_started():
    import _thread
    import threading
    from concurrent.futures import ThreadPoolExecutor

    seen, done = {}, threading.Event()
    with legacy():
        net, v = torch.nn.Linear(2, 2), torch.autograd.Variable(torch.ones(1, 2), volatile=True)

        def work(name: str) -> None:
            seen[name] = net(v).volatile
            if name == "raw":
                done.set()

        class Worker(threading.Thread):
            def run(self) -> None:
                work("a run() of its own")

        for thread in (threading.Thread(target=work, args=("target",)), Worker()):
            thread.start()
            thread.join()
        with ThreadPoolExecutor(1) as pool:
            list(pool.map(work, ["pool"]))
        _thread.start_new_thread(work, ("raw",))
        assert done.wait(10)
    assert seen == {"target": True, "a run() of its own": True, "pool": True, "raw": True}


def test_forward_of_a_function_is_handed_plain_tensors_and_its_result_has_the_flags():
    seen = []

    class Twice(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            seen.append((torch.is_tensor(x), (x * 2).__dict__.get("_voltfix_flags", 0)))
            return x * 2

        @staticmethod
        def backward(ctx, gradient):
            return gradient * 2

    with legacy():
        v = torch.autograd.Variable(torch.ones(2), volatile=True)
        leaf = torch.autograd.Variable(torch.ones(2), requires_grad=True)
        assert Twice.apply(v).volatile
        assert v.volatile
        Twice.apply(leaf).sum().backward()
        assert leaf.grad.data.tolist() == [2, 2]
    assert seen == [(True, 0), (True, 0)]
