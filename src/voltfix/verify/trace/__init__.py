"""What a run observably does, written down: module calls, backward passes, results, parameters, errors.

Runs inside the process that executes the code, under torch and the standard library alone. A trace is plain
JSON data, so that two of them can be compared without torch (``voltfix.verify.compare``).
"""
