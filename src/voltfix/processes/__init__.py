"""Processes of ours: how they start, with whom they end. Nothing here imports more than the standard library."""
