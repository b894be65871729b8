"""Functions that others run: threads, pools, processes, loaders, and code that keeps a closure over something volatile.

Grad mode belongs to a thread, and a block to the place that it stands at. What runs elsewhere has its own.
"""

from __future__ import annotations

import pytest
from solving import becomes, covers, files_become, migrated_files, refusals, stays

# --- what puts batches together ---------------------------------------------------------------------------------------


def test_a_loader_gives_what_its_collate_function_makes():
    body = """
        from torch.utils.data import DataLoader


        def collate(rows):
            return Variable(torch.stack(rows){flag})


        def evaluate(net, data):
            {block}for x in DataLoader(data, batch_size=4, collate_fn=collate):
                {indent}print(net(x).data)
        """
    block = "with torch.no_grad():\n                "
    becomes(
        body.replace("{flag}", ", volatile=True").replace("{block}", "").replace("{indent}", ""),
        body.replace("{flag}", "").replace("{block}", block).replace("{indent}", "    "),
    )


def test_a_loader_over_two_files_and_its_function_among_the_positional_arguments():
    files_become(
        {
            "batches.py": """
                def collate(rows):
                    xs, ys = zip(*rows)
                    return Variable(torch.stack(xs), volatile=True), torch.stack(ys)
                """,
            "evaluate.py": """
                from torch.utils.data import DataLoader
                from batches import collate


                def evaluate(net, data):
                    loader = DataLoader(data, 4, False, None, None, 0, collate)
                    for x, y in loader:
                        print((net(x).data.max(1)[1] == y).sum())
                """,
        },
        {
            "batches.py": """
                def collate(rows):
                    xs, ys = zip(*rows)
                    return Variable(torch.stack(xs)), torch.stack(ys)
                """,
            "evaluate.py": """
                import torch
                from torch.utils.data import DataLoader
                from batches import collate


                def evaluate(net, data):
                    loader = DataLoader(data, 4, False, None, None, 0, collate)
                    with torch.no_grad():
                        for x, y in loader:
                            print((net(x).data.max(1)[1] == y).sum())
                """,
        },
    )


def test_an_object_that_collates_has_its_own_flag():
    result = covers(
        """
        from torch.utils.data import DataLoader


        class Stack(object):
            def __init__(self, still):
                self.still = still

            def __call__(self, rows):
                return Variable(torch.stack(rows), {}=self.still)


        def evaluate(net, data):
            for shown in DataLoader(data, collate_fn=Stack(True)):
                print(net(shown).data)


        def train(net, data):
            for x in DataLoader(data, collate_fn=Stack(False)):
                net(x).sum().backward()
        """.replace("{}", "volatile"),
        inside=["net(shown)"],
        outside=["net(x)"],
    )
    assert [site.status for site in result.sites] == ["fixed", "kept", "kept"]


@pytest.mark.parametrize("given", ["loaders.make(collate)", "DataLoader(data, collate_fn=loaders.pick(collate))"])
def test_a_loader_that_nobody_knows_is_left_alone(given):
    stays(
        f"""
        from torch.utils.data import DataLoader


        def collate(rows):
            return Variable(torch.stack(rows), volatile=True)


        def evaluate(net, data, loaders):
            for x in {given}:
                print(net(x).data)
        """,
        "unseen-callers",
    )


# --- threads and pools ------------------------------------------------------------------------------------------------

POOL = """
    from multiprocessing.pool import ThreadPool
    from concurrent.futures import ThreadPoolExecutor


    def wrap(t):
        return Variable(t{flag})


    def show(net, rows):
        {lines}
    """


