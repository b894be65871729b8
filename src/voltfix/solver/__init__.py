"""What each flag does: names and sites, flow of volatility, demand for gradients, regions."""

from voltfix.solver.apart import together
from voltfix.solver.solving import forget, not_reached, solve

__all__ = ["forget", "not_reached", "solve", "together"]
