"""The command line: click commands, settings, what is shown where, and the writes."""
