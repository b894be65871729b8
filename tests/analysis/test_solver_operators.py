"""Operators of Python that run a method of a class of the project: of which class an object is, its callers say."""

from __future__ import annotations

from textwrap import dedent

import pytest
from solving import becomes, covers, files_become, stays

PAGES = """
        class Pages(object):
            def __init__(self, leaves, quiet=False):
                self.leaves = leaves
                self.quiet = quiet

            def __getitem__(self, number):
                return Variable(self.leaves[number], volatile=self.quiet)
"""
READ = """
        def read(net, book, count):
            sums = []
            for number in range(count):
                page = book[number]
                sums.append(net(page).data.sum())
            return sums
"""
LOOP = """
            for number in range(count):
                page = book[number]
                sums.append(net(page).data.sum())
"""
UNDER = """
            with torch.no_grad():
                for number in range(count):
                    page = book[number]
                    sums.append(net(page).data.sum())
"""


def test_an_item_of_a_parameter_is_what_the_class_says_that_its_only_caller_hands_over():
    becomes(
        f"""
        {PAGES.strip()}

        {READ.strip()}

        def main(net, leaves):
            print(read(net, Pages(leaves, quiet=True), 3))
        """,
        f"""
        {PAGES.strip().replace(", volatile=self.quiet", "")}

        {READ.strip().replace(LOOP, UNDER)}

        def main(net, leaves):
            print(read(net, Pages(leaves, quiet=True), 3))
        """,
    )


def test_the_flag_of_an_object_is_asked_under_the_name_of_the_parameter():
    becomes(
        f"""
        {PAGES.strip()}

        def learn(net, book, steps):
            for step in range(steps):
                cost = net(book[step]).sum()
                if not book.quiet:
                    cost.backward()
                print(cost.data)

        def main(net, leaves):
            learn(net, Pages(leaves), 7)
            learn(net, Pages(leaves, True), 2)
        """,
        f"""
        {PAGES.strip().replace(", volatile=self.quiet", "")}

        def learn(net, book, steps):
            for step in range(steps):
                with torch.set_grad_enabled(not book.quiet):
                    cost = net(book[step]).sum()
                if not book.quiet:
                    cost.backward()
                print(cost.data)

        def main(net, leaves):
            learn(net, Pages(leaves), 7)
            learn(net, Pages(leaves, True), 2)
        """,
    )


def test_what_a_parameter_is_was_so_before_its_first_item_is_asked_for():
    """Where the block begins before that, its condition asks the object, too: ``volatile`` is a flag of it there."""
    pages = PAGES.replace("quiet", "volatile").strip()
    becomes(
        f"""
        {pages}

        def costs(net, book):
            found = []
            for number in range(3):
                found.append(net(book[number]).sum())
            return found

        def main(net, leaves):
            return costs(net, Pages(leaves)), costs(net, Pages(leaves, True))
        """,
        f"""
        {pages.replace(", volatile=self.volatile", "")}

        def costs(net, book):
            found = []
            with torch.set_grad_enabled(not book.volatile):
                for number in range(3):
                    found.append(net(book[number]).sum())
            return found

        def main(net, leaves):
            return costs(net, Pages(leaves)), costs(net, Pages(leaves, True))
        """,
    )


BOUND = """
            class Pages(object):
                def __init__(self, leaves):
                    self.leaves = leaves

                def __getitem__(self, number):
                    return Variable(self.leaves[number], volatile=True)
"""
ASKS = """
                    return self.net(self.book[number]).data
"""
UNDER_BLOCK = """
                    with torch.no_grad():
                        return self.net(self.book[number]).data
"""
KEEPS_BOOK = f"""
            import torch

            class Reader(object):
                def __init__(self, net, book):
                    self.net = net
                    self.book = book

                def read(self, number):{ASKS}"""


