"""Volatility that crosses functions, classes and files: wrappers, suppliers, signatures, aliases, state on self."""

from __future__ import annotations

import pytest
from solving import becomes, files_become, files_stay, migrated_files, refusals, source, stays

from helpers import migrated
from voltfix.model import Options

WRAPPER = """
def to_var(x, volatile=False):
    return Variable(x, volatile=volatile)
"""
BARE = """
def to_var(x):
    return Variable(x)
"""
INERT = """
def to_var(x, volatile=False):
    return Variable(x)
"""
# whoever takes what comes out of a call, before and after
TAKES = "\n\ndef evaluate(net, data):\n    y = net({})\n    return y.data\n"
COVERS = "\n\ndef evaluate(net, data):\n    with torch.no_grad():\n        y = net({})\n    return y.data\n"
CALLER = TAKES.format("to_var(data, volatile=True)")


# --- wrappers in one file --------------------------------------------------------------------------------------------


def test_a_wrapper_loses_its_parameter_and_its_callers_get_blocks():
    becomes(
        f"""{WRAPPER}

def evaluate(net, data):
    y = net(to_var(data, volatile=True))
    return y.data


def train(net, data):
    net(to_var(data)).sum().backward()
""",
        f"""{BARE}

def evaluate(net, data):
    with torch.no_grad():
        y = net(to_var(data))
    return y.data


def train(net, data):
    net(to_var(data)).sum().backward()
""",
    )


@pytest.mark.parametrize("argument", ["True", "volatile=True", "volatile=1"])
def test_the_argument_goes_however_it_was_written(argument):
    becomes(
        WRAPPER + TAKES.format(f"to_var(data, {argument})"),
        BARE + COVERS.format("to_var(data)"),
    )


def test_a_caller_that_passes_a_condition_gets_it_as_a_header():
    becomes(
        f"{WRAPPER}\n\ndef run(net, data, train):\n    y = net(to_var(data, not train))\n    return y\n",
        f"{BARE}\n\ndef run(net, data, train):\n    with torch.set_grad_enabled(bool(train)):\n"
        "        y = net(to_var(data))\n    return y\n",
    )


def test_a_wrapper_of_a_wrapper_loses_both_parameters():
    becomes(
        f"""{WRAPPER}

def batch(row, volatile=False):
    return to_var(row[0], volatile), to_var(row[1], volatile)


def evaluate(net, row):
    x, t = batch(row, volatile=True)
    y = net(x)
    return y.data
""",
        f"""{BARE}

def batch(row):
    return to_var(row[0]), to_var(row[1])


def evaluate(net, row):
    x, t = batch(row)
    with torch.no_grad():
        y = net(x)
    return y.data
""",
    )


def test_a_wrapper_by_keywords_is_followed():
    becomes(
        """
        def to_var(x, **kwargs):
            return Variable(x, **kwargs)


        def evaluate(net, data):
            y = net(to_var(data, volatile=True))
            return y.data
        """,
        """
        def to_var(x, **kwargs):
            return Variable(x, **kwargs)


        def evaluate(net, data):
            with torch.no_grad():
                y = net(to_var(data))
            return y.data
        """,
    )


def test_a_partial_of_variable_loses_its_flag():
    becomes(
        """
        from functools import partial

        make = partial(Variable, volatile=True)


        def evaluate(net, data):
            y = net(make(data))
            return y.data
        """,
        """
        from functools import partial

        make = partial(Variable)


        def evaluate(net, data):
            with torch.no_grad():
                y = net(make(data))
            return y.data
        """,
    )


def test_an_alias_of_a_wrapper_is_followed_and_keeps_the_signature():
    becomes(
        f"""{WRAPPER}

V = to_var


def evaluate(net, data):
    y = net(V(data, True))
    return y.data


def train(net, data):
    net(V(data)).sum().backward()
""",
        f"""{INERT}

V = to_var


def evaluate(net, data):
    with torch.no_grad():
        y = net(V(data, True))
    return y.data


def train(net, data):
    net(V(data)).sum().backward()
""",
    )


