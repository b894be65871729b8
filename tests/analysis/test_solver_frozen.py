"""Parameters that the flag froze: for good, on a condition, for a while; and where freezing is not enough."""

from __future__ import annotations

import pytest
from solving import becomes, files_become, files_stay, migrated_files, refusals, source, stays

from helpers import migrated

# --- what is rewritten -----------------------------------------------------------------------------------------------


def test_parameters_frozen_for_good_do_not_require_grad():
    result = becomes(
        """
        def freeze(net):
            for p in net.parameters():
                p.volatile = True

        def main(make, head, data):
            body = make()
            freeze(body)
            seen = body(Variable(data))
            head(Variable(seen.data)).sum().backward()
        """,
        """
        def freeze(net):
            for p in net.parameters():
                p.requires_grad_(False)

        def main(make, head, data):
            body = make()
            freeze(body)
            seen = body(Variable(data))
            head(Variable(seen.data)).sum().backward()
        """,
    )
    (site,) = result.sites
    assert site.strategy == "requires_grad_"
    assert any("a.py:7" in sentence for sentence in site.evidence)


def test_parameters_frozen_on_a_condition_require_grad_on_the_opposite():
    files_become(
        {
            "held.py": "def hold(net, still):\n    for name, p in net.named_parameters():\n"
            "        p.volatile = still\n",
            "main.py": """
            from held import hold

            def both(net, data, still):
                hold(net, still)
                return net(Variable(data))
            """,
        },
        {
            "held.py": "def hold(net, still):\n    for name, p in net.named_parameters():\n"
            "        p.requires_grad_(not still)\n",
        },
    )


@pytest.mark.parametrize(
    ("value", "enabled"),
    [("mode == 'test'", "mode != 'test'"), ("not mode", "bool(mode)"), ("mode", "not mode"), ("False", "")],
)
def test_the_opposite_is_written_as_one_would(value: str, enabled: str):
    becomes(
        f"""
        def main(make, mode, data):
            net = make()
            for p in net.parameters():
                p.volatile = True
            seen = net(Variable(data)).data
            for p in net.parameters():
                p.volatile = {value}
            return seen, make, net
        """ if value != "False" else f"""
        def off(net):
            for p in net.parameters():
                p.volatile = {value}

        def main(make, data):
            net = make()
            for p in net.parameters():
                p.volatile = True
            seen = net(Variable(data)).data
            off(net)
            return seen
        """,
        f"""
        def main(make, mode, data):
            net = make()
            for p in net.parameters():
                p.requires_grad_(False)
            seen = net(Variable(data)).data
            for p in net.parameters():
                p.requires_grad_({enabled})
            return seen, make, net
        """ if value != "False" else f"""
        def off(net):
            for p in net.parameters():
                p.requires_grad_({enabled})

        def main(make, data):
            net = make()
            for p in net.parameters():
                p.requires_grad_(False)
            seen = net(Variable(data)).data
            off(net)
            return seen
        """,
    )


def test_on_and_off_again_around_a_computation_is_a_block():
    becomes(
        """
        def monitor(net, data):
            for p in net.parameters():
                p.volatile = True
            value = net(Variable(data)).sum()
            for p in net.parameters():
                p.volatile = False
            return value
        """,
        """
        def monitor(net, data):
            with torch.no_grad():
                value = net(Variable(data)).sum()
            return value
        """,
    )


def test_code_that_gets_the_network_meanwhile_is_in_the_block_too():
    becomes(
        """
        def monitor(net, data, evaluate):
            for p in net.parameters():
                p.volatile = True
            value = evaluate(net, data)
            for p in net.parameters():
                p.volatile = False
            return value
        """,
        """
        def monitor(net, data, evaluate):
            with torch.no_grad():
                value = evaluate(net, data)
            return value
        """,
    )


def test_what_goes_in_may_train_and_what_comes_behind_does():
    becomes(
        """
        def look(make, brain, image):
            eye = make()
            for p in eye.parameters():
                p.volatile = True
            seen = eye(Variable(image, requires_grad=True))
            return brain(seen)
        """,
        """
        def look(make, brain, image):
            eye = make()
            for p in eye.parameters():
                p.requires_grad_(False)
            with torch.no_grad():
                seen = eye(Variable(image, requires_grad=True))
                return brain(seen)
        """,
    )


def test_layers_of_a_frozen_network_are_frozen():
    becomes(
        """
        class Net(torch.nn.Module):
            def __init__(self):
                super().__init__()
                self.body = torch.nn.Linear(3, 3)
                self.head = torch.nn.Linear(3, 2)

            def forward(self, x):
                return self.head(self.body(x))

        def look(data):
            net = Net()
            for p in net.body.parameters():
                p.volatile = True
            return net.head(net.body(Variable(data)))
        """,
        """
        class Net(torch.nn.Module):
            def __init__(self):
                super().__init__()
                self.body = torch.nn.Linear(3, 3)
                self.head = torch.nn.Linear(3, 2)

            def forward(self, x):
                return self.head(self.body(x))

        def look(data):
            net = Net()
            for p in net.body.parameters():
                p.requires_grad_(False)
            with torch.no_grad():
                return net.head(net.body(Variable(data)))
        """,
    )


def test_a_part_of_self_that_is_frozen_for_good_is_found_so_by_other_methods():
    becomes(
        """
        class Perceptual(torch.nn.Module):
            def __init__(self, make):
                super().__init__()
                self.body = make()
                for p in self.body.parameters():
                    p.volatile = True

            def forward(self, x):
                return self.body(x)

            def seen(self, data):
                return self.body(Variable(data)).data
        """,
        """
        class Perceptual(torch.nn.Module):
            def __init__(self, make):
                super().__init__()
                self.body = make()
                for p in self.body.parameters():
                    p.requires_grad_(False)

            def forward(self, x):
                with torch.no_grad():
                    return self.body(x)

            def seen(self, data):
                return self.body(Variable(data)).data
        """,
    )


