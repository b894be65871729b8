"""Which files matter: the walk, the byte search, the project around them.

Nothing here parses Python, and nothing here imports more than the standard library until a ``.gitignore``
or an ``--exclude`` is met: a run without a hit has to be over before anybody notices it.
"""
