"""What the machine computes with: conditions as decision diagrams, and how many of them are told apart."""
