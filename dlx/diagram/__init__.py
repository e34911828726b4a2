"""All solutions of a problem as a decision diagram."""
