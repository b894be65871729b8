import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
import stand

stand.work()
stand.run("main.py", BATCH_SIZE=4, TOTAL_BATCH=1, GENERATED_NUM=8, PRE_EPOCH_NUM=1, VOCAB_SIZE=20)
