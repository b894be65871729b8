import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
import stand

stand.work()
sys.path.insert(0, stand.TREE)
stand.run(
    "TCN/adding_problem/add_test.py",
    "--cuda",
    "--batch_size",
    10000,
    "--epochs",
    1,
    "--levels",
    2,
    "--seq_len",
    12,
    "--nhid",
    3,
    "--ksize",
    3,
    "--log-interval",
    2,
    "--clip",
    0.5,
)
stand.run(
    "TCN/copy_memory/copymem_test.py",
    "--cuda",
    "--batch_size",
    2000,
    "--epochs",
    1,
    "--levels",
    2,
    "--seq_len",
    4,
    "--blank_len",
    8,
    "--nhid",
    3,
    "--ksize",
    3,
    "--log-interval",
    2,
)
