"""The VF2xx rules: what besides volatile keeps a file from today's torch."""
