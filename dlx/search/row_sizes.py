"""Sizes of the rows of the kernel "bits", known without the import of numba, which takes long."""

from __future__ import annotations

VECTOR = 64  # bytes
LANE_BITS = (8, 32)  # each width is compiled when it is first used
WIDE_LANES = 8 * VECTOR // LANE_BITS[-1]

# Bytes that the rows of all options, items and colours may take. Up to this size they are faster
# even where a problem is large and sparse: on random sets of 2 to 5 of 300 to 2,500 items dancing
# links took 1 to 15 times as long in the median of each kind, as a row forces all forced options at
# once.
MEMORY = 1 << 25

# Bytes that they may take where items have so many options that dancing links visits many nodes for
# each option. They are to be at least so many times the vectors of a row. On random sets and
# tilings with rows of 45 to 250 MB, rows took a third to a seventeenth of the time from 50 times
# on, and more time than dancing links from 20 times down.
LARGEST, DENSE = 1 << 28, 32


def most_bytes(num_options: int, num_primary: int, num_entries: int, row: int) -> int:
    """Return the bytes that rows of so many bytes may take: MEMORY, or LARGEST."""
    # to cover an item visits the entries of all its options, and an option has some items
    visited = num_entries**3 // (num_options**2 * max(1, num_primary))
    return LARGEST if visited >= DENSE * row // VECTOR else MEMORY


def surely_fit(num_options: int, num_items: int, num_primary: int, num_entries: int) -> bool:
    """Return whether rows fit in MEMORY with the widest lanes and every item in all options.

    That decides for most problems, as they are small.
    """
    row = VECTOR * (1 + num_primary // WIDE_LANES) * (2 + num_options // LANE_BITS[-1])
    return (num_options + num_items + num_entries) * row <= MEMORY
