"""Exact cover: dancing links and bit masks over numba-compiled arrays."""
