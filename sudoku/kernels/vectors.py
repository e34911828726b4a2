"""Words side by side, 512 bits: the value type of kernels that run one search per lane.

A row of a `uint32[rows, 16]` or `uint16[rows, 32]` array is loaded as one value of type `Lanes`;
`& | ^ ~ << >> -` then act on all its words at once, whatever the vector width of the machine (LLVM
splits the value where registers are narrower). Without numba's compiler a value is a numpy row, on
which the same operators mean the same, so a kernel is one source for both.

In compiled code these functions are instructions of LLVM; row and lane numbers are not negative.
"""

import operator
from typing import Any

import numpy as np
from llvmlite import ir
from numba import types
from numba.extending import lower_builtin, models, register_model, type_callable

BITS = 512
WIDTH, WIDTH16 = BITS // 32, BITS // 16
"""Words of 32 and of 16 bits in a value: lanes of a state array."""


class Lanes(types.Type):  # type: ignore[misc]
    """Numba's type of unsigned words of `bits` bits."""

    def __init__(self, bits: int) -> None:
        self.vector = ir.VectorType(ir.IntType(bits), BITS // bits)
        super().__init__(name=f"uint{bits}x{BITS // bits}")


@register_model(Lanes)
class _LanesModel(models.PrimitiveModel):  # type: ignore[misc]
    def __init__(self, dmm: Any, fe_type: Any) -> None:
        super().__init__(dmm, fe_type, fe_type.vector)


def as_instructions(function: Any, typer: Any, *kinds: Any) -> Any:
    """Return a decorator of a function that builds what compiled code does in a call of `function`.

    `typer` returns the signature of a call, or its result alone, for the types of the arguments;
    `kinds` are the classes of these types, if `function` is defined for others as well.
    """
    type_callable(function)(lambda context: typer)
    return lower_builtin(function, *kinds or [types.VarArg(types.Any)])


def _splat(builder: Any, word: Any, vector: Any) -> Any:
    """Return the vector of this type that holds the integer `word` in every lane."""
    wider = word.type.width < vector.element.width
    word = (builder.zext if wider else builder.trunc)(word, vector.element)
    undefined = ir.Constant(vector, ir.Undefined)
    first = builder.insert_element(undefined, word, ir.IntType(32)(0))
    order = ir.Constant(ir.VectorType(ir.IntType(32), vector.count), [0] * vector.count)
    return builder.shuffle_vector(first, undefined, order)


def _as_left(left: Any, right: Any) -> Any:
    fits = isinstance(left, Lanes) and (right == left or isinstance(right, types.Integer))
    return left if fits else None


def _binary(function: Any, instruction: str) -> None:
    """Define `function` for two values, or a value and an integer, as one LLVM instruction."""

    def lower(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        left, right = args
        if signature.args[1] != signature.args[0]:
            right = _splat(builder, right, left.type)
        return getattr(builder, instruction)(left, right)

    as_instructions(function, _as_left, Lanes, Lanes)(lower)
    lower_builtin(function, Lanes, types.Integer)(lower)


for _function, _instruction in (
    (operator.and_, "and_"),
    (operator.or_, "or_"),
    (operator.xor, "xor"),
    (operator.sub, "sub"),
    (operator.lshift, "shl"),
    (operator.rshift, "lshr"),
):
    _binary(_function, _instruction)


@as_instructions(operator.invert, lambda value: _as_left(value, value), Lanes)
def _invert(context: Any, builder: Any, signature: Any, args: Any) -> Any:
    return builder.not_(args[0])


def _row_of(state: Any) -> Lanes:
    """Return the type of a row of an array of state."""
    return Lanes(state.dtype.bitwidth)


def _row_pointer(context: Any, builder: Any, signature: Any, state: Any, row: Any) -> Any:
    """Return a vector pointer to row `row` of a C-contiguous array of state."""
    array = context.make_array(signature.args[0])(context, builder, state)
    vector = _row_of(signature.args[0]).vector
    start = builder.mul(row, ir.IntType(64)(vector.count))
    word = builder.gep(array.data, [start], inbounds=True)
    return builder.bitcast(word, vector.as_pointer())


def _align_stack(builder: Any) -> None:
    """Make the function that is built keep values that it spills in one cache line each.

    LLVM aligns the stack to 16 bytes only: with AVX2 kernels took up to 1.6 times as long, or not,
    depending on where the stack of the process began.
    """
    attributes = builder.function.attributes
    attributes.add("nounwind")  # llvmlite would ignore the alignment if there were no attributes
    attributes.alignstack = BITS // 8


def aligned(rows: int, dtype: Any = np.uint32) -> Any:
    """Return zeros, uint32[rows, WIDTH] or uint16[rows, WIDTH16], each row in one cache line."""
    size = np.dtype(dtype).itemsize
    width = BITS // (8 * size)
    memory = np.zeros((rows + 1) * width, dtype)
    skip = -(memory.ctypes.data // size) % width
    return memory[skip : skip + rows * width].reshape(rows, width)


def load(state: Any, row: int) -> Any:
    """Row `row` of an array of state as one value."""
    return state[row].copy()


@as_instructions(load, lambda state, row: _row_of(state)(state, types.int64))
def _load(context: Any, builder: Any, signature: Any, args: Any) -> Any:
    pointer = _row_pointer(context, builder, signature, *args)
    return builder.load(pointer, align=signature.args[0].dtype.bitwidth // 8)


def store(state: Any, row: int, value: Any) -> None:
    """Write a value to row `row` of an array of state."""
    state[row] = value


@as_instructions(store, lambda state, row, value: types.void(state, types.int64, value))
def _store(context: Any, builder: Any, signature: Any, args: Any) -> Any:
    _align_stack(builder)
    place = _row_pointer(context, builder, signature, args[0], args[1])
    builder.store(args[2], place, align=signature.args[0].dtype.bitwidth // 8)
    return context.get_dummy_value()


def word(state: Any, row: Any, lane: Any) -> int:
    """One word of an array of state.

    In compiled code `state[row, lane]` would multiply the row by the length of a row, a variable.
    """
    return int(state[row, lane])


@as_instructions(word, lambda state, row, lane: types.int64(state, types.int64, types.int64))
def _word(context: Any, builder: Any, signature: Any, args: Any) -> Any:
    array = context.make_array(signature.args[0])(context, builder, args[0])
    width = ir.IntType(64)(BITS // signature.args[0].dtype.bitwidth)
    place = builder.add(builder.mul(args[1], width), args[2])
    loaded = builder.load(builder.gep(array.data, [place], inbounds=True))
    return builder.zext(loaded, width.type)


def splat(state: Any, word: int) -> Any:
    """The value, of the type of a row of an array of state, that has `word` in every lane."""
    return np.full_like(state[0], word)


@as_instructions(splat, lambda state, word: _row_of(state)(state, types.int64))
def _splat_word(context: Any, builder: Any, signature: Any, args: Any) -> Any:
    return _splat(builder, args[1], signature.return_type.vector)


def zero(value: Any) -> Any:
    """All bits in the lanes of `value` that are zero, none in the others."""
    return -(value == 0).astype(value.dtype)


@as_instructions(zero, lambda value: value)
def _zero(context: Any, builder: Any, signature: Any, args: Any) -> Any:
    bits = builder.icmp_unsigned("==", args[0], ir.Constant(args[0].type, None))
    return builder.sext(bits, args[0].type)


def nonzero(value: Any) -> int:
    """Bit l of the result says that lane l of `value` is not zero."""
    return int(sum(1 << lane for lane in range(len(value)) if value[lane]))


@as_instructions(nonzero, lambda value: types.int64)
def _nonzero(context: Any, builder: Any, signature: Any, args: Any) -> Any:
    bits = builder.icmp_unsigned("!=", args[0], ir.Constant(args[0].type, None))
    mask = builder.bitcast(bits, ir.IntType(args[0].type.count))
    return builder.zext(mask, ir.IntType(64))
