"""Atomic operations on items of int64 arrays that several threads change in kernels.

numba's cache does not notice a change of this file: delete `__pycache__` after one.
"""

from __future__ import annotations

import numba
from numba.extending import intrinsic

from dlx.compiled import kernel


@intrinsic
def fetch_add(typingctx, array, at, number):  # type: ignore[no-untyped-def]
    """Add to an item of an array, as one operation for all threads. Return the old value."""

    def codegen(context, builder, signature, args):  # type: ignore[no-untyped-def]
        data = context.make_array(signature.args[0])(context, builder, args[0]).data
        return builder.atomic_rmw("add", builder.gep(data, [args[1]]), args[2], "seq_cst")

    return numba.int64(array, numba.int64, numba.int64), codegen


@intrinsic
def load(typingctx, array, at):  # type: ignore[no-untyped-def]
    """An item of an array that another thread may change."""

    def codegen(context, builder, signature, args):  # type: ignore[no-untyped-def]
        data = context.make_array(signature.args[0])(context, builder, args[0]).data
        return builder.load_atomic(builder.gep(data, [args[1]]), "seq_cst", 8)

    return numba.int64(array, numba.int64), codegen


@intrinsic
def replace(typingctx, array, at, old, new):  # type: ignore[no-untyped-def]
    """Set an item of an array to `new` if it is `old`. Return whether it was `old`."""

    def codegen(context, builder, signature, args):  # type: ignore[no-untyped-def]
        data = context.make_array(signature.args[0])(context, builder, args[0]).data
        place = builder.gep(data, [args[1]])
        pair = builder.cmpxchg(place, args[2], args[3], "seq_cst", "seq_cst")
        return builder.extract_value(pair, 1)

    return numba.boolean(array, numba.int64, numba.int64, numba.int64), codegen


if numba.config.DISABLE_JIT:  # then threads take turns, and one of them works in a round

    def fetch_add(array, at, number):  # type: ignore[no-untyped-def]
        """Add to an item of an array. Return the old value."""
        array[at] += number
        return int(array[at]) - number

    def load(array, at):  # type: ignore[no-untyped-def]
        """An item of an array."""
        return array[at]

    def replace(array, at, old, new):  # type: ignore[no-untyped-def]
        """Set an item of an array, without looking whether it is `old`: threads take turns."""
        array[at] = new
        return True


@kernel
def wait_for_change(array, old, looks):  # type: ignore[no-untyped-def]
    """Look at the first item of an array up to `looks` times; return whether it is not `old`."""
    remaining = looks
    while remaining > 0 and load(array, 0) == old:
        remaining -= 1
    return remaining > 0
