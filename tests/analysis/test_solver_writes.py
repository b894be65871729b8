"""Writes into volatile tensors: parts, loops that fill, values computed from the tensor itself."""

from __future__ import annotations

import pytest
from solving import becomes, files_become, stays

# --- what is rewritten -----------------------------------------------------------------------------------------------


def test_several_parts_are_written_in_one_block():
    becomes(
        """
        def merge(x, parts):
            out = Variable(x.data.new(4), volatile=True)
            out[0:2] = parts[0][0:2]
            out[2:4] = parts[1][0:2]
            return out
        """,
        """
        def merge(x, parts):
            out = Variable(x.data.new(4))
            with torch.no_grad():
                out[0:2] = parts[0][0:2]
                out[2:4] = parts[1][0:2]
            return out
        """,
    )


@pytest.mark.parametrize("write", ["t[i] = t[i] * 0.5", "t[:, i] = t[:, i - 1] + 1", "t[i] = float(i)"])
def test_a_tensor_written_from_itself_asks_for_no_block_of_its_own(write: str):
    becomes(
        f"""
        def scale(net, x):
            t = net(Variable(x, volatile=True))
            for i in range(3):
                {write}
            return t
        """,
        f"""
        def scale(net, x):
            with torch.no_grad():
                t = net(Variable(x))
            for i in range(3):
                {write}
            return t
        """,
    )


def test_a_loop_that_fills_a_buffer_with_what_a_network_gives():
    becomes(
        """
        def rollout(net, x, n):
            states = Variable(torch.zeros(n, 3), volatile=True)
            for i in range(n):
                states[i] = net(Variable(x, volatile=True))
            return states
        """,
        """
        def rollout(net, x, n):
            states = Variable(torch.zeros(n, 3))
            with torch.no_grad():
                for i in range(n):
                    states[i] = net(Variable(x))
            return states
        """,
    )


def test_parts_of_what_another_file_gives():
    files_become(
        {
            "upscale.py": """
            import torch

            def halves(net, x):
                return [net(x[0]), net(x[1])]
            """,
            "main.py": """
            import torch
            from torch.autograd import Variable
            from upscale import halves

            def whole(net, x, size):
                parts = halves(net, x)
                out = Variable(torch.zeros(2, size), volatile=True)
                out[0:1] = parts[0][0:1]
                out[1:2] = parts[1][0:1]
                return out
            """,
        },
        {
            "main.py": """
            import torch
            from torch.autograd import Variable
            from upscale import halves

            def whole(net, x, size):
                parts = halves(net, x)
                out = Variable(torch.zeros(2, size))
                with torch.no_grad():
                    out[0:1] = parts[0][0:1]
                    out[1:2] = parts[1][0:1]
                return out
            """,
        },
    )


# --- what is left alone ----------------------------------------------------------------------------------------------


def test_a_network_that_computes_for_its_own_sake_is_not_cut():
    stays(
        """
        def fill(x, net, n):
            out = Variable(torch.zeros(n, 3), volatile=True)
            for i in range(n):
                out[i] = net(x) * 2
            return out
        """,
        reason="mixed-statement",
    )


def test_a_part_that_trains_is_not_cut():
    stays(
        """
        def fill(x, net):
            out = Variable(torch.zeros(2, 3), volatile=True)
            hidden = net(x)
            out[0], loss = hidden * 2, hidden.sum()
            loss.backward()
            return out
        """,
        reason="mixed-statement",
    )


def test_a_volatile_part_that_is_written_into_a_graph_is_left_alone():
    stays(
        """
        def fill(x, net):
            out = net(Variable(x, requires_grad=True)) * 2
            out[0] = Variable(torch.zeros(3), volatile=True)
            return out
        """,
        reason="write-into-graph",
    )
