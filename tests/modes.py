"""What a test does without the JIT, where kernels run a hundred times slower.

Files that hold a kernel to its oracle are marked ``kernel``: they are run once more without the
JIT, and once with its bounds checks. Cases marked ``long`` are left to compiled code.
"""

import pytest
from numba import config

kernel = pytest.mark.kernel
long = pytest.mark.long


def examples(number: int) -> int:
    """How many examples hypothesis tries: a tenth without the JIT."""
    return max(1, number // 10) if config.DISABLE_JIT else number
