"""Smaller tests without the JIT, where kernels take a hundred times as long, or with bounds checks.

Files that compare a kernel with its oracle are marked ``kernel``: they run once more without the
JIT. Cases marked ``long`` run on compiled code only.
"""

import pytest
from numba import config

COMPILED = not config.DISABLE_JIT
CHECKED = bool(config.BOUNDSCHECK)

kernel = pytest.mark.kernel
long = pytest.mark.long
compiled = pytest.mark.skipif(not COMPILED, reason="takes minutes where kernels are not compiled")
unchecked = pytest.mark.skipif(
    CHECKED, reason="neither bounds of arrays nor versions of the dependencies matter to it"
)


def examples(number: int) -> int:
    """How many examples a test tries: a tenth without the JIT, half with bounds checks."""
    if not COMPILED:
        return max(1, number // 10)
    return max(1, number // 2) if CHECKED else number
