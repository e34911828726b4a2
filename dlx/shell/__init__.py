"""What commands share: arguments, exit statuses, output, Ctrl-C, memory."""
