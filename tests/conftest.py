"""Settings of the whole test suite."""

import gc
import os
import signal

from hypothesis import HealthCheck, settings

# import-linter imports this file; it is not installed everywhere
collect_ignore = ["contracts.py"]
if os.name != "posix":
    collect_ignore += ["faults"]  # signals, limits of memory

# A background process of a shell ignores Ctrl-C, and so would the commands that the tests start
# and interrupt: with a handler in place, they begin as those of a terminal do.
signal.signal(signal.SIGINT, signal.default_int_handler)

# numba makes millions of objects while it compiles: with fewer collections it takes less time.
# The commands set another number, which a test looks at.
gc.set_threshold(50_000, 20, 20)

# The gate tries the same examples at every run; tests/random_examples.py tries others.
# How long it takes to draw them depends on the machine, and is no fault.
settings.register_profile(
    "repeatable",
    derandomize=True,
    database=None,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.register_profile("random", deadline=None, print_blob=True)
settings.load_profile("repeatable")
