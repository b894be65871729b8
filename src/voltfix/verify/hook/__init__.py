"""What is put on PYTHONPATH so that any Python process of a user's command is traced."""
