"""What is asked for a copy, which arrays and dictionaries give and tensors of 0.3 could not, is no tensor."""

from __future__ import annotations

import pytest
from solving import becomes, stays


def test_a_volatile_value_that_is_written_into_a_copy_takes_no_graph_over():
    becomes(
        """
    def paint(net, draw, picture, where):
        pixels = net(Variable(picture, volatile=True))
        sheet = draw(net(Variable(picture)))
        sheet = sheet.copy()
        sheet[where] = pixels[where]
        return sheet
    """,
        """
    def paint(net, draw, picture, where):
        with torch.no_grad():
            pixels = net(Variable(picture))
        sheet = draw(net(Variable(picture)))
        sheet = sheet.copy()
        sheet[where] = pixels[where]
        return sheet
    """,
    )


@pytest.mark.parametrize("asked", ["sheet.clone()", "sheet", "draw(sheet)"])
def test_what_nobody_asked_for_one_may_have_a_graph(asked):
    stays(f"""
    def paint(net, draw, picture, where):
        pixels = net(Variable(picture, volatile=True))
        sheet = draw(net(Variable(picture)))
        sheet = {asked}
        sheet[where] = pixels[where]
        return sheet
    """, "write-into-graph")


def test_what_was_asked_in_the_other_arm_alone_may_have_a_graph():
    stays("""
    def paint(net, draw, picture, where):
        pixels = net(Variable(picture, volatile=True))
        sheet = draw(net(Variable(picture)))
        if isinstance(sheet, dict):
            sheet.copy()
        else:
            sheet[where] = pixels[where]
        return sheet
    """, "write-into-graph")
