"""Instructions on the bits of an integer, for compiled code: the lowest one, and how many.

numba's cache does not notice a change of this file: delete `__pycache__` after one.
"""

from __future__ import annotations

from typing import Any

from numba import config, types
from numba.core import cgutils
from numba.extending import intrinsic

if config.DISABLE_JIT:

    def lowest_bit(word: Any) -> Any:
        """Return the index of the lowest set bit of a word that is not 0."""
        return (int(word) & -int(word)).bit_length() - 1

    def count_bits(word: Any) -> Any:
        """Return the number of set bits of a word of 64 bits."""
        return (int(word) & (1 << 64) - 1).bit_count()

else:

    @intrinsic
    def lowest_bit(_: Any, word: Any) -> Any:
        """Return the index of the lowest set bit of a word that is not 0."""

        def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            number = builder.cttz(args[0], cgutils.true_bit)
            return number if number.type.width == 64 else builder.zext(number, cgutils.intp_t)

        return types.int64(word), generate

    @intrinsic
    def count_bits(_: Any, word: Any) -> Any:
        """Return the number of set bits of a word of 64 bits."""

        def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            return builder.ctpop(args[0])

        return types.int64(word), generate
