"""What commands share: output files and Ctrl-C."""
