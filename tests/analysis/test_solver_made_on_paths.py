"""What is made where a value is volatile on every path that comes there is volatile wherever somebody has it."""

from __future__ import annotations

import pytest

from helpers import check_noop, check_transformed

HEAD = "import torch\nfrom torch.autograd import Variable\n\n\n"


def test_what_each_arm_makes_volatile_is_kept_round_by_round_under_a_key():
    check_transformed(
        HEAD + "def look(judge, rows, fast):\n"
        "    seen = {}\n"
        "    for i in range(len(rows)):\n"
        "        if fast:\n"
        "            row = Variable(rows[i].cuda(), volatile=True)\n"
        "        else:\n"
        "            row = Variable(rows[i], volatile=True)\n"
        "        score, map = judge(row)\n"
        "        seen[i] = [map, score]\n"
        "    return seen\n",
        HEAD + "def look(judge, rows, fast):\n"
        "    seen = {}\n"
        "    for i in range(len(rows)):\n"
        "        if fast:\n"
        "            row = Variable(rows[i].cuda())\n"
        "        else:\n"
        "            row = Variable(rows[i])\n"
        "        with torch.no_grad():\n"
        "            score, map = judge(row)\n"
        "        seen[i] = [map, score]\n"
        "    return seen\n",
    )


def test_a_helper_of_two_arms_makes_the_rows_of_a_table_of_results():
    check_transformed(
        HEAD + "def batch(rows, i, fast):\n"
        "    if fast:\n"
        "        return Variable(rows[i].cuda(), volatile=True)\n"
        "    return Variable(rows[i], volatile=True)\n\n\n"
        "def look(judge, rows, fast):\n"
        "    seen = {}\n"
        "    for i in range(len(rows)):\n"
        "        _, map = judge(batch(rows, i, fast))\n"
        "        seen[i] = map\n"
        "    return seen\n",
        HEAD + "def batch(rows, i, fast):\n"
        "    if fast:\n"
        "        return Variable(rows[i].cuda())\n"
        "    return Variable(rows[i])\n\n\n"
        "def look(judge, rows, fast):\n"
        "    seen = {}\n"
        "    with torch.no_grad():\n"
        "        for i in range(len(rows)):\n"
        "            _, map = judge(batch(rows, i, fast))\n"
        "            seen[i] = map\n"
        "    return seen\n",
    )


def test_where_one_arm_wants_the_graph_a_table_of_results_does_not_lose_it():
    check_noop(
        HEAD + "def look(judge, rows, fast):\n"
        "    seen = {}\n"
        "    for i in range(len(rows)):\n"
        "        if next(fast):\n"
        "            row = Variable(rows[i].cuda(), volatile=True)\n"
        "        else:\n"
        "            row = Variable(rows[i])\n"
        "        score, map = judge(row)\n"
        "        seen[i] = [map, score]\n"
        "    return seen\n",
        reason="mixed-statement",
    )


def test_where_one_arm_is_volatile_a_table_of_results_has_the_graphs_of_the_other():
    check_transformed(
        HEAD + "def look(judge, rows, fast):\n"
        "    seen = {}\n"
        "    for i in range(len(rows)):\n"
        "        if fast:\n"
        "            row = Variable(rows[i].cuda(), volatile=True)\n"
        "        else:\n"
        "            row = Variable(rows[i])\n"
        "        score, map = judge(row)\n"
        "        seen[i] = [map, score]\n"
        "    return seen\n",
        HEAD + "def look(judge, rows, fast):\n"
        "    seen = {}\n"
        "    for i in range(len(rows)):\n"
        "        if fast:\n"
        "            row = Variable(rows[i].cuda())\n"
        "        else:\n"
        "            row = Variable(rows[i])\n"
        "        with torch.set_grad_enabled(not fast):\n"
        "            score, map = judge(row)\n"
        "        seen[i] = [map, score]\n"
        "    return seen\n",
    )


