"""What holds for the whole suite."""

import signal

# A background process of a shell ignores Ctrl-C, and so would the commands that the tests start
# and interrupt: with a handler in place, they begin as those of a terminal do.
signal.signal(signal.SIGINT, signal.default_int_handler)
