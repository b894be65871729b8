"""``kept + (x,)``: what is added to a tuple or a list is one, and nothing is computed."""

from __future__ import annotations

import pytest
from solving import becomes, lines_without_gradients, source, stays

from helpers import migrated

_CELLS = """
    class Cells(object):
        def __init__(self, first, begun):
            if not isinstance(first, tuple):
                self.parts = (first,)
            else:
                self.parts = first
            self.begun = begun

        def every(self):
            return self.parts + (self.begun,)

        def widen(self, times):
            wide = [Variable(part.data.repeat(1, times, 1)FLAG) for part in self.every()]
            self.parts = tuple(wide[:-1])
            self.begun = wide[-1]

        def put(self, parts, begun):
            self.parts = parts if isinstance(parts, tuple) else (parts,)
            self.begun = begun

        def shown(self):
            for part in self.every():
                print(part.size())
"""


def test_parts_kept_on_self_are_not_computed_with_where_one_more_is_put_beside_them():
    becomes(_CELLS.replace("FLAG", ", volatile=True"), _CELLS.replace("FLAG", ""))


def test_what_is_put_beside_parts_of_unknown_code_is_no_operation():
    becomes(
        """
    def show(net, batch):
        kept = net.begin(Variable(batch, volatile=True))
        for row in kept + (net.weight,):
            print(row.size())
    """,
        """
    def show(net, batch):
        with torch.no_grad():
            kept = net.begin(Variable(batch))
        for row in kept + (net.weight,):
            print(row.size())
    """,
    )


def test_a_class_of_the_project_that_says_what_adding_is_computes():
    stays(_CELLS.replace("FLAG", ", volatile=True") + """
    class Rows(object):
        def __add__(self, others):
            return [mine * other for mine, other in zip(self.rows, others)]
""", "state-mixed")


def test_an_object_that_is_added_from_the_right_computes():
    stays(_CELLS.replace("FLAG", ", volatile=True") + """
    class Rows(object):
        def __radd__(self, others):
            return [mine * other for mine, other in zip(self.rows, others)]
""", "state-mixed")


def test_a_tensor_that_is_added_to_a_tensor_is_computed_with():
    stays(_CELLS.replace("FLAG", ", volatile=True").replace("(self.begun,)", "self.begun"), "state-mixed")


def test_a_graph_that_was_put_beside_a_volatile_value_stays_wanted():
    becomes(
        """
    def train(net, head, batch, optimizer):
        kept = net.begin(Variable(batch, volatile=True))
        rows = kept + (head(batch),)
        loss = net.judge(rows[-1])
        loss.backward()
        optimizer.step()
    """,
        """
    def train(net, head, batch, optimizer):
        with torch.no_grad():
            kept = net.begin(Variable(batch))
        rows = kept + (head(batch),)
        loss = net.judge(rows[-1])
        loss.backward()
        optimizer.step()
    """,
    )


@pytest.mark.parametrize("which", ["rows[1]", "rows[at]", "list(rows)[at]", "tuple(rows)[at]"])
def test_one_of_the_parts_that_may_be_the_volatile_or_the_other_is_no_place_for_a_block(which):
    result = migrated(source(f"""
    def train(net, head, batch, optimizer, at):
        kept = net.begin(Variable(batch, volatile=True))
        rows = kept + (head(batch),)
        loss = net.judge({which})
        loss.backward()
        optimizer.step()
    """))
    for text in result.outputs.values():
        assert not [number for number in lines_without_gradients(text.decode()) if number > 8]


def test_an_array_adds_what_is_in_a_list_to_each_of_its_own():
    before = """
    import numpy as np

    def show(net, batch):
        rows = np.array([1, 2]) + [net(Variable(batch, volatile=True)), net.weight]
        print(rows[0].sum(), rows[1])
    """
    for text in migrated(source(before)).outputs.values():
        assert any("+ [" in text.decode().splitlines()[number - 1] for number in lines_without_gradients(text.decode()))
