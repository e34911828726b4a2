"""Counting solutions: plain search, sweeps over merged states, components and cuts."""
