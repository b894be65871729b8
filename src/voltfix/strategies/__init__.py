"""The ways out: each file turns one kind of decision into edits."""
