"""Which arguments are volatile flags, where the sites are, and which signatures carry nothing else."""
