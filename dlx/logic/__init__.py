"""Deductions on any exact cover problem."""
