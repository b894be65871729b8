from __future__ import annotations

from alone import ran


def test_what_a_thread_runs_is_not_covered_by_a_block_around_its_start():
    machine = ran("""
        import threading
        def work(net, v):
            net(v)
        def f(net, x):
            threading.Thread(target=work, args=(net, Variable(x, volatile=True))).start()
    """)
    assert [fact.blocked for fact in machine.facts if not fact.need.is_false] == ["other-thread"]