def test_an_item_of_what_an_object_was_made_with_is_asked_in_another_file():
    files_become(
        {
            "pages.py": BOUND,
            "reader.py": KEEPS_BOOK,
            "main.py": """
            from pages import Pages
            from reader import Reader

            def main(net, leaves):
                print(Reader(net, Pages(leaves)).read(0))
            """,
        },
        {
            "pages.py": BOUND.replace(", volatile=True", ""),
            "reader.py": KEEPS_BOOK.replace(ASKS, UNDER_BLOCK),
        },
    )


@pytest.mark.parametrize("over", ["book", "enumerate(book)"])
def test_a_loop_over_a_parameter_goes_over_what_its_class_says(over):
    target = "page" if over == "book" else "number, page"
    becomes(
        f"""
        class Pages(object):
            def __init__(self, leaves):
                self.leaves = leaves

            def __iter__(self):
                for leaf in self.leaves:
                    yield Variable(leaf, volatile=True)

        def read(net, book):
            for {target} in {over}:
                print(net(page).data)

        def main(net, leaves):
            read(net, Pages(leaves))
        """,
        f"""
        class Pages(object):
            def __init__(self, leaves):
                self.leaves = leaves

            def __iter__(self):
                for leaf in self.leaves:
                    yield Variable(leaf)

        def read(net, book):
            with torch.no_grad():
                for {target} in {over}:
                    print(net(page).data)

        def main(net, leaves):
            read(net, Pages(leaves))
        """,
    )


def test_a_method_of_that_name_of_something_else_that_takes_less_is_no_caller():
    """``net.read()`` is no call of a ``read`` that wants a book: Python would raise."""
    becomes(
        f"""
        {PAGES.strip()}

        class Reader(object):
            def read(self, net, book):
                net.read()
                return net(book[0]).data

        def main(net, leaves):
            print(Reader().read(net, Pages(leaves, True)))
        """,
        f"""
        {PAGES.strip().replace(", volatile=self.quiet", "")}

        class Reader(object):
            def read(self, net, book):
                net.read()
                with torch.no_grad():
                    return net(book[0]).data

        def main(net, leaves):
            print(Reader().read(net, Pages(leaves, True)))
        """,
    )


def test_an_object_that_a_function_makes_is_of_the_class_that_it_makes():
    made = """
        def opened(leaves):
            book = Pages(leaves, quiet=True)
            print(book.leaves)
            return book
    """
    main = MAIN.replace("Pages(leaves, quiet=True)", "opened(leaves)")
    before = "\n\n".join(dedent(part).strip() for part in (PAGES, READER, made, main))
    becomes(before, before.replace(", volatile=self.quiet", "").replace("""
            print(self.net(self.book[number]).data)""", """
            with torch.no_grad():
                print(self.net(self.book[number]).data)"""))


# --- left alone ------------------------------------------------------------------------------------------------------

# more than what is looked into for its own sake: whoever calls it is looked at alone
LONG = """
                    self.steps += 1
                    self.total += self.steps
                    if self.total > 10:
                        self.total -= self.steps
                    elif self.total < -10:
                        self.total += self.steps
                    while self.steps > 20:
                        self.steps -= 2
                    print(self.steps, self.total, number, count)
                    print(self.steps, self.total, number, count)
"""
READER = """
        class Reader(object):
            def __init__(self, net, book):
                self.net = net
                self.book = book

            def read(self, count):
                self.steps = self.total = 0
                for number in range(count):
                    print(self.net(self.book[number]).data)
""".rstrip() + LONG + """
            def learn(self, count):
                self.steps = self.total = 0
                for number in range(count):
                    self.net(self.book[number]).sum().backward()
""".rstrip() + LONG
MAIN = """
        def main(net, leaves):
            Reader(net, Pages(leaves, quiet=True)).read(3)
"""


def left(*parts: str, reason: str = "unseen-callers") -> None:
    """Nothing changes in a program of these parts, and its site is refused."""
    stays("\n\n".join("        " + part.strip() for part in parts), reason=reason)


