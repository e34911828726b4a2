"""Counting solutions: plain search, sweeps over merged states, parts and cuts."""
