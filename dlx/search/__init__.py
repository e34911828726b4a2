"""Searches for solutions: the driver and its kernels."""
