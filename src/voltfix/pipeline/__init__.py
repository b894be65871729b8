"""The stations of ``core.migrate``: loading documents, carrying out a plan, and the last line of defence."""
