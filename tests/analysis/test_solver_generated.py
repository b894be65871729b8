"""Programs that were drawn at random and decided wrongly once, cut down (``benchmarks/scopes.py`` draws more)."""

from __future__ import annotations

from solving import becomes, source, stays

from helpers import check_holds_up, migrated

# --- code behind a backward() that 0.3 never passed ------------------------------------------------------------------


def refused_lines(body: str) -> dict[int, str | None]:
    """Line of the body (from 1) -> reason, of all refusals; what else holds of a result is checked."""
    before = source(body).encode()
    result = migrated(before)
    check_holds_up({"a.py": before}, result)
    return {site.line - 4: site.reason for site in result.sites if site.status == "refused"}


def test_a_flag_behind_a_line_that_always_raised_is_refused_with_those_that_made_it_raise():
    assert refused_lines(
        """
        def program(net, data, flag):
            x = Variable(data, volatile=True)
            if flag:
                net(x).sum().backward()
                y = Variable(data, volatile=True)
            return {"x": x}
        """
    ) == {2: "gradient-demanded", 5: "gradient-demanded"}


def test_a_write_behind_a_line_that_always_raised_is_refused():
    assert refused_lines(
        """
        def program(net, data, flag):
            x = Variable(data, volatile=True)
            z = Variable(data)
            if not flag:
                net(x).sum().backward()
                z.volatile = False
            return {"x": net(z)}
        """
    ) == {2: "gradient-demanded", 6: "gradient-demanded"}


def test_an_arm_that_reads_the_flag_beside_one_with_a_block_is_no_shim():
    body = """
        def program(net, data, flag):
            x = Variable(data)
            if flag:
                with torch.no_grad():
                    y = net(x)
            else:
                y = x
                if not x.volatile:
                    y = net(y)
            return {"y": y}
        """
    becomes(body, body.replace("if not x.volatile", "if not False"))


# --- beside a flag that was refused, nothing relies on its effect ----------------------------------------------------


def test_the_flag_taken_off_what_a_refused_flag_made_stays():
    stays(
        """
        def program(net, data):
            x = Variable(data, volatile=True)
            for k in range(2):
                y = net(x)
                x.volatile = False
            return {"x": x, "y": y}
        """,
        "mixed-statement",
    )


def test_a_read_of_what_a_refused_flag_made_stays():
    assert refused_lines(
        """
        def program(net, data):
            x = Variable(data, volatile=True)
            z = net(x)
            if not z.volatile:
                z = z * 2
            for k in range(2):
                y = net(x)
                x.volatile = False
            return {"x": x, "y": y, "z": z}
        """
    ) == {2: "mixed-statement", 4: "volatile-read", 8: "mixed-statement"}
