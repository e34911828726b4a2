"""Solve, count and check puzzles, one at a time or in batches."""