@pytest.mark.parametrize(
    "lines",
    [
        "for x in ThreadPool(4).map(wrap, rows):\n            print(net(x).data)",
        "x = ThreadPool(4).apply(wrap, (rows,))\n        print(net(x).data)",
        "job = ThreadPool(4).apply_async(wrap, args=(rows,))\n        print(net(job.get()).data)",
        "pool = ThreadPoolExecutor()\n        job = pool.submit(wrap, rows)\n        print(net(job.result()).data)",
        "for x in ThreadPoolExecutor().map(wrap, rows):\n            print(net(x).data)",
    ],
)
def test_what_a_pool_gives_back_is_as_volatile_as_what_its_function_gives(lines):
    body = POOL.replace("{lines}", lines)
    result = covers(body.replace("{flag}", ", volatile=True"), inside=["net("], outside=["def wrap"])
    assert {site.strategy for site in result.sites} == {"no_grad"}


def test_a_pool_over_two_files():
    result, after = migrated_files(
        {
            "wrap.py": """
                def wrap(t):
                    return Variable(t, volatile=True)
                """,
            "show.py": """
                from multiprocessing.dummy import Pool
                from wrap import wrap


                def show(net, rows):
                    with_pool = Pool(2)
                    for x in with_pool.imap(wrap, rows):
                        print(net(x).data)
                """,
        }
    )
    assert not refusals(result)
    assert "with torch.no_grad():\n        for x in" in after["show.py"]


def test_a_pool_that_an_object_keeps_runs_what_it_is_given():
    body = """
        from functools import partial
        import torch.nn as nn
        from multiprocessing import Pool


        def match(row, size):
            return row[0] * size


        class Finder(nn.Module):
            def __init__(self):
                super(Finder, self).__init__()
                self.conv = nn.Conv2d(3, 3, 1)
                self.workers = Pool(processes=2)

            def forward(self, x, wanted=None):
                out = self.conv(x)
                if self.training:
                    self.loss = nn.MSELoss()(out, self.matched(out.data.cpu().numpy(), wanted))
                return out

            def matched(self, found, wanted):
                rows = self.workers.map(partial(match, size=3), ((found[at], wanted[at]) for at in range(4)))
                return Variable(torch.Tensor(rows))


        finder = Finder()
        x = Variable(torch.ones(1, 3, 2, 2){flag})
        {block}out = finder(x)
        print(out.data)
        """
    becomes(
        body.replace("{flag}", ", volatile=True").replace("{block}", ""),
        body.replace("{flag}", "").replace("{block}", "with torch.no_grad():\n            "),
    )


def test_a_network_in_the_threads_that_an_object_keeps_has_no_block_of_this_one():
    stays(
        """
        from multiprocessing.pool import ThreadPool


        class Show(object):
            def __init__(self, net):
                self.net = net
                self.workers = ThreadPool(4)

            def show(self, t):
                x = Variable(t, volatile=True)
                print([y.data for y in self.workers.map(self.net, [x])])
        """,
        "other-thread",
    )


@pytest.mark.parametrize(
    "lines",
    [
        "threading.Thread(target=net, args=(x,)).start()",
        "print(ThreadPool(4).apply(net, (x,)).data)",
        "print([y.data for y in ThreadPool(4).map(net, [x])])",
        "print(ThreadPool(4).apply_async(net, (x,)).get().data)",
        "multiprocessing.Process(target=work, args=(net, x)).start()",
        "jobs = queue.Queue(); threading.Thread(target=serve, args=(net, jobs)).start(); jobs.put(x)",
        "jobs = []; threading.Thread(target=serve, args=(net, jobs)).start(); jobs.append(x)",
    ],
)
def test_a_block_here_is_none_in_another_thread(lines):
    result = stays(
        """
        import multiprocessing
        import queue
        import threading
        from multiprocessing.pool import ThreadPool

        kept = []


        def work(net, x):
            kept.append(net(x))


        def serve(net, jobs):
            def loop():
                kept.append(net(jobs.get()))

            loop()


        def show(net, t):
            x = Variable(t, volatile=True)
            {lines}
        """.replace("{lines}", lines),
        "other-thread",
    )
    assert len(result.sites) == 1


