"""What a star hands over to code that nobody has seen: all of a list, and not one item of it."""

from __future__ import annotations

from solving import becomes, stays


def test_of_a_list_with_something_volatile_in_it_all_is_handed_over():
    becomes(
        """
    def score(tag, extra, x, y, names, train=True):
        extra = list(extra)
        out = tag(*(list(names) + [Variable(x, volatile=not train)]))
        return out
    """,
        """
    def score(tag, extra, x, y, names, train=True):
        extra = list(extra)
        with torch.set_grad_enabled(train):
            out = tag(*(list(names) + [Variable(x)]))
        return out
    """,
    )


def test_an_item_that_is_there_on_a_condition_counts_on_that_condition():
    stays("""
    def score(tag, names, x, more):
        items = list(names)
        for each in more:
            if each:
                items.append(Variable(x, volatile=True))
        return tag(*items)
    """, "condition-not-repeatable")
