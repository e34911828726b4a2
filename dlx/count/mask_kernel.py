"""Kernel: rows of bit masks, filled a bit or a row at a time: many times as fast as `ufunc.at`.

Small numbers are sorted by counting (Knuth, The Art of Computer Programming 3, section 5.2,
algorithm D): five times as fast as `argsort`.

Nothing is kept between two calls. `set_bits` and `unite` write `masks` only, and only set bits: the
caller makes the masks, zero at first. `fill_skips` writes each place of `skip`. Row and bit numbers
must lie within the arrays; this is not checked.
"""

from __future__ import annotations

import numpy as np

from dlx.compiled import allocating, kernel


@allocating
def sorted_places(number, below):  # type: ignore[no-untyped-def]
    """Return the places of numbers from 0 to `below` - 1 in ascending order; equal ones stay.

    Parameters
    ----------
    number : int64[n]
    below : int

    Returns
    -------
    int64[n]
    """
    begin = np.zeros(below + 1, np.int64)
    for k in range(len(number)):
        begin[number[k] + 1] += 1
    for k in range(below):
        begin[k + 1] += begin[k]
    places = np.empty(len(number), np.int64)
    for k in range(len(number)):
        places[begin[number[k]]] = k
        begin[number[k]] += 1
    return places


@kernel
def set_bits(masks, row, bit):  # type: ignore[no-untyped-def]
    """Set a bit in each of some rows.

    Parameters
    ----------
    masks : uint64[rows, words]
    row, bit : int64[n]
    """
    for k in range(len(row)):
        masks[row[k], bit[k] >> 6] |= np.uint64(1) << np.uint64(bit[k] & 63)


@kernel
def unite(masks, row, sets, which):  # type: ignore[no-untyped-def]
    """Set all bits of a row of `sets` in each of some rows.

    Parameters
    ----------
    masks, sets : uint64[rows, words]
    row, which : int64[n]
        Row `which[k]` of `sets` goes to row `row[k]` of `masks`.
    """
    for k in range(len(row)):
        for w in range(masks.shape[1]):
            masks[row[k], w] |= sets[which[k], w]


@kernel
def fill_skips(first, skip):  # type: ignore[no-untyped-def]
    """For each option and depth, find the next option that differs down to there.

    Parameters
    ----------
    first : int64[options]
        The first depth in which an option differs from the one before.
    skip : int32[options, depths]
        Filled; the number of options where none differs.
    """
    number, depths = skip.shape
    for option in range(number - 1, -1, -1):
        for depth in range(depths):
            if option == number - 1:
                skip[option, depth] = number
            elif first[option + 1] <= depth:
                skip[option, depth] = option + 1
            else:
                skip[option, depth] = skip[option + 1, depth]
