"""What the commands share: arguments, runs and tallies."""