def test_a_thread_has_a_block_of_its_own_where_it_makes_the_volatile_tensor():
    body = """
        import threading


        def work(net, t):
            x = Variable(t{flag})
            {block}print(net(x).data)


        def show(net, t):
            threading.Thread(target=work, args=(net, t)).start()
        """
    becomes(
        body.replace("{flag}", ", volatile=True").replace("{block}", ""),
        body.replace("{flag}", "").replace("{block}", "with torch.no_grad():\n                "),
    )


# --- functions over something volatile, in other hands ----------------------------------------------------------------

CLOSURE = """
    def show(net, t, visit):
        x = Variable(t{flag})

        def work():
            {block}print(net(x).data)

        {use}
    """


@pytest.mark.parametrize("use", ["visit(work)", "return work", "visit.done = work", "visit(a=[work])", "visit.a(work)"])
def test_a_function_over_something_volatile_that_others_run_has_its_own_block(use):
    body = CLOSURE.replace("{use}", use)
    becomes(
        body.replace("{flag}", ", volatile=True").replace("{block}", ""),
        body.replace("{flag}", "").replace("{block}", "with torch.no_grad():\n                "),
    )


def test_a_lambda_over_something_volatile_that_others_run_is_wrapped():
    body = """
        def show(net, t, visit):
            x = Variable(t{flag})
            return visit({lambda})
        """
    becomes(
        body.replace("{flag}", ", volatile=True").replace("{lambda}", "lambda: net(x).data"),
        body.replace("{flag}", "").replace("{lambda}", "torch.no_grad()(lambda: net(x).data)"),
    )


def test_a_function_over_something_volatile_from_another_file():
    result, after = migrated_files(
        {
            "wrap.py": """
                def wrap(t):
                    return Variable(t, volatile=True)
                """,
            "show.py": """
                import torch
                from wrap import wrap


                def show(net, t, button):
                    x = wrap(t)

                    def pressed(event):
                        print(net(x).data)

                    button.connect(pressed)
                """,
        }
    )
    assert not refusals(result)
    assert "with torch.no_grad():\n            print" in after["show.py"]


def test_a_function_that_trains_beside_what_is_volatile_is_left_alone():
    stays(
        """
        def show(net, t, visit):
            x = Variable(t, volatile=True)

            def work(y, criterion):
                return criterion(net(Variable(y)), x)

            visit(work)
        """,
        "unknown-callee",
    )


def test_a_function_that_is_only_called_here_needs_no_block_of_its_own():
    covers(
        """
        def show(net, t):
            x = Variable(t, volatile=True)

            def work(times):
                print(net(x).data)

            work(5)
        """,
        inside=["work(5)"],
        outside=["print("],
    )


def test_a_function_in_a_loop_of_a_program_that_ends_before_it_is_read_all_the_same():
    covers(
        """
        import sys
        net = torch.nn.Linear(2, 2)
        sys.exit(0)
        for row in torch.ones(3, 1, 2):

            def judged(row):
                return net(Variable(row, volatile=True)).data

            print(judged(row))
        """,
        inside=["return net("],
        outside=["print("],
    )


# --- code that nobody has seen runs what it is handed -----------------------------------------------------------------


ROUNDS = """
    def judge(net, batches, watchers):
        for batch in batches:
            x = batch[0]
            x = Variable(x{flag})

            def score():
                {block}y = net(x)
                for watch in watchers:
                    watch(y.data)
                return y

            {use}
    """


def test_a_function_that_is_only_called_here_knows_what_its_names_hold_where_it_is_made():
    becomes(
        ROUNDS.format(flag=", volatile=True", block="", use="print(score())"),
        ROUNDS.format(flag="", block="with torch.no_grad():\n                    ", use="print(score())"),
    )


@pytest.mark.parametrize("use", ["watchers.append(score)", "watchers[0](score)", "watchers.last = lambda: score()"])
def test_a_function_that_somebody_has_may_be_called_while_the_next_round_binds_its_names(use):
    stays(ROUNDS.format(flag=", volatile=True", block="", use=use), "condition-not-repeatable")


ANEW = """
    def judge(net, row, hold):
        x = Variable(row)
        {made}
        x = Variable(row, volatile=True)
        hold.last = net(x).data
    """