def test_a_method_that_wraps_is_followed_through_the_base_class():
    becomes(
        """
        class Base:
            def to_var(self, x, volatile=False):
                return Variable(x, volatile=volatile)


        class Agent(Base):
            def act(self, s):
                q = self.net(self.to_var(s, volatile=True))
                return q.data

            def learn(self, s):
                self.net(self.to_var(s)).sum().backward()
        """,
        """
        class Base:
            def to_var(self, x):
                return Variable(x)


        class Agent(Base):
            def act(self, s):
                with torch.no_grad():
                    q = self.net(self.to_var(s))
                return q.data

            def learn(self, s):
                self.net(self.to_var(s)).sum().backward()
        """,
    )


def test_a_function_that_only_computes_is_not_touched():
    becomes(
        """
        def forward(net, x):
            return net(x)


        def evaluate(net, data):
            y = forward(net, Variable(data, volatile=True))
            return y.data


        def train(net, data):
            forward(net, Variable(data)).sum().backward()
        """,
        """
        def forward(net, x):
            return net(x)


        def evaluate(net, data):
            with torch.no_grad():
                y = forward(net, Variable(data))
            return y.data


        def train(net, data):
            forward(net, Variable(data)).sum().backward()
        """,
    )


def test_a_parameter_that_the_header_needs_stays():
    becomes(
        """
        def run(net, data, volatile):
            y = net(Variable(data, volatile=volatile))
            return y


        def evaluate(net, data):
            return run(net, data, True).data


        def train(net, data):
            run(net, data, False).sum().backward()
        """,
        """
        def run(net, data, volatile):
            with torch.set_grad_enabled(not volatile):
                y = net(Variable(data))
            return y


        def evaluate(net, data):
            return run(net, data, True).data


        def train(net, data):
            run(net, data, False).sum().backward()
        """,
    )


def test_a_recursion_that_hands_the_flag_on_keeps_it():
    covers_with_flag = """
        def tree(net, node, volatile):
            h = net(Variable(node.data, volatile=volatile))
            for child in node.children:
                h = h + tree(net, child, volatile)
            return h
        """
    result, after = migrated_files({"a.py": covers_with_flag})
    assert "set_grad_enabled(not volatile)" in after["a.py"]
    assert [site.status for site in result.sites] == ["fixed", "kept"]  # the block asks the parameter


def test_state_on_self_is_covered_where_it_is_used():
    becomes(
        """
        class Evaluator:
            def load(self, data):
                self.x = Variable(data, volatile=True)

            def run(self):
                y = self.net(self.x)
                return y.data
        """,
        """
        class Evaluator:
            def load(self, data):
                self.x = Variable(data)

            def run(self):
                with torch.no_grad():
                    y = self.net(self.x)
                return y.data
        """,
    )


# --- signatures ------------------------------------------------------------------------------------------------------


def test_keep_signatures_keeps_parameters_and_arguments():
    becomes(WRAPPER + CALLER, INERT + COVERS.format("to_var(data, volatile=True)"), Options(keep_signatures=True))


def test_the_public_functions_of_a_package_keep_their_parameters():
    expected = INERT + COVERS.format("to_var(data, volatile=True)")
    becomes(WRAPPER + CALLER, expected, Options(installable=True, unsafe_fixes=True))


def test_a_public_function_of_a_package_that_gives_volatile_tensors_is_suggested_alone():
    result = migrated(source(WRAPPER + CALLER), options=Options(installable=True))
    assert result.outputs == {}
    assert {(site.reason, site.safety) for site in result.sites if site.code == "VF101"} == {
        ("unseen-callers", "suggested")
    }


def test_break_api_lets_them_go():
    becomes(WRAPPER + CALLER, BARE + COVERS.format("to_var(data)"), Options(installable=True, break_api=True))


def test_a_private_function_of_a_package_loses_its_parameter():
    becomes(
        (WRAPPER + CALLER).replace("to_var", "_to_var"),
        (BARE + COVERS.format("to_var(data)")).replace("to_var", "_to_var"),
        Options(installable=True),
    )


def test_a_function_that_is_handed_over_as_a_value_keeps_its_parameter():
    load = "\n\ndef load(rows):\n    return list(map(to_var, rows))\n"
    result, after = migrated_files({"a.py": WRAPPER + CALLER + load})
    assert "def to_var(x, volatile=False):" in after["a.py"]
    assert not refusals(result)


# --- several files ---------------------------------------------------------------------------------------------------


