"""What the machine knows of other people's code: library models, one handler for each name."""
