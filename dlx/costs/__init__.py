"""The cheapest solutions of a problem with costs, by branch and bound."""
