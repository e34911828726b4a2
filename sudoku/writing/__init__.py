"""From grids to text, pictures and pages."""
