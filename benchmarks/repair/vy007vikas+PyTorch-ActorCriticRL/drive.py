import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
import stand

stand.work()
stand.module("gym", make=lambda name: stand.Environment((3,), (2,), 10, 200))
os.makedirs("Models")
stand.run("main.py", MAX_EPISODES=15)
