"""Input that nobody wrote for us, or that somebody wrote against us."""
