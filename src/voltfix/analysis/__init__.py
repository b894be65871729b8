"""What each flag does: names and sites, flow of volatility, demand for gradients, regions."""

from voltfix.analysis.solve import solve

__all__ = ["solve"]
