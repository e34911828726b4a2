"""Refuse to start with less memory than Python, numpy and numba take.

With less address space (``ulimit -v``) than they need, the C libraries of numpy and numba end the
process, or report another fault: an import that fails, an interrupt that was not sent.
"""

from __future__ import annotations

import os

LEAST_MEMORY = 600 << 20  # bytes; measured: 400 MB, kernels compiled, with two threads


def require_memory() -> None:
    """Raise MemoryError if the address space of this process has a limit below `LEAST_MEMORY`.

    Also keeps OpenBLAS, which numpy contains and this package does not use, from reserving
    memory for as many threads as the machine has cores.
    """
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    try:
        from resource import RLIM_INFINITY, RLIMIT_AS, getrlimit
    except ImportError:  # Windows has no such limit; or there is no memory for the module
        return
    limit, _ = getrlimit(RLIMIT_AS)
    if limit != RLIM_INFINITY and limit < LEAST_MEMORY:
        raise MemoryError(
            f"the address space is limited to {limit >> 20} MiB (ulimit -v); at least"
            f" {LEAST_MEMORY >> 20} MiB are needed"
        )
