"""Sizes of the rows of the kernel "bits", known without the import of numba, which takes long."""

from __future__ import annotations

VECTOR = 64  # bytes
LANE_BITS = (8, 32)  # each width is compiled when it is first used
WIDE_LANES = 8 * VECTOR // LANE_BITS[-1]

# Bytes that the rows of all options, items and colours may take. Up to this size they are faster
# than dancing links even on large, sparse problems: on random sets of 2 to 5 of 300 to 2,500 items
# dancing links took 1 to 15 times as long in the median of each kind, since rows choose all forced
# options at once.
MEMORY = 1 << 25

# Bytes that they may take if items have so many options that dancing links visits many entries for
# each option chosen: at least DENSE times the vectors of a row. On random sets and tilings whose
# rows took 45 to 250 MB, the search by rows took a third to a seventeenth of the time of dancing
# links where the ratio was 50 or more, and more time where it was 20 or less.
LARGEST, DENSE = 1 << 28, 32


def most_bytes(num_options: int, num_primary: int, num_entries: int, row: int) -> int:
    """Return the bytes that all rows may take, if one takes `row`: MEMORY or LARGEST."""
    # covering an item visits the entries of all its options; choosing an option covers its items
    visited = num_entries**3 // max(1, num_options**2 * num_primary)
    return LARGEST if visited >= DENSE * row // VECTOR else MEMORY


def surely_fit(num_options: int, num_items: int, num_primary: int, num_entries: int) -> bool:
    """Return whether rows fit in MEMORY with the widest lanes and every item in all options.

    This holds for most problems, which are small.
    """
    row = VECTOR * (1 + num_primary // WIDE_LANES) * (2 + num_options // LANE_BITS[-1])
    return (num_options + num_items + num_entries) * row <= MEMORY
