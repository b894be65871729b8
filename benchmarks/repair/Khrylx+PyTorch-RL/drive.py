import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
import stand

stand.work()
stand.module("gym", make=lambda name: stand.Environment((3,), (2,), 6, 100000))
few = ["--num-threads", 1, "--min-batch-size", 20, "--max-iter-num", 2]
stand.run("examples/trpo_gym.py", *few, path=[""])
stand.run("examples/ppo_gym.py", *few, path=[""])
stand.run("examples/a2c_gym.py", *few, path=[""])
