"""Instructions of the processor for compiled code: on the bits of an integer, and to prefetch.

numba's cache does not notice a change of this file: delete `__pycache__` after one.
"""

from __future__ import annotations

from typing import Any

from llvmlite import ir
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

    def prefetch(array: Any, at: Any) -> None:
        """Do nothing."""

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

    @intrinsic
    def prefetch(_: Any, array: Any, at: Any) -> Any:
        """Prefetch the cache line of an array's item number `at`, in memory order, to write it."""

        def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            data = context.make_array(signature.args[0])(context, builder, args[0]).data
            byte, flag = ir.IntType(8).as_pointer(), ir.IntType(32)
            kind = ir.FunctionType(ir.VoidType(), [byte, flag, flag, flag])
            fetch = cgutils.get_or_insert_function(builder.module, kind, "llvm.prefetch.p0i8")
            place = builder.bitcast(builder.gep(data, [args[1]]), byte)
            builder.call(fetch, [place, flag(1), flag(3), flag(1)])  # to write, to keep, data
            return context.get_dummy_value()

        return types.void(array, types.int64), generate
