import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
import stand

stand.work()
stand.module("gym", make=lambda name: stand.Environment((3,), (2,), 6, 90))
stand.run("main.py", "--batch-size", 24)