def test_a_wrapper_in_another_file_changes_with_its_callers():
    result = files_become(
        {
            "utils.py": WRAPPER,
            "evaluate.py": "from utils import to_var\n" + CALLER,
        },
        {
            "utils.py": BARE,
            "evaluate.py": "from utils import to_var\nimport torch\n" + COVERS.format("to_var(data)"),
        },
    )
    assert result.groups == (("evaluate.py", "utils.py"),)
    assert len({site.change for site in result.sites}) == 1


def test_a_supplier_in_another_file_is_covered_where_its_value_is_used():
    files_become(
        {
            "utils.py": "def supply(x):\n    return Variable(x, volatile=True)\n",
            "evaluate.py": "import torch\nfrom utils import supply\n" + TAKES.format("supply(data)"),
        },
        {
            "utils.py": "def supply(x):\n    return Variable(x)\n",
            "evaluate.py": "import torch\nfrom utils import supply\n" + COVERS.format("supply(data)"),
        },
    )


def test_a_wrapper_that_is_imported_under_another_name_is_followed():
    files_become(
        {
            "utils.py": WRAPPER,
            "evaluate.py": "import torch\nfrom utils import to_var as V\n" + TAKES.format("V(data, volatile=True)"),
        },
        {
            "utils.py": BARE,
            "evaluate.py": "import torch\nfrom utils import to_var as V\n" + COVERS.format("V(data)"),
        },
    )


def test_a_wrapper_by_module_is_followed():
    files_become(
        {
            "utils.py": WRAPPER,
            "evaluate.py": "import torch\nimport utils\n" + TAKES.format("utils.to_var(data, volatile=True)"),
        },
        {
            "utils.py": BARE,
            "evaluate.py": "import torch\nimport utils\n" + COVERS.format("utils.to_var(data)"),
        },
    )


def test_variable_by_a_star_import_of_the_project_is_torch_s():
    result, after = migrated_files(
        {
            "common.py": "from torch import autograd\n\nV = autograd.Variable\n",
            "evaluate.py": "import torch\nfrom common import *\n" + TAKES.format("V(data, volatile=True)"),
        }
    )
    assert "    with torch.no_grad():\n        y = net(V(data))" in after["evaluate.py"]
    assert not refusals(result)


USER = "from utils import to_var\n" + CALLER


def test_a_wrapper_outside_the_paths_refuses_its_callers():
    result = files_stay(
        {"utils.py": WRAPPER, "evaluate.py": USER}, "outside-paths", Options(editable=frozenset({"evaluate.py"}))
    )
    assert [site.path for site in result.sites] == ["evaluate.py"]


def test_callers_outside_the_paths_refuse_the_wrapper():
    result = files_stay(
        {"utils.py": WRAPPER, "evaluate.py": USER}, "outside-paths", Options(editable=frozenset({"utils.py"}))
    )
    assert [site.path for site in result.sites] == ["utils.py"]


def test_files_that_need_no_edit_may_lie_outside_the_paths():
    result, after = migrated_files(
        {
            "nets.py": "def apply(x):\n    return x\n",
            "a.py": "from nets import apply\n" + TAKES.format("apply(Variable(data, volatile=True))"),
        },
        Options(editable=frozenset({"a.py"})),
    )
    assert "with torch.no_grad():\n        y = net(apply(" in after["a.py"]
    assert not refusals(result)


# --- refused ---------------------------------------------------------------------------------------------------------


def test_a_wrapper_that_nobody_calls_is_refused():
    stays(WRAPPER, "unseen-callers")


def test_a_wrapper_of_a_package_that_nobody_calls_is_refused():
    stays(WRAPPER, "unseen-callers", Options(installable=True))


def test_a_refused_wrapper_refuses_its_callers():
    result = stays(
        WRAPPER + "\n\ndef step(net, data):\n    net(to_var(data, volatile=True)).sum().backward()\n",
        "gradient-demanded",
    )
    assert len(result.sites) == 2


def test_a_site_that_is_held_is_refused_and_so_is_what_hands_to_it():
    text = "import torch\nfrom torch.autograd import Variable\n\n\n"
    body = WRAPPER.strip("\n") + "\n" + CALLER
    place = (text + body).index("volatile=volatile")
    stays(body, "held", Options(held=frozenset({("a.py", place)})))


def test_a_supplier_that_is_called_by_nobody_is_refused_in_a_class_too():
    stays(
        """
        class Loader:
            def batch(self, row):
                return Variable(row, volatile=True)
        """,
        "unseen-callers",
    )


