"""Slow, obvious oracles that fast code is held against."""
