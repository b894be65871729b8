"""The one exception of the edit layer."""


class EditError(Exception):
    """An edit that cannot be carried out; the message says why. The caller refuses its change."""