def test_a_call_that_could_go_to_either_of_two_classes_is_refused():
    result, after = migrated_files(
        {
            "a.py": """
            class Loader:
                def make(self, x, volatile=False):
                    return Variable(x, volatile=volatile)


            class Cloner:
                def make(self, x, volatile=False):
                    return Variable(x.clone(), volatile=volatile)


            def evaluate(net, data, maker):
                y = net(maker.make(data, volatile=True))
                return y.data
            """
        }
    )
    assert list(refusals(result).values()) == ["unseen-callers", "unseen-callers", "caller-not-resolved"]
    assert after["a.py"].count("volatile=volatile") == 2


def test_wrappers_in_both_arms_of_a_choice_change_together():
    result, after = migrated_files(
        {
            "a.py": """
            import sys

            if sys.argv:
                def to_var(x, volatile=False):
                    return Variable(x, volatile=volatile)
            else:
                def to_var(x, volatile=False):
                    print(x)
                    return Variable(x, volatile=volatile)


            def evaluate(net, data):
                y = net(to_var(data, volatile=True))
                return y.data
            """
        }
    )
    assert not refusals(result)
    assert "volatile" not in after["a.py"]
    assert "with torch.no_grad():\n        y = net(to_var(data))" in after["a.py"]


def test_a_loader_whose_batches_go_to_training_and_evaluation_is_refused():
    stays(
        """
        def load(row):
            return Variable(row, volatile=True)


        def train(net, row):
            net(load(row)).sum().backward()


        def evaluate(net, row):
            return net(load(row)).data
        """,
        "gradient-demanded",
    )


# --- left alone ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "files",
    [
        {
            "utils.py": "def to_var(x, volatile=False):\n    return x\n",
            "a.py": "from utils import to_var\n\nto_var(1, True)\n",
        },
        {
            "symbols.py": "class Variable:\n    pass\n",
            "a.py": "from symbols import Variable\n\nx = Variable('x', volatile=True)\n",
        },
        {"a.py": "from chainer import Variable\n\nx = Variable(1, volatile='on')\n"},
        {"a.py": "import wandb\n\nwandb.log(volatile=True)\n"},
        {"a.py": "import tensorflow as tf\n\nx = tf.get_variable('volatile', volatile=True)\n"},
    ],
    ids=[
        "a wrapper that never reaches Variable",
        "a class of another module",
        "Variable of chainer",
        "a keyword of another library",
        "a function of another framework",
    ],
)
def test_it_stays(files):
    assert files_stay(files).sites == ()


# --- recursion over containers ---------------------------------------------------------------------------------------

RECURSIVE = """
def variable(x, volatile=False):
    if isinstance(x, (list, tuple)):
        return [variable(y, volatile=volatile) for y in x]
    if isinstance(x, dict):
        return {k: variable(y, volatile=volatile) for k, y in x.items()}
    return Variable(x, volatile=volatile)
"""


def test_a_wrapper_that_recurses_over_containers_is_volatile_however_deep_the_tensor_lies():
    becomes(
        RECURSIVE + TAKES.format("variable(data, volatile=True)"),
        RECURSIVE.replace(", volatile=volatile", "").replace(", volatile=False", "") + COVERS.format("variable(data)"),
    )


def test_a_recursive_wrapper_used_both_ways_gets_a_block_only_where_it_is_volatile():
    train = "\n\ndef train(net, data):\n    net(variable(data)).sum().backward()\n"
    becomes(
        RECURSIVE + TAKES.format("variable(data, volatile=True)") + train,
        RECURSIVE.replace(", volatile=volatile", "").replace(", volatile=False", "")
        + COVERS.format("variable(data)")
        + train,
    )


def test_a_wrapper_that_lets_lists_pass_as_they_are_is_refused_where_the_result_leaves():
    stays(
        """
        def variable(x, volatile=False):
            if isinstance(x, (list, tuple)):
                return x
            return Variable(x, volatile=volatile)


        def evaluate(net, data):
            y = net(variable(data, volatile=True))
            return y
        """,
        "condition-not-repeatable",
    )


def test_a_recursive_wrapper_that_lets_variables_pass_is_refused_where_the_result_leaves():
    stays(
        """
        def variable(x, volatile=False):
            if isinstance(x, Variable):
                return x
            if isinstance(x, (list, tuple)):
                return [variable(y, volatile=volatile) for y in x]
            return Variable(x, volatile=volatile)


        def evaluate(net, data):
            y = net(variable(data, volatile=True))
            return y
        """,
        "condition-not-repeatable",
    )


