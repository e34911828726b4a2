"""Benchmarks of this package and its peers."""