@pytest.mark.parametrize("made", [
    "def score():\n            return net(x)\n        hold(score)",
    "def score():\n            return net(x)\n        yield score",
    "class Score:\n            def __call__(self):\n                return net(x)\n        hold(Score())",
    "@hold\n        def score():\n            return net(x)",
    "def score():\n            return net(x)\n        hold(locals())",
    "def score():\n            return net(x)\n        def other():\n            return score()\n        hold(other)",
])
def test_what_a_function_reads_is_what_its_name_held_when_somebody_called_it(made):
    stays(ANEW.format(made=made), "condition-not-repeatable")


def test_a_function_that_sends_gradients_before_its_name_is_bound_anew_keeps_them():
    body = """
        def fit(net, row, solver):
            x = Variable(row)
            def step():
                loss = net(x).sum()
                loss.backward()
                return loss
            solver.step(step)
            x = Variable(row{flag})
            {block}return net(x)
        """
    becomes(body.format(flag=", volatile=True", block=""),
            body.format(flag="", block="with torch.no_grad():\n                "))


def test_what_a_function_gave_before_its_name_was_bound_anew_has_its_graph():
    stays(
        """
        def judge(net, row, watch):
            x = Variable(row)
            def score():
                y = net(x)
                watch()
                return y
            first = score()
            x = Variable(row, volatile=True)
            print(score().data)
            return first
        """,
        "not-provable",
    )


def test_what_a_library_runs_is_given_what_it_is_given():
    covers(
        """
        from functools import reduce


        def show(net, ts):
            xs = [Variable(t, volatile=True) for t in ts]
            total = reduce(lambda a, b: a + net(b), xs)
            print(total.data)
        """,
        inside=["reduce(lambda"],
        outside=["print("],
    )


def test_what_a_library_runs_may_train_and_stays_outside():
    covers(
        """
        from scipy.optimize import minimize


        def show(net, t, step):
            x = Variable(t, volatile=True)
            before = net(x).data
            minimize(lambda w: step(w), before)
            after = net(x).data
            print(before, after)
        """,
        inside=["before = net(x)", "after = net(x)"],
        outside=["minimize(lambda"],
    )


def test_a_key_is_asked_of_the_elements():
    covers(
        """
        def show(net, ts):
            xs = [Variable(t, volatile=True) for t in ts]
            best = max(xs, key=lambda x: net(x).data[0])
            print(best.data)
        """,
        inside=["max(xs"],
        outside=["print("],
    )


# --- apply ------------------------------------------------------------------------------------------------------------


def test_what_a_network_applies_to_its_parts_freezes_them():
    body = """
        def freeze(part):
            for p in part.parameters():
                {write}


        def build(net):
            net.apply(freeze)
            return net
        """
    becomes(body.replace("{write}", "p.volatile = True"), body.replace("{write}", "p.requires_grad_(False)"))


def test_applied_over_two_files():
    result, after = migrated_files(
        {
            "freeze.py": """
                def freeze(part):
                    for p in part.parameters():
                        p.volatile = True
                """,
            "build.py": """
                import torch.nn as nn
                from freeze import freeze


                def build():
                    net = nn.Sequential(nn.Linear(2, 3), nn.ReLU())
                    net.apply(freeze)
                    return net
                """,
        }
    )
    assert not refusals(result)
    assert "p.requires_grad_(False)" in after["freeze.py"]


def test_what_is_applied_for_its_result_is_left_alone():
    stays(
        """
        def wrap(row):
            return Variable(row, volatile=True)


        def show(net, frame):
            for x in frame.apply(wrap):
                print(net(x).data)
        """,
        "unseen-callers",
    )


# --- code that nobody has seen may run what it is handed in another thread --------------------------------------------