@pytest.mark.parametrize("given", ["data, volatile=True", "data, True"])
def test_a_receiver_that_may_be_of_a_class_without_a_flag_is_refused(given):
    result, after = migrated_files(
        {
            "a.py": f"""
            class Maker:
                def make(self, x, volatile=False):
                    return Variable(x, volatile=volatile)


            class Noiser:
                def make(self, x, noisy=False, volatile=False):
                    return x if noisy else x + 1


            def train(net, data, maker):
                return net(maker.make({given}))
            """
        }
    )
    assert set(refusals(result).values()) <= {"unseen-callers", "caller-not-resolved"}
    assert len(refusals(result)) == len(result.sites)
    assert "no_grad" not in after["a.py"]


def test_a_namesake_that_could_not_take_the_call_is_no_obstacle():
    result, after = migrated_files(
        {
            "a.py": """
            class Maker:
                def make(self, x, volatile=False):
                    return Variable(x, volatile=volatile)


            class Other:
                def make(self, x):
                    return x


            def evaluate(net, data, maker):
                y = net(maker.make(data, volatile=True))
                return y.data
            """
        }
    )
    assert not refusals(result)
    assert "with torch.no_grad():" in after["a.py"]


def test_a_keyword_only_parameter_goes_with_its_star():
    becomes(
        """
    def make(x, *, volatile=False):
        return Variable(x, volatile=volatile)
    def evaluate(net, x):
        return net(make(x, volatile=True)).data
    def train(net, x):
        net(make(x)).sum().backward()
    """,
        """
    def make(x):
        return Variable(x)
    def evaluate(net, x):
        with torch.no_grad():
            return net(make(x)).data
    def train(net, x):
        net(make(x)).sum().backward()
    """,
    )


def test_an_argument_that_pops_something_stays_and_so_does_the_parameter():
    becomes(
        """
    def make(x, volatile):
        return Variable(x, volatile=volatile)
    def evaluate(net, x, log):
        return net(make(x, log.pop())).data
    """,
        """
    def make(x, volatile):
        return Variable(x)
    def evaluate(net, x, log):
        with torch.no_grad():
            return net(make(x, log.pop())).data
    """,
    )


def test_a_parameter_that_a_mapping_may_fill_stays():
    becomes(
        """
    def make(x, volatile=False):
        return Variable(x, volatile=volatile)
    def evaluate(net, x, options):
        return net(make(x, **options)).data
    def more(net, x):
        return net(make(x, volatile=True)).data
    """,
        """
    def make(x, volatile=False):
        return Variable(x)
    def evaluate(net, x, options):
        with torch.no_grad():
            return net(make(x, **options)).data
    def more(net, x):
        with torch.no_grad():
            return net(make(x, volatile=True)).data
    """,
    )


def test_a_parameter_that_stars_may_fill_stays():
    becomes(
        """
    def make(x, volatile=False):
        return Variable(x, volatile=volatile)
    def evaluate(net, *given):
        return net(make(*given)).data
    def more(net, x):
        return net(make(x, volatile=True)).data
    """,
        """
    def make(x, volatile=False):
        return Variable(x)
    def evaluate(net, *given):
        with torch.no_grad():
            return net(make(*given)).data
    def more(net, x):
        with torch.no_grad():
            return net(make(x, volatile=True)).data
    """,
    )


def test_a_call_that_only_makes_a_coroutine_goes_with_the_parameter():
    becomes(
        """
    async def find(log):
        return log.pop()
    def make(x, volatile):
        return Variable(x, volatile=volatile)
    def evaluate(net, x, log):
        return net(make(x, volatile=bool(find(log)))).data
    """,
        """
    async def find(log):
        return log.pop()
    def make(x):
        return Variable(x)
    def evaluate(net, x, log):
        with torch.no_grad():
            return net(make(x)).data
    """,
    )


def test_a_call_that_only_computes_the_flag_goes_with_the_parameter():
    becomes(
        """
    def is_test(mode):
        if mode == 'test':
            return True
        return False
    def make(x, volatile):
        return Variable(x, volatile=volatile)
    def evaluate(net, x):
        return net(make(x, is_test('test'))).data
    """,
        """
    def is_test(mode):
        if mode == 'test':
            return True
        return False
    def make(x):
        return Variable(x)
    def evaluate(net, x):
        with torch.no_grad():
            return net(make(x)).data
    """,
    )


