"""How many complete grids there are, counted.

Grids of 3 x 3 boxes come from :mod:`sudoku.bands`. Grids of 2 x C boxes are turned so that there
are two bands of C rows and C stacks of two columns. A column that holds the set X in the upper
band holds its complement in the lower one, and so does, the other way round, the other column of
its stack. Hence both bands are to be arranged under the same column sets, and the number of grids
is the sum, over all choices of C half-sets, of the square of the number of arrangements.

An arrangement splits a regular bipartite graph (columns against digits) into perfect matchings,
one a row. How many there are depends only on how many digits share each pattern of sides, up to
the order of the stacks and the exchange of the two columns of a stack.
"""

from __future__ import annotations

from itertools import permutations, product
from math import comb, factorial

import numpy as np
from numba import njit
from numpy.typing import NDArray

from sudoku.bands import bands
from sudoku.errors import LayoutError


@njit(cache=True, nogil=True)
def _split_pairs(left, size, height, digit, state):
    """Ordered ways to split a regular bipartite graph into ``height`` (2 or 4) matchings.

    Each column's digits are halved: two for the upper rows A, two for the lower rows B (none if
    height is 2). Seen as edges between digits, the columns of A form cycles, and each cycle has
    two ways to go to two rows. Exchanging A and B changes nothing, so column 0 keeps its lowest
    digit in A. ``state[j]`` is what stands before column j: for A and B the far end of the path
    that each digit ends (itself at first), -1 once it has both its edges, then the
    number of ways so far.
    """
    low = np.array([0, 0, 0, 1, 1, 2])
    high = np.array([1, 2, 3, 2, 3, 3])
    for j in range(size):
        n = 0
        for d in range(size):
            if left[j] >> d & 1:
                digit[j, n] = d
                n += 1
    for d in range(size):
        state[0, d] = d
        state[0, size + d] = d
    degree = np.zeros((2, size), np.int64)
    choice = np.full(size, -1)
    last = 0 if height == 2 else 5
    ways = np.ones(size + 1, np.int64)
    total = 0
    j = 0
    while j >= 0:
        if j == size:
            total += ways[j]
            j -= 1
            continue
        if choice[j] >= 0:
            for half in range(height // 2):
                pair = choice[j] if half == 0 else 5 - choice[j]
                degree[half, digit[j, low[pair]]] -= 1
                degree[half, digit[j, high[pair]]] -= 1
        choice[j] += 1
        while choice[j] <= last:
            fits = True
            for half in range(height // 2):
                pair = choice[j] if half == 0 else 5 - choice[j]
                fits = fits and degree[half, digit[j, low[pair]]] < 2
                fits = fits and degree[half, digit[j, high[pair]]] < 2
            if fits:
                break
            choice[j] += 1
        if choice[j] > last or (j == 0 and choice[j] > 2):
            choice[j] = -1
            j -= 1
            continue
        ways[j + 1] = ways[j]
        for i in range(height // 2 * size):
            state[j + 1, i] = state[j, i]
        for half in range(height // 2):
            pair = choice[j] if half == 0 else 5 - choice[j]
            a, b = digit[j, low[pair]], digit[j, high[pair]]
            degree[half, a] += 1
            degree[half, b] += 1
            ends = state[j + 1, half * size : half * size + size]
            if ends[a] == b:
                ways[j + 1] *= 2
            else:
                end_a, end_b = ends[a], ends[b]
                ends[end_a] = end_b
                ends[end_b] = end_a
        j += 1
    return total * (height // 2)


@njit(cache=True, nogil=True)
def _arrangements(digits, height):
    """Ordered ways to split a ``height``-regular bipartite graph into perfect matchings.

    ``digits[j]``: the digits of column j, int64 masks; height 2 to 5. If it is odd, one
    matching is searched first, the one that holds the lowest digit of column 0.
    """
    size = len(digits)
    digit = np.zeros((size, 4), np.int64)
    state = np.zeros((size + 1, 2 * size), np.int64)
    if height % 2 == 0:
        return _split_pairs(digits, size, height, digit, state)
    left = digits.copy()
    todo = np.zeros(size + 1, np.int64)
    taken = np.zeros(size + 1, np.int64)
    todo[0] = digits[0] & -digits[0]
    total = 0
    j = 0
    while j >= 0:
        if j == size:
            total += _split_pairs(left, size, height - 1, digit, state)
            j -= 1
            continue
        left[j] = digits[j]
        bit = todo[j] & -todo[j]
        if bit == 0:
            j -= 1
            continue
        todo[j] ^= bit
        left[j] ^= bit
        taken[j + 1] = taken[j] | bit
        j += 1
        if j < size:
            todo[j] = digits[j] & ~taken[j]
    return total * height
