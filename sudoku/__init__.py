"""Everything about N x N grids, translated into exact cover problems."""
