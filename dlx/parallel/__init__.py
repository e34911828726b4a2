"""More than one core, one machine and one run: pieces, estimates, tasks, executors, ledgers."""