def test_where_requires_grad_says_so_already_the_flag_goes():
    becomes(
        """
        def main(make, data):
            net = make()
            for p in net.parameters():
                p.requires_grad = False
                p.volatile = True
            return net(Variable(data))
        """,
        """
        def main(make, data):
            net = make()
            for p in net.parameters():
                p.requires_grad = False
            return net(Variable(data))
        """,
    )


# --- what is left alone ----------------------------------------------------------------------------------------------


def test_a_network_that_callers_nobody_sees_hand_over_is_left_alone():
    stays(
        """
        def freeze(net):
            for p in net.parameters():
                p.volatile = True
        """,
        reason="unseen-callers",
    )


def test_some_of_the_parameters_made_all_results_volatile():
    stays(
        """
        def main(make, data):
            net = make()
            for name, p in net.named_parameters():
                if 'norm' in name:
                    p.volatile = True
            return net(Variable(data))
        """,
        reason="not-provable",
    )


def test_a_loop_that_leaves_some_out_is_left_alone():
    stays(
        """
        def main(make, data):
            net = make()
            for name, p in net.named_parameters():
                if 'norm' in name:
                    continue
                p.volatile = True
            return net(Variable(data))
        """,
        reason="not-provable",
    )


def test_what_was_kept_from_requiring_grad_elsewhere_is_not_switched_on():
    result, _ = migrated_files(
        {
            "held.py": "def hold(net, still):\n    for p in net.parameters():\n        p.volatile = still\n",
            "nets.py": "def embed(net):\n    net.embedding.weight.requires_grad = False\n",
            "main.py": """
            from held import hold

            def both(net, data, still):
                hold(net, still)
                return net(Variable(data))
            """,
        }
    )
    assert refusals(result) == {"held.py:3": "not-provable"}
    (site,) = result.sites
    assert "nets.py:2" in site.message


def test_methods_that_nobody_orders_meet_a_network_frozen_or_not():
    files_stay(
        {
            "net.py": """
            import torch

            class Model(torch.nn.Module):
                def still(self, on):
                    for p in self.body.parameters():
                        p.volatile = on

                def forward(self, x):
                    return self.head(self.body(x))
            """,
        },
        reason="state-mixed",
    )


def test_a_flag_that_is_written_together_with_another_is_left_alone():
    stays(
        """
        def main(make, data):
            net = make()
            for p in net.parameters():
                p.frozen = p.volatile = True
            return net(Variable(data))
        """,
        reason="not-analysed",
    )


def test_loops_over_parameters_that_write_no_flag_are_none_of_ours():
    before = source(
        """
        def shrink(net):
            for p in net.parameters():
                p.data.mul_(0.9)
        """
    )
    assert migrated(before).sites == ()


SWITCHES = """
    import torch.nn as nn


    class Net(nn.Module):
        def quiet(self):
            for p in self.parameters():
                p.requires_grad = False
                p.volatile = True

        def loud(self):
            for p in self.parameters():
                p.requires_grad = True
                p.volatile = False
    """


def test_methods_that_switch_the_weights_and_that_nobody_calls_are_left_alone():
    stays(SWITCHES, "unseen-callers")


def test_a_function_that_switches_weights_and_that_code_in_another_file_may_call_is_left_alone():
    files_stay(
        {
            "net.py": """
                import torch.nn as nn


                class Net(nn.Module):
                    def quiet(self):
                        for p in self.body.parameters():
                            p.volatile = True
                """,
            "main.py": """
                def show(tools, net, x):
                    tools.prepare(net, how="quiet")
                    return net(x)
                """,
        },
        "unseen-callers",
    )


def test_a_method_that_switches_the_weights_and_that_is_called_says_so():
    result, after = migrated_files(
        {
            "net.py": """
                import torch.nn as nn


                class Net(nn.Module):
                    def quiet(self):
                        for p in self.parameters():
                            p.volatile = True
                """,
            "main.py": """
                from net import Net


                def build():
                    net = Net()
                    net.quiet()
                    return net
                """,
        }
    )
    assert not refusals(result)
    assert "p.requires_grad_(False)" in after["net.py"]


TRAINED_FIRST = """
    import torch.nn as nn


    class Net(nn.Module):
        def __init__(self):
            super(Net, self).__init__()
            self.fc = nn.Linear(3, 3)

        def quiet(self):
            for p in self.{part}parameters():
                p.volatile = True

        def forward(self, x):
            return self.fc(x)
    """


@pytest.mark.parametrize("part", ["fc.", ""])
def test_weights_that_are_frozen_some_time_may_have_trained_before(part):
    stays(TRAINED_FIRST.replace("{part}", part) + """

    def train(net, t):
        net(Variable(t)).sum().backward()


    def show(net, t):
        net.quiet()
        return net(Variable(t)).data
    """, "state-mixed")


def test_weights_that_are_frozen_some_time_may_have_trained_before_in_another_file():
    files_stay(
        {
            "net.py": TRAINED_FIRST.replace("{part}", "fc."),
            "train.py": """
                def train(net, x):
                    net(x).sum().backward()
                    net.quiet()
                """,
        },
        "state-mixed",
    )


def test_a_flag_is_not_idle_for_what_it_did_itself_in_an_earlier_call():
    result = migrated(source(TRAINED_FIRST.partition("        def forward")[0].replace("{part}", "") + """

    def build():
        net = Net()
        net.quiet()
        return net
    """))
    assert not refusals(result)
    assert "p.requires_grad_(False)" in result.outputs["a.py"].decode()
