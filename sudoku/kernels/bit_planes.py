"""Conversion of a grid, uint8[81], to bit planes in one lane of the kernel `classic`, and back.

Word j of a digit is row 3 (digit - 1) + j of `words: uint32[rows, WIDTH]`; a lane is a column.
It uses vectors of bytes, because a loop over the cells takes longer than the search of an easy
puzzle.
"""

from functools import reduce
from typing import Any

import numpy as np
from llvmlite import ir
from numba import types

from sudoku.kernels.vectors import WIDTH, as_instructions

KNOWN = 27  # row KNOWN + j: cells with one candidate, in a puzzle those that are given
CELLS = 0x7FFFFFF

ORDER = [
    [27 * band + 9 * r + 3 * stack + j for r in range(3) for band in range(3) for stack in range(3)]
    for j in range(3)
]
"""ORDER[j][9 r + box]: the cell (9 row + column) that this bit of word j stands for."""

PLACE_OF = {ORDER[j][bit]: (j, bit) for j in range(3) for bit in range(27)}
"""PLACE_OF[cell]: the word and the bit in it that stand for the cell."""

_BYTE, _WORD, _INDEX = (ir.IntType(bits) for bits in (8, 32, 64))
_HALVES = (0, 17)  # of 81 cells: two vectors of 64 that overlap


def _bytes(width: int, value: int) -> Any:
    """Return a constant vector of equal bytes."""
    return ir.Constant(ir.VectorType(_BYTE, width), [value] * width)


def _shuffle(builder: Any, first: Any, second: Any, order: list[int]) -> Any:
    """Return the bytes of two vectors, the second numbered after the first, in this order."""
    order = ir.Constant(ir.VectorType(_WORD, len(order)), order)
    return builder.shuffle_vector(first, second, order)


def _halves(context: Any, builder: Any, array_type: Any, grids: Any, index: Any) -> list[Any]:
    """Return pointers to the two vectors of grid `index` of a C-contiguous uint8[k, 81]."""
    data = context.make_array(array_type)(context, builder, grids).data
    start = builder.mul(index, _INDEX(81))
    places = [builder.gep(data, [builder.add(start, _INDEX(skip))]) for skip in _HALVES]
    return [builder.bitcast(p, ir.VectorType(_BYTE, 64).as_pointer()) for p in places]


def _words_of(context: Any, builder: Any, array_type: Any, words: Any, lane: Any) -> list[Any]:
    """Return pointers to a lane's words in the rows of candidates and known cells."""
    data = context.make_array(array_type)(context, builder, words).data
    rows = (_INDEX(WIDTH * row) for row in range(KNOWN + 3))
    return [builder.gep(data, [builder.add(lane, row)]) for row in rows]


def _plane(builder: Any, word: Any, bit: int) -> Any:
    """Return the cells of digits that have this bit: the bytes of words 0, 1, 2, and four more."""
    plane = ir.Constant(ir.VectorType(_WORD, 4), [0] * 4)
    for j in range(3):
        having = [builder.load(word[3 * d + j]) for d in range(9) if (d + 1) >> bit & 1]
        plane = builder.insert_element(plane, reduce(builder.or_, having), _WORD(j))
    return builder.bitcast(plane, ir.VectorType(_BYTE, 16))


def read_cells(puzzles: Any, index: int, words: Any, lane: int) -> None:
    """Put the candidates and the givens of `puzzles[index]`, digits 0..9, into a lane."""
    powers = 1 << np.arange(27)
    for j in range(3):
        digits = puzzles[index][ORDER[j]]
        for digit in range(9):
            words[3 * digit + j, lane] = powers[(digits == 0) | (digits == digit + 1)].sum()
        words[KNOWN + j, lane] = powers[digits != 0].sum()


@as_instructions(read_cells, lambda puzzles, index, words, lane: types.void)
def _read_cells(context: Any, builder: Any, signature: Any, args: Any) -> Any:
    halves = _halves(context, builder, signature.args[0], args[0], args[1])
    halves = [builder.load(half, align=1) for half in halves]
    word = _words_of(context, builder, signature.args[2], args[2], args[3])
    for j in range(3):
        order = [cell if cell < 64 else cell - _HALVES[1] + 64 for cell in ORDER[j]]
        digits = _shuffle(builder, halves[0], halves[1], [*order, 0, 0, 0, 0, 0])
        places = []
        for digit in range(10):
            equal = builder.icmp_unsigned("==", digits, _bytes(32, digit))
            places.append(builder.and_(builder.bitcast(equal, _WORD), _WORD(CELLS)))
        for digit in range(9):
            candidates = builder.or_(places[0], places[digit + 1])
            builder.store(candidates, word[3 * digit + j])
        builder.store(builder.xor(places[0], _WORD(CELLS)), word[KNOWN + j])
    return context.get_dummy_value()


def write_cells(words: Any, lane: int, solutions: Any, index: int) -> None:
    """Write the digits of a lane, each cell with one candidate, to `solutions[index]`."""
    for j in range(3):
        for digit in range(9):
            places = int(words[3 * digit + j, lane]) >> np.arange(27) & 1
            solutions[index, np.array(ORDER[j])[places == 1]] = digit + 1


@as_instructions(write_cells, lambda words, lane, solutions, index: types.void)
def _write_cells(context: Any, builder: Any, signature: Any, args: Any) -> Any:
    word = _words_of(context, builder, signature.args[0], args[0], args[1])
    halves = _halves(context, builder, signature.args[2], args[2], args[3])
    planes = [_plane(builder, word, bit) for bit in range(4)]
    for skip, half in zip(_HALVES, halves, strict=True):
        places = [PLACE_OF[cell] for cell in range(skip, skip + 64)]
        order = [4 * j + bit // 8 for j, bit in places]
        masks = ir.Constant(ir.VectorType(_BYTE, 64), [1 << bit % 8 for _, bit in places])
        digits = zeros = _bytes(64, 0)
        for bit, plane in enumerate(planes):
            cells = builder.and_(_shuffle(builder, plane, plane, order), masks)
            cells = builder.icmp_unsigned("!=", cells, zeros)
            power = builder.select(cells, _bytes(64, 1 << bit), zeros)
            digits = builder.or_(digits, power)
        builder.store(digits, half, align=1)
    return context.get_dummy_value()
