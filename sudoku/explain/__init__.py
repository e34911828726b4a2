"""Steps that a person would take, and how hard they are."""
