"""The command line: click commands, settings, what is shown where, and the writes."""

from voltfix.processes.ambient import leave_relative

leave_relative()  # it runs in other people's repositories
