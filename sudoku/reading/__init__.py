"""From files to puzzles."""
