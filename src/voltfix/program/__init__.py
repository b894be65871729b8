"""What the program is: names, classes and calls, as analysis, modernize and discovery ask of it."""
