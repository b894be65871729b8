"""The symbolic tier: changed functions are run without their data and models, on stand-ins for every unknown.

Needs torch and the standard library alone. ``explore.verify`` is the way in; ``docs/verification.md``
the story.
"""
