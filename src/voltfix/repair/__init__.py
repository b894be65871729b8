"""``voltfix repair``: run the program, mend what it stops at with what the run knew, run it again."""
