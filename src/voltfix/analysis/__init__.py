"""What each flag does: names and sites, flow of volatility, demand for gradients, regions."""

from voltfix.analysis.solve import forget, solve

__all__ = ["forget", "solve"]
