from __future__ import annotations

from alone import START, project
from voltfix.flags.sites import find


def codes(text: str) -> list[str]:
    return [site.kind.value for site in find(project(main=START + text))]


def test_an_argument_a_wrapper_a_read_and_a_write_are_sites():
    text = """
def to_var(x, volatile=False):
    return Variable(x, volatile=volatile)
v = to_var(1, volatile=True)
print(v.volatile)
v.volatile = False
"""
    assert sorted(codes(text)) == ["VF101", "VF102", "VF103", "VF104"]


def test_text_and_other_libraries_hold_none():
    assert codes("'Variable(x, volatile=True)'  # volatile=True") == []
    assert [s.kind for s in find(project(main="from chainer import Variable\nVariable(x, volatile=True)"))] == []
