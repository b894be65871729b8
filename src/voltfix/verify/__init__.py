"""Verification: run before and after, and say whether they do the same."""
