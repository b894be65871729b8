"""What stops a program of 0.3 today: one file for each family, a symptom beside the rule that mends it."""
