"""A flag in a no_grad that the author wrote: no torch had both, so it never did anything there."""

from __future__ import annotations

from solving import becomes, covers, stays


def test_a_flag_in_a_block_of_the_authors_goes_whoever_gets_the_result():
    result = becomes("""
        net = torch.nn.Linear(3, 3)

        def look(data):
            with torch.no_grad():
                y = net(Variable(data, volatile=True))
            return y
        """, """
        net = torch.nn.Linear(3, 3)

        def look(data):
            with torch.no_grad():
                y = net(Variable(data))
            return y
        """)
    (site,) = result.sites
    assert "torch.no_grad() is around it already" in site.message


def test_a_flag_behind_it_is_looked_at_as_ever():
    covers("""
        net = torch.nn.Linear(3, 3)

        def look(data):
            with torch.no_grad():
                print(net(Variable(data)))
            return net(Variable(data, volatile=True)).data
        """, ["return net("], [])


def test_a_function_that_is_called_outside_of_it_too_is_looked_at_as_ever():
    stays("""
        net = torch.nn.Linear(3, 3)

        def make(data):
            return Variable(data, volatile=True)

        def look(data):
            with torch.no_grad():
                y = net(make(data))
            return y

        def other(data):
            return make(data)
        """, "unseen-callers")


def test_a_no_grad_that_a_version_is_asked_for_says_nothing():
    stays("""
        net = torch.nn.Linear(3, 3)

        def make(data):
            if hasattr(torch, "no_grad"):
                with torch.no_grad():
                    net(Variable(data))
            return Variable(data, volatile=True)
        """, "unseen-callers")
