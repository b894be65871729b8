"""What is made where a value is volatile on every path that comes there is volatile wherever somebody has it."""

from __future__ import annotations

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
