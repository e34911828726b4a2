"""What the commands of sudoku share: arguments, input, output, progress, and runs over puzzles."""
