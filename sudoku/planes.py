"""Between a 9 x 9 grid of digits and its bit planes, one lane of the words of `sudoku.nine`."""

from typing import Any

import numba
import numpy as np
from llvmlite import ir
from numba import types
from numba.extending import intrinsic

from sudoku.lanes import WIDTH

KNOWN = 48
FRESH = 71
CELLS = 0x7FFFFFF

# ORDER[j][bit]: the cell that bit 9 r + 3 b + s of word j stands for.
ORDER = [[27 * b + 9 * r + 3 * s + j for r in range(3) for b in range(3) for s in range(3)] for j in range(3)]

_BYTE, _WORD, _INDEX = ir.IntType(8), ir.IntType(32), ir.IntType(64)
_BYTES32, _BYTES64 = ir.VectorType(_BYTE, 32), ir.VectorType(_BYTE, 64)


def _shuffle(builder, first, second, indices):
    indices = ir.Constant(ir.VectorType(_WORD, len(indices)), indices)
    return builder.shuffle_vector(first, second, indices)


def _bytes(width, value):
    return ir.Constant(ir.VectorType(_BYTE, width), [value] * width)


def _halves(context, builder, type_, array, row):
    """Pointers to the first and to the last 64 of the 81 cells of a row."""
    array = context.make_array(type_)(context, builder, array)
    start = builder.mul(row, _INDEX(81))
    return [
        builder.bitcast(
            builder.gep(array.data, [builder.add(start, _INDEX(skip))], inbounds=True),
            _BYTES64.as_pointer(),
        )
        for skip in (0, 17)
    ]


def _column(context, builder, type_, words, lane):
    array = context.make_array(type_)(context, builder, words)

    def place(row):
        return builder.gep(array.data, [builder.add(lane, _INDEX(WIDTH * row))], inbounds=True)

    return place


if numba.config.DISABLE_JIT:

    def read_cells(puzzles: Any, index: int, words: Any, lane: int) -> None:
        """Put puzzle `puzzles[index]`, uint8[81], into a lane."""
        digits = puzzles[index][np.array(ORDER)]
        powers = 1 << np.arange(27)
        for j in range(3):
            blank = digits[j] == 0
            for digit in range(9):
                words[3 * digit + j, lane] = powers[blank | (digits[j] == digit + 1)].sum()
            words[KNOWN + j, lane] = powers[~blank].sum()
        words[FRESH, lane] = CELLS

    def write_cells(words: Any, lane: int, solutions: Any, index: int) -> None:
        """Write the digits of a solved lane to `solutions[index]`, uint8[81]."""
        for j in range(3):
            for digit in range(9):
                bits = int(words[3 * digit + j, lane])
                for bit in range(27):
                    if bits >> bit & 1:
                        solutions[index, ORDER[j][bit]] = digit + 1

else:

    @intrinsic
    def read_cells(typingctx: Any, puzzles: Any, index: Any, words: Any, lane: Any) -> Any:
        """Put puzzle `puzzles[index]`, uint8[81], into a lane."""

        def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            puzzles, index, words, lane = args
            halves = [
                builder.load(p, align=1)
                for p in _halves(context, builder, signature.args[0], puzzles, index)
            ]
            place = _column(context, builder, signature.args[2], words, lane)
            for j in range(3):
                order = [cell if cell < 64 else cell - 17 + 64 for cell in ORDER[j]]
                cells = _shuffle(builder, *halves, order + [order[0]] * 5)

                def where(value):
                    equal = builder.icmp_unsigned("==", cells, _bytes(32, value))
                    return builder.and_(builder.bitcast(equal, _WORD), _WORD(CELLS))

                blank = where(0)
                for digit in range(9):
                    builder.store(builder.or_(blank, where(digit + 1)), place(3 * digit + j))
                builder.store(builder.xor(blank, _WORD(CELLS)), place(KNOWN + j))
            builder.store(_WORD(CELLS), place(FRESH))
            return context.get_dummy_value()

        return types.void(puzzles, types.int64, words, types.int64), codegen

    @intrinsic
    def write_cells(typingctx: Any, words: Any, lane: Any, solutions: Any, index: Any) -> Any:
        """Write the digits of a solved lane to `solutions[index]`, uint8[81]."""

        def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            words, lane, solutions, index = args
            place = _column(context, builder, signature.args[0], words, lane)
            parts = []
            for j in range(3):
                cells = _bytes(32, 0)
                for digit in range(9):
                    mask = builder.bitcast(
                        builder.load(place(3 * digit + j)), ir.VectorType(ir.IntType(1), 32)
                    )
                    cells = builder.select(mask, _bytes(32, digit + 1), cells)
                parts.append(cells)
            first = _shuffle(builder, parts[0], parts[1], list(range(64)))
            second = _shuffle(builder, parts[2], parts[2], list(range(64)))
            source = [0] * 81
            for j in range(3):
                for bit in range(27):
                    source[ORDER[j][bit]] = 32 * j + bit
            for skip, half in zip(
                (0, 17),
                _halves(context, builder, signature.args[2], solutions, index),
                strict=True,
            ):
                builder.store(
                    _shuffle(builder, first, second, source[skip : skip + 64]), half, align=1
                )
            return context.get_dummy_value()

        return types.void(words, types.int64, solutions, types.int64), codegen