def test_what_stood_in_the_table_before_the_rounds_keeps_its_graph():
    check_transformed(
        HEAD + "def look(judge, rows, fast):\n"
        "    seen = {'first': judge(Variable(rows[0]))}\n"
        "    for i in range(len(rows)):\n"
        "        if fast:\n"
        "            row = Variable(rows[i].cuda(), volatile=True)\n"
        "        else:\n"
        "            row = Variable(rows[i], volatile=True)\n"
        "        _, map = judge(row)\n"
        "        seen[i] = map\n"
        "    return seen\n",
        HEAD + "def look(judge, rows, fast):\n"
        "    seen = {'first': judge(Variable(rows[0]))}\n"
        "    for i in range(len(rows)):\n"
        "        if fast:\n"
        "            row = Variable(rows[i].cuda())\n"
        "        else:\n"
        "            row = Variable(rows[i])\n"
        "        with torch.no_grad():\n"
        "            _, map = judge(row)\n"
        "        seen[i] = map\n"
        "    return seen\n",
    )


def test_what_two_paths_put_into_one_table_is_volatile_on_one_of_them():
    check_noop(
        HEAD + "def look(judge, rows, flags):\n"
        "    seen = {}\n"
        "    for i, flag in enumerate(flags):\n"
        "        if flag.any():\n"
        "            _, map = judge(Variable(rows[i], volatile=True))\n"
        "        else:\n"
        "            _, map = judge(Variable(rows[i]))\n"
        "        seen[i] = map\n"
        "    return judge(seen[0])\n",
        reason="condition-not-repeatable",
    )


def test_a_result_of_the_round_before_is_not_the_one_of_this_round():
    check_noop(
        HEAD + "def look(judge, rows, fast):\n"
        "    seen = {}\n"
        "    row = Variable(rows[0])\n"
        "    for i in range(len(rows)):\n"
        "        _, map = judge(row)\n"
        "        seen[i] = map\n"
        "        if fast:\n"
        "            row = Variable(rows[i].cuda(), volatile=True)\n"
        "        else:\n"
        "            row = Variable(rows[i], volatile=True)\n"
        "    return seen\n",
        reason="mixed-statement",
    )


@pytest.mark.parametrize("instead", ["Variable(rows[0])", "rows[0]", "None"])
@pytest.mark.parametrize("loop", ["for row in rows", "while rows"])
def test_what_stands_behind_else_of_a_loop_does_not_undo_what_a_break_left(instead: str, loop: str):
    check_noop(
        HEAD + "def look(judge, rows, row, ok):\n"
        f"    {loop}:\n"
        "        if ok(row):\n"
        "            x = Variable(row, volatile=True)\n"
        "            break\n"
        "        rows = rows[1:]\n"
        "    else:\n"
        f"        x = {instead}\n"
        "    return judge(x)\n",
        reason="condition-not-repeatable",
    )


def test_where_a_break_and_else_of_a_loop_both_leave_it_volatile_it_is():
    text = (
        "def look(judge, rows, ok):\n"
        "    for row in rows:\n"
        "        if ok(row):\n"
        "            x = Variable(row{0})\n"
        "            break\n"
        "    else:\n"
        "        x = Variable(rows[0]{0})\n"
        "{1}"
    )
    check_transformed(HEAD + text.format(", volatile=True", "    return judge(x)\n"),
                      HEAD + text.format("", "    with torch.no_grad():\n        return judge(x)\n"))


@pytest.mark.parametrize("last", ["out[0] = judge(x)", "return judge(x)"])
def test_finally_may_be_run_before_it_was_made_volatile(last: str):
    check_noop(
        HEAD + "def look(judge, row, risky, out):\n"
        "    x = Variable(row)\n"
        "    try:\n"
        "        risky()\n"
        "        x = Variable(row, volatile=True)\n"
        "    finally:\n"
        f"        {last}\n",
        reason="condition-not-repeatable",
    )


def test_finally_that_only_writes_down_what_was_found_is_no_matter():
    text = (
        "def look(judge, row, risky, file):\n"
        "    out = None\n"
        "    try:\n"
        "{0}"
        "        risky()\n"
        "    finally:\n"
        "        if out is not None:\n"
        "            file.write(out.data)\n"
        "    return out\n"
    )
    check_transformed(HEAD + text.format("        out = judge(Variable(row, volatile=True))\n"),
                      HEAD + text.format("        with torch.no_grad():\n            out = judge(Variable(row))\n"))
