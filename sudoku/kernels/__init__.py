"""Compiled searches on grids."""
