"""Random programs of the volatile era: drawn, run before (0.3 emulated) and after a migration, compared, cut down."""