def test_a_call_that_logs_stays_with_its_parameter():
    becomes(
        """
    def is_test(mode, log):
        return log.append(mode) or mode == 'test'
    def make(x, volatile):
        return Variable(x, volatile=volatile)
    def evaluate(net, x, log):
        out = net(make(x, is_test('test', log)))
        return out.data
    """,
        """
    def is_test(mode, log):
        return log.append(mode) or mode == 'test'
    def make(x, volatile):
        return Variable(x)
    def evaluate(net, x, log):
        with torch.no_grad():
            out = net(make(x, is_test('test', log)))
        return out.data
    """,
    )


def test_a_chain_of_calls_deeper_than_the_analysis_follows_is_covered_at_its_top():
    becomes(
        """
    def a1(n, v):
        return a2(n, v)
    def a2(n, v):
        return a3(n, v)
    def a3(n, v):
        return a4(n, v)
    def a4(n, v):
        return a5(n, v)
    def a5(n, v):
        return a6(n, v)
    def a6(n, v):
        return a7(n, v)
    def a7(n, v):
        return a8(n, v)
    def a8(n, v):
        return a9(n, v)
    def a9(n, v):
        return a10(n, v)
    def a10(n, v):
        return a11(n, v)
    def a11(n, v):
        return a12(n, v)
    def a12(n, v):
        return a13(n, v)
    def a13(n, v):
        return n(v)
    def step(net, x):
        return a1(net, Variable(x, volatile=True)).data
    """,
        """
    def a1(n, v):
        return a2(n, v)
    def a2(n, v):
        return a3(n, v)
    def a3(n, v):
        return a4(n, v)
    def a4(n, v):
        return a5(n, v)
    def a5(n, v):
        return a6(n, v)
    def a6(n, v):
        return a7(n, v)
    def a7(n, v):
        return a8(n, v)
    def a8(n, v):
        return a9(n, v)
    def a9(n, v):
        return a10(n, v)
    def a10(n, v):
        return a11(n, v)
    def a11(n, v):
        return a12(n, v)
    def a12(n, v):
        return a13(n, v)
    def a13(n, v):
        return n(v)
    def step(net, x):
        with torch.no_grad():
            return a1(net, Variable(x)).data
    """,
    )


def test_a_flag_that_hangs_on_two_parameters_takes_its_own_along():
    becomes(
        """
    def make(x, *, volatile=False, train=True):
        return Variable(x, volatile=volatile and not train)
    def evaluate(net, x):
        return net(make(x, volatile=True, train=False)).data
    def more(net, x):
        net(make(x)).sum().backward()
    """,
        """
    def make(x, *, train=True):
        return Variable(x)
    def evaluate(net, x):
        with torch.no_grad():
            return net(make(x, train=False)).data
    def more(net, x):
        net(make(x)).sum().backward()
    """,
    )


MOVED = """
class Net({base}):
    def __init__(self):
        super(Net, self).__init__()
        self.layer = torch.nn.Linear(3, 3)
        self.marks = Variable(torch.zeros(3), volatile=True)

    def forward(self, x):
        return self.layer(x), self.marks
{more}

def main(x):
    net = Net()
    {moved}
    out, marks = net(Variable(x))
    print(marks.data)
    out.sum().backward()
"""


@pytest.mark.parametrize("moved", [
    "net = net.cuda()", "net = net.cpu().eval()", "if torch.cuda.is_available():\n        net = net.cuda()",
    "net = net.cuda(0)\n    net = net.train()",
])
def test_a_network_that_is_moved_is_the_network(moved: str) -> None:
    text = MOVED.format(base="torch.nn.Module", more="", moved=moved)
    becomes(text, text.replace(", volatile=True", ""))


@pytest.mark.parametrize(("base", "more", "moved"), [
    ("torch.nn.Module", "\n    def cuda(self):\n        return share(self)\n", "net = net.cuda()"),
    ("Base", "", "net = net.cuda()"),
    ("torch.nn.Module", "", "net = share(net)"),
    ("torch.nn.Module", "", "net = net.shared()"),
])
def test_what_another_method_gives_may_be_anything(base: str, more: str, moved: str) -> None:
    assert refusals(migrated(source(MOVED.format(base=base, more=more, moved=moved))))