@pytest.mark.parametrize(
    "lines",
    [
        "return pool.apply_async(scorer, (x,)).get().data",
        "return pool.submit(scorer, x).result().data",
        "return pool.submit(lambda y: scorer(y) * 2, x).result().data",
        "return self.pool.map(scorer, [x, x])",
        "self.jobs.put((scorer, x))",
        "return background.run(over=scorer, on=x)",
        "return background.run(Scored(scorer).score, [x])",
        "return pool.apply_async(given, args=[x]).get()",
    ],
)
def test_a_callable_and_what_is_volatile_in_unseen_hands_have_no_cover_here(lines):
    stays(
        """
        import background
        import torch.nn as nn

        scorer = nn.Linear(4, 2)


        class Scored(object):
            def __init__(self, part):
                self.part = part

            def score(self, rows):
                return [self.part(row) for row in rows]


        class Server(object):
            def __init__(self, pool, jobs):
                self.pool, self.jobs = pool, jobs

            def serve(self, t, pool, given):
                x = Variable(t, volatile=True)
                {lines}
        """.replace("{lines}", lines),
        "other-thread",
    )


def test_a_pool_that_another_method_made_is_no_cover_either():
    stays(
        """
        from multiprocessing.pool import ThreadPool


        class Server(object):
            def __init__(self, net):
                self.net = net
                self.workers = ThreadPool(4)

            def serve(self, ts):
                return self.workers.map(self.net, [Variable(t, volatile=True) for t in ts])
        """,
        "other-thread",
    )


@pytest.mark.parametrize(
    "line",
    [
        "print(other.measure(x))",  # computes on it with what it has: no callable goes with it
        "print(F.log_softmax(scorer(x), 1).data)",
        "print(list(map(scorer, [x]))[0].data)",  # here, and now
        "print(reduce(lambda a, b: a + scorer(b), [x, x]).data)",
        "print(visit(scorer)(x).data)",
    ],
)
def test_what_is_handed_over_alone_or_runs_here_is_covered(line):
    covers(
        """
        from functools import reduce
        import torch.nn as nn
        import torch.nn.functional as F

        scorer = nn.Linear(4, 2)


        def show(t, other, visit):
            x = Variable(t, volatile=True)
            {line}
        """.replace("{line}", line),
        inside=["print("],
        outside=["def show"],
    )


def test_a_callable_that_goes_alone_asks_for_nothing():
    covers(
        """
        import torch.nn as nn

        scorer = nn.Linear(4, 2)


        def show(t, pool):
            pool.submit(scorer, t)
            print(scorer(Variable(t, volatile=True)).data)
        """,
        inside=["print("],
        outside=["submit"],
    )


def test_a_network_of_another_file_in_unseen_hands():
    result, texts = migrated_files(
        {
            "parts.py": """
                import torch.nn as nn


                class Head(nn.Module):
                    def forward(self, x):
                        return x * 2
                """,
            "serve.py": """
                import torch
                from torch.autograd import Variable
                from parts import Head

                head = Head()


                def serve(t, hand):
                    hand.over(head, Variable(t, volatile=True))
                """,
        }
    )
    assert list(refusals(result).values()) == ["other-thread"]
    assert "volatile=True" in texts["serve.py"]


SHOWN = """
        class Model(object):
            def __init__(self, net, names):
                self.net, self.names = net, names

            def forward(self, data):
                return self.net(Variable(data))

            def test(self, data):
                self.real = Variable(data, volatile=True)
                self.fake = self.net(self.real)

            def shown(self):
                found = {{}}
                for name in self.names:
                    found[name] = {asked}
                return found

        def run(net, names, rows, page):
            model = Model(net, names)
            for row in rows:
                model.test(row)
                page.show(model.shown())
"""


@pytest.mark.parametrize("asked", ["getattr(self, name)", "getattr(self, name, None)"])
def test_an_attribute_that_is_asked_for_by_a_name_nobody_knows_runs_in_no_other_thread(asked: str) -> None:
    covers(SHOWN.format(asked=asked), inside=["self.net(self.real)"], outside=["self.names:", "def shown"])


def test_code_that_nobody_has_seen_may_run_the_object_in_another_thread() -> None:
    stays(SHOWN.format(asked="page_of(self, name)"), "other-thread")
