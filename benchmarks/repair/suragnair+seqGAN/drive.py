import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
import stand

stand.work()
for name in os.listdir(stand.TREE):
    if name.endswith(".trc"):
        os.symlink(os.path.join(stand.TREE, name), name)
stand.run("main.py", MLE_TRAIN_EPOCHS=1, ADV_TRAIN_EPOCHS=1, POS_NEG_SAMPLES=64, VOCAB_SIZE=5000)