SHUFFLED = """
class Swap({base}):
    def __init__(self, order):
        self.order = order

    def {call}(self, image):
        return image[:, :, self.order]
{more}

class Net(torch.nn.Module):
    def __init__(self):
        super(Net, self).__init__()
        self.layer = torch.nn.Linear(3, 3)
        self.marks = Variable(torch.zeros(3), volatile=True)

    def forward(self, x):
        return self.layer(x), self.marks


class Jitter(object):
    def lighten(self, image, nets):
        shuffle = {made}
        return shuffle(image)


def main(x):
    net = Net()
    out, marks = net(Variable(x))
    print(marks.data)
    out.sum().backward()
"""


@pytest.mark.parametrize(("base", "call", "made"), [
    ("object", "__call__", "Swap((2, 1, 0))"), ("torch.nn.Module", "forward", "Swap((2, 1, 0))"),
])
def test_an_object_that_is_called_runs_its_own_body_and_no_network(base: str, call: str, made: str) -> None:
    text = SHUFFLED.format(base=base, call=call, more="", made=made)
    becomes(text, text.replace(", volatile=True", ""))


@pytest.mark.parametrize(("base", "more", "made"), [
    ("object", "", "nets[0]"), ("object", "", "Swap((2, 1, 0)) if image is None else nets[0]"),
    ("Base", "", "Swap((2, 1, 0))"), ("object", "", "wrap(Swap((2, 1, 0)))"), ("object", "", "Net()"),
    ("object", "\n    __call__ = share(__call__)\n", "Swap((2, 1, 0))"),
    ("object", "\n\ndef change(net):\n    Swap.__call__ = net\n\n", "Swap((2, 1, 0))"),
])
def test_what_may_be_something_else_may_be_the_network(base: str, more: str, made: str) -> None:
    assert refusals(migrated(source(SHUFFLED.format(base=base, call="__call__", more=more, made=made))))


# --- parameters that nobody fills ------------------------------------------------------------------------------------


FILLED_BY_NOBODY = """
def to_var(x, volatile=False):
    return Variable(x, volatile=volatile)


def start(size, {taken}):
    return to_var(torch.zeros(size){handed})


def evaluate(net, data):
    y = net(to_var(data, volatile=True), start({given}))
    return y.data
"""


def test_a_parameter_that_hands_a_flag_on_goes_though_no_caller_fills_it():
    becomes(
        FILLED_BY_NOBODY.format(taken="volatile=False", handed=", volatile=volatile", given="3"),
        '''
        def to_var(x):
            return Variable(x)


        def start(size):
            return to_var(torch.zeros(size))


        def evaluate(net, data):
            with torch.no_grad():
                y = net(to_var(data), start(3))
            return y.data
        ''',
    )


@pytest.mark.parametrize("use", ["print(volatile)", "keep = lambda: volatile", "if volatile:\n        size = 2"])
def test_a_parameter_that_hands_a_flag_on_and_is_used_besides_stays(use: str):
    text = FILLED_BY_NOBODY.format(taken="volatile=False", handed=", volatile=volatile", given="3")
    text = text.replace("    return to_var(torch", f"    {use}\n    return to_var(torch")
    after = migrated(source(text).encode()).outputs["a.py"].decode()
    assert "def start(size, volatile=False):" in after


def test_a_parameter_that_is_written_to_an_attribute_goes_with_the_flag():
    becomes(
        """
        def wrap(x, grad=True, volatile=False):
            x = Variable(x, requires_grad=grad, volatile=volatile)
            x.volatile = volatile
            return x


        def evaluate(net, data):
            y = net(wrap(data, False, True))
            return y.data
        """,
        """
        def wrap(x, grad=True):
            x = Variable(x, requires_grad=grad)
            return x


        def evaluate(net, data):
            with torch.no_grad():
                y = net(wrap(data, False))
            return y.data
        """,
    )


def test_a_parameter_that_an_assignment_hands_to_something_else_as_well_stays():
    text = """
        def wrap(x, box, volatile=False):
            x = Variable(x)
            x.volatile = box.flag = volatile
            return x


        def evaluate(net, data, box):
            y = net(wrap(data, box, True))
            return y.data
        """
    result = migrated(source(text).encode())
    after = result.outputs.get("a.py", source(text).encode()).decode()
    assert "def wrap(x, box, volatile=False):" in after