def test_the_parts_below_are_mended_where_nothing_is_added_to_them():
    before = "\n\n".join(dedent(part).strip() for part in (PAGES, READER, MAIN))
    after = before.replace(", volatile=self.quiet", "").replace("""
            print(self.net(self.book[number]).data)""", """
            with torch.no_grad():
                print(self.net(self.book[number]).data)""")
    becomes(before, after)


def test_a_class_below_with_an_item_of_its_own_leaves_it_open_which_of_them_is_asked():
    left(PAGES, """
        class Shuffled(Pages):
            def __getitem__(self, number):
                return Variable(self.leaves[-number])
    """, READER, MAIN)


def test_nobody_knows_who_else_makes_the_holder():
    left(PAGES, READER, MAIN, """
        def other(net, books):
            return run(Reader, net, books)
    """)


def test_a_second_caller_hands_over_what_nobody_knows():
    left(PAGES, READER, MAIN, """
        def other(net, books):
            print(Reader(net, books.pop()).learn(3))
    """)


def test_a_second_caller_hands_over_a_list():
    left(PAGES, READER, MAIN, """
        def other(net, sheets):
            print(Reader(net, [Variable(sheet) for sheet in sheets]).learn(3))
    """)


def test_of_two_classes_the_one_that_a_caller_made_is_known_to_that_caller_alone():
    other = """
        class Leaflet(object):
            def __getitem__(self, number):
                return Variable(torch.ones(number))

        def other(net):
            Reader(net, Leaflet()).learn(3)
    """
    before = "\n\n".join(dedent(part).strip() for part in (PAGES, READER, MAIN, other))
    becomes(before, before.replace(", volatile=self.quiet", "").replace(
        "    Reader(net, Pages", "    with torch.no_grad():\n        Reader(net, Pages"))


def test_a_second_caller_hands_over_none():
    left(PAGES, READER, MAIN, """
        def other(net):
            return Reader(net, None)
    """)


def test_what_is_kept_is_something_else_by_then():
    left(PAGES, READER.replace("self.book = book", "self.book = book.copied()"), MAIN)


def test_another_method_keeps_something_else_there():
    left(PAGES, READER + """
            def take(self, books):
                self.book = books.pop()
    """, MAIN)


def test_whoever_holds_the_holder_may_put_something_else_there():
    left(PAGES, READER, MAIN, """
        def swap(reader, books):
            reader.book = books.pop()
    """)


def test_a_name_that_is_put_together_may_be_the_one_it_is_kept_under():
    left(PAGES, READER, MAIN, """
        def swap(reader, what, books):
            setattr(reader, what, books.pop())
    """)


def test_the_method_is_put_in_place_of_that_of_the_class():
    left(PAGES, READER, MAIN, """
        def patch(how):
            Pages.__getitem__ = how
    """)


@pytest.mark.parametrize("head", ["@registered\n        class Pages(object)", "class Pages(object, metaclass=Kept)",
                                  "class Pages(somewhere.Book)"])
def test_a_class_that_others_have_a_say_in_may_be_another(head):
    left("from elsewhere import registered, Kept, somewhere",
         PAGES.replace("class Pages(object)", head), READER, MAIN)


def test_what_makes_an_object_may_give_another_one():
    left(PAGES.rstrip() + """

            def __new__(cls, leaves, quiet=False):
                return leaves.bound() if quiet else object.__new__(cls)
    """, READER, MAIN)


def test_an_item_method_that_is_decorated_gives_what_its_decorator_says():
    left("from elsewhere import cached", PAGES.replace("def __getitem__", "@cached\n            def __getitem__"),
         READER, MAIN)


def test_to_takes_nothing_of_what_it_is_told_the_place_by():
    """Wherever ``place`` comes from, what ``to`` gives has the graph of its tensor, and no other."""
    covers(
        """
        def start():
            global place
            place = torch.device("cuda")

        def score(net, rows):
            found = []
            for row in rows:
                row = Variable(row, volatile=True).to(place)
                found.append(net(row).data)
            return found
        """,
        inside=["found.append("],
        outside=["row = Variable("],
    )
