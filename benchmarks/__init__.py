"""What is measured, and against whom."""
