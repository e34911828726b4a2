"""Steps that a person would take, and how hard they are."""

UNIQUE, SEVERAL, NONE = "unique", "several solutions", "no solution"
"""What the outcome of a puzzle may be."""
