"""Sixteen 32-bit words side by side: the value type of kernels that run one search per lane.

A row of a `uint32[rows, 16]` array is loaded as one value of type `Lanes`; `& | ^ ~ << >>` then
act on its sixteen words at once, whatever the vector width of the machine (LLVM splits the
value where registers are narrower). Without numba's compiler a value is a numpy row, on which
the same operators mean the same, so a kernel is one source for both.

`load`, `store`, `splat` and `nonzero` can be called from compiled code only.
"""

import operator
from typing import Any

import numba
import numpy as np
from llvmlite import ir
from numba import types
from numba.extending import intrinsic, lower_builtin, models, register_model, type_callable

WIDTH = 16
"""Words in a value: lanes of a state array."""

_WORD = ir.IntType(32)
_VECTOR = ir.VectorType(_WORD, WIDTH)


class Lanes(types.Type):  # type: ignore[misc]
    """Numba's type of sixteen unsigned 32-bit words."""

    def __init__(self) -> None:
        super().__init__(name=f"uint32x{WIDTH}")


lanes = Lanes()


@register_model(Lanes)
class _LanesModel(models.PrimitiveModel):  # type: ignore[misc]
    def __init__(self, dmm: Any, fe_type: Any) -> None:
        super().__init__(dmm, fe_type, _VECTOR)


def _splat(builder: Any, word: Any) -> Any:
    """Return the vector that holds the integer `word` in every lane."""
    word = builder.zext(word, _WORD) if word.type.width < 32 else builder.trunc(word, _WORD)
    first = builder.insert_element(ir.Constant(_VECTOR, ir.Undefined), word, ir.IntType(32)(0))
    order = ir.Constant(ir.VectorType(ir.IntType(32), WIDTH), [0] * WIDTH)
    return builder.shuffle_vector(first, ir.Constant(_VECTOR, ir.Undefined), order)


def _binary(function: Any, instruction: str) -> None:
    """Define `function` for two values, or a value and an integer, as one LLVM instruction."""

    @type_callable(function)
    def typer(context: Any) -> Any:
        def of(left: Any, right: Any) -> Any:
            if left == lanes and (right == lanes or isinstance(right, types.Integer)):
                return lanes
            return None

        return of

    def lower(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        left, right = args
        if signature.args[1] != lanes:
            right = _splat(builder, right)
        return getattr(builder, instruction)(left, right)

    for right in (Lanes, types.Integer):
        lower_builtin(function, Lanes, right)(lower)


for _function, _instruction in (
    (operator.and_, "and_"),
    (operator.or_, "or_"),
    (operator.xor, "xor"),
    (operator.lshift, "shl"),
    (operator.rshift, "lshr"),
):
    _binary(_function, _instruction)


@type_callable(operator.invert)
def _type_invert(context: Any) -> Any:
    def of(value: Any) -> Any:
        return lanes if value == lanes else None

    return of


@lower_builtin(operator.invert, Lanes)
def _lower_invert(context: Any, builder: Any, signature: Any, args: Any) -> Any:
    return builder.not_(args[0])


def _row_pointer(context: Any, builder: Any, signature: Any, state: Any, row: Any) -> Any:
    """Return a vector pointer to row `row` of a C-contiguous `uint32[rows, WIDTH]` array."""
    array = context.make_array(signature.args[0])(context, builder, state)
    start = builder.mul(row, ir.IntType(64)(WIDTH))
    word = builder.gep(array.data, [start], inbounds=True)
    return builder.bitcast(word, _VECTOR.as_pointer())


def aligned(rows: int) -> Any:
    """Return zeros, uint32[rows, WIDTH], each row in one cache line."""
    memory = np.zeros((rows + 1) * WIDTH, np.uint32)
    skip = -(memory.ctypes.data // 4) % WIDTH
    return memory[skip : skip + rows * WIDTH].reshape(rows, WIDTH)


if numba.config.DISABLE_JIT:

    def load(state: Any, row: int) -> Any:
        """Row `row` of `state: uint32[rows, WIDTH]` as one value."""
        return state[row].copy()

    def store(state: Any, row: int, value: Any) -> None:
        """Write a value to row `row` of `state: uint32[rows, WIDTH]`."""
        state[row] = value

    def splat(word: int) -> Any:
        """The value that holds `word` in every lane."""
        return np.full(WIDTH, word, np.uint32)

    def nonzero(value: Any) -> int:
        """Bit l of the result says that lane l of `value` is not zero."""
        return int(sum(1 << lane for lane in range(WIDTH) if value[lane]))


else:

    @intrinsic
    def load(typingctx: Any, state: Any, row: Any) -> Any:
        """Row `row` of `state: uint32[rows, WIDTH]` as one value."""

        def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            return builder.load(_row_pointer(context, builder, signature, *args), align=4)

        return lanes(state, types.int64), codegen

    @intrinsic
    def store(typingctx: Any, state: Any, row: Any, value: Any) -> Any:
        """Write a value to row `row` of `state: uint32[rows, WIDTH]`."""

        def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            place = _row_pointer(context, builder, signature, args[0], args[1])
            builder.store(args[2], place, align=4)
            return context.get_dummy_value()

        return types.void(state, types.int64, lanes), codegen

    @intrinsic
    def splat(typingctx: Any, word: Any) -> Any:
        """The value that holds `word` in every lane."""

        def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            return _splat(builder, args[0])

        return lanes(types.int64), codegen

    @intrinsic
    def nonzero(typingctx: Any, value: Any) -> Any:
        """Bit l of the result says that lane l of `value` is not zero."""

        def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            bits = builder.icmp_unsigned("!=", args[0], ir.Constant(_VECTOR, [0] * WIDTH))
            mask = builder.bitcast(bits, ir.IntType(WIDTH))
            return builder.zext(mask, ir.IntType(64))

        return types.int64(lanes), codegen
