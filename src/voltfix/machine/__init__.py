"""The abstract machine: it runs a function of the project with values of which only the volatility is known."""
