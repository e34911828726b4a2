"""Instructions on integers for compiled code: number of the lowest bit, number of bits."""

from typing import Any

import numba
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic

if numba.config.DISABLE_JIT:

    def lowest(mask: Any) -> Any:
        """Return the number of the lowest set bit of `mask`, which is not 0."""
        return (int(mask) & -int(mask)).bit_length() - 1

    def popcount(mask: Any) -> Any:
        """Return how many bits of `mask` are set."""
        return (int(mask) & (1 << 64) - 1).bit_count()

else:

    @intrinsic
    def lowest(typingctx: Any, mask: Any) -> Any:
        """Return the number of the lowest set bit of `mask`, which is not 0."""

        def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            return builder.cttz(args[0], cgutils.true_bit)

        return types.int64(types.int64), codegen

    @intrinsic
    def popcount(typingctx: Any, mask: Any) -> Any:
        """Return how many bits of `mask` are set."""

        def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            return builder.ctpop(args[0])

        return types.int64(types.int64), codegen
